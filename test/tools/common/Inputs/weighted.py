"""Writes a model whose weights are listed as inputs, too, and arrays for it: weighted.py FOLDER"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402

folder = pathlib.Path(sys.argv[1])
names = {"x": [2, 64], "z": [2, 64], "weight": [64]}
nodes = [w.node("Add", ["x", "z"], ["s"]), w.node("Mul", ["s", "weight"], ["o"])]
weight = np.arange(64, dtype=np.float32)
(folder / "m.onnx").write_bytes(w.model(w.graph(
    nodes, [w.value(name, np.float32, shape) for name, shape in names.items()],
    [w.value("o", np.float32, [2, 64])], {"weight": weight})))
x = np.ones((2, 64), np.float32)
np.save(folder / "y.npy", x)
np.savez(folder / "y.npz", y=x)
np.savez(folder / "x.npz", x=x, z=x, weight=weight)
