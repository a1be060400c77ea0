#!/usr/bin/env python3
"""Networks drawn by chance, quantized in a way that is drawn as well, against ONNX Runtime without its optimizations:
quantizer_tests.py FUSE_RUN [--count N] [--seed N] [--only TEXT] [--form TEXT] [--keep FOLDER]

Each of --count rounds takes another network of drawn_networks.py and another one of `FORMS`, and runs fused with one thread
and, with --numerics exact, with two. An element that lies half-way between two integers may go either way in one layer,
which others then see: results may be as far from ONNX Runtime's as its own are from each other where inputs differ by
roundings, and by one step. --keep writes models and arrays to a folder.
"""

import argparse
import datetime
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnx.version_converter
from onnxruntime.quantization import (CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_dynamic,
                                      quantize_static)
from onnxruntime.quantization.shape_inference import quant_pre_process

import drawn_networks
from quantized_tests import compute, get_step
from running import run_all
from runtime_cases import SUMS_IN_PAIRS


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.data = iter(feeds)

    def get_next(self):
        return next(self.data, None)


def dynamic(**options):
    def make(source, target, feeds):
        quantize_dynamic(source, target, **({"reduce_range": SUMS_IN_PAIRS} | options))
    return make


def static(prepares=False, extra=None, **options):
    def make(source, target, feeds):
        if prepares:
            prepared = source[:-5] + "-p.onnx"
            quant_pre_process(source, prepared, skip_symbolic_shape=True)
            source = prepared
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8, "reduce_range": SUMS_IN_PAIRS}
        quantize_static(source, target, Reader(feeds), extra_options=extra or {}, **(types | options))
    return make


def blocks(bits, **options):
    def make(source, target, feeds):
        from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
        config = DefaultWeightOnlyQuantConfig(bits=bits, **options)
        quantizer = MatMulNBitsQuantizer(onnx.load(source), algo_config=config)
        quantizer.process()
        onnx.save(quantizer.model.model, target)
    return make


def half(keeps):
    def make(source, target, feeds):
        from onnxruntime.transformers.float16 import convert_float_to_float16
        onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=keeps), target)
    return make


Q8, U8, Q16, U16, Q4, U4 = (getattr(QuantType, name) for name in ("QInt8", "QUInt8", "QInt16", "QUInt16", "QInt4", "QUInt4"))
QDQ, OPERATORS = QuantFormat.QDQ, QuantFormat.QOperator
FORMS = {
    "dynamic": dynamic(weight_type=Q8),
    "dynamic-unsigned": dynamic(weight_type=U8),
    "dynamic-channels": dynamic(weight_type=Q8, per_channel=True),
    "dynamic-channels-unsigned": dynamic(weight_type=U8, per_channel=True),
    "dynamic-reduced": dynamic(weight_type=Q8, reduce_range=True),
    "dynamic-symmetric": dynamic(weight_type=Q8, extra_options={"WeightSymmetric": False, "MatMulConstBOnly": False}),
    "qdq": static(),
    "qdq-channels": static(per_channel=True),
    "qdq-signed": static(activation_type=Q8, per_channel=True),
    "qdq-unsigned": static(weight_type=U8),
    "qdq-prepared": static(True, per_channel=True),
    "qdq-prepared-signed": static(True, activation_type=Q8),
    "qdq-symmetric": static(activation_type=Q8, extra={"ActivationSymmetric": True, "WeightSymmetric": True}),
    "qdq-weights": static(extra={"AddQDQPairToWeight": True}),
    "qdq-asymmetric": static(activation_type=Q8, extra={"WeightSymmetric": False}),
    "qdq-wide": static(activation_type=Q16, extra={"UseQDQContribOps": False}),
    "qdq-wide-contrib": static(activation_type=U16, extra={"UseQDQContribOps": True}),
    "qdq-wide-both": static(activation_type=Q16, weight_type=Q16),
    "qdq-short": static(weight_type=Q4),
    "qdq-short-channels": static(weight_type=Q4, per_channel=True),
    "qdq-short-unsigned": static(weight_type=U4),
    "qdq-dedicated": static(extra={"DedicatedQDQPair": True}),
    "qdq-entropy": static(calibrate_method=CalibrationMethod.Entropy),
    "qdq-float-bias": static(extra={"QuantizeBias": False}),
    "qdq-percentile": static(True, calibrate_method=CalibrationMethod.Percentile, activation_type=Q8),
    "operators": static(quant_format=OPERATORS),
    "operators-channels": static(quant_format=OPERATORS, per_channel=True),
    "operators-signed": static(quant_format=OPERATORS, activation_type=Q8),
    "operators-unsigned": static(quant_format=OPERATORS, weight_type=U8),
    "operators-prepared": static(True, quant_format=OPERATORS, per_channel=True),
    "operators-forced": static(quant_format=OPERATORS, extra={"ForceQuantizeNoInputCheck": True}),
    "blocks-16": blocks(4, block_size=16, is_symmetric=True),
    "blocks-32": blocks(4, block_size=32, is_symmetric=False),
    "blocks-128": blocks(4, block_size=128, is_symmetric=False),
    "blocks-qdq": blocks(4, block_size=32, is_symmetric=True, quant_format=QDQ),
    "blocks-qdq-asymmetric": blocks(4, block_size=16, is_symmetric=False, quant_format=QDQ),
    "blocks-8": blocks(8, block_size=32, is_symmetric=False),
    "blocks-level": blocks(4, block_size=32, is_symmetric=True, accuracy_level=1),
    "half": half(False),
    "half-inside": half(True),
}
WAYS = (("default", ["--threads", "1"]), ("exact", ["--threads", "2", "--numerics", "exact"]))


def draw_feeds(rng, model, shapes):
    return {info.name: rng.standard_normal(shapes[info.name]).astype(
        np.float16 if info.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16 else np.float32) for info in model.graph.input}


def measure(path, feeds, outputs):
    """How far results of ONNX Runtime move if inputs move by roundings."""
    moved = {name: 0.0 for name in outputs}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        near = {name: np.nextafter(array, array.dtype.type(np.inf) * rng.choice([-1, 1], array.shape).astype(array.dtype))
                for name, array in feeds.items()}
        for name, array in compute(path, near).items():
            if array.size:
                moved[name] = max(moved[name], float(np.max(np.abs(array.astype(np.float64) - outputs[name]))))
    return moved


def run_way(tool, path, feeds, outputs, allowed, options, folder):
    given, made = os.path.join(folder, "inputs.npz"), os.path.join(folder, "outputs.npz")
    np.savez(given, **feeds)
    try:
        run = subprocess.run([tool, path, "--inputs", given, "--outputs", made, *options], capture_output=True, text=True,
                             timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "failed", "ran longer than 300 s"
    if run.returncode:
        refused = run.returncode == 1 and "node '" in run.stderr
        message = run.stderr[:300] if run.returncode == 1 else run.stderr[-1500:]
        return ("refused" if refused else "failed"), f"{run.returncode}: {message}"
    arrays = np.load(made)
    for name, wanted in outputs.items():
        found = arrays[name]
        if found.shape != wanted.shape or found.dtype != wanted.dtype:
            return "failed", f"{name}: {found.dtype} {found.shape}, expected {wanted.dtype} {wanted.shape}"
        distance = np.abs(found.astype(np.float64) - wanted)
        distance[np.isnan(found) & np.isnan(wanted)] = 0
        distance[found == wanted] = 0
        if found.size and not np.max(distance) <= allowed[name]:
            return "failed", (f"{name}: {np.count_nonzero(distance > allowed[name])} of {distance.size} beyond {allowed[name]:.3g}, "
                              f"the furthest {np.max(distance):.3g} of {np.max(np.abs(wanted)):.3g}")
    return "passed", ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--only", default="")
    parser.add_argument("--form", default="")
    parser.add_argument("--keep")
    options = parser.parse_args()
    tool = os.path.abspath(options.tool)
    print(f"seed {options.seed}")
    rng = np.random.default_rng(options.seed)
    networks = [n for n in drawn_networks.NETWORKS if options.only in n]
    forms = [f for f in FORMS if options.form in f]
    orders = [rng.permutation(networks), rng.permutation(forms)]
    skipped = []
    # Every network meets every form after as many rounds as there are pairs.
    cycle = np.lcm(len(networks), len(forms))
    pairs = [(str(orders[0][i % len(networks)]), str(orders[1][(i + i // cycle) % len(forms)])) for i in range(options.count)]

    def run(case):
        network, form, number = case
        with tempfile.TemporaryDirectory() as folder:
            model, shapes = drawn_networks.NETWORKS[network](drawn_networks.Net(np.random.default_rng([options.seed, number])))
            if any(kind in form for kind in ("short", "blocks", "wide")):
                model = onnx.version_converter.convert_version(model, 21)
            source, path = os.path.join(folder, "float.onnx"), os.path.join(folder, "model.onnx")
            onnx.save(model, source)
            feeds = [draw_feeds(np.random.default_rng(i), model, shapes) for i in range(3)]
            try:
                FORMS[form](source, path, feeds)
                model = onnx.load(path)
                given = draw_feeds(np.random.default_rng(9), model, shapes)
                outputs = compute(path, given)
            except Exception as error:  # noqa: BLE001 - what the quantizer or ONNX Runtime does not take is no case
                skipped.append(f"{network}, {form}: {(str(error).splitlines() or [repr(error)])[0][-150:]}")
                return "passed", ""
            for info in model.graph.output:
                if not info.type.tensor_type.HasField("shape") or not info.type.tensor_type.elem_type:
                    array = outputs[info.name]
                    element = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
                    info.CopyFrom(onnx.helper.make_tensor_value_info(info.name, element, [None] * array.ndim))
            onnx.save(model, path)
            moved = measure(path, given, outputs)
            step = 0 if "blocks" in form or "half" in form else get_step(path)
            allowed = {}
            for name, array in outputs.items():
                relative = 4e-3 if array.dtype == np.float16 or "half" in form else 2e-5
                largest = float(np.nanmax(np.abs(array.astype(np.float64)))) if array.size else 0
                allowed[name] = 1.01 * step + 2 * moved[name] + relative * max(1.0, largest)
            if options.keep:
                kept = os.path.join(options.keep, f"{network}-{form}-{number}")
                shutil.copy(path, kept + ".onnx")
                np.savez(kept + "-in.npz", **given)
                np.savez(kept + "-out.npz", **outputs)
            for way, extra in WAYS:
                outcome, message = run_way(tool, path, given, outputs, allowed, extra, folder)
                if outcome != "passed":
                    return outcome, f"{way}: {message}"
        return "passed", ""

    cases = [(f"{network}-{form}-{number}", (network, form, number)) for number, (network, form) in enumerate(pairs)]
    failures = run_all(cases, run, os.cpu_count(), 0)
    for text in skipped:
        print(f"no case: {text}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
