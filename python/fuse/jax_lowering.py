# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of StableHLO, as JAX makes them, as what the compiler's format "stablehlo" is: text in MLIR's generic form, with large
constants and parameters as arrays beside it."""
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy
from jax.interpreters import mlir
from jaxlib.mlir import ir

# Constants with fewer elements are part of the text.
_LEAST_ELEMENTS = 64


@dataclasses.dataclass
class Lowered:
    """Text, and the arrays that it names."""
    text: bytes
    weights: dict[str, Any]
    name: str


def _is_listed(op: "ir.Operation") -> bool:
    """Whether an op is a constant with many different elements, which the bindings give as an array."""
    if op.name != "stablehlo.constant":
        return False
    value = op.attributes["value"]
    if not isinstance(value, (ir.DenseFPElementsAttr, ir.DenseIntElementsAttr)) or value.is_splat:
        return False
    # The bindings have no arrays of bf16 and the like: these stay in the text.
    element = value.type.element_type
    return isinstance(element, (ir.IntegerType, ir.F16Type, ir.F32Type, ir.F64Type)) and len(value) >= _LEAST_ELEMENTS


def _name_constant(op: "ir.Operation", name: str) -> None:
    """Puts a call that stands for an array in the place of a constant."""
    attributes = {"call_target_name": ir.StringAttr.get("fuse.weight"), "backend_config": ir.StringAttr.get(name),
                  "has_side_effect": ir.BoolAttr.get(False)}
    call = ir.Operation.create("stablehlo.custom_call", results=[op.results[0].type], attributes=attributes,
                               loc=op.location, ip=ir.InsertionPoint(op))
    op.results[0].replace_all_uses_with(call.results[0])
    op.erase()


def _find_entry(module: "ir.Module") -> "ir.Operation":
    return next(f for f in module.body.operations if "sym_name" in f.attributes and f.attributes["sym_name"].value == "main")


def _mark_arguments(entry: "ir.Operation", marks: Sequence[Mapping[str, "ir.Attribute"]]) -> None:
    old = list(entry.attributes["arg_attrs"]) if "arg_attrs" in entry.attributes else [ir.DictAttr.get({})] * len(marks)
    merged = []
    for each, added in zip(old, marks):
        merged.append(ir.DictAttr.get({**{item.name: item.attr for item in each}, **added}))
    entry.attributes["arg_attrs"] = ir.ArrayAttr.get(merged)


def encode(module: "ir.Module", name: str, *, names: Sequence[str], dims: Sequence[Sequence[str]] = (),
           parameters: Mapping[int, Any] | None = None) -> Lowered:
    """A module whose function @main has the arguments `names`. `dims`: the names of an argument's open dimensions, "" for others.
    `parameters`: by an argument's number, the array that it always is. The module is changed."""
    parameters = parameters or {}
    weights: dict[str, Any] = {names[place]: array for place, array in parameters.items()}
    with module.context, ir.Location.unknown():
        found: list["ir.Operation"] = []

        def collect(op: "ir.Operation") -> "ir.WalkResult":
            if _is_listed(op):
                found.append(op)
            return ir.WalkResult.ADVANCE

        module.operation.walk(collect)
        for number, op in enumerate(found):
            constant = f"constant{number}"
            weights[constant] = numpy.ascontiguousarray(numpy.array(op.attributes["value"]))
            _name_constant(op, constant)
        marks = []
        for place, argument in enumerate(names):
            mark = {"fuse.name": ir.StringAttr.get(argument)}
            if place in parameters:
                mark["fuse.param"] = ir.UnitAttr.get()
            if place < len(dims) and any(dims[place]):
                mark["fuse.dim_names"] = ir.ArrayAttr.get([ir.StringAttr.get(dim) for dim in dims[place]])
            marks.append(mark)
        _mark_arguments(_find_entry(module), marks)
        text = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True, assume_verified=True)
    return Lowered(text.encode(), weights, name + ".stablehlo")


def name_leaves(tree: Any, prefixes: Sequence[str] | None = None) -> list[str]:
    """A name for each leaf: of ((x, {"w": w}), {}), with the prefixes x and params, "x" and "params['w']"."""
    args, kwargs = tree
    names = []
    for path, _ in jax.tree_util.tree_flatten_with_path(args)[0]:
        first = path[0].idx
        prefix = prefixes[first] if prefixes and first < len(prefixes) else f"args[{first}]"
        names.append(prefix + jax.tree_util.keystr(path[1:]))
    for path, _ in jax.tree_util.tree_flatten_with_path(kwargs)[0]:
        names.append(str(path[0].key) + jax.tree_util.keystr(path[1:]))
    return names


def encode_exported(exported: "jax.export.Exported", prefixes: Sequence[str] | None = None,
                    parameters: Mapping[int, Any] | None = None) -> Lowered:
    """What jax.export.export gives. `parameters`: by the number of a flat argument."""
    kept = list(exported.module_kept_var_idx)
    tree = jax.tree.unflatten(exported.in_tree, exported.in_avals)
    names = name_leaves(tree, prefixes)
    dims = [["" if isinstance(size, int) else str(size) for size in aval.shape] for aval in exported.in_avals]
    with mlir.make_ir_context():
        module = ir.Module.parse(exported.mlir_module())
    known = {kept.index(place): array for place, array in (parameters or {}).items() if place in kept}
    return encode(module, exported.fun_name, names=[names[i] for i in kept], dims=[dims[i] for i in kept], parameters=known)
