"""usage: make_models.py FOLDER

Writes net.onnx (two layers, shape arithmetic, a function called twice, two nodes of one name, one
that nothing reads), batch.onnx (an open dimension), no_op.onnx (an operator that is not supported),
and net.npz: the input x of net.onnx.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import onnx_writer as w  # noqa: E402

FLOAT = np.float32


def make_net(rng):
    swish = w.function("Swish", "test", ["a"], ["c"],
                       [w.node("Sigmoid", ["a"], ["b"], name="gate"), w.node("Mul", ["a", "b"], ["c"])])
    nodes = [
        w.node("Shape", ["x"], ["dims"], name="dims_of_x"),
        w.node("Gather", ["dims", "zero"], ["rows"], name="rows_of_x", axis=0),
        w.node("Concat", ["rows", "rest"], ["flat_dims"], name="flat_dims", axis=0),
        w.node("Reshape", ["x", "flat_dims"], ["flat"], name="flatten"),
        w.node("MatMul", ["flat", "w0"], ["m0"], name="layer"),
        w.node("Add", ["m0", "b0"], ["s0"], name="layer"),
        w.node("Swish", ["s0"], ["h0"], name="first", domain="test"),
        w.node("Identity", ["h0"], ["h1"], name="pass"),
        w.node("Exp", ["x"], ["nobody"], name="unused"),
        w.node("MatMul", ["h1", "w1"], ["m1"], name="out"),
        w.node("Swish", ["m1"], ["h2"], name="second", domain="test"),
        w.node("Softmax", ["h2"], ["y"], axis=1),
    ]
    initializers = {
        "zero": np.array([0], np.int64), "rest": np.array([24], np.int64),
        "w0": rng.standard_normal((24, 32), FLOAT), "b0": rng.standard_normal(32, FLOAT),
        "w1": rng.standard_normal((32, 10), FLOAT)}
    graph = w.graph(nodes, [w.value("x", FLOAT, [4, 2, 12])], [w.value("y", FLOAT, [4, 10])],
                    initializers)
    return w.model(graph, functions=[swish], domains=["test"])


def make_batch():
    graph = w.graph([w.node("Relu", ["x"], ["y"], name="relu")],
                    [w.value("x", FLOAT, ["batch", 4])], [w.value("y", FLOAT, ["batch", 4])])
    return w.model(graph)


def make_no_op():
    graph = w.graph([w.node("Relu", ["x"], ["h"], name="relu"),
                     w.node("NoSuch", ["h"], ["y"], name="strange")],
                    [w.value("x", FLOAT, [4])], [w.value("y", FLOAT, [4])])
    return w.model(graph)


def main(folder):
    rng = np.random.default_rng(1)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net.onnx").write_bytes(make_net(rng))
    (folder / "batch.onnx").write_bytes(make_batch())
    (folder / "no_op.onnx").write_bytes(make_no_op())
    np.savez(folder / "net.npz", x=rng.standard_normal((4, 2, 12), FLOAT))


main(pathlib.Path(sys.argv[1]))
