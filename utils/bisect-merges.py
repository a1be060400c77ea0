#!/usr/bin/env python3
"""Finds the one merge of the planner that makes a program's result wrong.

usage: bisect-merges.py PROGRAM [fuse-run options] [--check-command CMD] [--fuse-run PATH]

Each merge is numbered (fuse-run --list-merges). With the first n merges made and no more, the
result is right for n = 0 and wrong for all; bisection finds the n where it turns, and so the merge.

PROGRAM and the options are given to fuse-run as they are, with --check (against the interpreter)
unless --check or --expect is among them; so give it inputs, e.g. --random-inputs 1. Right is exit
status 0, anything else is wrong.

--check-command runs CMD in a shell instead, with {counter} replaced by the option that limits the
merges, and {count} by their number (of fuse-opt, too: --mlir-debug-counter is one of its options).
--fuse-run names the program (default: next to this checkout's build, else on PATH).

Prints the merge and exits 0; 1 where there is nothing to find, 2 for wrong usage.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

MERGE = re.compile(r"^merge (\d+)(?: not made)?: (?:fuse-merge: )?(.*)$", re.MULTILINE)


def counter(count):
    return f"--mlir-debug-counter=fuse-merge-skip=0,fuse-merge-count={count}"


class Bisection:
    def __init__(self, fuse_run, program, options, check_command):
        self.command = [fuse_run, program] + options
        self.check_command = check_command
        self.runs = 0

    def merges(self):
        """What each merge is, with all of them made."""
        # Explanations alone need neither inputs nor code.
        keep, skip = [], False
        for option in self.command[2:]:
            if skip:
                skip = False
            elif option in ("--check",):
                pass
            elif option in ("--inputs", "--input", "--random-inputs", "--expect", "--outputs",
                            "--rtol", "--atol", "--time"):
                skip = True
            elif not option.startswith(("--inputs=", "--input=", "--random-inputs=", "--expect=",
                                        "--outputs=", "--rtol=", "--atol=", "--time=")):
                keep.append(option)
        result = subprocess.run(self.command[:2] + keep + ["--list-merges", "--report"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = MERGE.findall(result.stderr)
        if result.returncode and not found:
            raise SystemExit(f"bisect-merges: fuse-run fails:\n{result.stderr}")
        return [text for _, text in found]

    def is_right(self, count):
        """Whether the result is right with the first `count` merges; None: all of them."""
        self.runs += 1
        limit = [] if count is None else [counter(count)]
        if self.check_command is not None:
            text = self.check_command.replace("{counter}", " ".join(limit))
            text = text.replace("{count}", "" if count is None else str(count))
            return subprocess.run(text, shell=True, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode == 0
        command = self.command + limit
        if not any(option.split("=")[0] in ("--check", "--expect") for option in command):
            command.append("--check")
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True)
        if result.returncode == 2:
            sys.stderr.write(result.stderr)
            raise SystemExit(2)
        return result.returncode == 0

    def run(self):
        merges = self.merges()
        if self.is_right(None):
            print(f"the result is right with all {len(merges)} merges")
            return 1
        if not self.is_right(0):
            print("the result is wrong without any merge")
            return 1
        right, wrong = 0, len(merges)
        while wrong - right > 1:
            middle = (right + wrong) // 2
            if self.is_right(middle):
                right = middle
            else:
                wrong = middle
        print(f"merge {right} of {len(merges)}: {merges[right]}")
        print(f"right with {counter(right)}\nwrong with {counter(wrong)}\n{self.runs} runs")
        return 0


def find_fuse_run():
    built = pathlib.Path(__file__).resolve().parents[1] / "build" / "release" / "bin" / "fuse-run"
    return str(built) if built.exists() else shutil.which("fuse-run")


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("--check-command", metavar="CMD")
    parser.add_argument("--fuse-run", metavar="PATH", default=find_fuse_run())
    arguments, options = parser.parse_known_args()
    if not arguments.fuse_run:
        parser.error("no fuse-run found; --fuse-run names it")
    return Bisection(arguments.fuse_run, arguments.program, options,
                     arguments.check_command).run()


if __name__ == "__main__":
    sys.exit(main())
