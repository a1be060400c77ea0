#!/usr/bin/env python3
"""How long a program takes to become code, with an empty cache and with a full one.

    benchmarks/compile_time/compile_time.py path/to/fuse-run [--rounds N] [--stages] [--no-head] [MODEL.onnx …]

Models get random inputs where MODEL.inputs.npz is not beside them. A transformer encoder of 32 layers (928 nodes),
which is written here, is measured too. Times in ms are medians of the rounds, of reading the program, of planning it, and of
the rest (lowering, code, linking); beside them stands what is wanted: 3 s, and 0.5 s with a full cache; of the
encoder, 1 ms per node. --stages: a second line with the three parts, the least time, and the kernels.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from encoder import encoder

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import table
from programs import inputs_of

STAGES = ("import", "plan", "compile")
COLD, WARM, PER_NODE = 3000, 500, 1  # ms


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


def report(name, ops, state, samples, counts, has_stages):
    totals = [sum(times.values()) for times in samples]
    most = WARM if state == "warm" else PER_NODE * ops if ops else COLD
    print(table.row(f"compile {name}"[:30], f"{state} cache", os.cpu_count(), statistics.median(totals), "wanted", most, 1),
          flush=True)
    if has_stages:
        text = "  ".join(f"{stage} {statistics.median(t[stage] for t in samples):.1f}" for stage in STAGES)
        print(f"  {text}  least {min(totals):.1f}  ({counts})", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stages", action="store_true")
    parser.add_argument("--no-head", action="store_true")
    arguments = parser.parse_intermixed_args()
    if not arguments.no_head:
        print(f"medians of {arguments.rounds}; * is above what is wanted")
        print(table.header(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for model in arguments.models:
            programs.append((os.path.basename(model), 0, [arguments.tool, model, *inputs_of(model)]))
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
            report(name, ops, state, [times for times, _ in found], found[-1][1], arguments.stages)


if __name__ == "__main__":
    main()
