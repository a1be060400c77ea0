#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: models.py BIN FOLDER [--threads N,…] [--runs N] [--rounds N] [--peers NAME,…] [--numerics CLASS] [--each]
                [--no-head] [--made] [MODEL.onnx | MODEL_FOLDER …]

Models compiled by BIN/fuse-compile beside ONNX Runtime, OpenVINO and PyTorch Inductor, as far as this Python has them: the
same files, the same inputs (X.inputs.npz beside X.onnx, else random), f32. A folder holds a file model.onnx and a folder
with a file inputs.npz for each size of its open dimensions; each of the sizes is a row. --made adds the networks that
networks.py makes. Each peer is a process of its own (worker.py); in a round each makes a burst of runs while the others sleep. Times are medians of all runs, ratios medians of
the rounds', and a row is beside the fastest peer; --each: a row for each of them. Behind the size stands how many kernels the model has
unfused and fused. A second row is the
memory that outputs and intermediates take, beside the peer with the least. --numerics NAME:CLASS is for models whose name
begins with NAME, --numerics CLASS for all. Softmax of 4096 x 1024 beside ONNX Runtime's comes first, unless models are
given with --no-softmax. FOLDER is for what is compiled.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import table
from bundle import difference
from networks import write_networks
from onnx_softmax import write_softmax
from peers import PEERS, is_installed
from programs import numerics_of

WANTED, WANTED_SOFTMAX, WANTED_MEMORY = 1.05, 1.0, 1.0
DISTURBED = 0.25  # s; OpenMP's threads spin for 0.2 s after their work
MB = 1e6


class Worker:
    """A peer that has loaded a model."""

    def __init__(self, key, model, inputs, threads, folder):
        self.key, self.times, self.bursts = key, [], []
        self.outputs = os.path.join(folder, f"{key}.npz")
        self.log = open(os.path.join(folder, f"{key}.log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-B", os.path.join(HERE, "worker.py"), key, model, inputs, str(threads), self.outputs],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.growth = self.read()["growth"]

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            raise RuntimeError(f"{PEERS[self.key].name}: {(self.log.read().strip().splitlines() or ['ended'])[-1]}")
        return json.loads(line)

    def burst(self, runs):
        self.process.stdin.write(f"{runs}\n")
        self.process.stdin.flush()
        times = self.read()
        self.times += times
        self.bursts.append(statistics.median(times))

    def median(self):
        return statistics.median(self.times)

    def ratio_to(self, other):
        return statistics.median(a / b for a, b in zip(self.bursts, other.bursts))

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.log.close()


class Case:
    """A model's file, its inputs' (None: random ones), and the name of the row: that of the file, or of a folder and size."""

    def __init__(self, path, inputs, name):
        self.path, self.inputs, self.name = path, inputs, name


def cases_of(path):
    """A case for X.onnx, or one for each size in a folder that holds model.onnx."""
    if not os.path.isdir(path):
        inputs = path.removesuffix(".onnx") + ".inputs.npz"
        return [Case(path, inputs if os.path.exists(inputs) else None, os.path.basename(path).removesuffix(".onnx"))]
    model, name = os.path.join(path, "model.onnx"), os.path.basename(os.path.abspath(path))
    if not os.path.exists(model):
        sys.exit(f"{path}: expected a file model.onnx in the folder")
    sizes = sorted(size for size in os.listdir(path) if os.path.exists(os.path.join(path, size, "inputs.npz")))
    return [Case(model, os.path.join(path, size, "inputs.npz"), f"{name} {size}") for size in sizes]


def compile_bundle(options, model, inputs, name, threads, numerics):
    bundle = os.path.join(os.path.abspath(options.folder), name.replace(" ", ".") + ".so")
    command = [os.path.join(options.bin, "fuse-compile"), model, "-o", bundle, "--threads", str(threads), *numerics]
    # The inputs' extents are what open dimensions are; arrays that are no use are refused.
    for given in (["--inputs", inputs], []):
        done = subprocess.run(command + given, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
    else:
        raise RuntimeError(f"fuse-compile failed\n{done.stderr[-2000:]}")
    return bundle


def count_kernels(options, model, inputs, threads, numerics):
    """How many kernels the program has, unfused and fused, as text; empty where fuse-run does not say."""
    command = [os.path.join(options.bin, "fuse-run"), model, "--inputs", inputs, "--report", "--threads", str(threads), *numerics]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^Fusion: (\d+) → (\d+) kernels", done.stdout, re.MULTILINE)
    return f", {found.group(1)} → {found.group(2)}" if found else ""


def random_inputs(options, model, folder):
    """Of a standard normal distribution, or 0 and 1; open dimensions are 13."""
    import onnx
    from onnx import helper
    generator, arrays = np.random.default_rng(1), {}
    graph = onnx.load(model, load_external_data=False).graph
    weights = {array.name for array in graph.initializer}
    for value in graph.input:
        if value.name not in weights:
            shape = [dim.dim_value or 13 for dim in value.type.tensor_type.shape.dim]
            kind = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
            floats = kind.kind == "f"
            arrays[value.name] = np.asarray(generator.standard_normal(shape) if floats else generator.integers(0, 2, shape), kind)
    path = os.path.join(folder, "inputs.npz")
    np.savez(path, **arrays)
    return path


def print_rows(options, name, size, threads, fuse, others, wanted):
    """Whether the time is within what is wanted; the ratio."""
    fastest = min(others, key=Worker.median)
    for other in others if options.each else [fastest]:
        print(table.row(name, size, threads, fuse.median(), PEERS[other.key].name, other.median(), wanted,
                        fuse.ratio_to(other)), flush=True)
    least = min(others, key=lambda other: other.growth)
    for other in others if options.each else [least]:
        print(table.row(f"{name}, memory"[:30], size, threads, fuse.growth / MB, PEERS[other.key].name,
                        max(other.growth, 1) / MB, WANTED_MEMORY, unit="MB"), flush=True)
    return fuse.ratio_to(fastest)


def compare(options, case, keys, threads, wanted, numerics):
    """Prints a case's rows; its ratio to the fastest peer, or None."""
    model, name = case.path, case.name
    with tempfile.TemporaryDirectory() as folder:
        inputs = case.inputs or random_inputs(options, model, folder)
        with np.load(inputs) as arrays:
            size = "x".join(map(str, arrays[arrays.files[0]].shape)) or "scalar"
        workers = []
        try:
            bundle = compile_bundle(options, model, inputs, name, threads, numerics)
            size += count_kernels(options, model, inputs, threads, numerics)
            for key in keys:
                try:
                    workers.append(Worker(key, bundle if key == "fuse" else model, inputs, threads, folder))
                except RuntimeError as error:
                    if key == "fuse":
                        raise
                    print(f"{name}: left out: {error}", flush=True)
            for other in workers[1:]:
                with np.load(workers[0].outputs) as ours, np.load(other.outputs) as theirs:
                    found = difference([ours[name] for name in theirs.files], [theirs[name] for name in theirs.files])
                if not found < 1e-2:
                    print(f"{name}: {PEERS[other.key].name} computes something else: a difference of {found:.2g}", flush=True)
            for number in range(options.rounds):
                for worker in workers if number % 2 == 0 else workers[::-1]:
                    time.sleep(DISTURBED)
                    worker.burst(-(-options.runs // options.rounds))
            if len(workers) < 2:
                print(f"{name}: no peer to compare with", flush=True)
                return None
            return print_rows(options, name, size, threads, workers[0], workers[1:], wanted)
        except RuntimeError as error:
            print(f"{name}: left out: {error}", flush=True)
            return None
        finally:
            for worker in workers:
                worker.stop()


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    return found.group(1) if found else "unknown"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--numerics", action="append", default=[])
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--no-head", action="store_true")
    parser.add_argument("--no-softmax", action="store_true")
    parser.add_argument("--made", action="store_true")
    options = parser.parse_intermixed_args()
    if unknown := set(options.peers.split(",")) - set(PEERS):
        sys.exit(f"expected peers among {', '.join(PEERS)}, found {', '.join(sorted(unknown))}")
    wanted = ["fuse"] + [key for key in PEERS if key != "fuse" and key in options.peers.split(",")]
    keys = [key for key in wanted if is_installed(key)]
    missing = [PEERS[key].name for key in wanted if key not in keys]
    os.makedirs(options.folder, exist_ok=True)
    if not options.no_head:
        print(f"cpu: {cpu_name()}, medians of {options.runs} in {options.rounds} rounds; * is above what is wanted")
        print(table.header(), flush=True)
    if missing:
        print(f"not installed, so left out: {', '.join(missing)}", flush=True)
    made = write_networks(os.path.join(options.folder, "made")) if options.made else []
    cases = [case for path in [*options.models, *made] for case in cases_of(path)]
    ratios = []
    for threads in sorted(set(map(int, options.threads.split(",")))):
        if not options.no_softmax:
            softmax = write_softmax(os.path.join(options.folder, "softmax.onnx"), 4096, 1024)
            compare(options, cases_of(softmax)[0], [key for key in keys if key in ("fuse", "onnxruntime")], threads, WANTED_SOFTMAX, [])
        for case in cases:
            ratio = compare(options, case, keys, threads, WANTED, numerics_of(case.name, options.numerics))
            if ratio is not None:
                ratios.append(ratio)
    if ratios:
        print(f"models: {sum(ratio <= WANTED for ratio in ratios)} of {len(ratios)} within {WANTED} of the fastest peer, "
              f"geometric mean {statistics.geometric_mean(ratios):.2f}, largest {max(ratios):.2f}", flush=True)


if __name__ == "__main__":
    main()
