"""Writes inputs of named-dims.mlir: make_named.py FOLDER"""
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])


def write(name, batch=2, mask=5, image=8):
    shapes = {"ids": (2, 1), "past": (batch, 4), "mask": (mask,), "image": (image,)}
    np.savez(folder / name, **{each: np.ones(shape, np.float32) for each, shape in shapes.items()})


write("right.npz")
write("batch.npz", batch=3)
write("mask.npz", mask=6)
write("fourth.npz", image=6)
