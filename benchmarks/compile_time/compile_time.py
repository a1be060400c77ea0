#!/usr/bin/env python3
"""How long a program takes to become code, with an empty cache and with a full one.

    benchmarks/compile_time/compile_time.py path/to/fuse-run [--rounds N] [MODEL.onnx …]

Models get random inputs where MODEL.inputs.npz is not beside them. A transformer encoder of 32 layers (928 nodes),
which is written here, is measured too. Times in ms: of reading the program, of planning it, of the rest (lowering,
code, linking), and nodes of the encoder per second of all three; the median of the rounds, and the least.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from encoder import encoder

STAGES = ("import", "plan", "compile")


def measure(command, cache, folder):
    """Milliseconds by stage, and how many kernels there are and were in the cache."""
    trace = os.path.join(folder, "trace.json")
    run = subprocess.run([*command, "--time", "1", "--trace", trace, "--cache", cache],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr[-2000:])
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    times = {stage: 0.0 for stage in STAGES}
    for event in events:
        if event.get("cat") == "compile" and event["ph"] == "X":
            times[event["name"]] += event["dur"] / 1000
    counts = next(line for line in run.stdout.splitlines() if line.startswith("code: "))
    return times, counts.removeprefix("code: ")


def report(name, ops, samples, counts):
    totals = [sum(times.values()) for times in samples]
    text = "  ".join(f"{stage} {statistics.median(t[stage] for t in samples):7.1f}"
                     for stage in STAGES)
    rate = f"  {1000 * ops / statistics.median(totals):6.0f} nodes/s" if ops else ""
    print(f"{name:28} {text}  all {statistics.median(totals):7.1f} least {min(totals):7.1f}{rate}"
          f"  ({counts})", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for model in arguments.models:
            inputs = model.removesuffix(".onnx") + ".inputs.npz"
            given = ["--inputs", inputs] if os.path.exists(inputs) else ["--random-inputs", "1"]
            programs.append((os.path.basename(model), 0, [arguments.tool, model, *given]))
        text, ops = encoder()
        path = os.path.join(folder, "encoder.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        programs.append((f"encoder of {ops} nodes", ops,
                         [arguments.tool, path, "--random-inputs", "1"]))
        samples = {}
        for number in range(arguments.rounds):
            for name, ops, command in programs:
                cache = os.path.join(folder, f"cache-{number}-{name}")
                for state in ("cold", "warm"):
                    times, counts = measure(command, cache, folder)
                    samples.setdefault((name, ops, state), []).append((times, counts))
        for (name, ops, state), found in samples.items():
            report(f"{name}, {state}", ops, [times for times, _ in found], found[-1][1])


if __name__ == "__main__":
    main()
