"""usage: make_arrays.py FOLDER

The inputs of the check values, as in.npz.
"""
import os
import sys

import numpy as np

os.chdir(sys.argv[1])
np.savez(
    "in.npz",
    x=np.array([1, 2, 3, 4], np.float32),
    signs=np.array([-1, 0, 1, 2], np.float32),
    tens=np.full(4, 10, np.float32),
    a=np.array([1, 2, 3], np.float32),
    b=np.array([4, 5, 6], np.float32),
    five=np.array([-2, -1, 0, 1, 2], np.float32),
    none=np.zeros((2, 0), np.float32),
    none32=np.zeros(0, np.int32),
    none8=np.zeros(0, np.int8),
    masks=np.zeros(0, np.bool_),
    nothing=np.array([np.nan, 1, np.nan], np.float32),
    ties=np.array([3, 7, 7, 3], np.float32),
)
