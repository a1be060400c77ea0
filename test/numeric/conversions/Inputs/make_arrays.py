# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_arrays.py OUT: inputs of ../numpy.mlir and what NumPy gives, as OUT-in.npz and OUT-want.npz."""
import sys

import numpy as np

rng = np.random.default_rng(5)
x = rng.normal(size=(6, 4)).astype(np.float32)
w = rng.normal(size=(4, 5)).astype(np.float32)
h = rng.normal(size=(6, 4)).astype(np.float16)
y = rng.normal(size=(3, 4)).astype(np.float32)

e = np.exp(x - x.max(1, keepdims=True))
products = h.astype(np.float32) @ h.astype(np.float32).T
np.savez(sys.argv[1] + "-in.npz", arg0=x, arg1=w, arg2=h, arg3=y)
np.savez(sys.argv[1] + "-want.npz", result0=e / e.sum(1, keepdims=True), result1=np.maximum(x @ w, 0),
         result2=products, result3=np.concatenate([x, y]), result4=np.tanh(x).sum())
