#!/usr/bin/env python3
"""Quantizing operators of ONNX, and operators of com.microsoft and ai.onnx.ml, against ONNX Runtime's CPU provider, on nodes drawn by chance:
runtime_tests.py FUSE_RUN [--count N] [--seed N] [--only TEXT] [--target TARGET] [--mode MODE]

--count nodes of each operator, each run fused and interpreted. Integers must be equal, floats within 1e-5 of the
largest. Where ONNX Runtime itself approximates before it rounds (`loose`), one in a hundred integers may differ by one.
The seed is that of the day unless it is given.
"""

import argparse
import collections
import datetime
import os
import subprocess
import sys
import tempfile
import zlib

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import runtime_cases
import runtime_classical_cases
import runtime_float_cases
import runtime_linear_cases
from running import run_all, run_case

OPERATORS = {**runtime_cases.OPERATORS, **runtime_float_cases.OPERATORS, **runtime_classical_cases.OPERATORS,
             **runtime_linear_cases.OPERATORS}


def make_model(case):
    """The model of one node, ONNX Runtime's if that is another, and the arrays of the inputs."""
    names, infos, constants, feeds = [], [], [], {}
    for number, operand in enumerate(case.inputs):
        name = f"i{number}"
        names.append("" if operand is None else name)
        if operand is None:
            continue
        if isinstance(operand, runtime_cases.Typed):
            constants.append(helper.make_tensor(name, operand.type, operand.array.shape, operand.array.flatten()))
            continue
        if isinstance(operand, runtime_cases.Constant):
            constants.append(numpy_helper.from_array(operand.array, name))
            continue
        feeds[name] = operand
        infos.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(operand.dtype), operand.shape))
    while names and not names[-1]:
        names.pop()
    outputs = [f"o{number}" if wanted else "" for number, wanted in enumerate(
        [True] * case.outputs if isinstance(case.outputs, int) else case.outputs)]
    made = ["t0", *outputs[1:]] if case.then else outputs
    nodes = [helper.make_node(case.op, names, made, domain=case.domain, **case.attributes)]
    for number, (op, attributes) in enumerate(case.then):
        result = outputs[0] if number + 1 == len(case.then) else f"t{number + 1}"
        nodes.append(helper.make_node(op, [f"t{number}"], [result], **attributes))
    opsets = [helper.make_opsetid("", case.opset), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("ai.onnx.ml", 3)]

    def make(these):
        graph = helper.make_graph(these, "graph", infos,
                                  [helper.make_empty_tensor_value_info(name) for name in outputs if name], constants)
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    model = make(nodes)
    return model, make(case.reference(names, outputs)) if case.reference else model, feeds


def compute(model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds)))


def set_types(model, outputs):
    """fuse-run wants the types of outputs in the model as ONNX does."""
    for info in model.graph.output:
        array = outputs[info.name]
        info.CopyFrom(helper.make_tensor_value_info(info.name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape))


def get_tolerance(outputs):
    """None for integers, else 1e-5 of the largest number, and of f16 what is between two of them."""
    floats = [array for array in outputs.values() if array.dtype.kind == "f"]
    if not floats:
        return 0, 0
    if any(array.dtype == np.float16 for array in floats):
        return 2e-3, 2e-3 * max([1.0] + [float(np.max(np.abs(array))) for array in floats if array.size])
    return 1e-5, 1e-5 * max([1.0] + [float(np.max(np.abs(array))) for array in floats if array.size])


def run_loosely(tool, path, feeds, outputs, options):
    """As run_case: of integers one in a hundred may differ by one."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "inputs.npz"), os.path.join(folder, "outputs.npz")
        np.savez(given, **feeds)
        run = subprocess.run([tool, path, "--threads", "1", "--inputs", given, "--outputs", made, *options],
                             capture_output=True, text=True, timeout=120, check=False)
        if run.returncode:
            return ("refused" if run.returncode == 1 and "node '" in run.stderr else "failed"), run.stderr[-500:]
        arrays = np.load(made)
        for name, wanted in outputs.items():
            found = arrays[name]
            if found.shape != wanted.shape or found.dtype != wanted.dtype:
                return "failed", f"{name}: {found.dtype} {found.shape}, expected {wanted.dtype} {wanted.shape}"
            distance = np.abs(found.astype(np.int64) - wanted.astype(np.int64))
            if distance.size and (distance.max() > 1 or np.count_nonzero(distance) > max(1, distance.size / 100)):
                return "failed", f"{name}: {np.count_nonzero(distance)} of {distance.size} differ, by {distance.max()}"
    return "passed", ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--only", default="")
    parser.add_argument("--target", default="cpu", choices=("cpu", "emulator"))
    parser.add_argument("--mode", action="append", choices=("fused", "unfused", "interpret"))
    options = parser.parse_args()
    tool = os.path.abspath(options.tool)
    extra = ["--target", options.target] if options.target != "cpu" else []
    print(f"seed {options.seed}")
    cases, failures, rejected = [], 0, collections.Counter()
    for op, draw in OPERATORS.items():
        if options.only not in op:
            continue
        rng = np.random.default_rng([options.seed, zlib.crc32(op.encode())])
        made = 0
        for attempt in range(20 * options.count):
            if made == options.count:
                break
            case = draw(rng)
            model, reference, feeds = make_model(case)
            try:
                outputs = compute(reference, feeds)
            except Exception as error:  # noqa: BLE001 - what ONNX Runtime refuses is no case
                rejected[f"{op}: {str(error).splitlines()[0][-120:]}"] += 1
                continue
            set_types(model, outputs)
            cases.append((f"{op}-{made}", (case, model, feeds, outputs)))
            made += 1
        if made < options.count:
            print(f"{op}: ONNX Runtime took {made} of {options.count} nodes")
            failures += 1
    for text, count in rejected.most_common():
        print(f"ONNX Runtime rejected {count}: {text}")

    def run(drawn):
        case, model, feeds, outputs = drawn
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            onnx.save(model, path)
            for mode in options.mode or ("fused", "interpret"):
                rtol, atol = get_tolerance(outputs)
                chosen = [] if mode == "interpret" else extra + (["--numerics", "exact"] if case.exact else [])
                outcome = run_loosely(tool, path, feeds, outputs, ["--mode", mode, *chosen]) if case.loose else \
                    run_case(tool, path, feeds, outputs, rtol, atol, mode, options=chosen)
                if outcome[0] != "passed":
                    return outcome[0], f"{mode}: {outcome[1]} {case.attributes}"
        return "passed", ""

    for op in OPERATORS:
        some = [case for case in cases if case[0].rsplit("-", 1)[0] == op]
        if some:
            print(op, end=": ", flush=True)
            failures += run_all(some, run, os.cpu_count(), 0)
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
