"""Writes a good model and damaged ones.

usage: make_onnx.py FOLDER
"""
import os
import pathlib
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402

FLOAT, INT64, STRING = 1, 7, 8


def value(name, dims, dtype=np.float32):
    return w.value(name, dtype, dims)


def model(nodes, inputs, outputs, tensors=()):
    names = [w.field(1, each) for each in outputs]
    return w.model(w.graph(nodes, inputs, names, list(tensors)))


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def integers(*values):
    return struct.pack(f"<{len(values)}q", *values)


x = value("x", [2, 3])
relu = w.node("Relu", ["x"], ["y"], "act")
good = model([relu], [x], ["y"])


def adds(weight):
    return model([w.node("Add", ["x", "w"], ["y"], "sum")], [x], ["y"], [weight])


def reshapes(*shape):
    return model([w.node("Reshape", ["x", "s"], ["y"], "view")], [x], ["y"],
                 [w.raw_tensor("s", INT64, [len(shape)], integers(*shape))])


MODELS = {
    "good": good,
    "symbolic": model([relu], [value("x", ["batch", 3])], ["y"]),
    "shaped": model([w.node("Reshape", ["x", "s"], ["y"], "view")], [x, value("s", [2], np.int64)], ["y"]),
    "cut": good[:40],
    "empty": b"",
    "text": b"module { func.func @main() { return } }",
    "no-opset": good[:good.rindex(w.field(8, w.opset(17)))],
    "unsupported": model([w.node("Loop", ["x"], ["a"], "loop"), relu,
                          w.node("Fast", ["a"], ["b"], "own", domain="com.x"),
                          *(w.node("Loop", ["x"], [f"l{i}"], f"loop{i}") for i in range(1, 4))],
                         [x], ["y"]),
    "cycle": model([w.node("Add", ["x", "b"], ["a"], "first"), w.node("Relu", ["a"], ["b"], "second")],
                   [x], ["b"]),
    "two-widths": w.model(w.graph(
        [w.node("Attention", ["x", "w", "b"], ["y", "kept"], "attend", domain="com.microsoft", num_heads=1, qkv_hidden_sizes=[4, 4, 2])],
        [value("x", [1, 3, 2]), value("w", [2, 10]), value("b", [10])], [w.field(1, "y"), w.field(1, "kept")]), domains=["com.microsoft"]),
    "missing": model([w.node("Add", ["x", "w"], ["y"], "sum")], [x], ["y"]),
    "no-result": model([relu], [x], ["z"]),
    "twice": model([relu, relu], [x], ["y"]),
    "operands": model([w.node("Add", ["x"], ["y"], "sum")], [x], ["y"]),
    "mismatch": adds(w.raw_tensor("w", FLOAT, [4], floats(1, 2, 3, 4))),
    "bytes": adds(w.raw_tensor("w", FLOAT, [4], floats(1, 2, 3))),
    "negative": adds(w.raw_tensor("w", FLOAT, [-4], floats(1, 2, 3))),
    "huge": adds(w.raw_tensor("w", FLOAT, [1 << 40, 1 << 40], floats(1))),
    "strings": adds(w.raw_tensor("w", STRING, [1])),
    "outside": adds(w.raw_tensor("w", FLOAT, [4], location="../w.bin")),
    "gone": adds(w.raw_tensor("w", FLOAT, [4], location="w.bin")),
    "shape": reshapes(4, 4),
    "extent": reshapes(-7, 3),
    "axis": model([w.node("Softmax", ["x"], ["y"], "soft", axis=5)], [x], ["y"]),
    "far": model([w.node("GatherElements", ["x", "i"], ["y"], "pick", axis=1)],
                 [x, value("i", [1, 3], np.int64)], ["y"]),
    "wide": model([w.node("ScatterElements", ["x", "i", "u"], ["y"], "put", axis=1)],
                  [x, value("i", [1, 3], np.int64), value("u", [3, 1])], ["y"]),
    "top": model([w.node("TopK", ["v", "k"], ["y", "p"], "top")], [value("v", [5])], ["y", "p"],
                 [w.raw_tensor("k", INT64, [1], integers(3))]),
    "gru": model([w.node("GRU", ["s", "w", "r"], ["y"], "gru", hidden_size=-1)],
                 [value("s", [4, 1, 2]), value("w", [1, 9, 2]), value("r", [1, 9, 3])], ["y"]),
    "open": model([relu], [w.field(1, "x") + w.field(2, w.field(1, w.field(1, FLOAT)))], ["y"]),
    "odd-name": model([w.node("Relu", ["nothing"], ["y"], "a'\n\"b")], [x], ["y"]),
}

if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, data in MODELS.items():
        with open(os.path.join(sys.argv[1], name + ".onnx"), "wb") as file:
            file.write(data)
    np.savez(os.path.join(sys.argv[1], "far.npz"), x=np.zeros((2, 3), np.float32),
             i=np.array([[0, 5, 0]]))
    np.savez(os.path.join(sys.argv[1], "top.npz"), v=np.array([1, np.nan, 3, np.nan, 2], np.float32))
