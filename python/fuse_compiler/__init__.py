# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler of the package fuse: a shared library with LLVM and MLIR inside, which fuse loads when something is compiled."""
__version__ = "0.1.0"
