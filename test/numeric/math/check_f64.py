#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the scalar bodies of f64 against mpmath, on special values and random ones.

  check_f64.py [--fuse-opt PATH] [NAME…]

Prints the largest error of each in ULP; exits with 1 if one is above its bound.
"""
import argparse
import ctypes
import math
import pathlib
import random
import sys
import tempfile

import mpmath as mp
import numpy as np

import lowering

BLOCK = 1024
mp.mp.prec = 1200  # exp(-x) + 1 needs all of it


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def gelu_tanh(x):
    return x * sigmoid(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3))


# name -> (body, bound, truth on finite values, range of random values)
FUNCTIONS = {
    "exp": ("unary exp f64", 1, mp.exp, 745),
    "log": ("unary log f64", 1, lambda x: mp.log(x) if x > 0 else mp.nan, 1e6),
    "expm1": ("unary expm1 f64", 2, mp.expm1, 40),
    "log1p": ("unary log1p f64", 2, lambda x: mp.log1p(x) if x > -1 else mp.nan, 10),
    "tanh": ("unary tanh f64", 2, mp.tanh, 20),
    "erf": ("unary erf f64", 1, mp.erf, 6),
    "sin": ("unary sin f64", 1, mp.sin, 1e9),
    "cos": ("unary cos f64", 1, mp.cos, 1e9),
    "tan": ("unary tan f64", 1, mp.tan, 1e9),
    "atan": ("unary atan f64", 1, mp.atan, 1e3),
    "asin": ("unary asin f64", 1, lambda x: mp.asin(x) if abs(x) <= 1 else mp.nan, 1.5),
    "acos": ("unary acos f64", 1, lambda x: mp.acos(x) if abs(x) <= 1 else mp.nan, 1.5),
    "sinh": ("unary sinh f64", 2, mp.sinh, 40),
    "cosh": ("unary cosh f64", 2, mp.cosh, 40),
    "asinh": ("unary asinh f64", 2, mp.asinh, 1e6),
    "acosh": ("unary acosh f64", 2, lambda x: mp.acosh(x) if x >= 1 else mp.nan, 1e6),
    "atanh": ("unary atanh f64", 2, lambda x: mp.atanh(x) if abs(x) < 1 else mp.nan, 1.5),
    "rsqrt": ("unary rsqrt f64", 1.6, lambda x: 1 / mp.sqrt(x) if x > 0 else mp.nan, 1e6),
    "sigmoid": ("unary sigmoid f64", 2, sigmoid, 740),
    "silu": ("unary silu f64", 2, lambda x: x * sigmoid(x), 745),
    "softplus": ("unary softplus f64", 2, lambda x: mp.log1p(mp.exp(x)), 740),
    "elu": ("unary elu f64", 2, lambda x: x if x > 0 else mp.expm1(x), 40),
    "gelu_tanh": ("gelu tanh f64", 2, gelu_tanh, 21),
    "gelu_erf": ("gelu none f64", 4, lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2, 37),
    "hard_sigmoid": ("unary hard_sigmoid f64", 1,
                     lambda x: min(max(mp.mpf(0.2) * x + mp.mpf(0.5), mp.mpf(0)), mp.mpf(1)), 5),
}


def arguments(name, spread):
    rng = random.Random(name)
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 5e-324, -5e-324, 2.3e-308, 1e-20, -1e-20, 1e-8, -1e-8]
    while len(values) < BLOCK:
        scale = rng.choice([spread, 1.0, 10.0, 1e-3])
        values.append(rng.uniform(-1, 1) * min(scale, spread))
    return values


def measure(library, name, case):
    _, bound, truth, spread = case
    values = arguments(name, spread)
    out = np.zeros(BLOCK)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (np.array(values), out)]
    getattr(library, f"fuse_{name}")(*pointers)
    worst = (0.0, values[0])
    for x, got in zip(values, out.tolist()):
        if (name, x) in (("log", 0), ("rsqrt", 0), ("log1p", -1), ("atanh", -1), ("atanh", 1)):
            continue
        want = truth(mp.mpf(x))
        if mp.isnan(want):
            error = 0.0 if math.isnan(got) else math.inf
        else:
            error = float(abs(mp.mpf(got) - want) / math.ulp(float(want)))
        if not error <= worst[0]:
            worst = (error, x)
    is_good = worst[0] <= bound
    print(f"{name:14} {worst[0]:8.3f} ulp (bound {bound}) at {worst[1]!r}"
          f"{'' if is_good else '  FAIL'}")
    return is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    lowering.add_arguments(parser)
    args = parser.parse_args()
    chosen = {n: c for n, c in FUNCTIONS.items() if not args.names or n in args.names}
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        ir = "".join(lowering.block_function(name, case[0], ["f64"], "f64", BLOCK, 4)
                     for name, case in chosen.items())
        path = lowering.compile_and_link(folder, [lowering.lower(folder, ir, args)],
                                         folder / "f64.so", ["-shared", "-lm"])
        library = ctypes.CDLL(str(path.resolve()))
        sys.exit(not all([measure(library, name, case) for name, case in chosen.items()]))


if __name__ == "__main__":
    main()
