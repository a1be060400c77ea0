# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: plans.py FUSE-RUN [--threads N] [--runs N] [--rounds N] PROGRAM…

Is a program planned with the roofline model ever slower than planned in another way: not at all (unfused), chains only,
every legal merge (io)? PROGRAM is a .mlir or .onnx file; X.inputs.npz beside X.onnx serves as its inputs, else they are
random. The plans take turns. A column has the least of the medians, and the roofline plan's time to it: the median of the
rounds' ratios, or = where the kernels are the same. It counts as slower where three of four rounds say so. A plan that is
half as fast at first is not asked again. The machine should be idle.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from programs import inputs_of

PLANS = {"roofline": [], "unfused": ["--mode", "unfused"], "chains": ["--strategy", "chains"],
         "every legal merge": ["--cost-model", "io"]}
TOLERANCE = 1.05
SURE = 0.75
GIVE_UP = 2


def measure(fuse_run, path, options, plan):
    """The median time of a run in ms, and the kernels as lists of ops."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [fuse_run, path, *inputs_of(path), "--threads", str(options.threads), "--time", str(options.runs),
                   "--report-json", report, *plan]
        done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, OMP_PROC_BIND="true"), timeout=900)
        found = re.search(r"run: median ([0-9.]+) ms", done.stdout)
        if done.returncode != 0 or not found:
            sys.exit(f"{path}: fuse-run failed\n{done.stderr}")
        with open(report) as file:
            kernels = [kernel["ops"] for kernel in json.load(file)["functions"][0]["kernels"]]
        return float(found.group(1)), kernels


def compare(path, options):
    """Prints a line; whether another plan is faster."""
    times, ratios, kernels = {name: [] for name in PLANS}, {name: [] for name in PLANS}, {}
    for _ in range(options.rounds):
        for name, plan in PLANS.items():
            if name in kernels and name != "roofline" and kernels[name] == kernels["roofline"]:
                continue
            if times[name] and min(times[name]) > GIVE_UP * min(times["roofline"]):
                continue
            time, kernels[name] = measure(options.fuse_run, path, options, plan)
            times[name].append(time)
            if kernels[name] != kernels["roofline"]:
                ratios[name].append(times["roofline"][-1] / time)
    line, verdict = f"{os.path.basename(path):32}{min(times['roofline']):12.3f} ms{len(kernels['roofline']):5}", ""
    for name, of_rounds in ratios.items():
        if name == "roofline":
            continue
        ratio = statistics.median(of_rounds) if of_rounds else 1
        line += f"{min(times[name]):12.3f} ms{len(kernels[name]):5} " + (f"{ratio:5.2f}" if of_rounds else "    =")
        if ratio > TOLERANCE:
            sure = sum(r > TOLERANCE for r in of_rounds) >= SURE * len(of_rounds)
            verdict = "   slower" if sure or "slower" in verdict else "   not sure"
    print(line + verdict, flush=True)
    return "slower" in verdict


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fuse_run")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    print(f"{'program':32}{'roofline (time, kernels)':>20}" + "".join(f"{name:>26}" for name in PLANS if name != "roofline"))
    slower = sum(compare(path, options) for path in options.programs)
    print(f"{len(options.programs)} programs, threads: {options.threads}; slower than the best other plan by more than "
          f"5 %: {slower}")


if __name__ == "__main__":
    main()
