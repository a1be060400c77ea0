# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of PyTorch as the JSON of exported programs, which the compiler's format "torch" is: graphs of ATen ops that
torch.export and AOTAutograd make. What is written is the part of torch/_export/serde/schema.py that such graphs need, so that
versions of PyTorch may differ in theirs."""
import dataclasses
import json
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy
import torch

_TYPES = {torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5, torch.float16: 6, torch.float32: 7,
          torch.float64: 8, torch.complex32: 9, torch.complex64: 10, torch.complex128: 11, torch.bool: 12, torch.bfloat16: 13,
          torch.uint16: 28, torch.float8_e4m3fn: 29, torch.float8_e5m2: 30, torch.float8_e4m3fnuz: 31, torch.float8_e5m2fnuz: 32,
          torch.uint32: 34, torch.uint64: 35}
_FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3, torch.preserve_format: 4}
_STRIDED = 7
_LARGEST = 1 << 40  # what is beyond is no bound of an extent


# Those that the dialect has, too.
_SUPPORTED = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64, torch.bool,
              torch.bfloat16, torch.uint16, torch.uint32, torch.uint64}


def describe_unsupported(tensor: torch.Tensor) -> str:
    """Why no program can have such a tensor; empty where one can."""
    if tensor.layout != torch.strided:
        return f"tensors that are not dense ({tensor.layout}) are not supported"
    if tensor.dtype not in _SUPPORTED:
        return f"elements of type {str(tensor.dtype).removeprefix('torch.')} are not supported"
    return ""


class NotEncodable(Exception):
    """A node that the format has no form for; `node` is its name."""

    def __init__(self, node: str, reason: str):
        super().__init__(f"node '{node}': {reason}")
        self.node, self.reason = node, reason


@dataclasses.dataclass
class Input:
    """A placeholder of the graph: an input of the program, or a weight with its name in the module."""
    node: torch.fx.Node
    weight: str | None = None
    constant: Any = None  # of one that is no tensor and no integer: part of the program


@dataclasses.dataclass
class Output:
    """A result: what a node or None gives; `replaces`: the input or weight (its name in the module) that it is the new value of."""
    value: Any
    replaces: str | None = None
    is_input: bool = False


def _size(value: Any) -> dict:
    if isinstance(value, int):
        return {"as_int": value}
    expression = value.node.expr
    if expression.is_Integer:
        return {"as_int": int(expression)}
    hint = getattr(value.node, "hint", None)  # none of sizes that the program computes
    hint = {"hint": {"as_int": int(hint)}} if isinstance(hint, int) else {}
    return {"as_expr": {"expr_str": sympy.srepr(expression), **hint}}


def _strides(value: torch.Tensor) -> list:
    return [_size(s) for s in value.stride()] if value.layout == torch.strided else []


def _offset(value: torch.Tensor) -> dict:
    offset = value.storage_offset() if value.layout == torch.strided else 0
    return {} if isinstance(offset, int) and offset == 0 else {"storage_offset": _size(offset)}


def _symbols(values: Iterable[Any]) -> set:
    found = set()
    for value in values:
        if isinstance(value, torch.Tensor):
            found |= _symbols(value.shape)
        elif isinstance(value, torch.SymInt):
            found |= value.node.expr.free_symbols
    return found


def _float(value: float) -> Any:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


class _Encoder:
    def __init__(self) -> None:
        self.tensors: dict[str, dict] = {}
        self.numbers: dict[str, dict] = {}
        self.names: dict[torch.fx.Node, str] = {}  # of nodes that stand for others
        self.nodes: list[dict] = []

    def name(self, node: torch.fx.Node) -> str:
        return self.names.get(node, node.name)

    def note(self, name: str, value: Any) -> None:
        if isinstance(value, torch.Tensor):
            self.tensors[name] = {"dtype": _TYPES.get(value.dtype, 0), "sizes": [_size(s) for s in value.shape],
                                  "strides": _strides(value), **_offset(value), "layout": _STRIDED if value.layout == torch.strided else 1}
        elif isinstance(value, torch.SymInt):
            self.numbers[name] = _size(value)

    def argument(self, owner: torch.fx.Node, value: Any) -> dict:
        if value is None:
            return {"as_none": True}
        if isinstance(value, torch.fx.Node):
            made, name = value.meta.get("val"), self.name(value)
            if isinstance(made, torch.Tensor):
                return {"as_tensor": {"name": name}}
            if isinstance(made, (torch.SymInt, int)) and not isinstance(made, bool):
                return {"as_sym_int": {"as_name": name}}
            if isinstance(made, (torch.SymFloat, float)):
                return {"as_sym_float": {"as_name": name}}
            if isinstance(made, (torch.SymBool, bool)):
                return {"as_sym_bool": {"as_name": name}}
            raise NotEncodable(owner.name, f"its operand '{name}' is a {type(made).__name__}")
        if isinstance(value, bool):
            return {"as_bool": value}
        if isinstance(value, int):
            return {"as_int": value}
        if isinstance(value, float):
            return {"as_float": _float(value)}
        if isinstance(value, str):
            return {"as_string": value}
        if isinstance(value, torch.dtype):
            return {"as_scalar_type": _TYPES.get(value, 0)}
        if isinstance(value, torch.memory_format):
            return {"as_memory_format": _FORMATS[value]}
        if isinstance(value, torch.layout):
            return {"as_layout": _STRIDED if value == torch.strided else 1}
        if isinstance(value, torch.device):
            return {"as_device": {"type": value.type, "index": value.index}}
        if isinstance(value, complex):
            return {"as_complex": {"real": value.real, "imag": value.imag}}
        if isinstance(value, (list, tuple)):
            return self.list(owner, list(value))
        raise NotEncodable(owner.name, f"an argument of type {type(value).__name__}")

    def list(self, owner: torch.fx.Node, values: list) -> dict:
        each = [self.argument(owner, v) for v in values]
        kinds = {next(iter(e)) for e in each}
        if not kinds:
            return {"as_ints": []}
        if kinds == {"as_tensor"}:
            return {"as_tensors": [e["as_tensor"] for e in each]}
        if kinds <= {"as_tensor", "as_none"}:
            return {"as_optional_tensors": each}
        for kind in ("as_int", "as_float", "as_bool"):
            if kinds == {kind}:
                return {kind + "s": [e[kind] for e in each]}
        if kinds == {"as_int", "as_float"}:
            return {"as_floats": [e.get("as_float", e.get("as_int")) for e in each]}
        if kinds <= {"as_int", "as_sym_int"}:
            return {"as_sym_ints": [e.get("as_sym_int", e) for e in each]}
        raise NotEncodable(owner.name, f"a list of {', '.join(sorted(kinds))}")

    def node(self, node: torch.fx.Node) -> None:
        target = node.target
        if isinstance(target, torch._ops.OpOverload):
            name, names = f"torch.ops.{target}", [a.name for a in target._schema.arguments]
        elif getattr(target, "__module__", None) in ("_operator", "torch", "math"):
            name, names = f"{target.__module__}.{target.__name__}", ["a", "b", "c"]
        else:
            raise NotEncodable(node.name, f"calls {target}")
        arguments = list(zip(names, node.args)) + list(node.kwargs.items())
        inputs = [{"name": n, "arg": self.argument(node, v)} for n, v in arguments]
        value = node.meta.get("val")
        if isinstance(value, (tuple, list)):
            picks: dict[int, str] = {}
            for user in node.users:
                if user.target is operator.getitem:
                    self.names[user] = picks.setdefault(user.args[1], user.name)
            outputs = []
            for i, each in enumerate(value):
                pick = picks.get(i, "")
                if pick:
                    self.note(pick, each)
                outputs.append({"as_sym_int": {"as_name": pick}} if isinstance(each, torch.SymInt) else {"as_tensor": {"name": pick}})
        else:
            self.note(node.name, value)
            kind = "as_sym_int" if isinstance(value, (int, torch.SymInt)) else "as_sym_float" if isinstance(value, torch.SymFloat) else "as_sym_bool"
            outputs = [] if value is None else [{"as_tensor": {"name": node.name}} if isinstance(value, torch.Tensor) else {kind: {"as_name": node.name}}]
        trace = node.meta.get("stack_trace")
        self.nodes.append({"target": name, "inputs": inputs, "outputs": outputs, "name": node.name,
                           "metadata": {"stack_trace": trace} if trace else {}})


def encode(graph: torch.fx.Graph, inputs: Sequence[Input], outputs: Sequence[Output],
           ranges: Mapping[Any, Any] | None = None) -> bytes:
    """The JSON of a graph. `ranges`: the least and the greatest value of symbols, as ShapeEnv.var_to_range has them. Raises
    NotEncodable."""
    encoder = _Encoder()
    specs: list[dict] = []
    values = [i.node.meta.get("val") for i in inputs]
    for given, value in zip(inputs, values):
        name = given.node.name
        if given.constant is not None or value is None:
            constant = given.constant
            kind = "as_bool" if isinstance(constant, bool) else "as_int" if isinstance(constant, int) else "as_float"
            known = {kind: _float(constant) if isinstance(constant, float) else constant} if isinstance(constant, (int, float)) else {"as_none": True}
            specs.append({"constant_input": {"name": name, "value": known}})
        elif given.weight is not None:
            encoder.note(name, value)
            specs.append({"parameter": {"arg": {"name": name}, "parameter_name": given.weight}})
        elif isinstance(value, torch.Tensor):
            encoder.note(name, value)
            specs.append({"user_input": {"arg": {"as_tensor": {"name": name}}}})
        else:
            encoder.note(name, value)
            specs.append({"user_input": {"arg": {"as_sym_int": {"as_name": name}}}})
    for node in graph.nodes:
        if node.op == "call_function" and node.target is not operator.getitem:
            encoder.node(node)
        elif node.op == "call_function" and node not in encoder.names:
            raise NotEncodable(node.name, "takes an element of what is no list of tensors")
        elif node.op == "get_attr" and any(given.node is node for given in inputs):
            pass  # a weight
        elif node.op not in ("placeholder", "output", "call_function"):
            raise NotEncodable(node.name, f"{node.op} of {node.target}")
    made = []
    for output in outputs:
        if output.replaces is None:
            if isinstance(output.value, torch.fx.Node):
                owner = output.value
                made.append({"user_output": {"arg": encoder.argument(owner, output.value)}})
            else:
                made.append({"user_output": {"arg": {"as_none": True}}})
        else:
            kind, key = ("user_input_mutation", "user_input_name") if output.is_input else ("buffer_mutation", "buffer_name")
            made.append({kind: {"arg": {"name": encoder.name(output.value)}, key: output.replaces}})
    results = [next(iter(m.values()))["arg"] for m in made]
    constraints = {}
    for symbol in _symbols(values):
        bounds = (ranges or {}).get(symbol)
        if bounds is None:
            continue
        low = int(bounds.lower) if getattr(bounds.lower, "is_Integer", False) or isinstance(bounds.lower, int) else None
        high = int(bounds.upper) if getattr(bounds.upper, "is_Integer", False) or isinstance(bounds.upper, int) else None
        constraints[str(symbol)] = {"min_val": low if low is not None and low > -_LARGEST else None, "max_val": high if high is not None and high < _LARGEST else None}
    body = {"inputs": [], "outputs": results, "nodes": encoder.nodes, "tensor_values": encoder.tensors,
            "sym_int_values": encoder.numbers, "sym_bool_values": {}}
    program = {"graph_module": {"graph": body, "signature": {"input_specs": specs, "output_specs": made}},
               "range_constraints": constraints, "schema_version": {"major": 8, "minor": 0}, "torch_version": torch.__version__}
    return json.dumps(program).encode()


def encode_exported(program: "torch.export.ExportedProgram") -> tuple[bytes, dict[str, torch.Tensor]]:
    """An exported program without writes in place, and its weights by name."""
    signature = program.graph_signature
    nodes = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    weights = {**program.state_dict, **program.constants}
    inputs, used = [], {}
    for spec in signature.input_specs:
        node = nodes[spec.arg.name]
        kind = spec.kind.name
        if kind in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR"):
            inputs.append(Input(node, weight=spec.target))
            if node.users:
                used[spec.target] = weights[spec.target].detach()
        elif kind == "USER_INPUT" and isinstance(node.meta.get("val"), (torch.Tensor, torch.SymInt)):
            inputs.append(Input(node))
        elif kind == "USER_INPUT":
            inputs.append(Input(node, constant=getattr(spec.arg, "value", node.meta.get("val"))))
        else:
            raise NotEncodable(node.name, f"an input of kind {kind}")
    results = next(n for n in program.graph.nodes if n.op == "output").args[0]
    outputs = []
    for spec, value in zip(signature.output_specs, results):
        kind = spec.kind.name
        if kind.endswith("MUTATION"):
            outputs.append(Output(value, spec.target, kind == "USER_INPUT_MUTATION"))
        else:
            outputs.append(Output(value))
    return encode(program.graph, inputs, outputs, program.range_constraints), used
