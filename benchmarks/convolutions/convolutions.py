#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: convolutions.py FUSE-RUN [--count N] [--seed N] [--threads N,…] [--runs N] [--rounds N] [--only TEXT]
                       [--keep FOLDER] [--no-head]

Is a program around a convolution slower as it is planned than unfused? Programs are drawn by chance (generate.py): images and
lines of 7 to 3,000 points, 3 to 512 channels, batches of 1 to 8, windows of 1 to 7 with strides and paddings, depthwise or
not, behind and before batch norms, activations, residuals, pools and a second convolution. The default seed is that of the
day. Fused and unfused take turns; a round's figure is the least of its runs, and a program's ratio the median of
its rounds. A program that is clearly not slower after two rounds is not asked again. Each row names the kernels
of both and, beside the times, what was predicted for the fused program. The last lines say how many ratios are above 1.05, the geometric mean and
the worst, and how far predictions are off. --keep writes the programs that are above to FOLDER.
"""

import argparse
import datetime
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "cost_model")]
import table
from generate import generate

WANTED = 1.05
CLEAR = 0.95


def measure(options, path, mode, threads, report):
    """Least time of a run in ms, and the report's kernels."""
    command = [options.fuse_run, path, "--random-inputs", "1", "--threads", str(threads), "--time",
               str(options.runs), "--mode", mode, "--report-json", report]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ, OMP_PROC_BIND="true"))
    found = re.search(r"run: median [0-9.]+ ms, least ([0-9.]+) ms", done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(f"{path}: fuse-run failed\n{done.stderr[-2000:]}")
    with open(report, encoding="utf-8") as file:
        return float(found.group(1)), json.load(file)["functions"][0]["kernels"]


def compare(options, path, threads, report):
    """Least times of fused and unfused, their ratio, the kernels of both, and what is predicted."""
    ratios, fused, unfused = [], [], []
    for done in range(options.rounds):
        time, kernels = measure(options, path, "fused", threads, report)
        reference, apart = measure(options, path, "unfused", threads, report)
        fused.append(time)
        unfused.append(reference)
        ratios.append(time / reference if reference else 1.0)
        if done and max(ratios) < CLEAR:
            break
    predicted = sum(kernel.get("predicted_ms") or 0 for kernel in kernels)
    return min(fused), min(unfused), statistics.median(ratios), len(kernels), len(apart), predicted


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fuse_run")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--threads", default="1")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--no-head", action="store_true")
    options = parser.parse_args()
    rows = []
    if not options.no_head:
        print(f"seed {options.seed}, least of {options.runs} runs, ratios are medians of {options.rounds} rounds\n{table.header()}")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        for draw in generate(options.count, options.seed):
            if options.only not in draw.name:
                continue
            path = os.path.join(folder, draw.program.name + ".mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"// {draw.name}, {draw.size}\n{draw.program.text()}")
            for threads in map(int, options.threads.split(",")):
                time, reference, ratio, kernels, apart, predicted = compare(options, path, threads, report)
                rows.append((ratio, predicted / time if time else 1.0, draw.name))
                print(table.row(draw.name[:30], f"{draw.size}, predicted {predicted:.3g}", threads, time,
                                f"unfused, {kernels} of {apart} kernels", reference, WANTED, ratio), flush=True)
                if options.keep and ratio > WANTED:
                    os.makedirs(options.keep, exist_ok=True)
                    with open(os.path.join(options.keep, draw.program.name + ".mlir"), "w", encoding="utf-8") as file:
                        file.write(f"// {draw.name}, {draw.size}\n{draw.program.text()}")
    if not rows:
        return
    mean = math.exp(statistics.fmean(math.log(max(ratio, 1e-9)) for ratio, _, _ in rows))
    off = sum(not 0.5 <= predicted <= 2 for _, predicted, _ in rows)
    worst = max(rows)
    print(f"convolutions: {sum(ratio > WANTED for ratio, _, _ in rows)} of {len(rows)} are above {WANTED}, geometric mean "
          f"{mean:.2f}, worst {worst[0]:.2f} ({worst[2]}); {off} predictions are off by more than a factor of 2")


if __name__ == "__main__":
    main()
