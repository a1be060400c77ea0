# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: plans.py FUSE-RUN [--threads N] [--runs N] [--rounds N] PROGRAM…

Is a program planned with the roofline model ever slower than planned in another way: not at all (unfused), chains only,
every legal merge (io)? PROGRAM is a .mlir or .onnx file; X.inputs.npz beside X.onnx serves as its inputs, else they are
random. The four take turns; a program's time is the least of the medians. The machine should be idle.
"""

import argparse
import os
import re
import subprocess
import sys

PLANS = {"roofline": [], "unfused": ["--mode", "unfused"], "chains": ["--strategy", "chains"],
         "every legal merge": ["--cost-model", "io"]}
TOLERANCE = 1.05


def inputs_of(path):
    given = re.sub(r"\.onnx$", ".inputs.npz", path)
    return ["--inputs", given] if given != path and os.path.exists(given) else ["--random-inputs", "1"]


def measure(fuse_run, path, options, plan):
    command = [fuse_run, path, *inputs_of(path), "--threads", str(options.threads), "--time", str(options.runs), *plan]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, OMP_PROC_BIND="true"), timeout=900)
    found = re.search(r"run: median ([0-9.]+) ms", done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(f"{path}: fuse-run failed\n{done.stderr}")
    return float(found.group(1))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fuse_run")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{'program':32}" + "".join(f"{name:>18}" for name in PLANS) + f"{'to the best other':>20}")
    slower = 0
    for path in options.programs:
        times = {name: float("inf") for name in PLANS}
        for _ in range(options.rounds):
            for name, plan in PLANS.items():
                times[name] = min(times[name], measure(options.fuse_run, path, options, plan))
        ratio = times["roofline"] / min(time for name, time in times.items() if name != "roofline")
        slower += ratio > TOLERANCE
        print(f"{os.path.basename(path):32}" + "".join(f"{time:15.3f} ms" for time in times.values()) + f"{ratio:20.3f}"
              + ("   slower" if ratio > TOLERANCE else ""), flush=True)
    print(f"{len(options.programs)} programs, threads: {options.threads}; slower than the best other plan by more than "
          f"5 %: {slower}")


if __name__ == "__main__":
    main()
