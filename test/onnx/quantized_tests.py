#!/usr/bin/env python3
"""Models that onnxruntime.quantization makes, against ONNX Runtime: quantized_tests.py FUSE_RUN FUSE_COMPILE [--only TEXT]

A CNN, an MLP and an encoder in the three forms: dynamic, static with QuantizeLinear and DequantizeLinear, and
static with operators on integers; weights by tensor and by channel, activations with and without sign. Each is compiled
once, with an open batch, and run for several batches, and interpreted. Results are those of ONNX Runtime up to steps of
their quantization: an element that lies half-way between two integers may go either way in one layer, which others
then see. `EXACT` forms have no such elements: their results are equal. Where ONNX Runtime's sums of two products saturate, weights
have 7 bits, as it advises.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static)

import quantized_networks
from running import run_all, run_case
from runtime_cases import SUMS_IN_PAIRS

BATCHES = (1, 3, 8)


class Reader(CalibrationDataReader):
    def __init__(self, shape):
        rng = np.random.default_rng(0)
        self.data = iter([{"x": rng.standard_normal((4, *shape)).astype(np.float32)} for _ in range(4)])

    def get_next(self):
        return next(self.data, None)


def quantize(form, source, target, shape):
    kind, *rest = form.split("-")
    channels = "channels" in rest
    if kind == "dynamic":
        weights = QuantType.QUInt8 if "unsigned" in rest else QuantType.QInt8
        quantize_dynamic(source, target, weight_type=weights, per_channel=channels, reduce_range=SUMS_IN_PAIRS)
        return
    types = {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8} if "signed" in rest else \
        {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    quantize_static(source, target, Reader(shape), per_channel=channels, reduce_range=SUMS_IN_PAIRS,
                    quant_format=QuantFormat.QDQ if kind == "qdq" else QuantFormat.QOperator, **types)


FORMS = ("dynamic", "dynamic-unsigned", "dynamic-channels", "qdq", "qdq-channels", "qdq-signed", "qoperator",
         "qoperator-channels", "qoperator-signed")


def compute(path, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds)))


def get_step(path):
    """The largest scale of what the model computes: how far two right answers may lie apart."""
    model = onnx.load(path)
    arrays = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    outputs = [o.name for o in model.graph.output]
    scales = [float(np.max(arrays[name])) for node in model.graph.node if set(node.output) & set(outputs)
              for name in node.input if name in arrays and arrays[name].dtype == np.float32 and arrays[name].size == 1]
    return max(scales, default=0.02)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("compiler")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tool, compiler = os.path.abspath(options.tool), os.path.abspath(options.compiler)
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for name, build in quantized_networks.NETWORKS.items():
            model, shape = build()
            source = os.path.join(folder, name + ".onnx")
            onnx.save(model, source)
            cases += [(f"{name}-{form}", (source, form, shape)) for form in FORMS if options.only in f"{name}-{form}"]

        def run(case):
            source, form, shape = case
            path = source[:-5] + "-" + form + ".onnx"
            # The tool writes a file beside its source and removes it: each case has a source of its own.
            quantize(form, shutil.copy(source, path[:-5] + "-f32.onnx"), path, shape)
            bundle = path[:-5] + ".so"
            made = subprocess.run([compiler, path, "-o", bundle], capture_output=True, text=True, check=False)
            if made.returncode:
                return ("refused" if "not supported" in made.stderr else "failed"), made.stderr.splitlines()[0]
            atol = 1.01 * get_step(path)
            for batch in BATCHES:
                feeds = {"x": np.random.default_rng(batch).standard_normal((batch, *shape)).astype(np.float32)}
                outputs = compute(path, feeds)
                for file, mode in ((bundle, ""), (path, "interpret")):
                    outcome = run_case(tool, file, feeds, outputs, 1e-3, atol, mode)
                    if outcome[0] != "passed":
                        return outcome[0], f"{mode or 'compiled'}, batch {batch}: {outcome[1]}"

            return "passed", ""

        return 1 if run_all(cases, run, os.cpu_count(), 0) or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
