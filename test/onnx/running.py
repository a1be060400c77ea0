"""Runs models with fuse-run against expected outputs, side by side, and sums up."""

import argparse
import collections
import concurrent.futures
import datetime
import os
import random
import re
import subprocess
import tempfile

import numpy as np

# An error of fuse-run that says that a model's answer was wrong.
WRONG = re.compile(r"against .*(beyond the tolerance|expected .* found)")


def run_case(tool, model, inputs, outputs, rtol, atol, mode="fused", timeout=120, options=()):
    """("passed" | "refused" | "failed", message). A refusal names what is not supported. `options`
    go to fuse-run as they are; `mode` is empty for a bundle."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, model, "--threads", "1", "--rtol", str(rtol), "--atol", str(atol),
                   *(["--mode", mode] if mode else []), *options]
        if inputs:
            np.savez(os.path.join(folder, "inputs.npz"), **inputs)
            command += ["--inputs", os.path.join(folder, "inputs.npz")]
        np.savez(os.path.join(folder, "outputs.npz"), **outputs)
        command += ["--expect", os.path.join(folder, "outputs.npz")]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=timeout,
                                 cwd=folder, check=False)
        except subprocess.TimeoutExpired:
            return "failed", f"ran longer than {timeout} s"
    if run.returncode == 0:
        return "passed", ""
    message = run.stderr.strip().splitlines()[0] if run.stderr.strip() else "no message"
    if run.returncode < 0:  # killed by a signal: the frames say where
        message = run.stderr.strip()[-2000:] or message
    if run.returncode != 1 or WRONG.search(run.stderr):
        return "failed", f"exit status {run.returncode}: {message}"
    names_what = "not supported" in run.stderr or "node '" in run.stderr
    return ("refused" if names_what else "failed"), message


def reason(message):
    """What refusals of one kind have in common."""
    match = re.search(r"operator (\S+)( of domain \S+)? is not supported", message)
    if match:
        return f"operator {match.group(1)}"
    match = re.search(r"\((\w+)\): (.*)", message)
    return f"{match.group(1)}: {match.group(2)}" if match else message


def run_all(cases, run, jobs, most_refused=None):
    """Runs `run(case)` for each named case; prints counts by reason. The number of failures: more
    refusals than may be are one."""
    counts, refused, failed = collections.Counter(), collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (name, _), (outcome, message) in zip(cases, pool.map(lambda c: run(c[1]), cases)):
            counts[outcome] += 1
            if outcome == "refused":
                refused[reason(message)] += 1
            elif outcome == "failed":
                failed.append(name)
                print(f"failed: {name}: {message}", flush=True)
    for text, count in refused.most_common():
        print(f"refused {count}: {text}")
    print(f"{counts['passed']} passed, {counts['refused']} refused, {len(failed)} failed of "
          f"{len(cases)}")
    if most_refused is not None and counts["refused"] > most_refused:
        print(f"expected at most {most_refused} refused")
        return len(failed) + 1
    return len(failed)


def run_drawn(usage, draw, count, ways=(("fused", ()), ("unfused", ()))):
    """The main function of a test whose models are drawn by chance: `draw(rng)` gives a case's name, and its model with the
    arrays of its inputs and outputs by their names. Each is run in several `ways`, a mode with options of fuse-run. The default seed is that of the day."""
    import onnx
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    options = parser.parse_args()
    tool, rng = os.path.abspath(options.tool), random.Random(options.seed)
    print(f"seed {options.seed}")

    def run(case):
        model, inputs, outputs = case
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            onnx.save(model, path)
            for mode, given in ways:
                outcome, message = run_case(tool, path, inputs, outputs, 1e-4, 1e-5, mode, options=given)
                if outcome != "passed":
                    return "failed", f"{mode} {' '.join(given)}: {message}"
        return "passed", ""

    return 1 if run_all([draw(rng) for _ in range(options.count)], run, os.cpu_count()) else 0
