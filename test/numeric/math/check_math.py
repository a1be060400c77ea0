#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the error of the expanded functions and of the scalar bodies built on them.

  check_math.py [--fuse-opt PATH] [--scaling] [--flush-exp] [--permuted-lanes N] [--stride N | --all | --time] [NAME…]

Each function is built as vectors of 16, lowered by fuse-expand-math and upstream passes, compiled
by clang for this CPU, and compared with glibc's double functions on every N-th of the 2^32 floats
(default 65537: some seconds in all; --all: all of them, minutes per function). Prints the largest
error in ULP and where it is; exits with 1 if one is above its bound. --time prints ns per 16
elements instead.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import lowering

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = 4096

# name, body (see TestScalarBody.cpp) or math op, bound in ULP, truth in C++ (double x).
FUNCTIONS = [
    ("exp", "math.exp", 1, "std::exp(x)"),
    ("exp2", "math.exp2", 1, "std::exp2(x)"),
    ("expm1", "math.expm1", 1.75, "std::expm1(x)"),
    ("log", "math.log", 1, "std::log(x)"),
    ("log1p", "math.log1p", 1, "std::log1p(x)"),
    ("tanh", "math.tanh", 1.5, "std::tanh(x)"),
    ("erf", "math.erf", 1.25, "std::erf(x)"),
    ("sin", "math.sin", 1.6, "std::sin(x)"),
    ("cos", "math.cos", 1.6, "std::cos(x)"),
    ("tan", "math.tan", 1, "std::tan(x)"),
    ("atan", "math.atan", 1, "std::atan(x)"),
    ("asin", "math.asin", 1, "std::asin(x)"),
    ("acos", "math.acos", 1, "std::acos(x)"),
    ("sinh", "math.sinh", 1, "std::sinh(x)"),
    ("cosh", "math.cosh", 1, "std::cosh(x)"),
    ("asinh", "math.asinh", 1, "std::asinh(x)"),
    ("acosh", "math.acosh", 1, "std::acosh(x)"),
    ("atanh", "math.atanh", 1, "std::atanh(x)"),
    ("rsqrt", "math.rsqrt", 1.6, "1 / std::sqrt(x)"),
    ("sqrt", "unary sqrt f32", 0.5, "std::sqrt(x)"),
    ("sigmoid", "unary sigmoid f32", 2, "sigmoid(x)"),
    ("silu", "unary silu f32", 1.75, "silu(x)"),
    ("near_sigmoid", "gate sigmoid f32", 2, "sigmoid(x)"),
    ("near_silu", "gate silu f32", 1.75, "silu(x)"),
    ("near_gelu_erf", "gate gelu f32 none", 2, "geluErf(x)"),
    ("near_gelu_tanh", "gate gelu f32 tanh", 1.75, "geluTanh(x)"),
    ("softplus", "unary softplus f32", 1.75, "softplus(x)"),
    ("gelu_erf", "gelu none f32", 2, "geluErf(x)"),
    ("gelu_tanh", "gelu tanh f32", 1.75, "geluTanh(x)"),
    ("elu", "unary elu f32", 1.25, "x > 0 ? x : std::expm1(x)"),
    ("hard_sigmoid", "unary hard_sigmoid f32", 1,
     "std::isnan(x) ? x : std::fmin(std::fmax(std::fma(x, 0.2, 0.5), 0.0), 1.0)"),
    ("leaky_relu", "unary leaky_relu f32", 1, "x >= 0 ? x : x * 0.01"),
    ("hard_swish", "unary hard_swish f32", 2, "std::isnan(x) ? x : hardSwish(x)"),
    ("reciprocal", "unary reciprocal f32", 0.5, "1 / x"),
]


def build(folder, functions, args):
    """The driver's executable."""
    truths = {name: truth for name, _, _, truth in functions}
    if args.flush_exp and "exp" in truths:
        truths["exp"] = "x < -0x1.5d589ep+6 ? 0.0 : std::exp(x)"  # ln 2^-126
    (folder / "functions.inc").write_text("".join(
        f"FUNCTION({name}, {bound}, {truths[name]})\n" for name, _, bound, _ in functions))
    ir = "".join(lowering.block_function(name, body, ["f32"], "f32", BLOCK, 16)
                 for name, body, _, _ in functions)
    ir += lowering.block_function("pow", "math.powf", ["f32", "f32"], "f32", BLOCK, 16)
    sources = [lowering.lower(folder, ir, args), HERE / "driver.cpp"]
    return lowering.compile_and_link(folder, sources, folder / "driver", ["-lm", "-pthread"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    lowering.add_arguments(parser)
    parser.add_argument("--stride", type=int, default=65537)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--time", action="store_true")
    args = parser.parse_args()
    known = [f[0] for f in FUNCTIONS] + ["pow"]
    unknown = set(args.names) - set(known)
    if unknown:
        parser.error(f"no function {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = [f for f in FUNCTIONS if not args.names or f[0] in args.names]
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        driver = build(folder, chosen, args)
        mode = "--time" if args.time else "1" if args.all else str(args.stride)
        sys.exit(subprocess.run([driver, mode, *args.names]).returncode)


if __name__ == "__main__":
    main()
