# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dialect, its passes and MLIR's IR in Python, for pipelines written in Python.

    from fuse.mlir import ir, passmanager
    from fuse.mlir.dialects import fuse

    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        passmanager.PassManager.parse("builtin.module(fuse-pipeline)").run(module.operation)

Names are those of MLIR's own bindings (mlir.ir, mlir.passmanager), of which this is the part that building, reading and running
pipelines take; classes of ops come from mlir-tblgen, as there. It calls the MLIR inside of fuse's compiler through MLIR's
C interface and shares nothing with the MLIR of other packages, so modules go to these, and come from them, as text.
docs/python.md has a recipe."""
from . import ir, passmanager

__all__ = ["ir", "passmanager"]
