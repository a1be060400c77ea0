"""Writes models with open dimensions: make_open.py FOLDER"""
import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402

f32 = np.float32


def save(name, nodes, shape, result, tensors=()):
    graph = w.graph(nodes, inputs=[w.value("x", f32, shape)], outputs=[w.value("y", f32, result)],
                    initializers=list(tensors))
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(w.model(graph))


filters = w.tensor("w", np.ones((8, 4, 3), f32))
images = w.tensor("w", np.ones((8, 4, 3, 3), f32))
conv = w.node("Conv", ["x", "w"], ["t"], name="conv", pads=[1, 1])
relu = w.node("Relu", ["t"], ["y"], name="relu")
save("conv1d.onnx", [conv, relu], ["batch", 4, "length"], ["batch", 8, "length"], [filters])
save("length.onnx", [conv, relu], [2, 4, "length"], [2, 8, "length"], [filters])
save("conv2d.onnx", [w.node("Conv", ["x", "w"], ["t"], name="conv", pads=[1] * 4), relu],
     ["batch", 4, "height", 16], ["batch", 8, "height", 16], [images])
save("pad.onnx", [w.node("Pad", ["x", "p"], ["y"], name="pad")], ["batch", 4, "length"], ["batch", 4, "n"],
     [w.tensor("p", np.array([0, 0, 1, 0, 0, 1], np.int64))])
save("cut.onnx", [w.node("Pad", ["x", "p"], ["y"], name="pad")], ["batch", 4, 3], ["batch", 4, "n"],
     [w.tensor("p", np.array([0, 0, -2, 0, 0, -3], np.int64))])
save("pool.onnx", [w.node("AveragePool", ["x"], ["y"], name="pool", kernel_shape=[2], auto_pad="SAME_UPPER")],
     ["batch", 4, "length"], ["batch", 4, "n"])
save("fourth.onnx", [w.node("Relu", ["x"], ["y"], name="relu")], ["4*h", "w - 1"], ["4*h", "w - 1"])
with open(os.path.join(sys.argv[1], "two.onnx"), "wb") as file:
    file.write(w.model(w.graph([w.node("Add", ["x", "z"], ["y"], name="sum")],
                               inputs=[w.value(name, f32, ["batch", 4]) for name in "xz"],
                               outputs=[w.value("y", f32, ["batch", 4])])))
