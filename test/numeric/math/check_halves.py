#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the error of the functions on f16 and bf16: on all 65536 numbers of each.

  check_halves.py [--fuse-opt PATH] [--scaling] [--round-once] [--permuted-lanes N] [NAME…]

Built as check_math.py does it. Prints the largest error of each function, in ULP of the type, and
where it is; exits with 1 if one is above 1 ULP.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import check_math
import lowering

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    lowering.add_arguments(parser)
    args = parser.parse_args()
    functions = [f for f in check_math.FUNCTIONS if f[0] != "exp2"]  # no kind
    unknown = set(args.names) - {f[0] for f in functions}
    if unknown:
        parser.error(f"no function {', '.join(sorted(unknown))}")
    ir = table = ""
    for name, body, _, truth in functions:
        if args.names and name not in args.names:
            continue
        for t in ("f16", "bf16"):
            short = f"unary {name} {t}" if body.startswith("math.") else body.replace("f32", t)
            ir += lowering.block_function(f"{name}_{t}", short, [t], t, BLOCK, 16)
            table += f"FUNCTION({name}, {t}, {truth})\n"
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "functions.inc").write_text(table)
        sources = [lowering.lower(folder, ir, args), HERE / "halves.cpp"]
        driver = lowering.compile_and_link(folder, sources, folder / "halves", ["-lm"])
        sys.exit(subprocess.run([driver]).returncode)


if __name__ == "__main__":
    main()
