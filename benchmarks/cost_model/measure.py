# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs with fuse-run and takes predicted and measured times from its report."""

import json
import os
import subprocess
import tempfile


class Runner:
    """`target`: a target file that plans and predictions are made with."""

    def __init__(self, fuse_run, target, threads, runs):
        self.command = [fuse_run, "--random-inputs", "1", "--threads", str(threads), "--time", str(runs),
                        "--cost-target", target]
        self.environment = dict(os.environ, OMP_PROC_BIND="true")
        self.folder = tempfile.TemporaryDirectory()

    def run(self, name, text, *options):
        """The report's kernels, host ops left out."""
        path = os.path.join(self.folder.name, name + ".mlir")
        report = os.path.join(self.folder.name, name + ".json")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run(self.command + [path, "--report-json", report, *options], capture_output=True, text=True,
                              env=self.environment, timeout=600)
        if done.returncode != 0:
            raise SystemExit(f"{name}: fuse-run failed\n{done.stderr}")
        with open(report) as file:
            kernels = json.load(file)["functions"][0]["kernels"]
        return [kernel for kernel in kernels if kernel["label"] != "host"]


def least_by_launch(rounds):
    """Several reports of one program as one: per launch the least of the median times."""
    kernels = [dict(kernel) for kernel in rounds[0]]
    for i, kernel in enumerate(kernels):
        kernel["ms"] = min(other[i]["ms"] for other in rounds)
    return kernels


def rank_correlation(xs, ys):
    """Spearman's: that of the ranks, equal values with the mean of theirs; not a number for less than two."""
    if len(xs) < 2:
        return float("nan")

    def rank(values):
        order = sorted(range(len(values)), key=lambda i: values[i])
        ranks = [0.0] * len(values)
        i = 0
        while i < len(order):
            j = i
            while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
                j += 1
            for k in range(i, j + 1):
                ranks[order[k]] = (i + j) / 2
            i = j + 1
        return ranks
    a, b = rank(xs), rank(ys)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    return covariance / (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
