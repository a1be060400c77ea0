# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contexts, modules, operations and values, under the names of mlir.ir."""
from typing import Any

from ._attributes import (ArrayAttr, AttrBuilder, Attribute, BF16Type, BoolAttr, DenseI64ArrayAttr, DictAttr, F16Type, F32Type, F64Type,
                          FlatSymbolRefAttr, FloatAttr, FunctionType, IndexType, IntegerAttr, IntegerType, RankedTensorType,
                          StringAttr, Type, TypeAttr, UnitAttr, register_attribute_builder)
from ._contexts import Context, DiagnosticInfo, Location, MLIRError
from ._operations import (Block, BlockArgument, InsertionPoint, Module, Operation, OpOperandList, OpResult, OpResultList, Region,
                          Value)
from ._views import Dialect, OpView

__all__ = ["ArrayAttr", "AttrBuilder", "Attribute", "BF16Type", "Block", "BlockArgument", "BoolAttr", "Context", "DenseI64ArrayAttr",
           "DiagnosticInfo", "Dialect", "DictAttr", "F16Type", "F32Type", "F64Type", "FlatSymbolRefAttr", "FloatAttr", "FunctionType",
           "IndexType", "InsertionPoint", "IntegerAttr", "IntegerType", "Location", "MLIRError", "Module", "OpOperandList", "OpResult",
           "OpResultList", "OpView", "Operation", "RankedTensorType", "Region", "StringAttr", "Type", "TypeAttr", "UnitAttr", "Value",
           "register_attribute_builder"]


def __getattr__(name: str) -> Any:
    # Classes that annotations of generated ops name, and that nothing else asks for.
    if name.endswith("Attr") or name == "DenseI":
        return Attribute
    if name.endswith("Type"):
        return Type
    raise AttributeError(f"fuse.mlir.ir has no {name}")