#!/usr/bin/env python3
"""The onnx package's graphs (exported by PyTorch, and simple ones): graph_tests.py FUSE_RUN

Each passes, or is refused because of what no tensor has (strings, gradients).
"""

import glob
import os
import sys

import numpy as np
import onnx
from onnx import numpy_helper

from running import run_all, run_case

# What may be refused; everything else has to pass.
OUTSIDE = ("test_strnorm_model", "test_gradient_of")


def load(path):
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    return numpy_helper.to_array(tensor)


def main():
    tool = os.path.abspath(sys.argv[1])
    data = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")
    folders = [folder for kind in ("pytorch-converted", "pytorch-operator", "simple")
               for folder in sorted(glob.glob(os.path.join(data, kind, "test_*")))]

    def run(folder):
        path = os.path.join(folder, "model.onnx")
        graph = onnx.load(path).graph
        initialized = {tensor.name for tensor in graph.initializer}
        names = [info.name for info in graph.input if info.name not in initialized]
        sets = sorted(glob.glob(os.path.join(folder, "test_data_set_*")))
        is_outside = any(text in folder for text in OUTSIDE)
        for values in sets[:1] if is_outside else sets:
            try:
                inputs = {name: load(os.path.join(values, f"input_{i}.pb"))
                          for i, name in enumerate(names)}
                outputs = {info.name: load(os.path.join(values, f"output_{i}.pb"))
                           for i, info in enumerate(graph.output)}
            except Exception:  # no tensors
                inputs, outputs = {}, {"none": np.zeros(1)}
            if is_outside and any(array.dtype == object for array in
                                  [*inputs.values(), *outputs.values()]):
                inputs, outputs = {}, {"none": np.zeros(1)}
            outcome, message = run_case(tool, path, inputs, outputs, 1e-3, 1e-5)
            if outcome == "refused" and not is_outside:
                return "failed", message
            if outcome != "passed":
                return outcome, message
        return "passed", ""

    cases = [(os.path.basename(folder), folder) for folder in folders]
    return 1 if run_all(cases, run, os.cpu_count()) or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
