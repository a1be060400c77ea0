#!/usr/bin/env python3
"""Modules exported by torch.export and run by fuse-run, within 1e-4 of eager mode.

usage: module_tests.py FUSE_RUN [--only NAME] [--every N [--today]] [--static] [--decomposed] [--keep FOLDER]

Each module is exported with the dimensions open that may be, and run at other extents than those it was exported with, which
fuse-run takes from the arrays (backend_tests.py compiles once for several sizes). --every N runs each N-th, with --today others from day to day. --static exports for one shape; --decomposed runs the program's decompositions into core ATen first."""

import argparse
import pathlib
import sys
import time
import warnings

import torch

import running
from modules import MODULES

warnings.filterwarnings("ignore")


# They write to parts of tensors, which the importer leaves to PyTorch to make out.
WRITES = {"swin"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fuse_run")
    parser.add_argument("--only")
    parser.add_argument("--static", action="store_true")
    parser.add_argument("--decomposed", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--today", action="store_true")
    options = parser.parse_args()
    failed = []
    offset = int(time.time() // 86400) if options.today else 0
    for place, (name, make) in enumerate(MODULES.items()):
        if (options.only and options.only not in name) or (place + offset) % options.every:
            continue
        torch.manual_seed(0)
        model, arguments, shapes, others = make()
        shapes = None if options.static else shapes
        start = time.time()
        try:
            program = torch.export.export(model, arguments, dynamic_shapes=shapes)
            if options.decomposed or name in WRITES:
                program = program.run_decompositions()
        except Exception as error:  # a defect of the test, or of this version of PyTorch
            print(f"{name:22} FAILED to be exported: {str(error)[:600]}", flush=True)
            failed.append(name)
            continue
        middle = time.time()
        folder = None
        if options.keep:
            folder = pathlib.Path(options.keep) / name
            folder.mkdir(parents=True, exist_ok=True)
        code, text = running.run(options.fuse_run, program, others if shapes else arguments, eager=model, rtol=1e-4, atol=1e-5, folder=folder)
        state = "passed" if code == 0 else "FAILED"
        print(f"{name:22} {state}, {'open' if shapes else 'static'}, export {middle - start:.1f} s, run {time.time() - middle:.1f} s", flush=True)
        if code:
            failed.append(name)
            print("  " + "\n  ".join(text.splitlines()[-12:])[:3000])
    print(f"{len(failed)} failed" + (": " + ", ".join(failed) if failed else ""))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
