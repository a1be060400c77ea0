# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the classes that mlir-tblgen makes call, as mlir.dialects._ods_common."""
from types import SimpleNamespace
from typing import Any

from .. import ir
from .._operations import OPS, as_value


def _register_operation(dialect: type, **_: Any) -> Any:
    def register(cls: type) -> type:
        OPS[cls.OPERATION_NAME] = cls
        return cls
    return register


_cext = SimpleNamespace(
    ir=ir, register_dialect=lambda cls: cls, register_operation=_register_operation,
    globals=SimpleNamespace(register_traceback_file_exclusion=lambda file: None))


def get_default_loc_context(location: Any = None) -> ir.Context:
    return location.context if location is not None else ir.Context.current


def get_op_results_or_values(values: Any) -> Any:
    return values.operation.results if hasattr(values, "operation") else [as_value(v) for v in values]


def get_op_result_or_value(value: Any) -> ir.Value:
    return as_value(value)


def segmented_accessor(elements: list, raw_segments: Any, index: int) -> list:
    sizes = [int(each) for each in str(raw_segments).removeprefix("array<i32").removesuffix(">").lstrip(":").split(",") if each.strip()]
    start = sum(sizes[:index])
    return elements[start:start + sizes[index]]


def equally_sized_accessor(elements: list, n_simple: int, n_variadic: int, n_preceding_simple: int, n_preceding_variadic: int) -> tuple[int, int]:
    size = (len(elements) - n_simple) // n_variadic
    return n_preceding_simple + n_preceding_variadic * size, size
