# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes .npz files of f32 arrays without NumPy, which not every Python has."""

import array
import sys
import zipfile


def npy(values):
    """The bytes of a .npy file, version 1.0, of one dimension."""
    data = array.array("f", values)
    if sys.byteorder == "big":
        data.byteswap()
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin1") + data.tobytes()


def write(path, arrays):
    """`arrays`: lists of numbers, by name."""
    with zipfile.ZipFile(path, "w") as file:
        for name, values in arrays.items():
            file.writestr(name + ".npy", npy(values))
