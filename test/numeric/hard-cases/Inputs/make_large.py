"""usage: make_large.py FOLDER | make_large.py FOLDER check

More than 2^31 elements of i8, as a file with a hole: large.npy, nonzero in three places. `check` looks
at out.npz there.
"""
import os
import sys

import numpy as np

SIDE = 46341
os.chdir(sys.argv[1])
if len(sys.argv) > 2:
    out = np.load("out.npz")
    tail = np.full((2, SIDE), 100, np.int8)
    tail[0, 77], tail[1, -1] = 127, 0
    maxima = np.full(SIDE, 100, np.int8)
    maxima[[0, SIDE - 2]] = 101, 127
    samples = np.full((10, 10), 100, np.int8)
    samples[0, 0] = 101
    assert (out["result0"] == tail).all() and (out["result1"] == maxima).all()
    assert (out["result2"] == samples).all()
    sys.exit()
header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({SIDE}, {SIDE}), }}".ljust(117) + "\n"
with open("large.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    file.truncate(10 + len(header) + SIDE * SIDE)
large = np.load("large.npy", mmap_mode="r+")
large[0, 0], large[-2, 77], large[-1, -1] = 1, 27, 28  # 128 wraps to -128, relu makes it 0
