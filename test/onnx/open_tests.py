#!/usr/bin/env python3
"""Models with open dimensions, compiled once and run at many sizes: open_tests.py FUSE_RUN FUSE_COMPILE [--seed N]

Expected outputs are those of onnx's reference evaluator. Sizes are 0, 1, and others that the seed draws (by default
that of the day); each runs on one thread and on two. For half of the models there is code for some of the sizes, too,
and names of dimensions that follow from others are expressions: `s + 3` in place of `t`.
"""

import argparse
import datetime
import os
import random
import re
import subprocess
import tempfile

import numpy as np
import onnx
import onnx.parser
from onnx.reference import ReferenceEvaluator

import open_index_cases
import open_layer_cases
from running import run_all, run_case

# Dimensions that follow from others.
FOLLOWING = {"t": "s + 3", "q": "4*s", "o": "2*b"}

# Name: inputs, nodes that compute y, and initializers.
CASES = {
    "heads": ("float[b,s,24] x", """
        h = Reshape(x, heads)
        t = Transpose<perm = [0, 2, 1, 3]>(h)
        k = Transpose<perm = [0, 2, 3, 1]>(h)
        a = MatMul(t, k)
        p = Softmax<axis = -1>(a)
        c = MatMul(p, t)
        u = Transpose<perm = [0, 2, 1, 3]>(c)
        y = Reshape(u, joined)""",
              {"heads": [0, 0, 4, 6], "joined": [0, 0, 24]}),
    "heads by shape": ("float[b,s,24] x", """
        n = Shape(x)
        b0 = Gather(n, zero)
        s0 = Gather(n, one)
        b1 = Unsqueeze(b0, axis)
        s1 = Unsqueeze(s0, axis)
        to = Concat<axis = 0>(b1, s1, heads)
        h = Reshape(x, to)
        t = Transpose<perm = [0, 2, 1, 3]>(h)
        y = Mul(t, t)""",
                       {"zero": 0, "one": 1, "axis": [0], "heads": [4, 6]}),
    "expanded": ("float[b,1,8] x", """
        n = Shape(x)
        c = Cast<to = 6>(n)
        s = Slice(c, at0, at1)
        to = Concat<axis = 0>(s, rest)
        w = Cast<to = 7>(to)
        e = Expand(x, w)
        y = Add(e, bias)""",
                 {"at0": [0], "at1": [1], "rest": np.array([5, 8], np.int32),
                  "bias": np.arange(40, dtype=np.float32).reshape(5, 8)}),
    "units": ("float[b,5,s] x", """
        u = Unsqueeze(x, axes)
        r = Relu(u)
        q = Squeeze(r, first)
        y = Mul(q, x)""", {"axes": [0, 2], "first": [0, 2]}),
    "twice": ("float[b,s,6] x, float[b,s,6] z", """
        c = Concat<axis = 2>(x, z)
        n = Shape(c)
        m = Gather(n, ends)
        o = Concat<axis = 0>(m, three)
        r = Reshape(c, o)
        q = Reshape(r, whole)
        y = Add(q, q)""", {"ends": [0, 1], "three": [4, 3], "whole": [-1, 12]}),
    "doubled": ("float[b,6] x", """
        n = Shape(x)
        m = Gather(n, zero)
        d = Mul(m, two)
        q = Div(d, two)
        e = Add(q, m)
        o = Concat<axis = 0>(e, three)
        r = Reshape(x, o)
        y = Neg(r)""", {"zero": [0], "two": [2], "three": [3]}),
    "sliced": ("float[b,8,s] x", """
        p = Slice(x, starts, ends)
        y = Exp(p)""", {"starts": [0, 2, 0], "ends": [2**63 - 1, 7, 1000000000]}),
    "softmax 11": ("float[b,3,4] x", "y = Softmax<axis = 1>(x)", {}),
    "transposed": ("float[b,3,5,4] x", "y = ConvTranspose<strides = [2, 3], pads = [1, 0, 1, 0]>(x, w)",
                   {"w": np.linspace(-1, 1, 3 * 4 * 9, dtype=np.float32).reshape(3, 4, 3, 3)}),
    "convolved": ("float[b,3,5,4] x", """
        c = Conv<pads = [1, 1, 1, 1]>(x, w)
        r = Relu(c)
        y = GlobalAveragePool(r)""",
                  {"w": np.linspace(-1, 1, 3 * 4 * 9, dtype=np.float32).reshape(4, 3, 3, 3)}),
    "groups": ("float[b,6,7] x", "y = GroupNormalization<num_groups = 3>(x, g, h)",
               {"g": np.linspace(1, 2, 6, dtype=np.float32), "h": np.linspace(-1, 1, 6, dtype=np.float32)}),
    "depth": ("float[b,8,3,4] x", "d = DepthToSpace<blocksize = 2>(x)\n y = SpaceToDepth<blocksize = 2>(d)", {}),
    "tiled": ("float[b,2,3] x", "y = Tile(x, counts)", {"counts": [1, 2, 3]}),
    "volumes": ("float[b,2,4,5,6] x", """
        m = MaxPool<kernel_shape = [2, 2, 2], strides = [2, 1, 2]>(x)
        y = AveragePool<kernel_shape = [2, 2, 2], pads = [1, 0, 1, 0, 1, 1]>(m)""", {}),
    "mask": ("float[b,s,6] x", """
        n = Shape(x)
        s0 = Gather(n, one)
        r = Range(zero, s0, one)
        c = Unsqueeze(r, last)
        m = LessOrEqual(r, c)
        f = Where(m, plus, minus)
        b0 = Gather(n, zero)
        h = Unsqueeze(b0, first)
        w = Unsqueeze(s0, first)
        to = Concat<axis = 0>(h, w, w)
        e = Expand(f, to)
        t = Transpose<perm = [0, 2, 1]>(x)
        a = MatMul(x, t)
        y = Add(a, e)""", {"zero": 0, "one": 1, "first": [0], "last": [1], "plus": np.float32(0), "minus": np.float32(-9)}),
    "filled": ("float[b,s,6] x", """
        n = Shape(x)
        c = ConstantOfShape<value = float[1] {0.5}>(n)
        d = Concat<axis = 1>(c, x, c)
        y = Neg(d)""", {}),
    "positions": ("float[b,s,6] x", """
        n = Shape(x)
        s1 = Slice(n, one, two)
        t = Slice(table, zero, s1)
        y = Add(x, t)""", {"zero": [0], "one": [1], "two": [2],
                          "table": np.linspace(-1, 1, 384, dtype=np.float32).reshape(64, 6)}),
    "shifted": ("float[b,s,6] x", """
        l = Slice(x, zero, minus, axis)
        r = Slice(x, one, most, axis)
        d = Sub(r, l)
        e = Slice(x, minus, most, axis)
        q = Concat<axis = 1>(e, d, e)
        y = Relu(q)""", {"zero": [0], "one": [1], "minus": [-1], "most": [2**63 - 1], "axis": [1]}),
    "reversed": ("float[b,s,6] x", """
        l = Slice(x, minus, least, axis, minus)
        y = Add(l, x)""", {"minus": [-1], "least": [-2**63], "axis": [1]}),
    "every second": ("float[b,s,6] x", """
        l = Slice(x, zero, most, axis, two)
        y = Exp(l)""", {"zero": [0], "most": [2**63 - 1], "axis": [1], "two": [2]}),
    "split apart": ("float[b,s,6] x", """
        n = Shape(x)
        j = Reshape(x, joined)
        w = MatMul(j, weights)
        h = Slice(n, zero, two)
        o = Concat<axis = 0>(h, four)
        y = Reshape(w, o)""", {"joined": [-1, 6], "zero": [0], "two": [2], "four": [4],
                              "weights": np.linspace(-1, 1, 24, dtype=np.float32).reshape(6, 4)}),
    "swapped": ("float[b,s] x", """
        n = Shape(x)
        o = Gather(n, order)
        t = Reshape(x, o)
        u = Transpose(t)
        y = Add(u, x)""", {"order": [1, 0]}),
    "padded": ("float[b,3,s] x", """
        p = Pad(x, pads, value)
        e = Pad<mode = "edge">(x, pads)
        y = Mul(p, e)""", {"pads": [0, 0, 2, 0, 0, 3], "value": np.float32(0.25)}),
    "mirrored": ("float[b,3,s] x", """
        p = Pad<mode = "reflect">(x, pads)
        y = Conv<strides = [2]>(p, w)""", {"pads": [0, 0, 2, 0, 0, 3],
                                          "w": np.linspace(-1, 1, 3 * 4 * 3, dtype=np.float32).reshape(4, 3, 3)}),
    "repeated": ("float[b,s,3] x", "y = Tile(x, counts)", {"counts": [2, 3, 1]}),
    "lines": ("float[b,3,s] x", """
        c = Conv<pads = [1, 1]>(x, w)
        r = Relu(c)
        m = MaxPool<kernel_shape = [2], strides = [2]>(r)
        y = ReduceMean<keepdims = 0>(m, last)""", {"w": np.linspace(-1, 1, 3 * 4 * 3, dtype=np.float32).reshape(4, 3, 3),
                                                   "last": [2]}),
    "image": ("float[1,3,b,s] x", """
        c = Conv<pads = [1, 1, 1, 1]>(x, w)
        r = Relu(c)
        u = Resize<mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor">(r, , scales)
        a = AveragePool<kernel_shape = [2, 2], strides = [2, 2]>(u)
        y = Add(a, r)""", {"w": np.linspace(-1, 1, 3 * 4 * 9, dtype=np.float32).reshape(4, 3, 3, 3),
                           "scales": np.array([1, 1, 2, 2], np.float32)}),
    "grown": ("float[1,3,b,s] x", """
        t = ConvTranspose<strides = [2, 2]>(x, w)
        u = ConvTranspose<strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, 1]>(x, v)
        y = Add(t, u)""", {"w": np.linspace(-1, 1, 3 * 4 * 4, dtype=np.float32).reshape(3, 4, 2, 2),
                           "v": np.linspace(-1, 1, 3 * 4 * 9, dtype=np.float32).reshape(3, 4, 3, 3)}),
    "steps": ("float[s,b,3] x", """
        h, last, cell = LSTM<hidden_size = 5>(x, w, r, v)
        sum = Add(last, cell)
        all = Squeeze(h, one)
        y = Add(all, sum)""",
              {"w": np.linspace(-1, 1, 60, dtype=np.float32).reshape(1, 20, 3),
               "r": np.linspace(-1, 1, 100, dtype=np.float32).reshape(1, 20, 5),
               "v": np.linspace(-1, 1, 40, dtype=np.float32).reshape(1, 40), "one": [1]}),
    "last step": ("float[s,b,3] x", "h, y = GRU<hidden_size = 5, linear_before_reset = 1>(x, w, r, v)",
                  {"w": np.linspace(-1, 1, 45, dtype=np.float32).reshape(1, 15, 3),
                   "r": np.linspace(-1, 1, 75, dtype=np.float32).reshape(1, 15, 5),
                   "v": np.linspace(-1, 1, 30, dtype=np.float32).reshape(1, 30)}),
    "same": ("float[1,3,b,s] x", """
        c = Conv<auto_pad = "SAME_UPPER", strides = [2, 1]>(x, w)
        d = Conv<auto_pad = "SAME_LOWER", strides = [2, 3], dilations = [1, 1]>(c, v)
        y = Relu(d)""", {"w": np.linspace(-1, 1, 3 * 4 * 12, dtype=np.float32).reshape(4, 3, 3, 4),
                     "v": np.linspace(-1, 1, 4 * 4 * 16, dtype=np.float32).reshape(4, 4, 4, 4)}),
    "triangle": ("float[b,s,s] x", "y = Trilu<upper = 0>(x, k)", {"k": 1}),
    "scaled": ("float[b,s] x", """
        n = Shape(x)
        s0 = Gather(n, one)
        f = Cast<to = 1>(s0)
        q = Sqrt(f)
        y = Div(x, q)""", {"one": 1}),
}
CASES |= open_index_cases.CASES | open_layer_cases.CASES
OPSETS = {"softmax 11": 11, "groups": 21, **open_index_cases.OPSETS,
          **open_layer_cases.OPSETS}
# The least s that the model is defined for.
LEAST = {"shifted": 1, "mirrored": 4, "padded": 1, "lines": 2, "image": 1, "grown": 1, "scaled": 1, "steps": 1, "last step": 1, "same": 1,
         **open_index_cases.LEAST, **open_layer_cases.LEAST}


# Those whose dimensions have to say what follows, without which they are refused.
SAID = {"windows", "rolled windows"}


def softmax_of_flattened(x):
    """As before opset 13, over all dimensions from the axis on, which the reference evaluator does not know."""
    e = np.exp(x - x.max(axis=(1, 2), keepdims=True))
    return e / e.sum(axis=(1, 2), keepdims=True)


EXPECTED = {"softmax 11": softmax_of_flattened, "flat softmax": softmax_of_flattened,
            **open_index_cases.EXPECTED}


def make(inputs, nodes, arrays, opset):
    text = f'<ir_version: 8, opset_import: ["" : {opset}]> g ({inputs}) => (float y) {{ {nodes} }}'
    text = "\n".join(line.strip() for line in text.splitlines())
    model = onnx.parser.parse_model(text)
    for name, array in arrays.items():
        array = np.asarray(array)
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    model.graph.output[0].type.tensor_type.ClearField("shape")
    return model


def follow(b, s):
    """The sizes of all dimensions, by name."""
    return {"b": b, "s": s, **{name: eval(text, {}, {"b": b, "s": s}) for name, text in FOLLOWING.items()}}


def say_what_follows(model):
    """The same model; its dimensions that follow from others say how."""
    said = onnx.ModelProto()
    said.CopyFrom(model)
    for info in said.graph.input:
        for dim in info.type.tensor_type.shape.dim:
            if dim.dim_param in FOLLOWING:
                dim.dim_param = FOLLOWING[dim.dim_param]
    return said


def draw_variants(inputs, pairs, chance):
    """Options of fuse-compile: code for some sizes of some dimensions, or for what it chooses itself."""
    if chance.random() < 0.5:
        return []
    options = []
    for b, s in chance.sample(pairs, 2):
        sizes = [f"{name}={size}" for name, size in (("b", b), ("s", s))
                 if re.search(rf"[\[,]{name}[\],]", inputs) and chance.random() < 0.7]
        options += ["--specialize", ",".join(sizes)] if sizes else []
    return options


def draw_inputs(name, model, sizes, rng):
    """Arrays for the model's inputs; none where there is nothing that an index could name."""
    limit = open_index_cases.LIMITS[name](sizes["b"], sizes["s"]) if name in open_index_cases.LIMITS else 0
    arrays = {}
    for info in model.graph.input:
        shape = [sizes[dim.dim_param] if dim.dim_param else dim.dim_value
                 for dim in info.type.tensor_type.shape.dim]
        if info.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            arrays[info.name] = rng.standard_normal(shape).astype(np.float32)
        elif limit <= 0 and 0 not in shape:
            return None
        else:
            least = 0 if name in open_index_cases.POSITIVE else -limit
            arrays[info.name] = rng.integers(least, max(limit, 1), shape)
    return arrays


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("run")
    parser.add_argument("compile")
    parser.add_argument("--only", default="", help="a part of the names of what is run")
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    options = parser.parse_args()
    print(f"seed {options.seed}")
    chance, rng = random.Random(options.seed), np.random.default_rng(options.seed)
    pairs = [(1, 1), (0, 3), (3, 0)] + [(chance.choice((1, 2, 3, 5, 8)), chance.randint(1, 40)) for _ in range(3)]

    def run(name):
        inputs, nodes, arrays = CASES[name]
        model = make(inputs, nodes, arrays, OPSETS.get(name, 18))
        own = random.Random(f"{options.seed} {name}")
        variants = draw_variants(inputs, pairs, own)
        saved = say_what_follows(model) if name in SAID or own.random() < 0.5 else model
        with tempfile.TemporaryDirectory() as folder:
            path, bundle = os.path.join(folder, "model.onnx"), os.path.join(folder, "model.so")
            onnx.save(saved, path)
            made = subprocess.run([options.compile, path, "-o", bundle, *variants], capture_output=True, text=True, check=False)
            if made.returncode:
                return "failed", f"{' '.join(variants)}: {made.stderr.strip()}"
            evaluator = ReferenceEvaluator(model)
            for b, s in pairs:
                if ("s]" not in inputs and "s," not in inputs and s == 0) or s < LEAST.get(name, 0):
                    continue
                if name in LEAST and "b,s]" in inputs and b == 0:
                    continue
                if s > open_index_cases.MOST.get(name, s):
                    continue
                feeds = draw_inputs(name, model, follow(b, s), rng)
                if feeds is None:
                    continue
                try:
                    y = EXPECTED[name](**feeds) if name in EXPECTED else evaluator.run(None, feeds)[0]
                    outputs = {"y": np.asarray(y)}
                except (TypeError, ValueError, IndexError, ZeroDivisionError) as error:
                    if b * s:
                        return "failed", f"the reference evaluator: {error}"
                    continue  # NumPy has no answer for an array without elements
                for threads in ("1", "2"):
                    outcome, message = run_case(os.path.abspath(options.run), bundle, feeds, outputs, 1e-4, 1e-5,
                                                mode="", options=("--threads", threads))
                    if outcome != "passed":
                        return "failed", f"b = {b}, s = {s}, {threads} threads, {' '.join(variants)}: {message}"
        return "passed", ""

    names = [name for name in CASES if options.only in name]
    return 1 if run_all([(name, name) for name in names], run, os.cpu_count()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
