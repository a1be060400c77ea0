"""Runs every function of a file fused and unfused, and checks what the comments before it say:

    // expect kernels=1 | kernels<=2 [blocks>=16] [reassociates] [rtol=1e-3] [exact]
    // with %x = NUMPY
    // gives result0 = NUMPY

Fused results agree with the interpreter, and bit by bit with the unfused program unless the order of
a reduction changes (reassociates); with `exact` bit by bit with the interpreter, too. No kernel needs
more scratch than the cache of a core holds. `with` gives an argument, cast and broadcast to its type;
the others are random. `gives` is what a result (or an argument that is a memref) must be. NUMPY sees
`np`, `odd` (values that have broken compilers, cycled), the shape of the argument as `shape`, and the
arguments given above it by name. All NaNs are the same.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

SCRATCH_LIMIT = 1 << 20  # l2_bytes of the default target
DTYPES = {"f16": "f2", "f32": "f4", "f64": "f8", "i1": "?", "i8": "i1", "i16": "i2", "i32": "i4",
          "i64": "i8", "ui8": "u1", "ui16": "u2", "ui32": "u4", "ui64": "u8"}
ODD = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 1.0, -1.0, 3.4e38, -3.4e38, 1e-45, -1e-45,
                1.1754944e-38, 0.5, -2.5, 1e-3, 88.0, -104.0, 16777217.0, 1.00390625, -7.0])


def to_bf16(values):
    """Rounds to nearest even, as the two raw bytes that .npz files hold."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    rounded = np.where(np.isnan(values), 0x7FC0, rounded)
    return rounded.astype(np.uint16).view("V2")


def from_bf16(values):
    return (values.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def find_type(function, argument, text):
    signature = re.search(rf"func\.func @{function}\((.*)", text).group(1)
    match = re.search(rf"{argument}: (?:tensor|memref)<((?:\d+x)*)(\w+)>", signature)
    shape = tuple(int(extent) for extent in match.group(1).split("x")[:-1])
    number = len(re.findall(r"%\w+: (?:tensor|memref)", signature[:match.start()]))
    return number, shape, match.group(2)


def make_inputs(function, lines, text, folder):
    """The options that pass what `with` gives, and the arrays by name."""
    options, arrays = [], {}
    for argument, expression in re.findall(r"// with (%\w+) = (.*)", lines):
        number, shape, element = find_type(function, argument, text)
        odd = np.resize(ODD, shape)
        scope = {**arrays, "np": np, "odd": odd, "shape": shape}
        with np.errstate(all="ignore"):
            values = np.broadcast_to(np.asarray(eval(expression, scope)), shape)
            array = to_bf16(values) if element == "bf16" else values.astype(DTYPES[element])
        arrays[argument[1:]] = from_bf16(array) if element == "bf16" else array
        path = folder / f"{function}-{number}.npy"
        np.save(path, array)
        options += ["--input", f"arg{number}={path}"]
    return options, arrays


def are_same(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.tobytes() == b.tobytes():
        return True
    if a.dtype.kind == "V":
        a, b = from_bf16(a), from_bf16(b)
    if a.dtype.kind != "f":
        return False
    return np.where(np.isnan(a), np.nan, a).tobytes() == np.where(np.isnan(b), np.nan, b).tobytes()


def run(program, function, folder, name, *options):
    report, outputs = folder / f"{name}.json", folder / f"{name}.npz"
    command = ["fuse-run", str(program), "--function", function, "--random-inputs", "1",
               "--outputs", str(outputs), *options]
    is_compiled = name != "interpret"
    if is_compiled:
        command += ["--report-json", str(report)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip()}", None, None
    if not is_compiled:
        return None, [], np.load(outputs)
    functions = json.loads(report.read_text())["functions"]
    kernels = next(f for f in functions if f["name"] == function)["kernels"]
    return None, kernels, np.load(outputs)


def check_results(lines, outputs, arrays):
    for name, expression in re.findall(r"// gives (\w+) = (.*)", lines):
        got = outputs[name]
        with np.errstate(all="ignore"):
            want = np.asarray(eval(expression, {**arrays, "np": np}))
        is_bf16 = got.dtype.kind == "V"
        want = to_bf16(np.broadcast_to(want, got.shape)) if is_bf16 else np.broadcast_to(
            want, got.shape).astype(got.dtype)
        if not are_same(got, want):
            got, want = (from_bf16(got), from_bf16(want)) if is_bf16 else (got, want)
            return f"{name} is {got.ravel()[:20]}, expected {want.ravel()[:20]}"
    return None


def check(program, function, lines, text, folder):
    expected = re.search(r"// expect (.*)", lines).group(1)
    given, arrays = make_inputs(function, lines, text, folder)
    rtol = re.search(r"rtol=(\S+)", expected)
    # Short floats that are not rounded between ops of one loop, as class folds allows, are not those of the unfused program.
    body = re.search(rf"func\.func @{function}\(.*?\n}}", text, re.DOTALL).group()
    if re.search(r"\dx?b?f16\b|<b?f16>", body):
        given = given + ["--numerics", "reassociates"]
    options = given + ["--check"] + (["--rtol", rtol.group(1)] if rtol else [])
    error, kernels, fused = run(program, function, folder, "fused", *options)
    if error:
        return error, ""
    error, _, unfused = run(program, function, folder, "unfused", "--mode", "unfused", *given)
    if error:
        return "unfused: " + error, ""
    compiled = [kernel for kernel in kernels if kernel["blocks"] is not None]  # not the host's
    blocks = [kernel["blocks"] for kernel in compiled]
    scratch = [kernel["scratch_bytes"] for kernel in compiled]
    figures = f"kernels {len(kernels)}, blocks {blocks}, scratch {scratch}"
    relation, wanted_kernels = re.search(r"kernels(<?=)(\d+)", expected).groups()
    if len(kernels) > int(wanted_kernels) or (relation == "=" and
                                              len(kernels) < int(wanted_kernels)):
        return f"expected kernels {relation} {wanted_kernels}", figures
    wanted_blocks = re.search(r"blocks>=(\d+)", expected)
    if wanted_blocks and blocks and min(blocks) < int(wanted_blocks.group(1)):
        return f"expected at least {wanted_blocks.group(1)} blocks in each kernel", figures
    # Prices are of the tiles that code is built with. A scan is never merged, so that nobody plans its tiles.
    planned = [kernel["planned_blocks"] for kernel in compiled]
    if any(count not in (None, max(1, built)) for count, built in zip(planned, blocks)):
        return f"expected the blocks that were planned, {planned}", figures
    if max(scratch, default=0) > SCRATCH_LIMIT:
        return f"expected at most {SCRATCH_LIMIT} bytes of scratch", figures
    if "reassociates" not in expected:
        for name in fused.files:
            if not are_same(fused[name], unfused[name]):
                return f"{name} differs from that of the unfused program", figures
    if "exact" in expected:
        error, _, reference = run(program, function, folder, "interpret", "--mode", "interpret",
                                  *given)
        if error:
            return "interpreter: " + error, figures
        for name in fused.files:
            if not are_same(fused[name], reference[name]):
                return f"{name} differs from that of the interpreter", figures
    return check_results(lines, fused, arrays), figures


def main():
    program = pathlib.Path(sys.argv[1])
    text = program.read_text()
    functions = re.findall(r"((?:// .*\n)*// expect .*\n(?:// .*\n)*)func\.func @(\w+)", text)
    failed = not functions
    with tempfile.TemporaryDirectory() as folder:
        for lines, function in functions:
            error, figures = check(program, function, lines, text, pathlib.Path(folder))
            print(f"{function}: {error or 'ok'} {figures}")
            failed |= error is not None
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
