"""Runs every function of a file fused and unfused, and checks what the comment before it says:

    // expect kernels=1 blocks>=16 [reassociates] [rtol=1e-3]

Fused results agree with the interpreter, and bit by bit with the unfused program unless the order of
a reduction changes (reassociates). No kernel needs more scratch than the cache of a core holds.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

SCRATCH_LIMIT = 1 << 20  # l2_bytes of the default target


def run(program, function, folder, name, *options):
    report, outputs = folder / f"{name}.json", folder / f"{name}.npz"
    command = ["fuse-run", str(program), "--function", function, "--random-inputs", "1",
               "--report-json", str(report), "--outputs", str(outputs), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip()}", None, None
    functions = json.loads(report.read_text())["functions"]
    kernels = next(f for f in functions if f["name"] == function)["kernels"]
    return None, kernels, np.load(outputs)


def check(program, function, expected, folder):
    rtol = re.search(r"rtol=(\S+)", expected)
    options = ["--check"] + (["--rtol", rtol.group(1)] if rtol else [])
    error, kernels, fused = run(program, function, folder, "fused", *options)
    if error:
        return error, ""
    error, _, unfused = run(program, function, folder, "unfused", "--mode", "unfused")
    if error:
        return "unfused: " + error, ""
    blocks = [kernel["blocks"] for kernel in kernels]
    scratch = [kernel["scratch_bytes"] for kernel in kernels]
    figures = f"kernels {len(kernels)}, blocks {blocks}, scratch {scratch}"
    wanted_kernels = int(re.search(r"kernels=(\d+)", expected).group(1))
    wanted_blocks = int(re.search(r"blocks>=(\d+)", expected).group(1))
    if len(kernels) != wanted_kernels:
        return f"expected {wanted_kernels} kernels", figures
    if min(blocks) < wanted_blocks:
        return f"expected at least {wanted_blocks} blocks in each kernel", figures
    if max(scratch) > SCRATCH_LIMIT:
        return f"expected at most {SCRATCH_LIMIT} bytes of scratch", figures
    if "reassociates" not in expected:
        for name in fused.files:
            if fused[name].tobytes() != unfused[name].tobytes():
                return f"{name} differs from that of the unfused program", figures
    return None, figures


def main():
    program = pathlib.Path(sys.argv[1])
    functions = re.findall(r"// expect (.*)\nfunc\.func @(\w+)", program.read_text())
    failed = not functions
    with tempfile.TemporaryDirectory() as folder:
        for expected, function in functions:
            error, figures = check(program, function, expected, pathlib.Path(folder))
            print(f"{function}: {error or 'ok'} {figures}")
            failed |= error is not None
    return int(failed)


sys.exit(main())
