#!/usr/bin/env python3
"""Products whose weights are short numbers, against NumPy: weight_tests.py FUSE_RUN [--count N] [--seed N] [--numerics CLASS]

Weights of 2, 4, 8 and 16 bits with and without zero points (integers and floats), scales for all weights, for each column
and for blocks of 16 to 256 steps, of f32 and f16, transposed or not, behind rows of f32 and f16; sizes that no block
divides. Half of the cases have few rows, whose weights stay short (see fuse-keep-short-weights). Half of the products of ONNX
Runtime allow rows of 8 bits (accuracy_level 4): results are those of f32, or of rows that are rounded for each block. The seed
is that of the day unless it is given.
"""

import argparse
import collections
import datetime
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from running import run_all, run_case

Case = collections.namedtuple("Case", "nodes constants rows expected rounded", defaults=[None])
F = np.float32
TYPES = {"i8": (-128, 128, TensorProto.INT8), "u8": (0, 256, TensorProto.UINT8), "i4": (-8, 8, TensorProto.INT4),
         "u4": (0, 16, TensorProto.UINT4), "i16": (-500, 500, TensorProto.INT16)}


def draw_size(rng):
    return int(rng.choice([17, 32, 48, 64, 100, 128, 200, 257])), int(rng.choice([1, 15, 16, 17, 48, 64, 100, 130, 192]))


def draw_rows(rng):
    return int(rng.choice([1, 1, 2, 3, 5, 8, 16, 17, 33]))


def integers(name, array, kind):
    return helper.make_tensor(name, TYPES[kind][2], array.shape, array.flatten().tolist())


def draw_nbits(rng):
    """com.microsoft.MatMulNBits."""
    (k, n), rows = draw_size(rng), draw_rows(rng)
    bits, block = int(rng.choice([2, 4, 4, 8])), int(rng.choice([16, 32, 64, 128, 256]))
    blocks = -(-k // block)
    packed = rng.integers(0, 256, (n, blocks, block * bits // 8)).astype(np.uint8)
    scales = (rng.random((n, blocks)) + 0.1).astype(F)
    per = 8 // bits
    split = lambda x: ((x[..., None] >> (np.arange(per) * bits)) & (2**bits - 1)).reshape(*x.shape[:-1], -1)
    numbers = split(packed).reshape(n, blocks, block).astype(F)
    constants = [numpy_helper.from_array(packed, "w"), numpy_helper.from_array(scales.reshape(-1), "s")]
    names, zeros = ["x", "w", "s"], np.full((n, blocks), 2 ** (bits - 1), F)
    form = rng.integers(3)
    if form == 1:
        given = rng.integers(0, 256, (n, -(-blocks * bits // 8))).astype(np.uint8)
        zeros = split(given)[:, :blocks].astype(F)
        constants.append(numpy_helper.from_array(given.reshape(-1), "z"))
    elif form == 2:
        zeros = (rng.random((n, blocks)) * 2**bits).astype(F)
        constants.append(numpy_helper.from_array(zeros.reshape(-1), "z"))
    names += ["z"] if form else []
    weights = ((numbers - zeros[..., None]) * scales[..., None]).reshape(n, -1)[:, :k].T
    level = int(rng.choice([0, 4]))
    nodes = [helper.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", K=k, N=n, bits=bits, block_size=block,
                              accuracy_level=level)]
    x = rng.standard_normal((rows, k)).astype(F)
    x[:, : block // 2] *= rng.choice([0, 1, 1e-3, 1e3])
    multiply = lambda rows: rows.astype(np.float64) @ weights.astype(np.float64)
    return Case(nodes, constants, x, multiply(x), multiply(round_rows(x, block)) if level == 4 else None)


def round_rows(x, block):
    """Rows rounded to 127 steps either way of the largest element of each block."""
    rows, k = x.shape
    parts = np.pad(x, ((0, 0), (0, -k % block))).reshape(rows, -1, block)
    scales = np.maximum(np.abs(parts).max(-1, keepdims=True), F(127) * np.finfo(F).tiny) * F(1 / 127)
    return (np.rint(parts / scales) * scales.astype(np.float64)).reshape(rows, -1)[:, :k]


def draw_dequantized(rng):
    """DequantizeLinear in front of MatMul, or of Gemm with a bias and transposed weights."""
    (k, n), rows = draw_size(rng), draw_rows(rng)
    kind, is_turned = str(rng.choice(list(TYPES))), bool(rng.integers(2))
    low, high, _ = TYPES[kind]
    numbers = rng.integers(low, high, (k, n))
    block = int(rng.choice([0, 0, 16, 32, 128]))
    shape = [(), (n,)][rng.integers(2)] if block == 0 else (-(-k // block), n)
    scales = (rng.random(shape) + 0.1).astype(F)
    zeros = rng.integers(low, high, shape) if kind != "i16" and rng.random() < 0.5 else None
    spread = lambda x: np.repeat(x, block, axis=0)[:k] if block else x
    weights = ((numbers - (0 if zeros is None else spread(zeros))).astype(F) * spread(scales)).astype(np.float64)
    turn = lambda x: x.T if is_turned and np.ndim(x) == 2 else x
    constants = [integers("w", turn(numbers), kind), numpy_helper.from_array(np.asarray(turn(scales)), "s")]
    names = ["w", "s"]
    if zeros is not None:
        constants.append(integers("z", np.asarray(turn(zeros)), kind))
        names.append("z")
    axis = {"axis": int(is_turned) if block else int(not is_turned)} if shape else {}
    nodes = [helper.make_node("DequantizeLinear", names, ["f"], **axis, **({"block_size": block} if block else {}))]
    x = rng.standard_normal((rows, k)).astype(F)
    if rng.integers(2):
        bias = rng.standard_normal(n).astype(F)
        constants.append(numpy_helper.from_array(bias, "b"))
        nodes.append(helper.make_node("Gemm", ["x", "f", "b"], ["y"], transB=int(is_turned)))
        return Case(nodes, constants, x, x.astype(np.float64) @ weights + bias)
    if is_turned:
        nodes.append(helper.make_node("Transpose", ["f"], ["t"], perm=[1, 0]))
    nodes.append(helper.make_node("MatMul", ["x", "t" if is_turned else "f"], ["y"]))
    return Case(nodes, constants, x, x.astype(np.float64) @ weights)


def draw_half(rng):
    """Weights of f16 with rows of f32."""
    (k, n), rows = draw_size(rng), draw_rows(rng)
    weights = rng.standard_normal((k, n)).astype(np.float16)
    x = rng.standard_normal((rows, k)).astype(F)
    nodes = [helper.make_node("Cast", ["w"], ["f"], to=TensorProto.FLOAT), helper.make_node("MatMul", ["x", "f"], ["m"]),
             helper.make_node("Relu", ["m"], ["y"])]
    return Case(nodes, [numpy_helper.from_array(weights, "w")], x, np.maximum(x.astype(np.float64) @ weights, 0))


def run(tool, folder, number, case, numerics):
    rows, k = case.rows.shape
    graph = helper.make_graph(case.nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, k])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, list(case.expected.shape))],
                              case.constants)
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21),
                                                                   helper.make_opsetid("com.microsoft", 1)])
    path = os.path.join(folder, f"{number}.onnx")
    onnx.save(model, path)
    largest = float(np.abs(case.expected).max())
    allowed = [case.expected] if case.rounded is None or numerics == "exact" else [case.rounded, case.expected]
    for expected in allowed:
        outcome = run_case(tool, path, {"x": case.rows}, {"y": expected.astype(F)}, 1e-5, 1e-5 * max(1.0, largest),
                           options=["--numerics", numerics, "--no-cache"])
        if outcome[0] == "passed":
            break
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fuse_run")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--numerics", default="exact,folds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    tool = os.path.abspath(options.fuse_run)
    print(f"--seed {options.seed}")
    rng = np.random.default_rng(options.seed)
    makers = [draw_nbits, draw_dequantized, draw_dequantized, draw_half]
    classes = options.numerics.split(",")
    cases = []
    for number in range(options.count):
        maker = makers[number % len(makers)] if number % 7 else draw_nbits
        case = maker(rng)
        what = [node.op_type for node in case.nodes]
        cases.append((f"{number}: {'+'.join(what)} of {case.rows.shape} by {case.expected.shape[1]}, "
                      f"{classes[number % len(classes)]}", (number, case, classes[number % len(classes)])))
    with tempfile.TemporaryDirectory() as folder:
        return 1 if run_all(cases, lambda each: run(tool, folder, *each), options.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
