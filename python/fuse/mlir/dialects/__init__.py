# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of ops, which mlir-tblgen has made of the dialects' definitions; they lie beside the compiler that they are of."""
from .._c import find_dialects

if find_dialects():
    __path__.append(find_dialects())
