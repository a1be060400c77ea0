#!/usr/bin/env python3
"""How long fuse-plan takes per op, by --mlir-timing: chains, transformers and random graphs; and how much longer where their
rows are an open dimension.

    benchmarks/planning/planning.py path/to/fuse-opt [--ops 1000,10000,100000]
"""

import argparse
import re
import subprocess
import sys

from graphs import GRAPHS, Open


def measure(tool, text, strategy):
    """Seconds of fuse-plan alone, and the number of kernels."""
    command = [tool, "-", "--mlir-disable-threading", "--mlir-timing",
               "--mlir-timing-display=list", f"--fuse-plan=strategy={strategy}", "-o", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr[-2000:])
    seconds = float(re.search(r"([0-9.]+) \(.*\)\s+FusePlan", run.stderr).group(1))
    ops = len(re.findall(r"= fuse\.(?:unary|binary|reduce|matmul)", text))
    groups = [line for line in run.stdout.splitlines() if "fuse.group" in line]
    ids = {re.search(r"fuse.group = array<i64: (\d+)", line).group(1) for line in groups}
    return seconds, ops, ops - len(groups) + len(ids)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--ops", default="1000,10000,100000")
    arguments = parser.parse_args()
    for name, graph in GRAPHS.items():
        for strategy in ("chains", "priority"):
            for count in map(int, arguments.ops.split(",")):
                seconds, ops, kernels = measure(arguments.tool, graph(count), strategy)
                rate = ops / seconds if seconds > 0 else float("inf")
                opened, _, open_kernels = measure(arguments.tool, graph(count, Open), strategy)
                ratio = opened / seconds if seconds > 0 else float("nan")
                print(f"{name}, {strategy}: {ops} ops -> {kernels} kernels in {seconds:.3f} s, "
                      f"{rate:.0f} ops/s, {1e6 * seconds / ops:.2f} us per op; open: {open_kernels} kernels, {ratio:.2f} of the time",
                      flush=True)


if __name__ == "__main__":
    main()
