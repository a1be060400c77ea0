"""usage: flip.py FROM TO BYTE: a copy with one bit of the byte at this offset flipped."""
import sys

source, target, offset = sys.argv[1:]
data = bytearray(open(source, "rb").read())
data[int(offset)] ^= 4
open(target, "wb").write(data)
