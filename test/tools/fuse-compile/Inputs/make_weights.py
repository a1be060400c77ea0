"""usage: make_weights.py FOLDER: arrays for examples/bundle/mlp.mlir."""
import sys

import numpy as np

folder = sys.argv[1]


def make(*shape):
    """Multiples of 1/4 from -1 to 1."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 7 % 9 - 4) / 4).astype(np.float32).reshape(shape)


weights = {"w0": make(4, 8), "b0": make(8), "w1": make(8, 3)}
x = np.array([[1, 2, 3, 4], [-1, 0, 1, 0]], np.float32)
np.savez(f"{folder}/weights.npz", **weights)
np.savez(f"{folder}/x.npz", x=x)
np.savez(f"{folder}/other.npz", other=x)
np.savez(f"{folder}/wide.npz", **{**weights, "w1": np.zeros((8, 4), np.float32)})
np.save(f"{folder}/w1.npy", weights["w1"])
np.save(f"{folder}/x.npy", x)

hidden = np.maximum(x.astype(np.float64) @ weights["w0"] + weights["b0"], 0) @ weights["w1"]
y = np.exp(hidden - hidden.max(1, keepdims=True))
y /= y.sum(1, keepdims=True)
np.savez(f"{folder}/want.npz", y=y.astype(np.float32))
