#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: open_sizes.py BIN FOLDER [--threads N,…] [--seconds T] [--only NAME] [--size SIZE] [--peers NAME,…]
                     [--specialize SIZES] [--placements N] [--compile-only]

The networks of open_networks.py, compiled once for open sizes by BIN/fuse-compile, beside bundles that are compiled for each
size, and beside the faster of ONNX Runtime and OpenVINO, which get the same file with its open dimensions. Runs alternate in
one process for T seconds (2) at least; times are the least of each, since all else that runs on the machine only adds.
FOLDER is for the models and for what is compiled, which is used again until the compiler or the model changes: with
--compile-only nothing is timed, so that the machine can be left to the timings afterwards (some 20 GB for both numbers of
threads). SIZES are variants of the open bundle, as of fuse-compile: sequence=1, say, or none.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ.update(OMP_PROC_BIND="true", OPENVINO_TELEMETRY_OPT_OUT="1")

import numpy as np

from bundle import Bundle, difference
from open_networks import NETWORKS, write_network
from peers import PEERS, is_installed

WANTED_MEAN, WANTED_MOST, WANTED_PEERS = 1.03, 1.10, 1.0


def dims_of(size):
    """b8s017: ['--dim', 'batch=8', '--dim', 'sequence=17']."""
    batch, length = re.fullmatch(r"b(\d+)(?:s(\d+))?", size).groups()
    return ["--dim", f"batch={batch}"] + (["--dim", f"sequence={int(length)}"] if length else [])


def is_newer(path, others):
    return os.path.exists(path) and all(os.path.getmtime(path) > os.path.getmtime(other) for other in others)


def compile_bundle(options, model, name, threads, dims):
    """The path of a bundle for `dims`, and how many kernels it has."""
    bundle = os.path.abspath(os.path.join(options.folder, "bundles", f"{name}.{threads}.so"))
    counts, compiler = f"{bundle[:-3]}.json", os.path.join(options.bin, "fuse-compile")
    if is_newer(counts, [compiler, model]):
        with open(counts) as file:
            kept = json.load(file)
        if kept["dims"] == dims:
            return bundle, kept["kernels"]
    os.makedirs(os.path.dirname(bundle), exist_ok=True)
    subprocess.run([compiler, model, "-o", bundle, "--threads", str(threads), *dims], check=True, stderr=subprocess.DEVNULL)
    listing = subprocess.run([os.path.join(options.bin, "fuse-translate"), model, "--emit", "listing", *dims],
                             capture_output=True, text=True, check=True).stdout
    kernels = int(re.search(r"(\d+) kernels", listing).group(1))
    with open(counts, "w") as file:
        json.dump({"dims": dims, "kernels": kernels}, file)
    return bundle, kernels


def least_times(runs, seconds):
    """The least time of each of the functions, in ms."""
    times = [[] for _ in runs]
    for run in runs:
        run()
    start, count = time.perf_counter(), 0
    while count < 3 or time.perf_counter() - start < seconds:
        for number in range(len(runs)) if count % 2 else reversed(range(len(runs))):
            begin = time.perf_counter()
            runs[number]()
            times[number].append(time.perf_counter() - begin)
        count += 1
    return [1000 * min(each) for each in times]


def place(bundle, number):
    """A copy of a bundle and its weights, in memory of their own."""
    copy = f"{bundle[:-3]}.{number}.so"
    shutil.copy(bundle, copy)
    shutil.copy(f"{bundle[:-3]}.weights", f"{copy[:-3]}.weights")
    return copy


def remove(bundle):
    for path in (bundle, f"{bundle[:-3]}.weights", f"{bundle[:-3]}.h"):
        if os.path.exists(path):
            os.remove(path)


def compare(options, name, size, threads, opened, folder):
    model, inputs = os.path.join(folder, "model.onnx"), os.path.join(folder, size, "inputs.npz")
    static = compile_bundle(options, model, f"{name}.{size}", threads, dims_of(size))
    if options.compile_only:
        return None
    with np.load(inputs) as arrays:
        arrays = dict(arrays)
    kernels = [opened[1], static[1]]
    runs, reads, names = [], [], []
    for key in options.peers:
        try:
            run, read = PEERS[key](model, threads, arrays).start()
        except Exception as error:  # a peer that cannot is left out
            print(f"{name} {size}: {PEERS[key].name} is left out: {str(error).splitlines()[0]}", flush=True)
            continue
        runs.append(run)
        reads.append(read)
        names.append(PEERS[key].name)
    rounds, found = [], 0.0
    for number in range(options.placements):
        sides = [opened[0], static[0]]
        loaded = [None, None]
        for side in (0, 1) if number % 2 else (1, 0):
            path = place(sides[side], number)
            loaded[side] = path, Bundle(path, threads)
        own = [bundle.bind(arrays) for _, bundle in loaded]
        rounds.append(least_times(own + runs, options.seconds / options.placements))
        outputs = [bundle.outputs for _, bundle in loaded] + [read() for read in reads]
        found = max(difference(side, outputs[0]) for side in outputs[1:])
        for path, bundle in loaded:
            bundle.close()
            remove(path)
    times = [min(each) for each in zip(*rounds)]
    ratio, fastest = times[0] / times[1], int(np.argmin(times[2:])) if names else None
    beside = f"{names[fastest]:12} {times[2 + fastest]:9.2f} {times[0] / times[2 + fastest]:6.2f}" if names else ""
    mark = "*" if ratio > WANTED_MOST else " "
    print(f"{name:16} {size:7} {threads} {kernels[0]:4} {kernels[1]:4} {times[0]:9.2f} {times[1]:9.2f} {ratio:6.3f}{mark} "
          f"{beside}{'' if found < 1e-2 else f'  a difference of {found:.2g}'}", flush=True)
    return ratio, times[0] / times[2 + fastest] if names else None


def mean(ratios):
    return float(np.exp(np.mean(np.log(ratios))))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--placements", type=int, default=3)
    parser.add_argument("--only", action="append")
    parser.add_argument("--size", action="append")
    parser.add_argument("--specialize", help="variants of the bundle for open sizes, as fuse-compile takes them")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--peers", default="onnxruntime,openvino")
    options = parser.parse_args()
    options.peers = [key for key in options.peers.split(",") if key and is_installed(key)]
    os.makedirs(options.folder, exist_ok=True)
    if not options.compile_only:
        print("network          size threads  kernels: open, static; ms: open, static, ratio; the fastest peer, ms, ratio")
    ratios, beside = [], []
    for threads in map(int, options.threads.split(",")):
        for name in options.only or NETWORKS:
            folder = write_network(options.folder, name)
            variants = ["--specialize", options.specialize] if options.specialize else []
            opened = compile_bundle(options, os.path.join(folder, "model.onnx"), name, threads, variants)
            for size in options.size or sorted(os.listdir(folder)):
                if not os.path.isdir(os.path.join(folder, size)):
                    continue
                found = compare(options, name, size, threads, opened, folder)
                if found:
                    ratios.append(found[0])
                    beside += [found[1]] if found[1] else []
    if not ratios:
        return
    print(f"geometric mean beside static sizes {mean(ratios):.3f} (wanted {WANTED_MEAN}), most {max(ratios):.2f} "
          f"(wanted {WANTED_MOST})" + (f"; beside the fastest peer {mean(beside):.3f} (wanted {WANTED_PEERS})" if beside else ""))


if __name__ == "__main__":
    main()
