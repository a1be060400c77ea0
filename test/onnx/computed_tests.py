#!/usr/bin/env python3
"""ONNX's node tests with shapes, axes or pads that are inputs, compiled before these are known:
computed_tests.py FUSE_RUN FUSE_COMPILE [--only TEXT] [--refused N] [--list]

Each test becomes a bundle, which then is given all inputs. Those that are refused need the operand's value to be
compiled; more than --refused N are a failure. --list prints their names and what they lack. Then bundles are given values
that their operators do not allow, each of which must be an error that names the node.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnx.parser

from node_tests import load_cases, to_array
from running import run_all, run_case

# Operators, and which of their operands say a shape, axes, pads or a number of elements.
OPERANDS = {"Reshape": (1,), "Expand": (1,), "Tile": (1,), "Slice": (1, 2, 3, 4), "Squeeze": (1,), "Unsqueeze": (1,),
            "Pad": (1, 3), "Resize": (1, 2, 3), "Upsample": (1,), "TopK": (1,), "OneHot": (1,), "ConstantOfShape": (0,),
            "Range": (0, 1, 2), "Split": (1,), "Trilu": (1,), "CumSum": (1,), "CumProd": (1,), "DFT": (1, 2)}


# Inputs and nodes that compute y, values of the second input that are right, and such that are not.
BOUNDS = {
    "reshape": ("float[4,6] x, int64[2] n", "y = Reshape(x, n)", [[3, 8], [-1, 2], [0, 6], [0, 0]],
                [[-1, -1], [5, 5], [-2, -12], [-1, 5], [2**40, 2**40], [-3, 8]]),
    "expand": ("float[3,1] x, int64[2] n", "y = Expand(x, n)", [[3, 5], [1, 2], [3, 0]], [[2, 5], [3, -1], [3, 2**62]]),
    "tile": ("float[3,2] x, int64[2] n", "y = Tile(x, n)", [[1, 2], [0, 3]], [[-1, 2], [2**62, 1]]),
    "filled": ("float[1] x, int64[2] n", "c = ConstantOfShape(n)\n y = Add(c, x)", [[2, 3], [0, 4]], [[-1, 2], [2**40, 2**40]]),
    "squeeze": ("float[1,3,1] x, int64[1] n", "y = Squeeze(x, n)", [[0], [-1]], [[1], [5], [-4]]),
    "unsqueeze": ("float[3,2] x, int64[2] n", "y = Unsqueeze(x, n)", [[0, 1], [-1, 0]], [[1, 1], [4, 0], [-5, 0]]),
    "slice": ("float[5,4] x, int64[1] n", "y = Slice(x, n, e, a, s)", [[0], [-2], [9], [-9]], []),
    "steps": ("float[5,4] x, int64[1] n", "y = Slice(x, b, e, a, n)", [[1], [2], [-1], [7]], [[0]]),
    "rest": ("float[5,4] x, int64[1] n", "m = Mod(n, w)\n y = Slice(x, m, e, a, s)", [[0], [3], [-3], [4]], []),
    "padded": ("float[4,3] x, int64[4] n", "y = Pad(x, n)", [[1, 0, 2, 0], [-1, 0, 0, 2], [-2, 0, -2, 0]],
               [[-3, 0, -3, 0], [2**62, 0, 0, 0]]),
    "mirrored": ("float[4,3] x, int64[4] n", 'y = Pad<mode = "reflect">(x, n)', [[1, 0, 2, 0], [0, 2, 0, 1]], []),
    "largest": ("float[3,6] x, int64[1] n", "y, i = TopK(x, n)", [[1], [6], [0]], [[7], [-1]]),
    "summed": ("float[3,2,4] x, int64[1] n", "y = ReduceSum(x, n)", [[0], [2], [-1]], []),
    "summed away": ("float[3,2,4] x, int64[2] n", "y = ReduceSum<keepdims = 0>(x, n)", [[0, 1], [-1, 0]], [[1, 1], [5, 0]]),
    "running sum": ("float[3,2,4] x, int64 n", "y = CumSum(x, n)", [0, 1, -1], [3, -4]),
    "parts": ("float[5,2] x, int64[2] n", "y, z = Split(x, n)", [[2, 3], [0, 5]], [[2, 2], [-1, 6]]),
}
# Inputs and nodes that are refused when they are compiled, and what the error says.
REFUSED = {
    "computed start": ("float[1] x, int64 n", "m = BitwiseAnd(n, w)\n r = Range(m, n, o)\n f = Cast<to = 1>(r)\n y = Mul(f, x)",
                       "expected 'start' to be known"),
    "computed float": ("float[1] x, float n", "m = Exp(n)\n r = Range(m, n, m)\n y = Mul(r, x)", "expected 'start' to be known"),
    "computed shape": ("float[4,6] x, int64[2] n", "m = BitwiseAnd(n, w)\n y = Reshape(x, m)", "expected 'shape' to be known"),
    "no axis": ("float[3,2] x, int64[0] n", "y = CumSum(x, n)", "expected 'axis' to be one number, found 0"),
    "no diagonal": ("float[3,2] x, int64[0] n", "y = Trilu(x, n)", "expected 'k' to be one number, found 0"),
    "no count": ("float[3,2] x, int64[2] n", "y, i = TopK(x, n)", "expected 'K' to be one number, found 2"),
}


def pad_or_cut(x, pads):
    """Constant pads, which NumPy does not know below 0."""
    low, high = pads[:2], pads[2:]
    cut = x[tuple(slice(max(-a, 0), d - max(-b, 0)) for a, b, d in zip(low, high, x.shape))]
    return np.pad(cut, [(max(a, 0), max(b, 0)) for a, b in zip(low, high)])


EXPECTED = {"padded": pad_or_cut}
# Lists that are computed from inputs.
BOUNDS |= {
    "joined": ("float[4,6] x, int64[1] n", "s = Concat<axis = 0>(n, m)\n y = Reshape(x, s)", [[3], [0], [24]], [[5], [-2]]),
    "scaled": ("float[4,6] x, int64 n", """
        t = Mul(n, w)
        u = Unsqueeze(t, a)
        v = Concat<axis = 0>(u, a1)
        y = Tile(x, v)""", [1, 0, 3], [-1]),
    "shifted": ("float[9,6] x, int64 n", """
        t = Add(n, w)
        u = Unsqueeze(t, a)
        f = Unsqueeze(n, a)
        y = Slice(x, f, u)""", [0, 3, 8, -4], []),
    "counted": ("float[1] x, int64 n", "r = Range(z, n, o)\n f = Cast<to = 1>(r)\n y = Mul(f, x)", [0, 5], []),
}
CONSTANTS = {"m": [-1], "w": 2, "a1": [1], "z": 0, "o": 1, "b": [0], "e": [4], "a": [0], "s": [1]}


def compile_case(options, folder, name, inputs, nodes):
    """The model, its bundle, and what compiling it printed where that failed."""
    lines = "\n".join(line.strip() for line in nodes.splitlines())
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> g ({inputs}) => (float y) {{ {lines} }}')
    for key, value in CONSTANTS.items():
        isMade = any(key in node.output for node in model.graph.node)
        if not isMade and any(key in node.input for node in model.graph.node):
            model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(value, np.int64), key))
    model.graph.output[0].type.tensor_type.ClearField("shape")
    path, bundle = (os.path.join(folder, name.replace(" ", "-") + end) for end in (".onnx", ".so"))
    onnx.save(model, path)
    made = subprocess.run([options.compile, path, "-o", bundle], capture_output=True, text=True, check=False)
    return model, bundle, made


def check_refused(options, folder, name):
    inputs, nodes, text = REFUSED[name]
    made = compile_case(options, folder, name, inputs, nodes)[2]
    if made.returncode == 1 and text in made.stderr and "node '" in made.stderr:
        return "passed", ""
    return "failed", f"expected {text}, found exit status {made.returncode}: {made.stderr.strip()[:300]}"


def check_bounds(options, folder, name):
    from onnx.reference import ReferenceEvaluator
    inputs, nodes, right, wrong = BOUNDS[name]
    model, bundle, made = compile_case(options, folder, name, inputs, nodes)
    if made.returncode:
        return "failed", made.stderr.strip()
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    outputs = {}
    for value in right + wrong:
        feeds = {"x": x, "n": np.array(value, np.int64)}
        outputs = outputs if value in wrong else {}
        if value in right:
            y = EXPECTED[name](x, value) if name in EXPECTED else ReferenceEvaluator(model).run(None, feeds)[0]
            outputs["y"] = y
        outcome, message = run_case(os.path.abspath(options.tool), bundle, feeds, outputs, 1e-5, 1e-6, mode="")
        if value in right and outcome != "passed":
            return "failed", f"n = {value}: {message}"
        isError = outcome == "refused" or "of 2^63 bytes" in message or "memory" in message
        if value in wrong and not isError:
            return "failed", f"n = {value}: expected an error that names the node, found {outcome} {message}"
    return "passed", ""


def is_computed(case):
    inputs = {info.name for info in case.model.graph.input}
    for node in case.model.graph.node:
        operands = (1,) if node.op_type.startswith("Reduce") else OPERANDS.get(node.op_type, ())
        if any(i < len(node.input) and node.input[i] in inputs for i in operands):
            return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("compile")
    parser.add_argument("--only", default="")
    parser.add_argument("--refused", type=int)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    cases = [case for case in load_cases() if options.only in case.name and is_computed(case)]
    refusals = {}
    with tempfile.TemporaryDirectory() as folder:
        def run(case):
            model, bundle = (os.path.join(folder, case.name + end) for end in (".onnx", ".so"))
            onnx.save(case.model, model)
            made = subprocess.run([options.compile, model, "-o", bundle], capture_output=True, text=True, check=False)
            if made.returncode:
                message = made.stderr.strip().splitlines()[0] if made.stderr.strip() else "no message"
                refusals[case.name] = message.replace(model, case.name)
                isRefused = made.returncode == 1 and "known before the model runs" in message
                return "refused" if isRefused else "failed", message.replace(model, "")
            graph = case.model.graph
            for inputs, outputs in case.data_sets:
                given = {info.name: to_array(value) for info, value in zip(graph.input, inputs)}
                wanted = {info.name: to_array(value) for info, value in zip(graph.output, outputs)}
                outcome = run_case(os.path.abspath(options.tool), bundle, given, wanted, case.rtol, case.atol, mode="")
                if outcome[0] != "passed":
                    return "failed", outcome[1]
            return "passed", ""

        failures = run_all([(case.name, case) for case in cases], run, os.cpu_count(), options.refused)
        names = [name for name in BOUNDS if options.only in name]
        failures += run_all([(name, name) for name in names], lambda name: check_bounds(options, folder, name), os.cpu_count())
        names = [name for name in REFUSED if options.only in name]
        failures += run_all([(name, name) for name in names], lambda name: check_refused(options, folder, name), os.cpu_count())
    if options.list:
        print("\n".join(f"{name}: {refusals[name]}" for name in sorted(refusals)))
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
