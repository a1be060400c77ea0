#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: short_types.py BIN FOLDER MODEL.onnx… [--types f16,bf16] [--threads N,…] [--seconds T] [--numerics CLASS]
                      [--only-check]

Models in f32 (MODEL.onnx with MODEL.inputs.npz beside it), rewritten in f16 and bf16 as people convert them: parameters,
constants, casts, inputs and results that were f32 have the short type. Each is compiled by BIN/fuse-compile, compared with the
model in f32, and timed beside that in turns. The error is the root mean square of the difference over that of the result in f32.
"""
import argparse
import os
import subprocess
import time

os.environ.update(OMP_PROC_BIND="true")

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from bundle import Bundle

ELEMENT = {"f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16}
# Operands that an operator wants in f32 whatever the others are.
KEEPS = {"Resize": (1, 2), "Upsample": (1,), "QuantizeLinear": (1,), "DequantizeLinear": (1,)}
# The largest rounding error of one number, and how many of them a model may add up.
EPSILON, ROUNDINGS = {"f16": 2.0**-11, "bf16": 2.0**-8}, 64


def to_bits(array):
    """The bits of bf16, rounded to nearest even."""
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def shorten_tensor(tensor, kind):
    if tensor.data_type != TensorProto.FLOAT:
        return
    array = numpy_helper.to_array(tensor)
    name, dims = tensor.name, list(tensor.dims)
    short = array.astype(np.float16).tobytes() if kind == "f16" else to_bits(np.ascontiguousarray(array)).tobytes()
    tensor.CopyFrom(helper.make_tensor(name, ELEMENT[kind], dims, short, raw=True))


def shorten_graph(graph, kind):
    kept = {node.input[index] for node in graph.node for index in KEEPS.get(node.op_type, ()) if index < len(node.input)}
    for tensor in graph.initializer:
        if tensor.name not in kept:
            shorten_tensor(tensor, kind)
    for value in [*graph.input, *graph.output, *graph.value_info]:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT and value.name not in kept:
            value.type.tensor_type.elem_type = ELEMENT[kind]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name in ("to", "dtype") and attribute.i == TensorProto.FLOAT:
                attribute.i = ELEMENT[kind]
            if attribute.type == onnx.AttributeProto.TENSOR and not (node.op_type == "Constant" and node.output[0] in kept):
                shorten_tensor(attribute.t, kind)
            if attribute.type == onnx.AttributeProto.GRAPH:
                shorten_graph(attribute.g, kind)


def write_model(path, kind, folder):
    name = os.path.join(folder, f"{os.path.basename(path)[:-5]}.{kind}.onnx")
    if not os.path.exists(name) or os.path.getmtime(name) < os.path.getmtime(path):
        model = onnx.load(path)
        shorten_graph(model.graph, kind)
        onnx.save(model, name)
    return name


def compile_bundle(options, model, threads):
    bundle = os.path.join(options.folder, f"{os.path.basename(model)[:-5]}.{options.numerics}.{threads}.so")
    compiler = os.path.join(options.bin, "fuse-compile")
    if not os.path.exists(bundle) or os.path.getmtime(bundle) < max(map(os.path.getmtime, (compiler, model))):
        subprocess.run([compiler, model, "-o", bundle, "--threads", str(threads), "--numerics", options.numerics],
                       check=True, stderr=subprocess.DEVNULL)
    return os.path.abspath(bundle)


def to_kind(arrays, kind):
    def convert(array):
        if array.dtype != np.float32:
            return array
        return array.astype(np.float16) if kind == "f16" else to_bits(array)
    return {name: convert(array) for name, array in arrays.items()}


def to_f32(array):
    """A result of a bundle; bf16 come as bits."""
    array = np.asarray(array)
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--types", default="f16,bf16")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--numerics", default="folds")
    parser.add_argument("--only-check", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    print("model            type  threads   ms in f32        ms   ratio   error", flush=True)
    ratios = {}
    for threads in map(int, options.threads.split(",")):
        for path in options.models:
            with np.load(path[:-5] + ".inputs.npz") as arrays:
                inputs = dict(arrays)
            wide = Bundle(compile_bundle(options, path, threads), threads)
            runs, names = [wide.bind(inputs)], []
            bundles = [wide]
            for kind in options.types.split(","):
                try:
                    bundle = Bundle(compile_bundle(options, write_model(path, kind, options.folder), threads), threads)
                    runs.append(bundle.bind(to_kind(inputs, kind)))
                except Exception as error:
                    print(f"{os.path.basename(path)[:-5]:16} {kind:5} {str(error).splitlines()[0]}", flush=True)
                    continue
                bundles.append(bundle)
                names.append(kind)
            for run in runs:
                run()
            times, start = [[] for _ in runs], time.perf_counter()
            while not options.only_check and (len(times[0]) < 3 or time.perf_counter() - start < options.seconds * len(runs)):
                for number, run in enumerate(runs):
                    begin = time.perf_counter()
                    run()
                    times[number].append(1000 * (time.perf_counter() - begin))
            for number, kind in enumerate(names, 1):
                error = 0.0
                for wanted, got in zip(wide.outputs, bundles[number].outputs):
                    wanted, got = to_f32(wanted), to_f32(got)
                    if np.asarray(wanted).dtype.kind == "f" and wanted.size:
                        rms = float(np.sqrt(np.mean(np.square(wanted, dtype=np.float64)))) or 1.0
                        error = max(error, float(np.sqrt(np.mean(np.square(got.astype(np.float64) - wanted)))) / rms)
                mark = "" if error < ROUNDINGS * EPSILON[kind] else "  *"
                if options.only_check:
                    print(f"{os.path.basename(path)[:-5]:16} {kind:5} {threads:7} {error:39.2g}{mark}", flush=True)
                    continue
                ratio = min(times[number]) / min(times[0])
                ratios.setdefault((kind, threads), []).append(ratio)
                print(f"{os.path.basename(path)[:-5]:16} {kind:5} {threads:7} {min(times[0]):11.2f} {min(times[number]):9.2f} {ratio:7.2f} "
                      f"{error:7.2g}{mark}", flush=True)
            for bundle in bundles:
                bundle.close()
    for (kind, threads), each in ratios.items():
        print(f"{kind}, {threads} threads: geometric mean {float(np.exp(np.mean(np.log(each)))):.2f}, most {max(each):.2f}")


if __name__ == "__main__":
    main()
