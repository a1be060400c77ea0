# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles functions over blocks of elements by fuse-expand-math and upstream passes."""
import pathlib
import shutil
import subprocess

LOWERING = ("builtin.module(test-fuse-scalar-body,ROUNDfuse-expand-math{OPTIONS},convert-scf-to-cf,"
            "expand-strided-metadata,convert-vector-to-llvm,convert-math-to-llvm,"
            "convert-arith-to-llvm,finalize-memref-to-llvm,"
            "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},convert-cf-to-llvm,"
            "reconcile-unrealized-casts)")
NEEDED_TO_PERMUTE = {0: "fpu", 1: "fpu", 8: "avx2", 16: "avx512f"}
CLANG_FLAGS = ["-O2", "-march=native", "-ffp-contract=off", "-Wno-override-module",
               "-Wno-unused-command-line-argument"]


def add_arguments(parser):
    parser.add_argument("--fuse-opt", default="fuse-opt")
    parser.add_argument("--scaling", action="store_true",
                        help="use AVX-512's scaling by powers of two, where this CPU has it")
    parser.add_argument("--flush-exp", action="store_true", help="exp is 0 where it would be denormal")
    parser.add_argument("--permuted-lanes", type=int, choices=(0, 1, 8, 16), default=0,
                        help="floats that one instruction permutes, where this CPU has it; 1: one by one")
    parser.add_argument("--round-once", action="store_true",
                        help="by fuse-round-once: results that are rounded to f16 and bf16 are computed to fewer digits")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the intermediate files there")


def find_tool(name):
    """A program of LLVM 22, from the path: with its plain name, or Debian's with the version."""
    path = shutil.which(f"{name}-22") or shutil.which(name)
    if not path:
        raise SystemExit(f"{name} (LLVM 22) is not on the path")
    return path


def block_function(name, body, operands, result, block, width):
    """IR of void fuse_NAME(operands..., result): `body` on blocks of `block` elements.

    `body` is a math op ("math.exp") or what test-fuse-scalar-body takes. `operands` and `result`
    are signless element types; i1 is held in memory as a byte, 0 or 1. `width` 0 means scalars.
    """
    shaped = (lambda t: f"vector<{width}x{t}>") if width else (lambda t: t)
    stored = lambda t: "i8" if t == "i1" else t
    types = ", ".join(shaped(t) for t in operands)
    signature = f"({types}) -> {shaped(result)}"
    if body.startswith("math."):
        names = [f"%x{i}" for i in range(len(operands))]
        arguments = ", ".join(f"{n}: {shaped(t)}" for n, t in zip(names, operands))
        text = (f"func.func private @body_{name}({arguments}) -> {shaped(result)} {{\n"
                f"  %y = {body} {', '.join(names)} : {shaped(result)}\n"
                f"  return %y : {shaped(result)}\n}}\n")
    else:
        text = (f"func.func private @body_{name}{signature} "
                f"attributes {{test.body = \"{body}\"}}\n")
    arrays = [f"%a{i}: memref<{block}x{stored(t)}>" for i, t in enumerate([*operands, result])]
    text += f"func.func @fuse_{name}({', '.join(arrays)}) {{\n"
    text += f"  %zero = arith.constant 0 : index\n  %end = arith.constant {block} : index\n"
    text += f"  %step = arith.constant {width or 1} : index\n"
    text += "  scf.for %i = %zero to %end step %step {\n"
    for i, t in enumerate(operands):
        memref = f"memref<{block}x{stored(t)}>"
        if width:
            text += f"    %l{i} = vector.load %a{i}[%i] : {memref}, {shaped(stored(t))}\n"
        else:
            text += f"    %l{i} = memref.load %a{i}[%i] : {memref}\n"
        if t == "i1":
            text += f"    %x{i} = arith.trunci %l{i} : {shaped('i8')} to {shaped('i1')}\n"
    values = ", ".join(f"%{'x' if t == 'i1' else 'l'}{i}" for i, t in enumerate(operands))
    text += f"    %y = func.call @body_{name}({values}) : {signature}\n"
    value = "%y"
    if result == "i1":
        text += f"    %w = arith.extui %y : {shaped('i1')} to {shaped('i8')}\n"
        value = "%w"
    target = f"%a{len(operands)}[%i] : memref<{block}x{stored(result)}>"
    if width:
        text += f"    vector.store {value}, {target}, {shaped(stored(result))}\n"
    else:
        text += f"    memref.store {value}, {target}\n"
    return text + "  }\n  return\n}\n"


def lower(folder, ir, args):
    """Writes `ir` and lowers it to LLVM IR; returns that file."""
    (folder / "functions.mlir").write_text(ir)
    features = pathlib.Path("/proc/cpuinfo").read_text().split()
    scaling = args.scaling and "avx512vl" in features
    permuted = args.permuted_lanes if NEEDED_TO_PERMUTE[args.permuted_lanes] in features else 0
    pipeline = LOWERING.replace("OPTIONS",
                                f"has-scaling={int(scaling)} permuted-lanes={permuted} "
                                f"flush-exp={int(args.flush_exp)}").replace("ROUND", "fuse-round-once," if args.round_once else "")
    subprocess.run([args.fuse_opt, folder / "functions.mlir", f"--pass-pipeline={pipeline}", "-o",
                    folder / "llvm.mlir"], check=True)
    subprocess.run([find_tool("mlir-translate"), "--mlir-to-llvmir", folder / "llvm.mlir", "-o",
                    folder / "functions.ll"], check=True)
    return folder / "functions.ll"


def compile_and_link(folder, sources, output, link_flags):
    """Compiles the sources side by side and links them."""
    clang = find_tool("clang++")
    objects = [folder / (source.name + ".o") for source in sources]
    running = [subprocess.Popen([clang, "-c", "-fPIC", source, "-o", target, f"-I{folder}", f"-I{pathlib.Path(__file__).resolve().parent}",
                                 *CLANG_FLAGS]) for source, target in zip(sources, objects)]
    if any([process.wait() for process in running]):
        raise SystemExit(1)
    subprocess.run([clang, *objects, "-o", output, *link_flags], check=True)
    return output
