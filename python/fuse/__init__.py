# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuse: compiles models into few kernels, runs them, and says why the kernels are what they are.

    import fuse
    model = fuse.compile("model.onnx")
    y = model(x)
    print(model.report)

docs/python.md has recipes.
"""
from . import _libraries  # before all that calls into the libraries
from ._budget import budget
from ._compile import Dim, compile, load, register_source
from ._core import Error
from ._program import Program, Value
from ._report import Explanation, Graph, Profile, Report

__version__ = "0.1.0"
__all__ = ["Dim", "Error", "Explanation", "Graph", "Profile", "Program", "Report", "Value", "budget", "compile", "load",
           "register_source"]
