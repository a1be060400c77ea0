#!/usr/bin/env python3
"""Measures every sharding of a perceptron and of a layer of BERT among two ranks, beside the one that `auto` chooses.

usage: shardings.py [--fuse-run PATH] [--fuse-opt PATH] [--mpirun COMMAND] [--models NAMES] [--runs N] [--check]

The input is whole or cut along its rows, and each matrix of weights whole, cut along its rows or along its columns; the matrices of
queries, keys and values alike. All other values are placed by price. Programs that become the same are measured once. One thread for
each rank; nothing else should be running. `auto` goes by the target that FUSE_TARGET_FILE names, as fuse-calibrate has written it
under mpirun. --check fails where `auto` takes more than 1.1 times as long as the best.
"""
import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile

from transformers import Program

WAYS = {"whole": [[], []], "rows": [[0], []], "columns": [[], [0]]}


class Annotated(Program):
    """A program whose matrices are annotated; `ways` has a way for each name, or is None."""

    def __init__(self, ways):
        super().__init__("f32")
        self.ways = ways

    def annotate(self, value, axes):
        axes = axes + [[]] * (len(value[1]) - len(axes))
        name = f"%sharding{len(self.lines)}"
        self.lines.append(f"  {name} = shard.sharding @ranks split_axes = {axes} : !shard.sharding")
        annotated = f"%{len(self.lines)}"
        self.lines.append(f"  {annotated} = shard.shard {value[0]} to {name} : {self.type(value[1])}")
        return annotated, value[1]

    def place(self, value, way, axes=None):
        return self.annotate(value, WAYS[way] if axes is None else axes) if self.ways else value

    def product(self, x, group, name, width):
        weights = self.place(self.argument(name, (x[1][-1], width)), self.ways and self.ways[group])
        return self.binary("add", self.matmul(x, weights), self.argument(name + "_bias", (width,)))

    def module(self, result):
        grid = "shard.grid @ranks(shape = 2)\n" if self.ways else ""
        return grid + self.text(result)


def make_perceptron(ways):
    p = Annotated(ways)
    x = p.argument("x", (64, 1024), parameter=False)
    if ways:
        x = p.annotate(x, [[0]] if ways["input"] == "rows" else [[]])
    h = p.unary("relu", p.product(x, "first", "w1", 4096))
    return p.module(p.product(h, "second", "w2", 1024))


def make_layer(ways):
    p = Annotated(ways)
    x = p.argument("x", (1, 128, 768), parameter=False)
    if ways:
        x = p.annotate(x, [[], [0]] if ways["input"] == "rows" else [[]])
    q, k, v = (p.heads(p.product(x, "query", name, 768), 12) for name in ("query", "key", "value"))
    y = p.product(p.attention(q, k, v, causal=False), "out", "out", 768)
    x = p.norm(p.binary("add", x, y), "norm1", bias=True)
    y = p.product(p.unary("gelu", p.product(x, "up", "up", 3072)), "down", "down", 768)
    return p.module(p.norm(p.binary("add", x, y), "norm2", bias=True))


MODELS = {
    "perceptron": (make_perceptron, ["first", "second"]),
    "bert-layer": (make_layer, ["query", "out", "up", "down"]),
}


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def measure(options, path, extra):
    """The median time of the slower rank, in ms."""
    done = run([*options.mpirun.split(), "2", options.fuse_run, path, "--random-inputs", "1", "--threads", "1", "--no-cache",
                "--time", str(options.runs), *extra])
    medians = re.findall(r"^rank \d: median ([0-9.]+) ms", done.stdout, re.M)
    if done.returncode or len(medians) != 2:
        sys.exit(f"shardings.py: {path}: {done.stderr or done.stdout}")
    return max(map(float, medians))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fuse-run", default="build/release/bin/fuse-run")
    parser.add_argument("--fuse-opt", default="build/release/bin/fuse-opt")
    parser.add_argument("--mpirun", default="mpirun.openmpi --oversubscribe -n")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    slow = False
    for model in options.models.split(","):
        make, groups = MODELS[model]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, model + ".mlir")
            programs = {}
            for ways in itertools.product(("whole", "rows"), *[WAYS] * len(groups)):
                named = dict(zip(["input", *groups], ways, strict=True))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(make(named))
                divided = run([options.fuse_opt, path, "--fuse-distribute", "--fuse-fold-collectives"])
                if divided.returncode:
                    sys.exit(f"shardings.py: {named}: {divided.stderr}")
                programs.setdefault(divided.stdout, named)
            with open(path, "w", encoding="utf-8") as file:
                file.write(make(None))
            print(f"{model}: {2 * len(WAYS) ** len(groups)} shardings, {len(programs)} programs")
            auto, times = measure(options, path, ["--shard", "auto=2"]), []
            for text, named in programs.items():
                divided_path = os.path.join(folder, "divided.mlir")
                with open(divided_path, "w", encoding="utf-8") as file:
                    file.write(text)
                times.append((measure(options, divided_path, []), named))
            # Once more at the end, should the machine have become slower or faster.
            auto = min(auto, measure(options, path, ["--shard", "auto=2"]))
            times.sort(key=lambda each: each[0])
            print(f"  auto: {auto:.2f} ms, {auto / times[0][0]:.2f} of the best")
            for time, named in times[:5] + times[-1:]:
                print(f"  {time:.2f} ms: {', '.join(f'{name} {way}' for name, way in named.items())}")
            slow |= auto > 1.1 * times[0][0]
    if slow and options.check:
        sys.exit("shardings.py: auto takes more than 1.1 times as long as the best")


if __name__ == "__main__":
    main()
