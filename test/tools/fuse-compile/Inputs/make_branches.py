"""Writes a model whose branch follows an input's value, and arrays for it: make_branches.py FOLDER"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402


def branch(op):
    """A graph as an attribute's value."""
    return w.graph([w.node(op, ["x"], [op])], [], [w.value(op, np.float32, [2, 3])])


folder = pathlib.Path(sys.argv[1])
choice = (w.fields(1, ["c"]) + w.fields(2, ["y"]) + w.field(3, "choice") + w.field(4, "If")
          + b"".join(w.field(5, w.field(1, name) + w.field(6, branch(op)) + w.field(20, 5))
                     for name, op in (("then_branch", "Neg"), ("else_branch", "Abs"))))
nodes = [w.node("Equal", ["rate", "k"], ["c"]), choice]
(folder / "m.onnx").write_bytes(w.model(w.graph(
    nodes, [w.value("x", np.float32, [2, 3]), w.value("rate", np.int64, [])],
    [w.value("y", np.float32, [2, 3])], {"k": np.array(16000, np.int64)})))
x = np.arange(-2, 4, dtype=np.float32).reshape(2, 3)
np.savez(folder / "in.npz", x=x, rate=np.array(16000), y=-x)
np.save(folder / "rate.npy", np.array(16000))
