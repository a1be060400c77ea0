#!/usr/bin/env python3
"""The programs of the numeric tests as kernels of a GPU: run_programs.py FUSE_RUN [--all | --part K/N | --part day/N]
[--only TEXT] [--jobs N] [--list] [--no-async-copies] [--chip NAME]

Each public function of each program below test/numeric, and of those that scripts there write, runs
with `--target emulator --check`, fused and op by op: the numbers are the interpreter's, no two
threads race, no access is out of bounds. A case that fails on the CPU as well is none. Prints each
failure with the command that repeats it, and how many cases there were; fails if one failed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 150

# What scripts write: a name, and the script with its arguments.
WRITTEN = [(f"{model}.mlir", ["patterns/Inputs/make_models.py", model, "small"])
           for model in ("bert", "llama", "resnet", "resnet-wide", "resnet-down")]
WRITTEN += [("members.mlir", ["hard-cases/Inputs/make_programs.py", "members", "600"]),
            ("repeated.mlir", ["hard-cases/Inputs/make_programs.py", "repeated"]),
            ("graph.mlir", ["hard-cases/Inputs/make_programs.py", "graph", "100"])]

# What every run on the emulator is given.
OPTIONS = []

# What the emulator takes minutes for.
SKIPPED = {
    "hard-cases/25-index-width.mlir large": "2^31 elements",
    "dynamic/scans.test f": "a scan of unknown length has no loop on a GPU yet (docs/recurrences.md)",
}

SEPARATOR = re.compile(r"^(?://|#)(?: -----|---).*$", re.MULTILINE)
FUNCTION = re.compile(r"func\.func (?:public )?@([\w.]+)")


class Case:
    def __init__(self, origin, path, function, fusion):
        self.origin, self.path, self.function, self.fusion = origin, path, function, fusion
        self.name = f"{origin} {function}"

    def command(self, tool, emulator):
        return [tool, str(self.path), "--function", self.function, "--random-inputs", "1",
                "--check", *(["--target", "emulator", *OPTIONS] if emulator else []),
                *([] if self.fusion else ["--no-fusion"])]


def find_cases(folder):
    """All of them, in an order that does not change; their programs lie in `folder`."""
    texts = []
    for path in sorted([*FOLDER.rglob("*.mlir"), *FOLDER.rglob("*.test")]):
        # Programs that are refused.
        if not path.stem.endswith("-errors"):
            texts.append((str(path.relative_to(FOLDER)), path.read_text()))
    for name, (script, *arguments) in WRITTEN:
        done = subprocess.run([sys.executable, FOLDER / script, *arguments], check=True,
                              capture_output=True, text=True)
        texts.append((name, done.stdout))
    cases = []
    for origin, text in texts:
        for number, part in enumerate(SEPARATOR.split(text)):
            functions = FUNCTION.findall(part)
            if not functions:
                continue
            path = folder / f"{origin.replace('/', '-')}.{number}.mlir"
            path.write_text(part)
            cases += [Case(origin, path, function, fusion) for function in functions
                      for fusion in (True, False)]
    return cases


def run(case, tool):
    """("passed" | "none" | "failed", what it said, seconds)."""
    begin = time.monotonic()
    try:
        done = subprocess.run(case.command(tool, True), capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        text = (done.stderr + done.stdout).strip()
    except subprocess.TimeoutExpired:
        return "failed", f"ran longer than {SECONDS} s", SECONDS
    seconds = time.monotonic() - begin
    if done.returncode == 0:
        return "passed", "", seconds
    on_cpu = subprocess.run(case.command(tool, False), capture_output=True, check=False)
    outcome = "none" if on_cpu.returncode else "failed"
    return outcome, f"exit status {done.returncode}: {text[-1000:]}", seconds


def parse_part(text):
    part, _, parts = text.partition("/")
    number = int(time.time()) // (24 * 3600) % int(parts) if part == "day" else int(part)
    return number, int(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--part", type=parse_part, default=(0, 1))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-async-copies", action="store_true")
    parser.add_argument("--chip", default="")
    arguments = parser.parse_args()
    if arguments.no_async_copies:
        OPTIONS.append("--no-async-copies")
    if arguments.chip:
        OPTIONS.extend(["--chip", arguments.chip])
    number, parts = (0, 1) if arguments.all else arguments.part
    counts = {"passed": 0, "failed": 0, "none": 0}
    with tempfile.TemporaryDirectory() as temporary:
        cases = [case for case in find_cases(pathlib.Path(temporary))
                 if arguments.only in case.name]
        skipped = {case.name for case in cases if case.name in SKIPPED}
        # Both modes of a function in one part.
        cases = [case for i, case in enumerate(cases)
                 if i // 2 % parts == number and case.name not in skipped]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            outcomes = pool.map(lambda case: run(case, os.path.abspath(arguments.tool)), cases)
            for case, (outcome, text, seconds) in zip(cases, outcomes):
                counts[outcome] += 1
                mode = "fused" if case.fusion else "unfused"
                if arguments.list:
                    print(f"{seconds:6.1f} s {outcome} {case.name} {mode}", flush=True)
                if outcome == "failed":
                    print(f"failed: {case.name}, {mode}: {text}\n  "
                          f"{' '.join(case.command('fuse-run', True))}", flush=True)
    for name in sorted(skipped):
        print(f"skipped: {name}: {SKIPPED[name]}")
    print(f"part {number} of {parts}: {counts['passed']} cases passed, {counts['failed']} failed, "
          f"{counts['none']} do not run on the CPU either")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
