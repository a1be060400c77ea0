# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The columns that all benchmarks print, as benchmarks/Table.cpp does.

usage: table.py summary [FILE]

reads what benchmarks printed, from FILE or standard input, and says how many rows are above what is wanted.
"""

import re
import sys

TITLES = ("what", "size", "threads", "time", "reference", "its time", "ratio", "wanted")
ROW = re.compile(r" +(?P<ratio>\d+\.\d\d) +(?P<wanted>\d+\.\d\d)(?P<above> \*)?$")


def line(what, size, threads, time, reference, its_time, ratio, wanted):
    return f"{what:<30} {size:<28} {threads:>7} {time:>12}  {reference:<26} {its_time:>12} {ratio:>6} {wanted:>6}"


def header():
    return line(*TITLES)


def number(value):
    """Three digits behind the point, and more where the value is small."""
    return f"{value:.3f}" if value >= 0.1 or value == 0 else f"{value:.5f}"


def row(what, size, threads, time, reference, its_time, wanted, ratio=None, unit="ms"):
    """A * marks a ratio above what is wanted; `ratio` where it is not that of the two times."""
    ratio = time / its_time if ratio is None else ratio
    text = line(what, size, threads, f"{number(time)} {unit}", reference, f"{number(its_time)} {unit}", f"{ratio:.2f}",
                f"{wanted:.2f}")
    return text + (" *" if ratio > wanted else "")


def count(lines):
    """How many of the lines are rows, and how many of those are marked."""
    found = [match for match in map(ROW.search, (text.rstrip("\n") for text in lines)) if match]
    return len(found), sum(match["above"] is not None for match in found)


def summary(lines):
    rows, above = count(lines)
    return f"{above} of {rows} rows are above what is wanted"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] != "summary":
        sys.exit(__doc__)
    with open(sys.argv[2], encoding="utf-8") if len(sys.argv) == 3 else sys.stdin as file:
        print(summary(file))


if __name__ == "__main__":
    main()
