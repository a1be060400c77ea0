# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the classes of ops are made of that mlir-tblgen makes."""
from collections.abc import Mapping
from typing import Any

from ._attributes import Attribute
from ._contexts import Location
from ._operations import Operation


class Dialect:
    DIALECT_NAMESPACE = ""


class OpView:
    """An op with the names that its dialect has for its operands and attributes."""
    OPERATION_NAME = ""
    _ODS_REGIONS: tuple = (0, True)
    _ODS_OPERAND_SEGMENTS: Any = None
    _ODS_RESULT_SEGMENTS: Any = None

    def __init__(self, name: str, regions_spec: tuple, operand_segments: Any = None, result_segments: Any = None, *, results: Any = None,
                 operands: Any = (), attributes: Mapping[str, Attribute] | None = None, successors: Any = None, regions: Any = None,
                 loc: Location | None = None, ip: Any = None):
        attributes = dict(attributes or {})
        count = regions_spec[0] if regions is None else regions
        flat_operands = _flatten(operands, operand_segments, "operandSegmentSizes", attributes)
        if results is None:
            flat_results = []
        else:
            flat_results = _flatten(results, result_segments, "resultSegmentSizes", attributes)
        self.operation = Operation.create(name, flat_results, flat_operands, attributes, successors, count, loc, ip,
                                          infer_type=results is None)

    @classmethod
    def build_generic(cls, results: Any = None, operands: Any = (), attributes: Any = None, regions: Any = None, **more: Any) -> "OpView":
        view = cls.__new__(cls)
        OpView.__init__(view, cls.OPERATION_NAME, cls._ODS_REGIONS, cls._ODS_OPERAND_SEGMENTS, cls._ODS_RESULT_SEGMENTS, results=results,
                        operands=operands, attributes=attributes, regions=regions, **more)
        return view

    def __getattr__(self, name: str) -> Any:
        if name == "operation":
            raise AttributeError(name)
        return getattr(self.operation, name)

    def __str__(self) -> str:
        return str(self.operation)

    def __eq__(self, other: Any) -> bool:
        return self.operation == other

    def __hash__(self) -> int:
        return hash(self.operation)


def _flatten(entries: Any, segments: Any, name: str, attributes: dict) -> list:
    """One list of what is one each, left out (None), or a list."""
    flat: list = []
    sizes = []
    for entry in entries:
        part = [] if entry is None else list(entry) if isinstance(entry, (list, tuple)) else [entry]
        sizes.append(len(part))
        flat += part
    if segments is not None:
        attributes[name] = Attribute.parse(f"array<i32: {', '.join(map(str, sizes))}>" if sizes else "array<i32>")
    return flat
