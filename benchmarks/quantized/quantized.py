#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: quantized.py BIN FOLDER [--only NAME,…] [--forms NAME,…] [--threads N,…] [--rounds N] [--runs N] [--numerics CLASS]
                    [--peers NAME,…] [--prepare] [--no-check] [--keep-bundles]

Quantized networks (quantize.py) compiled by BIN/fuse-compile, beside ONNX Runtime, OpenVINO, and our own code of the network
in f32. Columns: kernels unfused and fused; how far the outputs are from ONNX Runtime's without its optimizations, in steps
of the last quantization (integers: of their own), and how far ONNX Runtime's with them are; times of ours, of the peers, and of
ours in f32, in ms; ours over the faster peer's; ours over ours in f32. Each of them runs in a process of its own, in turn; times
are medians of all runs, ratios medians of the rounds'. A * marks what is above what is wanted: 0.9 in the geometric mean and
1.0 in each beside peers, 0.6 beside f32; kernels no more than those of f32; differences of more than a step, and more than ONNX Runtime's.

FOLDER keeps models and what is compiled of them. --prepare only makes these; --keep-bundles takes the bundles that are there,
so that a run does nothing but measure.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "models"), os.path.join(HERE, "..")]
import models
from peers import PEERS, is_installed
from quantize import FORMS, NETWORKS, write_models

WANTED_MEAN, WANTED_MOST, WANTED_FLOAT = 0.9, 1.0, 0.6


def last_step(path):
    """The largest scale of what quantizes an output or is the last to be dequantized before it; None where all are floats."""
    import onnx
    graph = onnx.load(path).graph
    arrays = {t.name: t for t in graph.initializer}
    makers = {name: node for node in graph.node for name in node.output}
    steps, seen, work = [], set(), [output.name for output in graph.output]
    while work:
        name = work.pop()
        node = makers.get(name)
        if node is None or name in seen:
            continue
        seen.add(name)
        scales = [float(onnx.numpy_helper.to_array(arrays[read]).max()) for read in node.input
                  if read in arrays and "scale" in read and arrays[read].data_type == 1 and "weight" not in read]
        if node.op_type in ("DequantizeLinear", "QuantizeLinear") or node.op_type.startswith("QLinear"):
            steps += scales[-1:]
        else:
            work += node.input
    return max(steps, default=None)


def compute(path, arrays, optimized):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, arrays)


def distance(outputs, wanted, step):
    """The largest difference in steps: of integers 1, of floats as given, else 1/255 of the largest element."""
    found = 0.0
    for got, want in zip(outputs, wanted, strict=True):
        one = 1 if want.dtype.kind in "iu" else step or float(np.abs(want).max()) / 255
        found = max(found, float(np.abs(np.asarray(got, np.float64) - np.asarray(want, np.float64)).max(initial=0)) / one)
    return found


class Case:
    """A form of a network, compiled for a number of threads."""

    def __init__(self, name, form, path, inputs, threads):
        self.name, self.form, self.path, self.inputs, self.threads = name, form, path, inputs, threads
        self.kernels, self.bundle = None, None

    def compile(self, options):
        title = f"{self.name}.{self.form}.{self.threads}"
        bundle = os.path.join(os.path.abspath(options.folder), title + ".so")
        counts = bundle + ".kernels"
        if not (options.keep_bundles and os.path.exists(bundle) and os.path.exists(counts)):
            numerics = ["--numerics", options.numerics] if options.numerics else []
            models.compile_bundle(options, self.path, self.inputs, title, self.threads, numerics)
            with open(counts, "w", encoding="utf-8") as file:
                file.write(models.count_kernels(options, self.path, self.inputs, self.threads, numerics))
        with open(counts, encoding="utf-8") as file:
            self.kernels = [int(word) for word in file.read().replace(",", "").split("→") if word.strip()]
        self.bundle = bundle

    def check(self):
        """How far ours and ONNX Runtime's optimized outputs are from ONNX Runtime's of the model as written."""
        from bundle import Bundle
        arrays = dict(np.load(self.inputs))
        wanted = compute(self.path, arrays, optimized=False)
        opened = Bundle(self.bundle, self.threads)
        opened.bind(arrays)()
        step = None if self.form == "f32" else last_step(self.path)
        found = distance(opened.outputs, wanted, step), distance(compute(self.path, arrays, True), wanted, step)
        opened.close()
        return found


def mark(value, wanted, text):
    return f"{text}{'*' if value > wanted else ' '}"


def measure(options, name, threads, cases):
    """Prints a row for each form of a network; {form: ratio to the faster peer}."""
    ratios = {}
    floats = cases["f32"]
    for form in options.forms:
        case = cases[form]
        differences = (0.0, 0.0) if options.no_check else case.check()
        keys = [key for key in options.peers if is_installed(key)]
        with tempfile.TemporaryDirectory() as folder:
            workers = []
            try:
                named = {"fuse": case.bundle, **{key: case.path for key in keys}}
                for key, path in named.items():
                    try:
                        workers.append(models.Worker(key, path, case.inputs, threads, folder))
                    except RuntimeError as error:
                        if key == "fuse":
                            raise
                        print(f"{name} {form}: {PEERS[key].name} is left out: {str(error)[:160]}", flush=True)
                own = None
                if form != "f32":
                    os.makedirs(os.path.join(folder, "f32"))
                    own = models.Worker("fuse", floats.bundle, case.inputs, threads, os.path.join(folder, "f32"))
                everyone = workers + ([own] if own else [])
                for number in range(options.rounds):
                    for worker in everyone if number % 2 == 0 else everyone[::-1]:
                        time.sleep(models.DISTURBED)
                        worker.burst(max(1, -(-options.runs // options.rounds)))
                peers = workers[1:]
                fastest = min(peers, key=models.Worker.median) if peers else None
                ratio = workers[0].ratio_to(fastest) if fastest else 0
                beside = workers[0].ratio_to(own) if own else 1
                shown = {worker.key: f"{worker.median():.2f}" for worker in peers}
                kernels = f"{case.kernels[0]} → {mark(case.kernels[1], floats.kernels[1], case.kernels[1])}" if case.kernels else ""
                print(f"{name:<13} {form:<10} {threads:>3} {kernels:>12} {mark(differences[0], max(1.001, differences[1]), f'{differences[0]:.2f}'):>8} "
                      f"{differences[1]:>7.2f} {workers[0].median():>9.2f} " +
                      " ".join(f"{shown.get(key, '-'):>12}" for key in options.peers) +
                      f" {own.median() if own else workers[0].median():>9.2f} {mark(ratio, WANTED_MOST, f'{ratio:.2f}'):>7} "
                      f"{mark(beside, WANTED_FLOAT if own else 1, f'{beside:.2f}'):>7}", flush=True)
                if fastest and form != "f32":
                    ratios[form] = ratio
            except RuntimeError as error:
                print(f"{name} {form}: left out: {error}", flush=True)
            finally:
                for worker in workers + ([own] if workers and own else []):
                    worker.stop()
    return ratios


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("--only", default=",".join(NETWORKS))
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--numerics")
    parser.add_argument("--peers", default="onnxruntime,openvino")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--keep-bundles", action="store_true")
    options = parser.parse_args()
    options.forms, options.peers = options.forms.split(","), options.peers.split(",")
    names = options.only.split(",")
    if unknown := (set(names) - set(NETWORKS)) | (set(options.forms) - set(FORMS)):
        sys.exit(f"expected networks among {', '.join(NETWORKS)} and forms among {', '.join(FORMS)}, found {', '.join(sorted(unknown))}")
    all_threads = sorted(set(map(int, options.threads.split(","))))
    cases = {}
    for name in names:
        paths, inputs = write_models(options.folder, name)
        for threads in all_threads:
            for form in dict.fromkeys(["f32", *options.forms]):
                case = cases.setdefault((name, threads), {})[form] = Case(name, form, paths[form], inputs, threads)
                try:
                    case.compile(options)
                except (RuntimeError, subprocess.SubprocessError) as error:
                    print(f"{name} {form}: {error}", flush=True)
                    del cases[(name, threads)][form]
    if options.prepare:
        return
    print(f"cpu: {models.cpu_name()}, medians of {options.runs} in {options.rounds} rounds; * is above what is wanted")
    print(f"{'network':<13} {'form':<10} thr {'kernels':>11}  {'steps':>7} {'ORT':>8} {'ms':>9} " +
          " ".join(f"{PEERS[key].name:>12}" for key in options.peers) + f" {'f32 ms':>9} {'/peer':>6} {'/f32':>7}", flush=True)
    ratios = []
    for (name, threads), forms in cases.items():
        wanted = options.forms
        options.forms = [form for form in wanted if form in forms]
        ratios += measure(options, name, threads, forms).values()
        options.forms = wanted
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(f"quantized beside the faster peer: geometric mean {mark(mean, WANTED_MEAN, f'{mean:.2f}')}, most {max(ratios):.2f}, "
              f"{sum(ratio > WANTED_MOST for ratio in ratios)} of {len(ratios)} above {WANTED_MOST}", flush=True)


if __name__ == "__main__":
    main()
