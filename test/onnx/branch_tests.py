#!/usr/bin/env python3
"""Models with branches: branch_tests.py FUSE_RUN [--count N] [--seed N]

Graphs of a few nodes with an `If` within an `If`, as exporters write them for sampling rates, ranks
and sizes of batches: conditions follow from constants, from shapes, from scalars that are given and
from one another; branches read what is around them, have constants of their own, return what they
did not compute themselves, and hold an operator that there is none of where they are not taken.
Compared with onnx's reference evaluator, fused and unfused. Others from day to day.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from running import run_drawn


class Writer:
    """Nodes of a graph, and of the graphs within it."""

    def __init__(self, rng, columns):
        self.rng, self.columns, self.count = rng, columns, 0
        self.rate = rng.choice((8000, 16000))

    def name(self, text="v"):
        self.count += 1
        return f"{text}{self.count}"

    def constant(self, nodes, array):
        name = self.name("k")
        nodes.append(helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array)))
        return name

    def condition(self, nodes):
        """The name of a condition, and its value."""
        rng, result = self.rng, self.name("c")
        kind = rng.choice(("constant", "shape", "scalar", "rank", "not"))
        if kind == "constant":
            value = rng.random() < 0.5
            return self.constant(nodes, np.array(value)), value
        if kind == "not":
            inner, value = self.condition(nodes)
            nodes.append(helper.make_node("Not", [inner], [result]))
            return result, not value
        if kind == "scalar":
            other = rng.choice((8000, 16000))
            nodes.append(helper.make_node(
                "Equal", ["rate", self.constant(nodes, np.array(other, np.int64))], [result]))
            return result, other == self.rate
        shape = self.name("s")
        nodes.append(helper.make_node("Shape", ["x"], [shape]))
        if kind == "rank":
            size, other = self.name("r"), rng.choice((2, 3))
            nodes.append(helper.make_node("Size", [shape], [size]))
            nodes.append(helper.make_node(
                "Equal", [size, self.constant(nodes, np.array(other, np.int64))], [result]))
            return result, other == 2
        extent, other = self.name("e"), rng.choice((self.columns, self.columns + 1))
        nodes.append(helper.make_node(
            "Gather", [shape, self.constant(nodes, np.array([1], np.int64))], [extent], axis=0))
        nodes.append(helper.make_node(
            "Less", [extent, self.constant(nodes, np.array([other], np.int64))], [result]))
        return result, self.columns < other

    def step(self, nodes, seen):
        """One node; its result has the shape of x."""
        result, x = self.name(), self.rng.choice(seen)
        kind = self.rng.choice(("unary", "binary", "product", "bias"))
        if kind == "unary":
            nodes.append(helper.make_node(self.rng.choice(("Abs", "Neg", "Relu", "Tanh")), [x], [result]))
        elif kind == "binary":
            nodes.append(helper.make_node("Add", [x, self.rng.choice(seen)], [result]))
        elif kind == "bias":
            values = np.linspace(-1, 1, self.columns, dtype=np.float32)
            nodes.append(helper.make_node("Mul", [x, self.constant(nodes, values)], [result]))
        else:
            nodes.append(helper.make_node("MatMul", [x, "w"], [result]))
        return result

    def branch(self, name, depth, seen, isTaken):
        nodes, inner = [], list(seen)
        for _ in range(self.rng.randrange(3)):
            inner.append(self.step(nodes, inner))
        if depth and self.rng.random() < 0.6:
            inner.append(self.choice(nodes, depth - 1, inner))
        if not isTaken and self.rng.random() < 0.3:
            nodes.append(helper.make_node("NoSuchOperator", [inner[-1]], [self.name("bad")]))
        # What is returned must be computed within.
        result = self.name("o")
        nodes.append(helper.make_node("Identity", [inner[-1]], [result]))
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(
            result, TensorProto.FLOAT, None)])

    def choice(self, nodes, depth, seen):
        condition, value = self.condition(nodes)
        result = self.name("y")
        nodes.append(helper.make_node(
            "If", [condition], [result], name=self.name("if"),
            then_branch=self.branch("then", depth, seen, value),
            else_branch=self.branch("else", depth, seen, not value)))
        return result


def draw(rng):
    rows, columns = rng.choice((1, 2, 7)), rng.choice((1, 3, 16, 17))
    writer, nodes, seen = Writer(rng, columns), [], ["x"]
    for _ in range(rng.randrange(1, 4)):
        seen.append(writer.step(nodes, seen))
        seen.append(writer.choice(nodes, rng.randrange(3), seen))
    nodes.append(helper.make_node("Add", [seen[-1], seen[-2]], ["y"]))
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    x = numbers.standard_normal((rows, columns)).astype(np.float32)
    w = (numbers.standard_normal((columns, columns)) / columns).astype(np.float32)
    shape = [rng.choice((rows, "batch", "?")), rng.choice((columns, "?"))]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape),
                     helper.make_tensor_value_info("rate", TensorProto.INT64, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, columns])],
        [numpy_helper.from_array(w, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    inputs = {"x": x, "rate": np.array(writer.rate)}
    wanted, = ReferenceEvaluator(strip(model)).run(None, inputs)
    return f"{len(nodes)} nodes, {x.shape}", (model, inputs, {"y": wanted})


def strip(model):
    """The evaluator wants to know all operators, also those of branches that are not taken."""
    stripped = onnx.ModelProto()
    stripped.CopyFrom(model)

    def walk(graph):
        kept = [node for node in graph.node if node.op_type != "NoSuchOperator"]
        del graph.node[:]
        graph.node.extend(kept)
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    walk(attribute.g)

    walk(stripped.graph)
    return stripped


if __name__ == "__main__":
    raise SystemExit(run_drawn(__doc__, draw, count=200))
