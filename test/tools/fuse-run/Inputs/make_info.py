"""Writes models with open extents: make_info.py FOLDER"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402

F32 = np.float32
folder = pathlib.Path(sys.argv[1])


def write(name, nodes, inputs, outputs, tensors=None, **more):
    values = [[w.value(each, F32, shape) for each, shape in group.items()]
              for group in (inputs, outputs)]
    (folder / name).write_bytes(w.model(w.graph(nodes, *values, tensors), **more))


twice = w.function("Mul", "com.own", ["a", "b"], ["c"], [w.node("Mul", ["a", "b"], ["c"])])
write("open.onnx",
      [w.node("Add", ["x", "h"], ["s"]), w.node("Mul", ["s", "k"], ["y"], domain="com.own"),
       w.node("Transpose", ["y"], ["z"], perm=[2, 1, 0])],
      {"x": ["batch", 3, "?"], "h": ["batch", 3, 1]}, {"y": ["batch", 3, "?"], "z": ["m", 3, "o"]},
      {"k": np.ones((3, 1), F32)}, functions=[twice], domains=["com.own"])
write("flat.onnx",
      [w.node("Shape", ["x"], ["s"], "s"), w.node("ReduceProd", ["s"], ["p"], keepdims=0),
       w.node("BitwiseAnd", ["p", "most"], ["n"]),
       w.node("Unsqueeze", ["n", "zero"], ["l"]), w.node("Concat", ["l", "two"], ["t"], axis=0),
       w.node("Expand", ["one", "t"], ["e"]), w.node("ReduceMax", ["x"], ["top"], keepdims=0),
       w.node("Add", ["e", "top"], ["y"])],
      {"x": ["batch", "seq_len"]}, {"y": ["n", 2]},
      {"zero": np.zeros(1, np.int64), "two": np.full(1, 2, np.int64), "one": np.ones(1, F32), "most": np.array((1 << 40) - 1)})
write("window.onnx", [w.node("Conv", ["x", "k"], ["y"])], {"x": ["batch", 3, "time"]},
      {"y": ["batch", 4, "time"]}, {"k": np.ones((4, 3, 1), F32)})
write("loop.onnx", [w.node("Loop", ["x"], ["y"], "l")], {"x": ["batch"]}, {"y": ["batch"]})
