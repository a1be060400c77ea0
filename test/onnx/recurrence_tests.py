#!/usr/bin/env python3
"""Recurrent nodes of many sizes against NumPy: recurrence_tests.py FUSE_RUN [--count N] [--seed SEED]

Each case is an RNN, GRU or LSTM with random sizes (batches of 1 to 8, prime and odd widths, one step),
direction, layout, initial states, lengths, peepholes, an open number of steps, and some of its
outputs; it runs fused, unfused, or as kernels of a GPU, on one thread or two. Without --seed the day
chooses the cases.
"""

import argparse
import datetime
import os
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from running import run_all, run_case

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(case, x, h, c, w):
    """The next states; gates in ONNX's order."""
    size = h.shape[1]
    inputs, recurrent = x @ w["W"].T + w["B"][:len(w["W"])], h @ w["R"].T + w["B"][len(w["W"]):]
    cut = lambda values, gate: values[:, gate * size:(gate + 1) * size]
    if case["op"] == "RNN":
        return np.tanh(inputs + recurrent), c
    if case["op"] == "GRU":
        z = sigmoid(cut(inputs, 0) + cut(recurrent, 0))
        r = sigmoid(cut(inputs, 1) + cut(recurrent, 1))
        if case["linear_before_reset"]:
            inner = r * cut(recurrent, 2)
        else:
            inner = (r * h) @ w["R"][2 * size:].T + w["B"][5 * size:]
        return (1 - z) * np.tanh(cut(inputs, 2) + inner) + z * h, c
    sums = inputs + recurrent
    p = w["P"].reshape(3, size)
    i, f = sigmoid(cut(sums, 0) + p[0] * c), sigmoid(cut(sums, 2) + p[2] * c)
    c = f * c + i * np.tanh(cut(sums, 3))
    return sigmoid(cut(sums, 1) + p[1] * c) * np.tanh(c), c


def run_reference(case, x, h0, c0, lengths, weights):
    steps, batch = x.shape[:2]
    y = np.zeros((steps, len(weights), batch, case["hidden"]))
    last_h, last_c = [], []
    for d, w in enumerate(weights):
        h, c = h0[d].astype(float), c0[d].astype(float)
        backwards = case["direction"] == "reverse" or d == 1
        for t in reversed(range(steps)) if backwards else range(steps):
            next_h, next_c = step(case, x[t].astype(float), h, c, w)
            within = (t < lengths)[:, None]
            y[t, d] = np.where(within, next_h, 0)
            h, c = np.where(within, next_h, h), np.where(within, next_c, c)
        last_h.append(h)
        last_c.append(c)
    return y, np.stack(last_h), np.stack(last_c)


def make_case(rng, number):
    pick = lambda *choices: choices[rng.integers(len(choices))]
    case = {"op": pick("RNN", "GRU", "LSTM"), "hidden": int(pick(1, 3, 7, 16, 17, 32, 48, 67, 96)),
            "direction": pick("forward", "reverse", "bidirectional"), "layout": pick(0, 0, 1),
            "batch": int(rng.integers(1, 9)), "steps": int(pick(1, 2, 5, 13, 31)),
            "inputs": int(pick(1, 5, 16, 33)), "linear_before_reset": int(rng.integers(2)),
            "lengths": pick(False, False, True), "initial": pick(False, True),
            "outputs": pick((0,), (1,), (0, 1), (0, 1, 2), (2,)),
            "peepholes": pick(False, False, True), "options": pick(
                (), ("--mode", "unfused"), ("--threads", "2"), ("--target", "emulator"))}
    case["open"] = bool(rng.integers(2)) and not case["lengths"] and "emulator" not in case["options"]
    outputs = tuple(o for o in case["outputs"] if o < (3 if case["op"] == "LSTM" else 2))
    case["outputs"] = outputs or (1,)
    name = "{op} {direction} hidden {hidden} inputs {inputs} batch {batch} steps {steps}".format(**case)
    return f"{number}: {name} {case['options']}", (case, int(rng.integers(1 << 31)))


def build(case, rng, folder):
    gates, hidden, batch, steps = GATES[case["op"]], case["hidden"], case["batch"], case["steps"]
    directions = 2 if case["direction"] == "bidirectional" else 1
    bound = 1 / np.sqrt(hidden)
    draw = lambda *shape: rng.uniform(-bound, bound, shape).astype(np.float32)
    tensors = {"W": draw(directions, gates * hidden, case["inputs"]),
               "R": draw(directions, gates * hidden, hidden),
               "B": draw(directions, 2 * gates * hidden)}
    x, lengths = rng.standard_normal((steps, batch, case["inputs"])).astype(np.float32), None
    names, feeds = ["X", "W", "R", "B", "", "", "", ""], {}
    order = (lambda a: a.swapaxes(0, 1)) if case["layout"] else (lambda a: a)
    feeds["X"] = order(x)
    states = {name: np.zeros((directions, batch, hidden), np.float32) for name in "hc"}
    if case["lengths"]:
        lengths = rng.integers(0, steps + 1, batch).astype(np.int32)
        names[4], feeds["lengths"] = "lengths", lengths
    for place, name in ((5, "h"), (6, "c")):
        if case["initial"] and (name == "h" or case["op"] == "LSTM"):
            states[name] = draw(directions, batch, hidden)
            names[place], feeds[name] = name, order(states[name])
    peepholes = case["op"] == "LSTM" and case["peepholes"]
    tensors["P"] = draw(directions, 3 * hidden) if peepholes else np.zeros((directions, 3 * hidden))
    names[7] = "P" if peepholes else ""
    weights = [{name: array[d].astype(float) for name, array in tensors.items()}
               for d in range(directions)]
    if not peepholes:
        del tensors["P"]
    y, h, c = run_reference(case, x, states["h"], states["c"],
                            np.full(batch, steps) if lengths is None else lengths, weights)
    # [T, D, B, H] becomes [B, T, D, H].
    results = [y.transpose(2, 0, 1, 3) if case["layout"] else y, order(h), order(c)]
    while not names[-1]:
        names.pop()
    attributes = {"hidden_size": hidden, "direction": case["direction"], "layout": case["layout"]}
    if case["op"] == "GRU":
        attributes["linear_before_reset"] = case["linear_before_reset"]
    outputs = [f"out{i}" if i in case["outputs"] else "" for i in range(max(case["outputs"]) + 1)]
    node = helper.make_node(case["op"], names, outputs, **attributes)

    def info(name, array):
        kind = TensorProto.INT32 if array.dtype == np.int32 else TensorProto.FLOAT
        shape = list(array.shape)
        if case["open"] and name == "X":
            shape[1 if case["layout"] else 0] = "T"
        return helper.make_tensor_value_info(name, kind, shape)

    wanted = {f"out{i}": results[i].astype(np.float32) for i in case["outputs"]}
    graph = helper.make_graph(
        [node], "recurrence", [info(name, array) for name, array in feeds.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in wanted],
        [numpy_helper.from_array(array, name) for name, array in tensors.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    path = os.path.join(folder, "model.onnx")
    onnx.save(model, path)
    return path, feeds, wanted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    cases = [make_case(rng, number) for number in range(arguments.count)]

    def run(case_and_seed):
        case, seed = case_and_seed
        with tempfile.TemporaryDirectory() as folder:
            model, feeds, wanted = build(case, np.random.default_rng(seed), folder)
            return run_case(arguments.tool, model, feeds, wanted, 1e-4, 1e-5, options=case["options"])

    print(f"seed {arguments.seed}")
    return 1 if run_all(cases, run, os.cpu_count(), most_refused=0) else 0


sys.exit(main())
