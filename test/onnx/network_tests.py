#!/usr/bin/env python3
"""The onnx package's nine networks, against ONNX Runtime: network_tests.py FUSE_RUN [--only TEXT]

Their weights are constants made by ConstantOfShape. Each network is run as it is, and with seeded
random weights in their place.
"""

import argparse
import glob
import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from running import run_all, run_case


def compute(model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds)))


def randomize(model, generator):
    """Weights with a variance that keeps that of activations; scales and variances around 1."""
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes = []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape" or node.input[0] not in initializers:
            nodes.append(node)
            continue
        shape = tuple(numpy_helper.to_array(initializers[node.input[0]]))
        if len(shape) > 1:
            array = generator.standard_normal(shape) * np.sqrt(2 / max(1, np.prod(shape[1:])))
        else:
            array = np.abs(1 + 0.1 * generator.standard_normal(shape))
        model.graph.initializer.append(
            numpy_helper.from_array(array.astype(np.float32), node.output[0]))
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    light = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
    paths = sorted(path for path in glob.glob(os.path.join(light, "*.onnx"))
                   if arguments.only in path)

    def run(case):
        path, is_random = case
        model = onnx.load(path)
        generator = np.random.default_rng(1)
        initialized = {tensor.name for tensor in model.graph.initializer}
        feeds = {}
        for info in model.graph.input:
            if info.name in initialized:
                continue
            shape = [dim.dim_value or 1 for dim in info.type.tensor_type.shape.dim]
            feeds[info.name] = generator.standard_normal(shape).astype(np.float32)
        if is_random:
            randomize(model, generator)
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "model.onnx")
            onnx.save(model, saved)
            outcome = run_case(os.path.abspath(arguments.tool), saved, feeds, compute(model, feeds),
                               1e-3, 1e-5, timeout=300)
        return ("failed", outcome[1]) if outcome[0] == "refused" else outcome

    cases = [(os.path.basename(path) + (", random weights" if is_random else ""), (path, is_random))
             for path in paths for is_random in (False, True)]
    return 1 if run_all(cases, run, 2) or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
