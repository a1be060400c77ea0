"""usage: damage.py FROM TO KIND: copies a file of weights with one thing wrong."""
import sys

source, target, kind = sys.argv[1:]
data = bytearray(open(source, "rb").read())
if kind == "magic":
    data[0] ^= 1
elif kind == "abi":
    data[8] = 99
elif kind == "version":
    data[16:32] = b"9.8.7".ljust(16, b"\0")
elif kind == "build":
    data[32] ^= 1
elif kind == "truncated":
    data = data[:-64]
elif kind == "header-only":
    data = data[:40]
elif kind == "empty":
    data = b""
elif kind == "longer":
    data += bytes(64)
elif kind == "size":
    data[48] ^= 64
elif kind == "count":
    data[56] += 1
elif kind == "entry":
    data[64] ^= 64  # offset of the first array
else:
    sys.exit(f"unknown kind {kind}")
open(target, "wb").write(data)
