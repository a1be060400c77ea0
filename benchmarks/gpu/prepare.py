#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: prepare.py BIN FOLDER [--chip NAME,…] [--only TEXT] [--group NAME,…] [--jobs N]

Compiles what measure.py runs on a machine with a GPU, and computes here what must come out: FOLDER/cases.json,
FOLDER/NAME.CHIP.so and .weights, FOLDER/NAME.npz. Needs no GPU; the folder needs no compiler, and has all of Python that it needs
but NumPy. Code is for the GPU of this machine, if there is one, else for sm_90a and sm_80. Cases are the functions of the
numeric tests (checked), what calibration.py measures, the cost model's programs, those of programs.py, and networks (checked and
timed). Networks need PyTorch, torchvision and transformers, and are left out where these are not installed.
"""

import argparse
import concurrent.futures
import json
import math
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "benchmarks/models"), str(ROOT / "benchmarks/cost_model")]
import arrays  # noqa: E402
import calibration  # noqa: E402
import kernels  # noqa: E402
import programs  # noqa: E402
import weights  # noqa: E402
from bundle import Bundle  # noqa: E402
from driver import CHIPS, Driver, DriverError, choose_chip  # noqa: E402

# What code is made for where no GPU says it.
USUAL = "sm_90a,sm_80"
# What travels beside bundles and arrays.
SHIPPED = [HERE / f"{name}.py" for name in ("arrays", "calibration", "cases", "driver", "measure", "peers", "timing", "weights",
                                            "workers")]
SHIPPED += [ROOT / f"benchmarks/models/{name}.py" for name in ("bundle", "open_networks", "silenced")]

PART = re.compile(r"^//--- (\S+)\n", re.M)
FUNCTION = re.compile(r"^\s*func\.func (?:public )?@(\w+)", re.M)
# Above so many elements of inputs and results the interpreter takes too long, and the CPU's code says what is right.
INTERPRETED = 300_000
LARGEST = 1 << 29


# Of each network, batch and sequence, and whether its products may round to TF32.
NETWORKS = (("bert", 8, 128, False), ("bert", 8, 128, True), ("bert", 1, 128, False), ("gpt2", 1, 128, False),
            ("llama_block_x4", 8, 128, False), ("vit", 8, 0, False), ("resnet50", 8, 0, False))


class Case:
    """A function of a program. `dims`: of a model; `given`: arrays of inputs that arrays.make would make otherwise;
    `recipes`: of its weights; `options`: more of fuse-compile's for the GPU."""

    def __init__(self, name, group, path, function, numerics="folds", dims=(), given=None, recipes=None, scale=1.0, options=(),
                 **facts):
        self.name, self.group, self.path, self.function = name, group, path, function
        self.numerics, self.dims, self.given, self.recipes = numerics, dims, given or {}, recipes
        self.options = options
        self.facts = facts | {"scale": scale}


def test_cases(folder):
    files = [ROOT / "test/device/Inputs/kernels.mlir"]
    for tests in ("kernels", "hard-cases", "patterns"):
        files += sorted(file for file in (ROOT / "test/numeric" / tests).glob("*.mlir") if not file.stem.endswith("-errors"))
    for file in files:
        # Some hold several programs, of which most are for other tools.
        parts = PART.split(file.read_text()) if "split-file" in file.read_text() else [None, file.name, file.read_text()]
        for name, text in zip(parts[1::2], parts[2::2]):
            path = file
            if name != file.name:
                path = folder / f"{file.stem}.{name}"
                path.write_text(text)
            for function in FUNCTION.findall(text):
                yield Case(f"{file.stem}.{function}", "check", str(path), function)


def written_cases(folder):
    for timed in programs.all_timed():
        path = folder / f"{timed.program.name}.mlir"
        path.write_text(timed.program.text())
        # Operands of TF32 have 10 bits of fraction.
        scale = 300.0 if timed.numerics == "reduced-precision" else 1.0
        yield Case(timed.program.name, "time", str(path), "main", timed.numerics, scale=scale, bound=timed.bound,
                   flops=timed.flops)
    for name, text, options in calibration.all_programs():
        path = folder / f"calibrate.{name}.mlir"
        path.write_text(text)
        yield Case(name, "calibrate", str(path), "main", options=options)
    for program in kernels.all_programs():
        path = folder / f"model.{program.name}.mlir"
        path.write_text(program.text())
        yield Case(f"model.{program.name}", "model", str(path), "main", bound=program.kind)


def network_cases(folder):
    try:
        import open_networks
        import torch
        networks = {}
        for name in {name for name, *_ in NETWORKS}:
            torch.manual_seed(1)
            networks[name] = open_networks.NETWORKS[name]()
    except ImportError as error:
        print(f"no networks: {error}")
        return
    for name, batch, sequence, rounds in NETWORKS:
        network, path = networks[name], folder / f"{name}.onnx"
        if not path.exists():
            network.recipes = weights.Recipes(network.module)
            open_networks.export(network, str(path))
        dims = [f"batch={batch}"] + ([f"sequence={sequence}"] if sequence else [])
        given = {key: array for key, array in network.inputs(batch, sequence).items() if array.dtype == np.int64}
        yield Case(f"{name}_b{batch}" + (f"s{sequence}" if sequence else "") + ("_tf32" if rounds else ""), "network",
                   str(path), None, "reduced-precision" if rounds else "folds", dims, given, network.recipes,
                   # Sums of many layers, and operands with 10 bits of fraction.
                   300.0 if rounds else 10.0, bound="tf32" if rounds else "f32")


def get_chip():
    """The chip that code for the GPU here is best made for; an empty text where there is none."""
    try:
        return choose_chip(CHIPS, Driver().chip) or ""
    except DriverError:
        return ""


def get_figures(options, chip):
    """What is known of the device: the figures of `#fuse.target`."""
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = fuse.unary neg %x : tensor<4xf32> return %y : tensor<4xf32> }"
    done = subprocess.run([f"{options.bin}/fuse-run", "-", "--target", "cuda", "--chip", chip, "--dump-after", "fuse-plan"],
                          input=text, capture_output=True, text=True)
    target = re.search(r"#fuse\.target<[^{]*\{([^}]*)\}", done.stdout)
    if done.returncode or not target:
        raise SystemExit(f"{chip}: {done.stderr.strip() or 'the plan names no target'}")
    return {key: float(value) for key, value in re.findall(r"(\w+) = ([-+.\de]+)", target[1])}


def compile_bundle(options, case, chip, output):
    """For a GPU, or with an empty chip for this CPU."""
    command = [f"{options.bin}/fuse-compile", case.path, "--numerics", case.numerics, "--specialize", "none", "-o", output]
    command += ["--function", case.function] if case.function else []
    command += [word for dim in case.dims for word in ("--dim", dim)]
    command += ["--target", "cuda", "--chip", chip, *case.options] if chip else ["--no-cache"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode:
        raise RuntimeError(f"{chip or 'cpu'}: {done.stderr.strip().splitlines()[0][:200]}")


def describe(value):
    shape = [13 if extent < 0 else extent for extent in value.shape[:value.rank]]
    return {"name": value.name.decode(), "shape": shape, "kind": arrays.TYPES[value.dtype], "below": value.indices_below,
            "in_place": bool(value.flags & 1)}


def interpret(options, case, inputs, folder):
    stored = {v["name"]: a.view("V2") if v["kind"] == "bfloat16" else a for v, a in inputs}
    np.savez(f"{folder}/in.npz", **stored)
    done = subprocess.run([f"{options.bin}/fuse-run", case.path, "--function", case.function, "--mode", "interpret",
                           "--numerics", case.numerics, "--inputs", f"{folder}/in.npz", "--outputs", f"{folder}/out.npz"],
                          capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"interpreter: {done.stderr.strip().splitlines()[0][:200]}")
    with np.load(f"{folder}/out.npz") as file:
        return {name: file[name].view(np.uint16) if file[name].dtype.kind == "V" else file[name] for name in file.files}


def expected(options, case, folder):
    """What the bundle takes and gives, and samples of the results."""
    compile_bundle(options, case, "", f"{folder}/cpu.so")
    bundle = Bundle(f"{folder}/cpu.so", 1)
    ins = [describe(value) for value in bundle.values("input")]
    if sum(math.prod(v["shape"]) for v in ins) > LARGEST:
        raise RuntimeError("its inputs are too large to be made anew")
    if case.group == "calibrate":
        bundle.close()
        return {"inputs": ins, "outputs": [], "bytes": 0, "reference": "none"}, {}
    inputs = [(v, arrays.make(v["name"], v["shape"], v["kind"], v["below"]) if v["name"] not in case.given
               else case.given[v["name"]]) for v in ins]
    named = {v["name"]: array.copy() for v, array in inputs}
    run = bundle.bind(named)
    outs = [{"name": value.name.decode(), "kind": arrays.TYPES[value.dtype]} for value in bundle.values("output")]
    elements = sum(a.size for a in bundle.inputs) + sum(a.size for a in bundle.outputs)
    run()
    results = {v["name"]: array for v, array in zip(outs, bundle.outputs)}
    written = {v["name"]: array for v, array in zip(ins, bundle.inputs) if v["in_place"]}
    reference = "cpu"
    if elements <= INTERPRETED and not written and case.group != "network":
        results, reference = interpret(options, case, inputs, folder), "interpreter"
    samples = {f"out{i}": arrays.sample(results[v["name"]]) for i, v in enumerate(outs)}
    samples |= {f"in{i}": arrays.sample(written[v["name"]]) for i, v in enumerate(ins) if v["in_place"]}
    samples |= {f"given{i}": case.given[v["name"]] for i, v in enumerate(ins) if v["name"] in case.given}
    sizes = [array.nbytes for array in bundle.inputs + bundle.outputs]
    bundle.close()
    return {"inputs": ins, "outputs": outs, "bytes": sum(sizes), "reference": reference}, samples


def prepare(arguments):
    options, case, file = arguments
    try:
        with tempfile.TemporaryDirectory() as folder:
            facts, samples = expected(options, case, folder)
        for chip in options.chips:
            path = f"{options.folder}/{file}.{chip}"
            compile_bundle(options, case, chip, f"{path}.so")
            os.remove(f"{path}.h")
            if case.recipes:
                facts["weights"] = weights.shorten(f"{path}.weights", case.recipes)
                os.remove(f"{path}.weights")
        np.savez_compressed(f"{options.folder}/{file}.npz", **samples)
    except Exception as error:  # noqa: BLE001: one case that cannot be prepared is reported
        return case, None, f"{type(error).__name__}: {error}"
    return case, {"name": case.name, "file": file, "group": case.group, "chips": options.chips} | case.facts | facts, ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("--chip", default=get_chip() or USUAL)
    parser.add_argument("--only", default="")
    parser.add_argument("--group", default="calibrate,time,model,network,check")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.chips = options.chip.split(",")
    shutil.rmtree(options.folder, ignore_errors=True)
    os.makedirs(options.folder)
    with tempfile.TemporaryDirectory() as written, concurrent.futures.ProcessPoolExecutor(
            options.jobs, multiprocessing.get_context("spawn")) as pool:
        written = pathlib.Path(written)
        wanted = set(options.group.split(","))
        cases = [*written_cases(written), *(network_cases(written) if "network" in wanted else ()), *test_cases(written)]
        cases = [case for case in cases if case.group in wanted and (options.only in case.name or case.group == "calibrate")]
        tasks = [(options, case, f"{i:04}") for i, case in enumerate(cases)]
        done = []
        for case, facts, error in pool.map(prepare, tasks):
            if facts:
                done.append(facts)
            else:
                print(f"not prepared: {case.name}: {error}", flush=True)
    for path in SHIPPED:
        shutil.copy(path, options.folder)
    with open(f"{options.folder}/cases.json", "w", encoding="utf-8") as file:
        json.dump({"chips": {chip: get_figures(options, chip) for chip in options.chips}, "cases": done}, file, indent=1)
    size = sum(path.stat().st_size for path in pathlib.Path(options.folder).iterdir())
    print(f"{len(done)} of {len(cases)} cases prepared in {options.folder} for {', '.join(options.chips)}: {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
