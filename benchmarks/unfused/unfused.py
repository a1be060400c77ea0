#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: unfused.py FUSE-RUN [--programs FOLDER] [--threads N,…] [--runs N] [--rounds N] [--only TEXT] [--every]
                  [--least] [--no-head] [--numerics [NAME:]CLASS] [FILE…]

Is a kernel slower than the unfused program's kernels that compute the same, together? Both are scheduled alike. The programs
are those of ../cost_model, all in FOLDER, and the files given (.mlir or .onnx; X.inputs.npz beside X.onnx serves as its
inputs, else they are random). Fused and unfused take turns; a kernel's time is the median of a round's runs, its ratio
the one that three of four rounds reach, and more than 1.05 is above what is wanted. A program's later rounds are left out
when no kernel can be above any more. One row per program, of its worst kernel, and of each that is above; --every: of
all kernels with more than one op. --least: the least of a round's runs instead of the median, for machines that are
not idle, where a long kernel is interrupted more often than the short ones it is held against. --numerics NAME:CLASS is
for files whose name begins with NAME, CLASS for all.
"""

import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "cost_model")]
import kernels
import merges
import table
from join import join, kernels_of, may_be_above, merged, sure_ratio
from programs import inputs_of, numerics_of

WANTED = 1.05


def programs(options, folder):
    """Names and files."""
    for module in (kernels, merges):
        for program in module.all_programs():
            path = os.path.join(folder, program.name + ".mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program.text())
            yield program.name, path
    given = sorted(glob.glob(os.path.join(options.programs, "*.mlir"))) if options.programs else []
    for path in given + options.files:
        yield os.path.basename(path), path


def measure(options, path, mode, threads):
    """The report's kernels, with the median time of each."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [options.fuse_run, path, *inputs_of(path), "--threads", str(threads), "--time",
                   str(options.runs), "--mode", mode, "--report-json", report,
                   *numerics_of(path, options.numerics)]
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env=dict(os.environ, OMP_PROC_BIND="true"))
        if done.returncode != 0:
            sys.exit(f"{path}: fuse-run failed\n{done.stderr[-2000:]}")
        cpu = re.search(r"cpu: (.*), threads", done.stdout)
        with open(report, encoding="utf-8") as file:
            return kernels_of(json.load(file)), cpu.group(1) if cpu else ""


class Comparison:
    """One program on a number of threads."""

    def __init__(self, name, threads):
        self.name, self.threads = name, threads
        self.groups, self.lost, self.samples = [], [], []

    def run(self, options, path):
        for _ in range(options.rounds):
            fused, _ = measure(options, path, "fused", self.threads)
            unfused, _ = measure(options, path, "unfused", self.threads)
            if not self.samples:
                groups, self.lost = join(fused, unfused)
                self.groups = merged(groups)
                self.kernels = {kernel["id"]: kernel for kernel in fused}
            self.samples.append(tuple({k["id"]: k[options.key] for k in side} for side in (fused, unfused)))
            if not any(may_be_above(self.ratios(group), WANTED, options.rounds) for group in self.groups):
                return

    def ratios(self, group):
        pairs = [group.times(*sample) for sample in self.samples]
        return [fused / unfused if unfused else 1.0 for fused, unfused in pairs]

    def rows(self, every):
        """Of the worst group and of those above, or of all; the worst first."""
        found = sorted(self.groups, key=lambda group: -sure_ratio(self.ratios(group)))
        for number, group in enumerate(found):
            ratio = sure_ratio(self.ratios(group))
            if number and not every and ratio <= WANTED:
                return
            times = [statistics.median(side) for side in zip(*(group.times(*sample) for sample in self.samples))]
            names = "+".join(self.kernels[i]["name"] for i in group.fused)
            which = f"{','.join(map(str, group.fused))}: {names}"
            yield table.row(self.name[:30], which if len(which) <= 28 else which[:27] + "…", self.threads, times[0],
                            f"{len(group.unfused)} unfused kernels", times[1], WANTED, ratio)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fuse_run")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--programs")
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default="")
    parser.add_argument("--numerics", action="append", default=[])
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--least", dest="key", action="store_const", const="least_ms", default="ms")
    parser.add_argument("--no-head", action="store_true")
    options = parser.parse_intermixed_args()
    teams = sorted(set(map(int, options.threads.split(","))))
    total = above = 0
    with tempfile.TemporaryDirectory() as folder:
        wanted = [(name, path) for name, path in programs(options, folder) if options.only in name]
        if wanted and not options.no_head:
            cpu = measure(options, wanted[0][1], "fused", 1)[1]
            print(f"cpu: {cpu}, {'medians' if options.key == 'ms' else 'least'} of {options.runs} in {options.rounds} rounds; * is above what is wanted")
            print(table.header(), flush=True)
        for name, path in wanted:
            for threads in teams:
                comparison = Comparison(name, threads)
                comparison.run(options, path)
                total += len(comparison.groups)
                above += sum(sure_ratio(comparison.ratios(group)) > WANTED for group in comparison.groups)
                for row in comparison.rows(options.every):
                    print(row, flush=True)
    print(f"unfused: {above} of {total} kernels with more than one op are slower than the unfused ones together",
          flush=True)


if __name__ == "__main__":
    main()
