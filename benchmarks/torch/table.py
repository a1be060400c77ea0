#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules through torch.compile: backend="fuse" beside Inductor and eager mode.

usage: table.py [--only NAME,…] [--threads N,…] [--rounds N] [--seconds T] [--small | --large] [--freezing] [--stages]
                [--keep FILE] [--from FILE]

The modules of test/torch/modules.py, at their own sizes and at those of sizes.py, each way in a process of its own, whose threads are
bound as the others'. First call: seconds from torch.compile to the first result, in a process that has imported torch and nothing else,
with empty caches. A call: median over rounds, in which the ways take turns, of the round's median in ms. The ratio of the call is that to
the faster of Inductor and eager mode. --freezing lets Inductor pack weights, too. --keep adds what is measured to a file, a line
of JSON for each row, and leaves out what is there already, so that a table can be made in parts; --from prints the table of such a file.
Needs the package fuse, and FUSE_LIBRARY_DIR where it is not installed.
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "test/torch")]
from sizes import SIZES

WAYS = ("fuse", "inductor", "eager")


class Worker:
    """A process of worker.py with caches of its own."""

    def __init__(self, way, name, sizes, threads, freezing):
        self.caches = tempfile.TemporaryDirectory()
        environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=f"{self.caches.name}/inductor", FUSE_CACHE_DIR=f"{self.caches.name}/fuse",
                           OMP_PROC_BIND="true")
        environment.update({"FUSE_TABLE_FREEZING": "1"} if freezing else {})
        command = [sys.executable, "-B", HERE / "worker.py", way, name, json.dumps(sizes), str(threads)]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment)
        self.first = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        self.errors.seek(0)
        return {"failed": (self.errors.read().strip().splitlines() or [f"exit code {self.process.returncode}"])[-1][:300]}

    def measure(self, seconds):
        with contextlib.suppress(BrokenPipeError):  # a process that has ended answers that
            self.process.stdin.write(f"{seconds}\n")
            self.process.stdin.flush()
        return self.answer()

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.caches.cleanup()


def measure(name, kind, threads, options):
    """A row: what each way came to."""
    row = {"name": name, "kind": kind, "threads": threads, "freezing": options.freezing, "ways": {}}
    workers = {}
    for way in WAYS:
        worker = Worker(way, name, SIZES[name] if kind == "large" else {}, threads, options.freezing)
        row["ways"][way] = worker.first
        if "failed" in worker.first:
            worker.close()
        else:
            workers[way] = worker
    times = {way: [] for way in workers}
    for _ in range(options.rounds):
        for way, worker in list(workers.items()):
            answer = worker.measure(options.seconds)
            if "failed" in answer:
                row["ways"][way] = answer
                workers.pop(way).close()
            else:
                times[way].append(answer["time"])
    for way, worker in workers.items():
        worker.close()
        row["ways"][way]["time"] = statistics.median(times[way])
        row["ways"][way]["least"] = min(times[way])
    return row


def ratios(row):
    """Of the first call to Inductor's, and of a call to that of the faster of the others."""
    ways = row["ways"]
    if any("failed" in w for w in ways.values()):
        return None
    return ways["fuse"]["first"] / ways["inductor"]["first"], ways["fuse"]["time"] / min(ways["inductor"]["time"], ways["eager"]["time"])


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown CPU"


def header(freezing):
    import torch
    print(f"{cpu_name()}, {os.cpu_count()} CPUs; PyTorch {torch.__version__}{', Inductor packs weights' if freezing else ''}")
    print(f"{'':38}|{'first call, s':^27}|{'a call, ms':^38}|")
    print(f"{'module':20} {'sizes':7} {'threads':>7}  |{'fuse':>8} {'Inductor':>9} {'ratio':>7} |{'fuse':>10} {'Inductor':>10} {'eager':>8} {'ratio':>6} | graphs, what PyTorch runs", flush=True)


def number(value, width):
    return f"{value:{width}.{3 if value < 10 else 1}f}"


def show(row, with_stages):
    ways, head = row["ways"], f"{row['name']:20} {row['kind']:7} {row['threads']:7}  |"
    if (found := ratios(row)) is None:
        print(head, "; ".join(f"{way}: {w['failed']}" for way, w in ways.items() if "failed" in w), flush=True)
        return
    fuse = ways["fuse"]
    notes = [f"{fuse['graphs']}" if fuse["graphs"] else "exported"] + fuse["refused"]
    notes += [f"WRONG: {fuse['error']:.1f} times what is allowed"] if not fuse["error"] <= 1 else []
    print(f"{head}{fuse['first']:8.2f} {ways['inductor']['first']:9.2f} {found[0]:6.2f}{'*' if found[0] > 1 / 3 else ' '} |"
          f"{number(fuse['time'], 10)} {number(ways['inductor']['time'], 10)} {number(ways['eager']['time'], 8)} "
          f"{found[1]:5.2f}{'*' if found[1] > 1.1 else ' '} | {', '.join(notes)}", flush=True)
    if with_stages and fuse["stages"]:
        print(" " * 38 + "|  " + "  ".join(f"{stage} {seconds:.2f}" for stage, seconds in fuse["stages"].items()), flush=True)


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def summarize(rows):
    for threads in sorted({r["threads"] for r in rows}):
        for kind in ("small", "large"):
            found = [x for r in rows if r["threads"] == threads and r["kind"] == kind and (x := ratios(r))]
            if found:
                firsts, calls = zip(*found)
                print(f"geometric means of {len(found)} modules, {kind}, threads: {threads}: first call {mean(firsts):.2f} of Inductor's "
                      f"(wanted: 0.33), a call {mean(calls):.2f} of the faster of Inductor and eager mode (wanted: 1.00; "
                      f"{sum(c > 1.1 for c in calls)} above 1.10, the most {max(calls):.2f})")
    whole = {r["name"] for r in rows if "failed" not in r["ways"]["fuse"] and not r["ways"]["fuse"]["refused"] and r["ways"]["fuse"]["graphs"] <= 1}
    print(f"{len(whole)} of {len({r['name'] for r in rows})} modules are one program without a node that PyTorch runs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.15, help="of each way in each round")
    parser.add_argument("--small", action="store_true", help="the sizes of the tests alone")
    parser.add_argument("--large", action="store_true", help="those of sizes.py alone")
    parser.add_argument("--freezing", action="store_true")
    parser.add_argument("--stages", action="store_true", help="parts of fuse's first call: capture (Dynamo, AOTAutograd), encode, compile")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--from", dest="source", type=pathlib.Path)
    options = parser.parse_args()
    header(options.freezing)
    key = lambda row: (row["name"], row["kind"], row["threads"], row["freezing"])
    if options.source:
        rows = [json.loads(line) for line in options.source.read_text().splitlines()]
        rows = list({key(r): r for r in rows}.values())  # of those measured twice the last
        for row in rows:
            show(row, options.stages)
        summarize(rows)
        return
    from modules import MODULES
    rows, there = [], set()
    if options.keep and options.keep.exists():
        rows = [json.loads(line) for line in options.keep.read_text().splitlines()]
        there = {key(r) for r in rows}
    kinds = [k for k in ("small", "large") if not (options.small and k == "large") and not (options.large and k == "small")]
    chosen = options.only.split(",") if options.only else list(MODULES)
    for name in chosen:
        for kind in kinds:
            for threads in sorted({int(t) for t in options.threads.split(",")}):
                if (name, kind, threads, options.freezing) in there:
                    continue
                rows.append(row := measure(name, kind, threads, options))
                show(row, options.stages)
                if options.keep:
                    with options.keep.open("a") as file:
                        file.write(json.dumps(row) + "\n")
    summarize(rows)


if __name__ == "__main__":
    main()
