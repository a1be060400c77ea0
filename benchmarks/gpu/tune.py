#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: tune.py BIN FOLDER [--minutes N] [--chip NAME,…] [--only TEXT] [--group NAME,…] [--dry-run]

Tunes the timed programs of programs.py on this machine's GPU, each for its part of the time, and keeps what is found in
FOLDER/schedules.json, which fuse-compile --schedules takes: for the chip, of those that are named, whose code this GPU runs
fastest. Prints a row for each: one run's kernels before and after, and how
many schedules were tried. Exits with 1 where a program cannot be tuned, or a schedule has another result; with
--dry-run such do not count: a driver for tests computes none.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import programs  # noqa: E402
from driver import CHIPS, Driver, DriverError, choose_chip  # noqa: E402

RUN = re.compile(r"one run: ([\d.]+) us of kernels before, ([\d.]+) us after")
TRIED = re.compile(r"(\d+) schedules tried, (\d+) of them not to be built, (\d+) with other results")

LEAST_SECONDS = 0.1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--chip", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--group", default="time")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    if "time" not in options.group.split(","):
        return 0
    chips = options.chip.split(",") if options.chip else CHIPS
    options.chip = chips[0]
    if len(chips) > 1:
        try:
            driver = Driver()
        except DriverError as error:
            print(f"nothing is tuned: {error}")
            return 1
        options.chip = choose_chip(chips, driver.chip)
        if not options.chip:
            print(f"nothing is tuned: expected one of {', '.join(chips)} to be code that sm_{driver.chip} runs")
            return 1
    # Products first: what memory bounds has little to gain.
    timed = sorted((each for each in programs.all_timed() if options.only in each.program.name),
                   key=lambda each: each.bound == "memory")
    file = options.folder / "schedules.json"
    file.unlink(missing_ok=True)
    end, failed, seen = time.monotonic() + 60 * options.minutes, 0, 0
    print("| tuned | us before | us after | ratio | schedules tried |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for index, each in enumerate(timed):
            seconds = (end - time.monotonic()) / (len(timed) - index)
            # What is left for one is less than fuse-tune takes for a limit.
            if seconds < LEAST_SECONDS:
                print(f"time is over: {each.program.name} and what follows are not tuned", flush=True)
                break
            path = pathlib.Path(folder, "program.mlir")
            path.write_text(each.program.text())
            command = [f"{options.bin}/fuse-tune", path, "--target", "cuda", "--chip", options.chip, "--numerics", each.numerics,
                       "--time-limit", f"{seconds:.1f}", "-o", file]
            command += ["--schedules", file] if file.exists() else []
            done = subprocess.run(command, capture_output=True, text=True)
            run, tried = RUN.search(done.stdout), TRIED.search(done.stdout)
            seen += 1
            if done.returncode or not run or not tried:
                failed += 1
                print(f"not tuned: {each.program.name}: {(done.stderr.strip() or done.stdout.strip())[:300]}", flush=True)
                continue
            before, after = float(run[1]), float(run[2])
            failed += int(tried[3]) > 0 and not options.dry_run
            wrong = f", {tried[3]} with other results" if int(tried[3]) else ""
            print(f"| {each.program.name} | {before:.1f} | {after:.1f} | {after / before if before else 1:.2f} | {tried[1]}{wrong} |",
                  flush=True)
    print(f"{seen} of {len(timed)} programs tuned, {failed} failed")
    return 1 if failed or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
