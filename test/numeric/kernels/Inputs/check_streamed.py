"""Runs every function of a file as one kernel with a streamed dim, in tiles of several sizes, and
checks it against the interpreter. What the comment before it says:

    // stream tiles=1,8,64 [rtol=1e-3] [rows=nan] [unknown=1,8,19]
    // refused REASON

Arguments called %mask are made of 0 and -inf (or false): rows whose first keys are masked, single
keys, and one row that is masked throughout, which is NaN. rows=nan puts a NaN into one row's query.
Extents that are unknown take each of the values of unknown=.
"""
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_}
SCHEDULED = "builtin.module(fuse-outline-kernels,builtin.module(fuse-assign-schedules))"


def tool(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def make_inputs(text, has_nan, unknown):
    """The mask's last two dimensions are rows and keys."""
    random = np.random.default_rng(1)
    inputs = {}
    header = text[text.index("("):text.index("->")]
    for i, (name, kind) in enumerate(re.findall(r"%(\w+): tensor<([^>]*)>", header)):
        *shape, element = kind.split("x")
        shape = tuple(unknown if extent == "?" else int(extent) for extent in shape)
        value = random.standard_normal(shape) * 2
        if name == "mask":
            value = np.where(random.random(shape) < 0.2, -np.inf, 0.0)
            value[..., 1, : shape[-1] * 2 // 3] = -np.inf
            value[..., 1, -1] = 0
            value[..., 2, :] = -np.inf
            value[..., 0, 0] = 0
            if element == "i1":
                value = value == 0
        elif has_nan and i == 0:
            value[..., 3, 0] = np.nan
        inputs[f"arg{i}"] = value.astype(TYPES[element])
    return inputs


def check(text, name, expected, folder):
    program, formed = folder / "program.mlir", folder / "formed.mlir"
    program.write_text(text)
    code, kernels, error = tool("fuse-opt", str(program), "--fuse-pipeline")
    if code:
        return error
    if kernels.count("fuse.kernel") != 1:
        return f"expected 1 kernel, got {kernels.count('fuse.kernel')}"
    formed.write_text(kernels)
    code, scheduled, error = tool("fuse-opt", str(formed), "--pass-pipeline=" + SCHEDULED)
    if code:
        return error
    levels = re.search(r"fuse.schedule = #fuse.schedule<levels = \[(.*?>)?(?:, <seq.*?>)?\]",
                       scheduled)
    blocks = levels.group(1) or ""
    dims = blocks and re.search(r"dims = \[(.*?)\]", blocks).group(1)
    dim = len(dims.split(",")) if dims else 0
    rtol = re.search(r"rtol=(\S+)", expected)
    tiles = re.search(r"tiles=(\S+)", expected)
    unknown = re.search(r"unknown=(\S+)", expected)
    sizes = [int(size) for size in unknown.group(1).split(",")] if unknown else [0]
    inputs = folder / "inputs.npz"
    tiles = map(int, tiles.group(1).split(",")) if tiles else [8]
    for tile, size in itertools.product(tiles, sizes):
        np.savez(inputs, **make_inputs(text, "rows=nan" in expected, size))
        level = f"<sequential, dims = [{dim}], sizes = [{tile}]>"
        schedule = "#fuse.schedule<levels = [" + ", ".join(filter(None, [blocks, level]))
        program.write_text(re.sub(r"(fuse\.kernel \(.*) \{\n",
                                  rf"\1 attributes {{fuse.schedule = {schedule}], "
                                  "reduction_lanes = 64>} {\n", kernels))
        code, out, error = tool("fuse-run", str(program), "--inputs", str(inputs), "--check",
                                *(["--rtol", rtol.group(1)] if rtol else []))
        if refused := re.match("refused (.*)", expected):
            if code == 0 or refused.group(1) not in error:
                return f"expected '{refused.group(1)}', got '{error or out}'"
        elif code:
            return f"tiles of {tile}: {error or out}"
    return None


def main():
    source = pathlib.Path(sys.argv[1]).read_text()
    cases = re.findall(r"// ((?:stream|refused) [^\n]*)\n(func\.func @(\w+).*?\n}\n)", source,
                       re.DOTALL)
    failed = not cases or len(cases) != source.count("func.func @")
    with tempfile.TemporaryDirectory() as folder:
        for expected, text, name in cases:
            if len(sys.argv) > 2 and name not in sys.argv[2:]:
                continue
            error = check(text, name, expected, pathlib.Path(folder))
            print(f"{name}: {error or 'ok'}")
            failed |= error is not None
    return int(failed)


sys.exit(main())
