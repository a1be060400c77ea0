"""Runs fuse-check-plan on programs around convolutions that are drawn by chance, others each day.

usage: check_convolutions.py FUSE_OPT FUSE_RUN [--count N] [--seed N] [--target cpu|emulator] [--numerics CLASS]

The programs are those of benchmarks/convolutions/generate.py. Each is planned for a CPU and for the GPU that the
emulator stands for, with the numerics exact and folds, and with what is computed of weights in a function of its own or
in the kernels. Prints the message and the text of each program that fails.
"""
import argparse
import concurrent.futures
import datetime
import itertools
import pathlib
import shlex
import subprocess
import sys

from plan_passes import TARGETS, checking, get_target_attribute, planning

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "convolutions"))
from generate import generate  # noqa: E402

NUMERICS = ("exact", "folds")


def in_module(draw, attribute):
    """The program as a module with the target's attribute, if there is one."""
    attributes = f" attributes {{{attribute}}}" if attribute else ""
    return f"// {draw.name}, {draw.size}\nmodule{attributes} {{\n{draw.program.text()}}}\n"


def check(command, texts):
    """What fuse-opt says of programs that it fails on, else nothing."""
    done = subprocess.run(command, input="\n// -----\n".join(texts), capture_output=True, text=True)
    return "" if done.returncode == 0 else f"exit status {done.returncode}\n{done.stderr[:2000]}"


def find(command, texts):
    """Pairs of what is wrong and the program; all programs are checked at once, and one by one where that fails."""
    if not check(command, texts):
        return []
    found = [(check(command, [text]), text) for text in texts]
    return [(wrong, text) for wrong, text in found if wrong] or [("they fail together only", "")]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("fuse_opt")
    parser.add_argument("fuse_run")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=datetime.date.today().toordinal())
    parser.add_argument("--target", choices=TARGETS)
    parser.add_argument("--numerics", choices=NUMERICS)
    options = parser.parse_args()
    attributes = {"cpu": "", "emulator": get_target_attribute(options.fuse_run)}
    draws = generate(options.count, options.seed)
    cases = list(itertools.product([options.target] if options.target else TARGETS,
                                   [options.numerics] if options.numerics else NUMERICS, (True, False)))

    def run(case):
        target, numerics, prepares = case
        command = [options.fuse_opt, "-", "--split-input-file", "-o", "/dev/null",
                   *planning(target, numerics, prepares), *checking(target, numerics)]
        return command, find(command, [in_module(draw, attributes[target]) for draw in draws])

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for command, found in pool.map(run, cases):
            for wrong, text in found:
                failed += 1
                print(f"{shlex.join(command)}: {wrong}\n{text}")
    print(f"seed {options.seed}: {len(draws)} programs, {len(cases)} plans of each, {failed} failed")
    sys.exit(1 if failed or not draws else 0)


if __name__ == "__main__":
    main()
