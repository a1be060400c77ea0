#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the error of the expanded functions and of the scalar bodies built on them.

  check_math.py --fuse-opt PATH [--llvm-bin DIR] [--stride N | --all | --time] [NAME…]

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

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = 4096

# name, body (see TestScalarBody.cpp) or math op, bound in ULP, truth in C++ (double x).
FUNCTIONS = [
    ("exp", "math.exp", 1, "std::exp(x)"),
    ("exp2", "math.exp2", 1, "std::exp2(x)"),
    ("expm1", "math.expm1", 2, "std::expm1(x)"),
    ("log", "math.log", 1, "std::log(x)"),
    ("log1p", "math.log1p", 1.5, "std::log1p(x)"),
    ("tanh", "math.tanh", 2, "std::tanh(x)"),
    ("erf", "math.erf", 2, "std::erf(x)"),
    ("sin", "math.sin", 1.5, "std::sin(x)"),
    ("cos", "math.cos", 1.5, "std::cos(x)"),
    ("tan", "math.tan", 1, "std::tan(x)"),
    ("rsqrt", "math.rsqrt", 1.5, "1 / std::sqrt(x)"),
    ("sqrt", "unary sqrt f32", 0.5, "std::sqrt(x)"),
    ("sigmoid", "unary sigmoid f32", 2, "sigmoid(x)"),
    ("silu", "unary silu f32", 2.5, "silu(x)"),
    ("softplus", "unary softplus f32", 2, "softplus(x)"),
    ("gelu_erf", "gelu none f32", 2.5, "geluErf(x)"),
    ("gelu_tanh", "gelu tanh f32", 2.5, "geluTanh(x)"),
    ("elu", "unary elu f32", 2, "x > 0 ? x : std::expm1(x)"),
    ("hard_sigmoid", "unary hard_sigmoid f32 0.25 0.5", 0.5,
     "std::isnan(x) ? x : std::fmin(std::fmax(x * 0.25 + 0.5, 0.0), 1.0)"),
    ("hard_swish", "unary hard_swish f32", 2, "std::isnan(x) ? x : hardSwish(x)"),
    ("reciprocal", "unary reciprocal f32", 0.5, "1 / x"),
]

LOWERING = ("builtin.module(test-fuse-scalar-body,fuse-expand-math,convert-scf-to-cf,"
            "expand-strided-metadata,convert-vector-to-llvm,convert-math-to-llvm,"
            "convert-arith-to-llvm,finalize-memref-to-llvm,"
            "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},convert-cf-to-llvm,"
            "reconcile-unrealized-casts)")


def function_ir(name, body, width=16):
    vector = f"vector<{width}xf32>"
    if body.startswith("math."):
        callee = (f"func.func private @body_{name}(%x: {vector}) -> {vector} {{\n"
                  f"  %y = {body} %x : {vector}\n  return %y : {vector}\n}}\n")
    else:
        callee = (f"func.func private @body_{name}({vector}) -> {vector} "
                  f"attributes {{test.body = \"{body}\"}}\n")
    return callee + f"""func.func @fuse_{name}(%in: memref<{BLOCK}xf32>, %out: memref<{BLOCK}xf32>) {{
  %zero = arith.constant 0 : index
  %end = arith.constant {BLOCK} : index
  %step = arith.constant {width} : index
  scf.for %i = %zero to %end step %step {{
    %x = vector.load %in[%i] : memref<{BLOCK}xf32>, {vector}
    %y = func.call @body_{name}(%x) : ({vector}) -> {vector}
    vector.store %y, %out[%i] : memref<{BLOCK}xf32>, {vector}
  }}
  return
}}
"""


def build(folder, functions, fuse_opt, llvm_bin, jobs=2):
    """The driver's executable."""
    (folder / "functions.inc").write_text("".join(
        f"FUNCTION({name}, {bound}, {truth})\n" for name, _, bound, truth in functions))
    (folder / "functions.mlir").write_text("".join(
        function_ir(name, body) for name, body, _, _ in functions))
    subprocess.run([fuse_opt, folder / "functions.mlir", f"--pass-pipeline={LOWERING}", "-o",
                    folder / "llvm.mlir"], check=True)
    translate = llvm_bin / "mlir-translate"
    if not translate.exists():
        translate = "mlir-translate-22"
    subprocess.run([translate, "--mlir-to-llvmir", folder / "llvm.mlir", "-o",
                    folder / "functions.ll"], check=True)
    clang = llvm_bin / "clang++"
    flags = ["-O2", "-march=native", "-ffp-contract=off", "-Wno-override-module"]
    objects = []
    running = []
    for source in (folder / "functions.ll", HERE / "driver.cpp"):
        objects.append(folder / (source.name + ".o"))
        running.append(subprocess.Popen([clang, "-c", source, "-o", objects[-1], f"-I{folder}",
                                         *flags]))
    if any([process.wait() for process in running]):
        sys.exit(1)
    subprocess.run([clang, *objects, "-o", folder / "driver", "-lm", "-pthread"], check=True)
    return folder / "driver"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--fuse-opt", required=True)
    parser.add_argument("--llvm-bin", type=pathlib.Path,
                        default=pathlib.Path("/usr/lib/llvm-22/bin"))
    parser.add_argument("--stride", type=int, default=65537)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the intermediate files there")
    args = parser.parse_args()
    unknown = set(args.names) - {f[0] for f in FUNCTIONS}
    if unknown:
        parser.error(f"no function {', '.join(sorted(unknown))}; there are "
                     + ", ".join(f[0] for f in FUNCTIONS))
    chosen = [f for f in FUNCTIONS if not args.names or f[0] in args.names]
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        driver = build(folder, chosen, args.fuse_opt, args.llvm_bin)
        mode = "--time" if args.time else "1" if args.all else str(args.stride)
        sys.exit(subprocess.run([driver, mode]).returncode)


if __name__ == "__main__":
    main()
