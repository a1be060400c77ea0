"""usage: make_bad_headers.py FOLDER

Makes .npy files with headers that cannot be right, each for x: 2x3xf32 of p.mlir, and a good n.npy.
"""
import os
import struct
import sys

import numpy as np

os.chdir(sys.argv[1])
np.save("n.npy", np.arange(4, dtype=np.int32))
GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"
DATA = np.arange(6, dtype=np.float32).tobytes()


def write(name, header, version=1):
    data = header.encode("latin1")
    length = struct.pack("<H" if version == 1 else "<I", len(data))
    with open(name + ".npy", "wb") as file:
        file.write(b"\x93NUMPY" + bytes([version, 0]) + length + data + DATA)


write("negative", GOOD.replace("(2, 3)", "(-2, -3)"))
write("wrapping", GOOD.replace("(2, 3)", "(4611686018427387904, 4)"))
write("beyond", GOOD.replace("(2, 3)", "(99999999999999999999999, 1)"))
write("more", GOOD.replace("(2, 3)", "(100000000000,)"))
write("no_descr", GOOD.replace("'descr': '<f4', ", ""))
write("no_shape", GOOD.replace("'shape': (2, 3), ", ""))
write("no_order", GOOD.replace("'fortran_order': False, ", ""))
write("open", GOOD[:-6])
write("binary", "\0\xff\x80" * 10)
write("records", GOOD.replace("'<f4'", "[('a', '<f4')]"))
write("objects", GOOD.replace("<f4", "|O"))
write("long_double", GOOD.replace("<f4", "<f16"))
write("nested", "(" * 3000)
write("fraction", GOOD.replace("(2, 3)", "(2.0, 3)"))
write("future", GOOD, version=9)
open("length.npy", "wb").write(b"\x93NUMPY\x02\0\xff\xff\xff\xff" + GOOD.encode() + DATA)
open("magic.npy", "wb").write(b"\x93NUMPY")
