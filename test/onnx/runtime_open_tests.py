#!/usr/bin/env python3
"""The nodes of runtime_tests.py with open dimensions: runtime_open_tests.py FUSE_RUN FUSE_COMPILE [--count N] [--seed N]
[--only TEXT]

Batches, lengths and past lengths of inputs have names, those of one extent the same one. --count nodes of each operator
are compiled, each once, and run as ONNX Runtime runs them.
"""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import zlib

import numpy as np
import onnx

import runtime_tests
from runtime_cases import Constant
from running import run_all, run_case

# Operators on [batch, length, width]; all others have an open batch.
LENGTHS = {"Attention", "QAttention", "MultiHeadAttention", "GroupQueryAttention", "RotaryEmbedding", "QLinearSoftmax",
           "SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "SimplifiedLayerNormalization",
           "EmbedLayerNormalization", "DynamicQuantizeLSTM", "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "MatMulNBits"}
# Caches [batch, heads, length, size], and of both keys and values.
CACHES = {("MultiHeadAttention", 4): (0, 2), ("GroupQueryAttention", 4): (0, 2), ("Attention", 5): (1, 3),
          ("QAttention", 5): (1, 3), ("RotaryEmbedding", 4): (0, 2), ("RotaryEmbedding", 1): ()}
# What is added to scores may have one line for all of the batch; filters, biases and lists of columns are static.
STATIC = {("Attention", "i5"), ("MultiHeadAttention", "i5"), ("GroupQueryAttention", "i10"), ("ConvInteger", "i1"),
          ("NhwcConv", "i1"), ("FusedConv", "i1"), ("ArrayFeatureExtractor", "i1"), ("Attention", "i2"), ("QAttention", "i2")}


def get_open(op, info):
    """Which dimensions of an input are open."""
    rank = len(info.type.tensor_type.shape.dim)
    if (op, info.name) in STATIC or (op == "Scaler" and rank == 1):
        return ()
    if (op, rank) in CACHES:
        return CACHES[op, rank]
    if op == "DynamicQuantizeLSTM":
        return (1,) if info.name in ("i5", "i6") else (0, 1)[:rank]
    return tuple(range(min(2 if op in LENGTHS else 1, max(rank - 1, 1), rank)))


def is_left_out(case):
    """Where the cache's length is open, a bias must be for all of it: one for fewer keys is an error when it is called. Blocks
    are of static extents."""
    inputs = case.inputs
    if "block_size" in case.attributes and case.op in ("QuantizeLinear", "DequantizeLinear"):
        data = inputs[0].array if isinstance(inputs[0], Constant) else inputs[0]
        return case.attributes["axis"] in (0, -data.ndim)
    return case.op == "GroupQueryAttention" and len(inputs) > 10 and inputs[10] is not None and inputs[3] is not None and \
        inputs[10].shape[3] != inputs[3].shape[2]


def open_dims(case, model, outputs):
    for info in model.graph.input:
        dims = info.type.tensor_type.shape.dim
        for number in get_open(case.op, info):
            extent = dims[number].dim_value
            batch = case.inputs[0].shape[0] if case.op in ("Attention", "QAttention") else 0
            # Masks of ends and starts.
            isboth = len(dims) == 1 and extent == 2 * batch
            if extent == 1 or (isboth and batch == 1):
                continue  # one may be repeated for what another operand has, which only a number says
            dims[number].Clear()
            dims[number].dim_param = f"2*d{batch}" if isboth else f"d{extent}"
    runtime_tests.set_types(model, outputs)
    for info in model.graph.output:
        for dim in info.type.tensor_type.shape.dim:
            dim.Clear()


def mixes(case, model):
    """Whether an extent that is open in one operand of a transformer's node is a number in another one, which then has to say
    what both are."""
    dims = [dim for info in model.graph.input for dim in info.type.tensor_type.shape.dim]
    names = {dim.dim_param for dim in dims}
    return case.op in LENGTHS and any(f"d{dim.dim_value}" in names for dim in dims if dim.dim_value)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("compiler")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tool, compiler = os.path.abspath(options.tool), os.path.abspath(options.compiler)
    print(f"seed {options.seed}")
    cases = []
    for op, draw in runtime_tests.OPERATORS.items():
        rng = np.random.default_rng([options.seed, zlib.crc32(op.encode()), 1])
        made = 0
        while options.only in op and made < options.count:
            case = draw(rng)
            if is_left_out(case):
                continue
            model, reference, feeds = runtime_tests.make_model(case)
            try:
                outputs = runtime_tests.compute(reference, feeds)
            except Exception:  # noqa: BLE001 - what ONNX Runtime refuses is no case
                continue
            open_dims(case, model, outputs)
            if mixes(case, model):
                continue
            cases.append((f"{op}-{made}", (case, model, feeds, outputs)))
            made += 1

    def run(drawn):
        case, model, feeds, outputs = drawn
        with tempfile.TemporaryDirectory() as folder:
            path, bundle = os.path.join(folder, "model.onnx"), os.path.join(folder, "model.so")
            onnx.save(model, path)
            made = subprocess.run([compiler, path, "-o", bundle], capture_output=True, text=True, check=False)
            if made.returncode:
                return ("refused" if made.returncode == 1 else "failed"), f"{case.op}: {made.stderr[-500:]}"
            if case.loose:
                return runtime_tests.run_loosely(tool, bundle, feeds, outputs, [])
            rtol, atol = runtime_tests.get_tolerance(outputs)
            return run_case(tool, bundle, feeds, outputs, rtol, atol, "")

    return 1 if run_all(cases, run, os.cpu_count(), 0) or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
