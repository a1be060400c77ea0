#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: measure.py FOLDER [--minutes N] [--check-minutes N] [--only TEXT] [--group NAME,…] [--jobs N] [--log FILE] [--dry-run]

Runs what prepare.py has compiled on this machine's GPU, in this order:
  check      every case's results beside those that prepare.py has computed, in processes side by side
  calibrate  what copies, launches and products take: FOLDER/target.json, for --cost-target
  time       programs that memory bounds, then products, beside PyTorch's where it is installed
  network    networks, one graph launch each, beside PyTorch's; then, as time is left, beside torch.compile and ONNX Runtime
  model      the cost model's programs; at the end, predicted beside measured times of all
Each row is printed as it is made. What fails is a row that says why, and ends nothing but itself: each task has a process and a
time of its own. Times are the GPU's clock's, of runs in a row without copies from and to the host. Exits with 1 where a result is
wrong or a task failed. With --dry-run results are not compared: a driver for tests computes none, and its clock counts launches.
"""

import argparse
import json
import math
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import calibration  # noqa: E402
import timing  # noqa: E402
from driver import Driver, DriverError, choose_chip  # noqa: E402
from workers import Worker, run_all  # noqa: E402

# Of one task. A peer that compiles, or exports, takes longer.
CHECK_SECONDS, ROW_SECONDS, PEER_SECONDS = 60, 120, 180
GROUPS = ("check", "calibrate", "time", "network", "model")


class Run:
    def __init__(self, options, cases, chip, base):
        self.options, self.cases, self.chip, self.base = options, cases, chip, base
        self.begin = time.monotonic()
        self.log = open(options.log, "w", encoding="utf-8")  # noqa: SIM115: open until the end
        self.failed, self.rows, self.copy, self.lacks = 0, [], None, {}
        # Of ours and of peers, so that neither takes the other's process along, nor its memory.
        arguments = (options.folder, chip, options.dry_run)
        self.ours, self.theirs = (Worker(timing.make_tasks, arguments) for _ in range(2))

    def report(self, text):
        print(text, flush=True)
        self.log.write(text + "\n")
        self.log.flush()

    def spent(self):
        return time.monotonic() - self.begin

    def left(self):
        return 60 * self.options.minutes - self.spent()

    def of(self, group):
        return [case for case in self.cases if case["group"] == group]

    def ask(self, worker, kind, case, seconds):
        """The answer, None after an error, which is reported; never longer than there is time."""
        answer, error = worker.ask((kind, case), max(1, min(seconds, self.left())))
        if error and self.left() <= 0:
            self.report(f"time is over: {case['name']} had not ended")
        elif error:
            self.fail(case, error)
        return answer

    def fail(self, case, error):
        self.failed += 1
        self.report(f"FAILED {case['name']}: {error}")

    def ask_peer(self, kind, case):
        """None where there is no such peer, which is said once, and without being a fault of ours."""
        peer = "ONNX Runtime" if kind == "onnxruntime" else "PyTorch"
        if self.lacks.get(peer):
            return None
        answer, error = self.theirs.ask((kind, case), max(1, min(PEER_SECONDS, self.left())))
        if error and self.left() > 0:
            self.lacks[peer] = error.startswith(("ImportError", "ModuleNotFoundError", "Missing"))
            self.report(f"not beside {peer}: {case['name']}: {error}" + ("; so for all" if self.lacks[peer] else ""))
        return answer

    def check(self):
        # What is large is checked where it is timed.
        cases = [case for case in self.cases if case["bytes"] < 1 << 26 and case["group"] != "calibrate"]
        seconds = min(60 * self.options.check_minutes, 0.4 * self.left())
        workers = [Worker(timing.make_tasks, self.ours.arguments) for _ in range(self.options.jobs)]
        checked = wrong = 0
        for (_, case), fault, error in run_all(workers, [("check", case) for case in cases], seconds, CHECK_SECONDS):
            checked += 1
            if fault or error:
                wrong += 1
                self.fail(case, fault or error)
        if checked < len(cases):
            self.report(f"time is over: {len(cases) - checked} cases are not checked")
        self.report(f"{checked} cases checked, {wrong} failed, after {self.spent():.0f} s")

    def calibrate(self):
        measured, figures = {}, {}
        driver = self.ask(self.ours, "driver", {"name": "copies and waits"}, ROW_SECONDS)
        self.ours.stop()
        if driver:
            self.copy, figures = driver
            self.report(f"a copy moves {self.copy:.0f} GB/s, read and written, after {self.spent():.0f} s")
        if "calibrate" not in self.options.group.split(","):
            return
        for case in self.of("calibrate"):
            if self.left() < 0:
                break
            row = self.ask(self.ours, "bundle", case, ROW_SECONDS)
            if row:
                measured[case["name"]] = row
        processors = int(figures.get("max_threads", (self.base["max_threads"], ""))[0])
        figures = calibration.make_figures(measured, processors, figures)
        calibration.write_target(f"{self.options.folder}/target.json", f"{self.chip} as measured", self.base, figures)
        for line in calibration.describe(figures, self.base, measured):
            self.report(line)
        self.report(f"{self.options.folder}/target.json is written, after {self.spent():.0f} s")

    def time_all(self):
        last = None
        for group in ("time", "network", "model"):
            if group not in self.options.group.split(","):
                continue
            for case in self.of(group):
                if self.left() < 0:
                    self.report(f"time is over: {case['name']} and what follows are not timed")
                    return
                if (table := timing.get_table(case)) != last:
                    self.report("\n" + timing.format_head(table))
                    last = table
                self.time_one(table, case)
        if "network" in self.options.group.split(","):
            self.time_others()

    def time_one(self, table, case):
        row = self.ask(self.ours, "bundle", case, ROW_SECONDS)
        if not row:
            return
        peer = None
        if table != "model":
            peer = self.ask_peer("network" if table == "network" else "program", case)
        self.rows.append(row | {"peer_ns": peer})
        self.report(timing.format_row(timing.make_row(table, row, self.copy, peer)))
        if not row["fault"] <= 1 and not self.options.dry_run:
            self.fail(case, f"its result is {row['fault']:.3g} times what is tolerated from the {case['reference']}'s")

    def time_others(self):
        """What takes long to begin: a minute of compiling for each network."""
        rows = [row for row in self.rows if row["group"] == "network"]
        cases = {case["name"]: case for case in self.of("network")}
        if rows:
            self.report("\n" + timing.format_head("compile"))
        for row in rows:
            if self.left() < 30:
                self.report(f"time is over: {row['name']} and what follows are not beside others")
                return
            compiled, other = (self.ask_peer(kind, cases[row["name"]]) for kind in ("compile", "onnxruntime"))
            row |= {"compile_ns": compiled, "onnxruntime_ns": other}
            self.report(timing.format_row([row["name"], timing.in_us(row["ns"]), timing.in_us(compiled),
                                           timing.ratio(compiled, row["ns"]), timing.in_us(other), timing.ratio(other, row["ns"])]))

    def summarize(self):
        logs = [abs(math.log(row["ns"] / row["predicted_ns"])) for row in self.rows if row["ns"] and row["predicted_ns"]]
        if logs:
            within = [sum(log <= math.log(bound) for log in logs) for bound in (1.5, 2)]
            self.report(f"\npredicted beside measured: {len(logs)} programs, {math.exp(sum(logs) / len(logs)):.2f} times off as a "
                        f"geometric mean, {within[0]} within 1.5 times, {within[1]} within 2")
        self.report(f"{len(self.rows)} programs timed, {self.failed} failures, after {self.spent():.0f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--check-minutes", type=float, default=3)
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count()))
    parser.add_argument("--only", default="")
    parser.add_argument("--group", default=",".join(GROUPS))
    parser.add_argument("--log", default=os.devnull)
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    with open(f"{options.folder}/cases.json", encoding="utf-8") as file:
        prepared = json.load(file)
    try:
        driver = Driver()
    except DriverError as error:
        print(f"nothing is measured: {error}")
        return 1
    chip = choose_chip(prepared["chips"], driver.chip)
    print(f"{driver.name}, sm_{driver.chip}, {driver.processors} multiprocessors, driver of CUDA {driver.version // 1000}."
          f"{driver.version % 1000 // 10}: {'code of ' + chip if chip else 'no code'} of {', '.join(prepared['chips'])}", flush=True)
    if not chip:
        print(f"nothing is measured: expected code that sm_{driver.chip} runs; prepare.py makes it with --chip"
              f"{' compute_90' if driver.chip >= 90 else ''}")
        return 1
    cases = [case for case in prepared["cases"] if chip in case["chips"] and
             (options.only in case["name"] or case["group"] == "calibrate")]
    run = Run(options, cases, chip, prepared["chips"][chip])
    if "check" in options.group.split(","):
        run.check()
    run.calibrate()
    run.time_all()
    run.summarize()
    run.log.write(json.dumps(run.rows) + "\n")
    for worker in (run.ours, run.theirs):
        worker.stop()
    return run.failed != 0


if __name__ == "__main__":
    sys.exit(main())
