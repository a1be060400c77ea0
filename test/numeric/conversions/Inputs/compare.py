# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each function of a file twice, by fuse-run and by upstream's own lowering, and compares.

  compare.py FILE [--keep DIR] [NAME…]

Upstream's way: TOSA to linalg, one-shot bufferization, loops, LLVM, compiled by clang. Inputs are
random; a line `// range ARGUMENT LOW HIGH` before a function bounds the integers of one. Integers
must be equal, floats within 1e-5 of the result's root mean square. A function without a fuse op after
the conversion is an error, unless its name starts with `left_`.
"""
import argparse
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "i16": np.int16,
         "i32": np.int32, "i64": np.int64, "i1": np.bool_}
CONVERSION = "builtin.module(func.func(convert-tosa-to-fuse,convert-linalg-to-fuse))"
TOSA = ("func.func(tosa-optional-decompositions,tosa-infer-shapes,tosa-make-broadcastable,tosa-to-linalg-named,canonicalize,"
        "tosa-make-broadcastable,tosa-to-linalg,tosa-to-arith{include-apply-rescale=1},tosa-to-tensor)")
REST = ("func.func(linalg-generalize-named-ops),convert-elementwise-to-linalg,"
        "empty-tensor-to-alloc-tensor,one-shot-bufferize{bufferize-function-boundaries "
        "function-boundary-type-conversion=identity-layout-map},"
        "buffer-results-to-out-params{hoist-static-allocs modify-public-functions},func.func(convert-linalg-to-loops),"
        "expand-strided-metadata,lower-affine,convert-scf-to-cf,func.func(llvm-request-c-wrappers),"
        "convert-math-to-llvm,convert-math-to-libm,arith-expand,finalize-memref-to-llvm,"
        "convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
        "convert-ub-to-llvm,reconcile-unrealized-casts")


def find_tool(name):
    path = shutil.which(f"{name}-22") or shutil.which(name)
    if not path:
        raise SystemExit(f"{name} (LLVM 22) is not on the path")
    return path


def functions(text):
    """name, IR, argument types, result types, ranges."""
    for block in re.split(r"^// -----$", text, flags=re.MULTILINE):
        header = re.search(r"func\.func @(\w+)\((.*?)\) -> \(?(.*?)\)? \{$", block, re.MULTILINE)
        if not header:
            continue
        tensors = lambda s: re.findall(r"tensor<((?:\d+x)*)(\w+)>", s)
        ranges = {int(i): (int(low), int(high))
                  for i, low, high in re.findall(r"^// range (\d+) (-?\d+) (-?\d+)$", block,
                                                 re.MULTILINE)}
        yield header[1], block, tensors(header[2]), tensors(header[3]), ranges


def shape(dims):
    return [int(d) for d in dims.split("x")[:-1]]


def make_input(rng, index, dims, element, ranges):
    dtype, extents = TYPES[element], shape(dims)
    if index in ranges:
        return rng.integers(*ranges[index], size=extents, endpoint=True).astype(dtype)
    if element == "i1":
        return rng.integers(0, 2, size=extents).astype(dtype)
    if element.startswith("i"):
        bound = min(100, np.iinfo(dtype).max)
        return rng.integers(-bound, bound, size=extents).astype(dtype)
    return rng.normal(size=extents).astype(dtype)


def descriptor(array):
    """A pointer to a memref descriptor; keeps it alive with the array."""
    rank = array.ndim
    fields = [array.ctypes.data, array.ctypes.data, 0, *array.shape,
              *(s // array.itemsize for s in array.strides)]
    return (ctypes.c_int64 * (3 + 2 * rank))(*fields)


def run_upstream(folder, name, ir, inputs, outputs):
    path = folder / f"{name}.mlir"
    path.write_text(ir)
    # One pass pipeline; an argument list, for pipelines hold braces.
    pipeline = f"builtin.module({TOSA if 'tosa.' in ir else 'canonicalize'},{REST})"
    lowered = subprocess.run([find_tool("mlir-opt"), path, f"--pass-pipeline={pipeline}"],
                             check=True, stdout=subprocess.PIPE)
    llvm = subprocess.run([find_tool("mlir-translate"), "--mlir-to-llvmir"], input=lowered.stdout,
                          check=True, stdout=subprocess.PIPE)
    library = folder / f"{name}.so"
    prefix = pathlib.Path(find_tool("mlir-opt")).resolve().parent.parent
    subprocess.run([find_tool("clang"), "-O1", "-shared", "-fPIC", "-x", "ir", "-",
                    "-Wno-override-module", "-o", library, f"-L{prefix}/lib",
                    f"-Wl,-rpath,{prefix}/lib", "-lmlir_c_runner_utils", "-lm"],
                   input=llvm.stdout, check=True)
    arrays = [*inputs, *outputs]
    descriptors = [descriptor(array) for array in arrays]
    function = getattr(ctypes.CDLL(str(library)), f"_mlir_ciface_{name}")
    function.restype = None
    function(*(ctypes.byref(d) for d in descriptors))


def difference(got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"got {got.dtype}{got.shape}, want {want.dtype}{want.shape}"
    if not np.issubdtype(want.dtype, np.floating):
        wrong = np.argwhere(got != want)
        return f"{len(wrong)} differ, first at {wrong[0]}: {got[tuple(wrong[0])]}, " \
               f"want {want[tuple(wrong[0])]}" if len(wrong) else ""
    if not want.size:
        return ""
    g, w = got.astype(np.float64), want.astype(np.float64)
    rms = np.sqrt(np.mean(w**2))
    bound = (2e-3 if want.dtype == np.float16 else 1e-5) * np.maximum(np.abs(w), rms)
    error = np.abs(g - w)
    return "" if (error <= bound).all() else f"largest error {error.max()}, rms {rms}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    failed, count = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        for name, ir, arguments, results, ranges in functions(args.file.read_text()):
            if args.names and name not in args.names:
                continue
            count += 1
            rng = np.random.default_rng(sum(map(ord, name)))
            inputs = [make_input(rng, i, *argument, ranges) for i, argument in enumerate(arguments)]
            want = [np.zeros(shape(dims), TYPES[element]) for dims, element in results]
            try:
                run_upstream(folder, name, ir, [x.copy() for x in inputs], want)
                path = folder / f"{name}.mlir"
                converted = subprocess.run(["fuse-opt", path, f"--pass-pipeline={CONVERSION}"],
                                           check=True, stdout=subprocess.PIPE, text=True).stdout
                if ("fuse." not in converted) != name.startswith("left_"):
                    raise ValueError(f"what is converted is not what should be:\n{converted}")
                np.savez(folder / "in.npz", **{f"arg{i}": x for i, x in enumerate(inputs)})
                subprocess.run(["fuse-run", path, "--inputs", folder / "in.npz", "--outputs",
                                folder / "out.npz"], check=True, stdout=subprocess.PIPE)
                with np.load(folder / "out.npz") as out:
                    errors = [difference(out[f"result{i}"], w) for i, w in enumerate(want)]
            except (subprocess.CalledProcessError, ValueError) as error:
                errors = [str(error)]
            text = "; ".join(e for e in errors if e)
            print(f"{name}: {text or 'agrees'}", flush=True)
            if text:
                failed.append(name)
    print(f"{count - len(failed)} of {count} agree")
    sys.exit(bool(failed) or not count)


if __name__ == "__main__":
    main()
