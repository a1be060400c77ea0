#!/usr/bin/env python3
"""ONNX's node tests with fuse-run: node_tests.py FUSE_RUN [--every N [--today]] [--only TEXT]
[--mode MODE] [--target TARGET] [--refused N]

Of the tests that the onnx package makes, those that are tensor programs: tensors of types that the
dialect has or that models store, no loops, sequences, strings, random numbers or training, and
result shapes that do not depend on elements. Each is run fused and unfused; it passes, is refused
with a message that names the operator, or fails. --every N takes each N-th test by name, with
--today others from day to day. --target says what fuse-run builds for. More refusals than
--refused N fail, too.
"""

import argparse
import os
import sys
import tempfile
import time
import warnings

import numpy as np
import onnx

from running import run_all, run_case

# Operators that are no tensor programs, by why.
OUTSIDE = {
    "Loop Scan SequenceMap",
    "Adagrad Adam Momentum Gradient SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss",
    "StringNormalizer TfIdfVectorizer RegexFullMatch StringConcat StringSplit",
    "RandomNormal RandomNormalLike RandomUniform RandomUniformLike Bernoulli Multinomial",
    "Binarizer LabelEncoder TreeEnsemble",
    "MelWeightMatrix HannWindow HammingWindow BlackmanWindow",
    "ImageDecoder RoiAlign MaxRoiPool Col2Im DeformConv MaxUnpool "
    "CenterCropPad NonZero Unique Compress NonMaxSuppression",
}
OUTSIDE = {name for line in OUTSIDE for name in line.split()}
# Tests of such operators whose function was expanded, and modes of an operator that are no better.
EXPANDED = ("bernoulli", "sce_", "nllloss_", "blackmanwindow", "hannwindow", "hammingwindow",
            "center_crop_pad",
            "gridsample_bicubic", "gridsample_volumetric", "training")
TYPES = {getattr(onnx.TensorProto, name) for name in
         "FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 BOOL FLOAT16 DOUBLE UINT32 UINT64 BFLOAT16"
         .split()}
# Types that are stored as bytes (docs/onnx.md).
TYPES |= {getattr(onnx.TensorProto, name) for name in
          "FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ FLOAT8E8M0 FLOAT4E2M1 "
          "UINT4 INT4 UINT2 INT2".split()}


def walk(nodes):
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in [attribute.g, *attribute.graphs]:
                yield from walk(graph.node)


def is_tensor_program(case):
    graph = case.model.graph
    nodes = list(walk(graph.node)) + [n for f in case.model.functions for n in walk(f.node)]
    if any(text in case.name for text in EXPANDED):
        return False
    for node in nodes:
        if node.op_type in OUTSIDE or node.domain not in ("", "ai.onnx", "ai.onnx.ml"):
            return False
        if "Sequence" in node.op_type or node.op_type.startswith("Optional"):
            return False
        for attribute in node.attribute:
            if attribute.name == "to" and attribute.i not in TYPES:
                return False
            if attribute.HasField("t") and attribute.t.data_type not in TYPES:
                return False
    for value in [*graph.input, *graph.output, *graph.value_info]:
        if value.type.WhichOneof("value") != "tensor_type":
            return False
        if value.type.tensor_type.elem_type not in TYPES | {0}:
            return False
    return all(tensor.data_type in TYPES for tensor in graph.initializer)


def load_cases():
    from onnx.backend.test.loader import load_model_tests
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [case for case in load_model_tests(kind="node") if case.model is not None]
    return sorted((case for case in cases if is_tensor_program(case)), key=lambda case: case.name)


def to_array(value):
    array = onnx.numpy_helper.to_array(value) if hasattr(value, "SerializeToString") else value
    array = np.asarray(array)
    # bf16 is two raw bytes in .npz files, and what is shorter is stored as bytes.
    name = array.dtype.name
    if name == "bfloat16":
        return array.view("V2")
    if name.startswith(("int2", "int4")):
        return array.astype(np.int8)
    if name.startswith(("uint2", "uint4")):
        return array.astype(np.uint8)
    return array.view(np.uint8) if name.startswith("float") and array.itemsize == 1 else array


def get_bounds(case, wanted, mode):
    """Relative bounds, each with options that it holds for."""
    # Two units in the last place of bf16, as the package's own runner allows.
    if any(array.dtype == "V2" for array in wanted.values()):
        return [(2**-6, [])]
    # Results of f16 are those of ops that round one after the other, which a kernel of the default class does not between its
    # members: there, too, two units.
    if mode == "fused" and any(array.dtype == np.float16 for array in wanted.values()):
        return [(case.rtol, ["--numerics", "exact"]), (2**-9, [])]
    return [(case.rtol, [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--mode", action="append", choices=("fused", "unfused", "interpret"))
    parser.add_argument("--target", default="cpu", choices=("cpu", "emulator"))
    parser.add_argument("--no-async-copies", action="store_true", help="of the emulator")
    parser.add_argument("--refused", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    first = int(time.time()) // (24 * 3600) % arguments.every if arguments.today else 0
    cases = [case for case in load_cases() if arguments.only in case.name]
    cases = cases[first::arguments.every]
    options = ["--target", arguments.target] if arguments.target != "cpu" else []
    options += ["--no-async-copies"] if arguments.no_async_copies else []
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        models = {}
        for case in cases:
            models[case.name] = os.path.join(folder, case.name + ".onnx")
            onnx.save(case.model, models[case.name])

        def run(case, mode):
            graph = case.model.graph
            for inputs, outputs in case.data_sets:
                given = {info.name: to_array(value) for info, value in zip(graph.input, inputs)}
                wanted = {info.name: to_array(value) for info, value in zip(graph.output, outputs)}
                for rtol, numerics in get_bounds(case, wanted, mode):
                    outcome = run_case(os.path.abspath(arguments.tool), models[case.name], given, wanted, rtol, case.atol, mode,
                                       options=() if mode == "interpret" else [*options, *numerics])
                    if outcome[0] != "passed":
                        return outcome
            return "passed", ""

        for mode in arguments.mode or ("fused", "unfused"):
            print(f"{mode}, {arguments.target}, onnx {onnx.__version__}:")
            failures += run_all([(case.name, case) for case in cases],
                                lambda case, mode=mode: run(case, mode), arguments.jobs,
                                arguments.refused)
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
