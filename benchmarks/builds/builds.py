#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: builds.py BIN BEFORE [--programs FOLDER] [--threads N,…] [--seconds T] [--rounds N] [--only TEXT]
                 [--no-programs] [--numerics [NAME:]CLASS] [--cache FOLDER] [FILE…]

Is any program slower with the tools in the folder BIN than with those in the folder BEFORE, of another commit? Both
folders have a fuse-run. The programs are those of ../cost_model, all in FOLDER, and the files given (.mlir or .onnx;
X.inputs.npz beside X.onnx serves as its inputs, else they are random); --no-programs: the files alone.

The two builds take turns, for T seconds each; a round's figure is the least time of a run, and a program's ratio the
median of its rounds. A program that is clearly not slower after two rounds is not asked again, and one that is slower
after all rounds is asked for three times as many, of which the median counts. All programs are compiled before the first
is timed, each build's into a cache in FOLDER, or into one that only this run knows. A row has the number of kernels of
both plans; a * marks a ratio above 1.1, of a file above 1.03. The last lines have the geometric means of the ratios, of
the programs and of the files apart, and the programs that have more kernels than before.
"""

import argparse
import concurrent.futures
import dataclasses
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
import layers
import merges
import table
from programs import inputs_of, numerics_of
from turns import ratio_of, take_turns

WANTED, WANTED_FILE = 1.1, 1.03


@dataclasses.dataclass
class Row:
    """A program on so many threads, with each build; times in ms."""
    name: str
    is_file: bool
    threads: int
    times: tuple  # the least of all rounds: of BIN, then of BEFORE
    counts: tuple  # kernels
    ratio: float

    def __str__(self):
        return table.row(self.name[:30], f"{self.counts[0]} and {self.counts[1]} kernels", self.threads, self.times[0],
                         "before", self.times[1], WANTED_FILE if self.is_file else WANTED, self.ratio)


def programs(options, folder):
    """Names, files, and whether they were given."""
    if not options.no_programs:
        for module in (kernels, layers, merges):
            for program in module.all_programs():
                path = os.path.join(folder, program.name + ".mlir")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(program.text())
                yield program.name, path, False
        for path in sorted(glob.glob(os.path.join(options.programs, "*.mlir"))) if options.programs else []:
            yield os.path.basename(path), path, False
    for path in options.files:
        yield os.path.basename(path), path, True


class Builds:
    """The two builds' fuse-run, with compiled kernels in a folder for each."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tools = [os.path.join(build, "fuse-run") for build in (options.bin, options.before)]
        self.environment = dict(os.environ, OMP_PROC_BIND="true")

    def run(self, build, path, threads, *more):
        cache = os.path.join(self.options.cache or self.folder, f"cache-{build}")
        command = [self.tools[build], path, *inputs_of(path), "--threads", str(threads), "--cache", cache,
                   *numerics_of(path, self.options.numerics), *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed\n{done.stderr[-2000:]}")
        return done.stdout

    def compile(self, paths, teams):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            tasks = [pool.submit(self.run, build, path, threads) for path in paths for build in (0, 1) for threads in teams]
            for task in tasks:
                task.result()

    def measure(self, build, path, threads):
        """The least time of a run in ms, and the number of kernels."""
        report = os.path.join(self.folder, "report.json")
        output = self.run(build, path, threads, "--time", f"{self.options.seconds}s", "--report-json", report)
        with open(report, encoding="utf-8") as file:
            functions = json.load(file)["functions"]
        return float(re.search(r"run: median [0-9.]+ ms, least ([0-9.]+) ms", output).group(1)), len(functions[0]["kernels"])

    def compare(self, name, path, is_file, threads):
        counts = []

        def measure():
            times, found = zip(*(self.measure(build, path, threads) for build in (0, 1)))
            counts.append(found)
            return times

        rounds = take_turns(measure, self.options.rounds, WANTED_FILE if is_file else WANTED)
        times = tuple(min(side) for side in zip(*rounds))
        return Row(name, is_file, threads, times, counts[0], ratio_of(rounds))


def summarize(rows):
    for what, side in (("programs", [row for row in rows if not row.is_file]), ("files", [row for row in rows if row.is_file])):
        if side:
            worst = max(side, key=lambda row: row.ratio)
            mean = statistics.geometric_mean(max(row.ratio, 1e-9) for row in side)
            yield (f"{what}: geometric mean of {len(side)} rows {mean:.3f}, "
                   f"largest {worst.ratio:.2f} ({worst.name}, {worst.threads} threads)")
    more = dict.fromkeys(row.name for row in rows if row.counts[0] > row.counts[1])
    yield "more kernels than before: " + (", ".join(more) or "none")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bin")
    parser.add_argument("before")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--programs")
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}")
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-programs", action="store_true")
    parser.add_argument("--numerics", action="append", default=[])
    parser.add_argument("--cache")
    options = parser.parse_intermixed_args()
    teams = sorted(set(map(int, options.threads.split(","))))
    with tempfile.TemporaryDirectory() as folder:
        wanted = [found for found in programs(options, folder) if options.only in found[0]]
        if not wanted:
            sys.exit("no program has such a name")
        builds = Builds(options, folder)
        builds.compile([path for _, path, _ in wanted], teams)
        print(f"least times of {options.seconds} s in {options.rounds} rounds; * is above what is wanted")
        print(table.header(), flush=True)
        rows = []
        for name, path, is_file in wanted:
            for threads in teams:
                rows.append(builds.compare(name, path, is_file, threads))
                print(rows[-1], flush=True)
    print("\n".join(summarize(rows)), flush=True)


if __name__ == "__main__":
    main()
