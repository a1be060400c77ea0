#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: convolutions.py FUSE-RUN [--target F.json] [--against unfused|chains] [--count N] [--seed N]
                       [--threads N,…] [--seconds T] [--rounds N] [--only TEXT] [--keep FOLDER] [--no-head]

Two questions about programs around a convolution, which are drawn by chance (generate.py). Is a program slower as it
is planned than unfused? And how far is its predicted time from the measured one? The default seed is that of the day.

Fused and unfused take turns, for T seconds each; a round's figure is the least time of a run, and a program's ratio the
median of its rounds. A program that is clearly not slower after two rounds is not asked again, and one that is slower
after all rounds is asked for three times as many, of which the median counts. `--against chains` compares with a plan that
folds batch norms into weights, but fuses element-wise ops only. All programs are compiled before the first is timed.
`--target` is a file of fuse-calibrate, which programs are planned and priced for.

A row has the kernels of both plans and, beside the times, what is predicted for the fused program; `?` marks a
prediction that is off by more than a factor of 2. The last lines have the rows with ratios above 1.05, the geometric
means of both ratios, how many predictions are off, and the rank correlation of predicted and measured times, of
programs and of kernels. --keep writes the programs that are slower or predicted wrong to FOLDER, with a file of all
figures.
"""

import argparse
import concurrent.futures
import dataclasses
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
import arrays
import table
from generate import generate
from measure import rank_correlation
from turns import ratio_of, take_turns

WANTED = 1.05
OFF = 2  # the factor between predicted and measured times that is too much
KERNEL = ("label", "ops", "predicted_ms", "least_ms", "blocks", "planned_blocks", "scratch_bytes")
PLANS = {"fused": [], "unfused": ["--mode", "unfused"], "chains": ["--strategy", "chains"]}


@dataclasses.dataclass
class Row:
    """Figures of one program on so many threads; times in ms."""
    name: str
    size: str
    threads: int
    time: float
    reference: float
    ratio: float
    kernels: list  # of the fused program, as the report has them (KERNEL); least_ms is that of all rounds
    apart: int  # kernels of the reference
    text: str

    @property
    def predicted(self):
        return sum(kernel["predicted_ms"] or 0 for kernel in self.kernels)

    @property
    def measured(self):
        """The time within kernels."""
        return sum(kernel["least_ms"] for kernel in self.kernels)

    @property
    def accuracy(self):
        return self.predicted / self.measured if self.measured else 1.0

    @property
    def is_slower(self):
        return self.ratio > WANTED

    @property
    def is_off(self):
        return not 1 / OFF <= self.accuracy <= OFF

    def line(self, against):
        note = f"{self.size}, predicted {self.predicted:.3g}{'?' if self.is_off else ''}"
        kernels = f"{against}, {len(self.kernels)} of {self.apart} kernels"
        return table.row(self.name[:30], note, self.threads, self.time, kernels, self.reference, WANTED, self.ratio)

    def figures(self):
        known = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "text"}
        return dict(known, predicted=self.predicted, measured=self.measured)


class Bench:
    """Programs in a folder, with compiled kernels in a cache that only this run knows."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.environment = dict(os.environ, OMP_PROC_BIND="true")

    def target(self, threads):
        """Predictions are for as many threads as are used."""
        if not self.options.target:
            return []
        path = os.path.join(self.folder, f"target-{threads}.json")
        if not os.path.exists(path):
            with open(self.options.target, encoding="utf-8") as file:
                target = json.load(file)
            target["figures"]["max_threads"] = threads
            with open(path, "w", encoding="utf-8") as file:
                json.dump(target, file)
        return ["--cost-target", path]

    def write(self, draw):
        base = os.path.join(self.folder, draw.program.name)
        with open(base + ".mlir", "w", encoding="utf-8") as file:
            file.write(draw.program.text())
        if draw.arrays():
            arrays.write(base + ".npz", draw.arrays())

    def run(self, draw, plan, threads, *more):
        base = os.path.join(self.folder, draw.program.name)
        inputs = ["--inputs", base + ".npz"] if draw.arrays() else []
        command = [self.options.fuse_run, base + ".mlir", *inputs, "--random-inputs", "1", "--threads", str(threads),
                   "--cache", os.path.join(self.folder, "cache"), *self.target(threads), *PLANS[plan], *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)
        if done.returncode != 0:
            sys.exit(f"{draw.name}, {plan}: fuse-run failed\n{done.stderr[-2000:]}\n{draw.program.text()}")
        return done.stdout

    def compile(self, draws, threads):
        plans = ("fused", self.options.against)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for task in [pool.submit(self.run, draw, plan, t) for draw in draws for plan in plans for t in threads]:
                task.result()

    def measure(self, draw, plan, threads):
        """The least time of a run, and the report's kernels."""
        report = os.path.join(self.folder, "report.json")
        output = self.run(draw, plan, threads, "--time", f"{self.options.seconds}s", "--report-json", report)
        with open(report, encoding="utf-8") as file:
            functions = json.load(file)["functions"]
        kernels = next(function for function in functions if function["name"] == "main")["kernels"]
        return float(re.search(r"run: median [0-9.]+ ms, least ([0-9.]+) ms", output).group(1)), kernels

    def compare(self, draw, threads):
        kernels, apart = [], []

        def measure():
            time, found = self.measure(draw, "fused", threads)
            reference, unfused = self.measure(draw, self.options.against, threads)
            kernels.append([{key: kernel[key] for key in KERNEL} for kernel in found])
            apart[:] = unfused
            return time, reference

        rounds = take_turns(measure, self.options.rounds, WANTED)
        for launch, *others in zip(*kernels):
            launch["least_ms"] = min(kernel["least_ms"] for kernel in (launch, *others))
        text = f"// {draw.name}, {draw.size}\n{draw.program.text()}"
        time, reference = (min(side) for side in zip(*rounds))
        return Row(draw.name, draw.size, threads, time, reference, ratio_of(rounds), kernels[0], len(apart), text)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(max(value, 1e-9)) for value in values))


def summarize(rows, against):
    slower = sorted((row for row in rows if row.is_slower), key=lambda row: -row.ratio)
    off = sorted((row for row in rows if row.is_off), key=lambda row: row.accuracy)
    worst = max(rows, key=lambda row: row.ratio)
    kernels = [kernel for row in rows for kernel in row.kernels if kernel["predicted_ms"]]
    yield f"slower than {against}: " + ("; ".join(f"{row.name} {row.ratio:.2f}" for row in slower) or "none")
    yield "predicted / measured is off: " + ("; ".join(f"{row.name} {row.accuracy:.2f}" for row in off) or "none")
    yield (f"predictions: {len(off)} of {len(rows)} are off by more than a factor of {OFF}, geometric mean "
           f"{geometric_mean(row.accuracy for row in rows):.2f}, rank correlation of programs "
           f"{rank_correlation([row.predicted for row in rows], [row.measured for row in rows]):.3f}, of "
           f"{len(kernels)} kernels "
           f"{rank_correlation([k['predicted_ms'] for k in kernels], [k['least_ms'] for k in kernels]):.3f}")
    yield (f"convolutions: {len(slower)} of {len(rows)} are above {WANTED}, geometric mean "
           f"{geometric_mean(row.ratio for row in rows):.2f}, worst {worst.ratio:.2f} ({worst.name})")


def keep(folder, rows):
    os.makedirs(folder, exist_ok=True)
    for row in rows:
        if row.is_slower or row.is_off:
            with open(os.path.join(folder, row.name.split()[0] + ".mlir"), "w", encoding="utf-8") as file:
                file.write(row.text)
    with open(os.path.join(folder, "figures.json"), "w", encoding="utf-8") as file:
        json.dump([row.figures() for row in rows], file, indent=1)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fuse_run")
    parser.add_argument("--target")
    parser.add_argument("--against", choices=[plan for plan in PLANS if plan != "fused"], default="unfused")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--threads", default="1")
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--no-head", action="store_true")
    options = parser.parse_args()
    threads = [int(text) for text in options.threads.split(",")]
    draws = [draw for draw in generate(options.count, options.seed) if options.only in draw.name]
    rows = []
    if not options.no_head:
        print(f"seed {options.seed}, least time in {options.seconds} s, ratios are medians of {options.rounds} rounds\n"
              f"{table.header()}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for draw in draws:
            bench.write(draw)
        bench.compile(draws, threads)
        for draw in draws:
            for count in threads:
                rows.append(bench.compare(draw, count))
                print(rows[-1].line(options.against), flush=True)
    if rows:
        print("\n".join(summarize(rows, options.against)))
        if options.keep:
            keep(options.keep, rows)


if __name__ == "__main__":
    main()
