"""Writes pools whose window is larger than the image, and arrays for them: make_cut_pools.py FOLDER"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402

folder = pathlib.Path(sys.argv[1])
x = np.array([[[[3, -1, -4, -2, 9]], [[0, 2, 5, 1, -7]]]], np.float32)
pairs = x[..., :4].reshape(1, 2, 1, 2, 2)
for name, op, kernel, wanted in (("max", "MaxPool", 2, pairs.max(-1)), ("mean", "AveragePool", 2, pairs.mean(-1)),
                                 ("far", "MaxPool", 3, None)):
    node = w.node(op, ["x"], ["y"], name="pool", kernel_shape=[kernel, 2], strides=[2, 2])
    graph = w.graph([node], [w.value("x", np.float32, x.shape)], [w.value("y", np.float32, [1, 2, 1, 2])], {})
    (folder / f"{name}.onnx").write_bytes(w.model(graph))
    if wanted is not None:
        np.savez(folder / f"{name}.npz", y=wanted)
np.savez(folder / "x.npz", x=x)
