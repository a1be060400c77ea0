"""usage: check_same.py A.npz B.npz

Finite, not all zero, and the same bit by bit.
"""
import sys

import numpy as np

a, b = np.load(sys.argv[1]), np.load(sys.argv[2])
for name in a.files:
    print(name, a[name].shape, np.abs(a[name]).max())
sys.exit(a.files != b.files or not all(
    np.isfinite(a[name]).all() and a[name].any() and a[name].tobytes() == b[name].tobytes()
    for name in a.files))
