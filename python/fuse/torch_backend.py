# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(model, backend="fuse"), and exported programs for fuse.compile.

What Dynamo captures comes through AOTAutograd, without writes in place, as one graph of ATen ops; of training one for the forward
and one for the backward pass. A graph is one program where all of its ops can be imported. What cannot is run by PyTorch: the
graph is cut around it, and `explain` says which node it was and why.

Options, as torch.compile(…, options={…}): those of fuse.compile by name ("numerics", "threads", "cache", …), and
  "explain": True      prints what each graph became
  "fullgraph": True    makes an op that cannot be imported an error
  "freeze": False      takes parameters as inputs of each call, where nothing is trained, in place of packing them once
"""
import dataclasses
import functools
import operator
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from . import _core
from ._compile import Source, compile as compile_source, register_source
from ._core import Error, Program
from .torch_complex import make_real
from .torch_decompositions import DECOMPOSITIONS
from .torch_experts import find_expert_ops
from .torch_graph import Input, NotEncodable, Output, describe_unsupported, encode, encode_exported
from .torch_results import NoNumber, plan_results


@functools.cache
def supported_ops() -> frozenset[str]:
    """The ops that can be imported, with their overloads: "aten.add.Tensor"."""
    return frozenset(_core.torch_ops().split())


#===- Exported programs ----------------------------------------------------------------------===#


def prepare_exported(program: "torch.export.ExportedProgram") -> "torch.export.ExportedProgram":
    """The program without writes in place, and without the ops that can't be imported but made of others."""
    table = torch.export.default_decompositions()
    for op in list(table):
        if str(op) in supported_ops():
            table.pop(op)
    table.update(DECOMPOSITIONS)
    table.update(find_expert_ops())
    return program.run_decompositions(table)


def read_exported(model: Any) -> Source | None:
    """An ExportedProgram as what fuse.compile is given; None for anything else."""
    if not isinstance(model, torch.export.ExportedProgram):
        return None
    try:
        data, weights = encode_exported(prepare_exported(model))
    except NotEncodable as error:
        raise Error(str(error)) from error
    return Source(data, "torch", "program.pt2", weights, keeps=model)


#===- Graphs ---------------------------------------------------------------------------------===#


@dataclasses.dataclass
class Refusal:
    """A node that PyTorch runs."""
    node: str
    op: str
    reason: str
    trace: str = ""


@dataclasses.dataclass
class Explanation:
    """What a graph became."""
    programs: list[Program] = dataclasses.field(default_factory=list)
    refusals: list[Refusal] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{len(self.programs)} program(s) of {sum(len(f.kernels) for p in self.programs for f in p.report.functions[:1])} kernels"]
        for refusal in self.refusals:
            lines.append(f"PyTorch runs '{refusal.node}' ({refusal.op}): {refusal.reason}")
            if refusal.trace:
                lines.append("  " + refusal.trace)
        return "\n".join(lines)


def _last_frame(node: torch.fx.Node) -> str:
    lines = [line.strip() for line in (node.meta.get("stack_trace") or "").splitlines() if line.strip()]
    places = [i for i, line in enumerate(lines) if line.startswith("File ")]
    return ": ".join(lines[places[-1]:places[-1] + 2]) if places else ""


def _find_refused(graph: torch.fx.Graph, error: Error) -> dict[str, str]:
    """Of a compilation that failed: the nodes that it failed for, and why."""
    nodes = {node.name: node for node in graph.nodes}
    refused: dict[str, str] = {}
    for message in error.messages:
        if message["severity"] != "error":
            continue
        for name in message["nodes"]:
            if name in nodes:
                # The importer begins with what stands beside the reason anyway.
                refused[name] = message["text"].removeprefix(f"node '{name}' ({nodes[name].target}): ")
    return refused


def _is_supported(op: torch._ops.OpOverload) -> bool:
    """Forms that write in place (add_) come with those that do not."""
    packet, _, overload = str(op).rpartition(".")
    return str(op) in supported_ops() or f"{packet.removesuffix('_')}.{overload}" in supported_ops()


def _find_unsupported(graph: torch.fx.Graph) -> dict[str, str]:
    """Nodes that no import needs to be tried for: whose op is not in the table, or that have tensors which programs do not."""
    refused: dict[str, str] = {}
    for node in graph.nodes:
        if node.op != "call_function" or node.target is operator.getitem:
            continue
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            refused[node.name] = "it runs graphs of its own"
        elif isinstance(node.target, torch._ops.OpOverload) and not _is_supported(node.target):
            refused[node.name] = "the op is not supported"
        else:
            for each in (*node.all_input_nodes, node):
                for value in _as_tuple(each.meta.get("val")):
                    if isinstance(value, torch.Tensor) and (reason := describe_unsupported(value)):
                        refused[node.name] = reason
    return refused


class _Refused(Exception):
    """Nodes that cannot be imported, by name, and why."""

    def __init__(self, nodes: dict[str, str]):
        super().__init__(", ".join(nodes))
        self.nodes = nodes


def _is_static(tensor: Any) -> bool:
    return isinstance(tensor, torch.nn.Parameter) or bool(getattr(tensor, "_dynamo_static_input_type", None))


def _get_versions(weights: Sequence[torch.Tensor]) -> list[int]:
    """How often each has been written to."""
    try:
        return list(map(operator.attrgetter("_version"), weights))
    except RuntimeError:  # inference tensors do not count that
        return [0 if w.is_inference() else w._version for w in weights]


@dataclasses.dataclass
class _Packed:
    """A program with the weights that it was packed with: where they lay and what they held is what these say."""
    program: Program
    versions: list[int]
    weights: list[weakref.ref]

    def is_needed(self, places: Sequence[int]) -> bool:
        """Whether all weights are still there, and lie where they did."""
        held = [w() for w in self.weights]
        return all(w is not None and w.data_ptr() == place for w, place in zip(held, places))


class _Runner:
    """A compiled graph, called as the graph is. Any number of threads may call it.

    Weights are arguments, of which the program holds packed copies: it is packed again where somebody has written to them, and once
    more for each other set of weights that it is called with (of layers that share their code, of parameters that were exchanged).

    build: packs the graph with the weights
    takes: the places of the arguments that the program takes
    frozen: those of weights; `example` has these
    finish: what the graph gives, of its arguments and of what the program gives; None where that is it"""

    def __init__(self, build: Callable[[Sequence[torch.Tensor]], Program], takes: list[int], frozen: list[int], example: Sequence[Any],
                 finish: Callable[[Sequence[Any], Sequence[torch.Tensor]], tuple] | None):
        self._build, self._takes, self._frozen = build, takes, frozen
        self._finish = finish
        self._lock = threading.Lock()
        self._sets: dict[tuple[int, ...], _Packed] = {}  # by the weights' addresses
        self.program = self._find_program([example[place] for place in frozen])

    def _find_program(self, weights: Sequence[torch.Tensor]) -> Program:
        places = tuple(map(torch.Tensor.data_ptr, weights))
        versions = _get_versions(weights)
        packed = self._sets.get(places)
        if packed is not None and packed.versions == versions:
            return packed.program
        with self._lock:
            packed = self._sets.get(places)  # another thread may have been here
            if packed is None or packed.versions != versions:
                packed = _Packed(self._build(weights), versions, list(map(weakref.ref, weights)))
                self._sets = {k: p for k, p in self._sets.items() if p.is_needed(k)} | {places: packed}
            return packed.program

    def __call__(self, *arguments: Any) -> tuple:
        taken = []
        for place in self._takes:
            value = arguments[place]
            if isinstance(value, torch.Tensor):
                taken.append(value.detach() if value.requires_grad else value)
            else:
                taken.append(torch.tensor(value, dtype=torch.int64))
        program = self._find_program([arguments[place] for place in self._frozen]) if self._frozen else self.program
        made = _as_tuple(program(*taken))
        if not taken:  # then results are arrays of NumPy
            made = tuple(map(_to_tensor, made))
        return self._finish(arguments, made) if self._finish else made


def _to_tensor(array: Any) -> torch.Tensor:
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.as_tensor(array)


def _as_tuple(value: Any) -> tuple:
    return () if value is None else value if isinstance(value, tuple) else (value,)


def _bind_extents(graph: torch.fx.Graph) -> None:
    """Integers that are extents of tensors are read off these."""
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    sources = {}
    for node in placeholders:
        if isinstance(value := node.meta.get("val"), torch.Tensor):
            for dim, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt):
                    sources.setdefault(size.node.expr, (node, dim))
    last = placeholders[-1] if placeholders else None
    for node in placeholders:
        value = node.meta.get("val")
        if not isinstance(value, torch.SymInt) or not node.users or value.node.expr not in sources:
            continue
        tensor, dim = sources[value.node.expr]
        with graph.inserting_after(last):
            size = graph.call_function(torch.ops.aten.sym_size.int, (tensor, dim))
        size.meta["val"] = value
        node.replace_all_uses_with(size)


def _compile_graph(module: torch.fx.GraphModule, example: Sequence[Any], frozen: Sequence[int], settings: dict) -> _Runner:
    """A graph all of whose nodes can be imported. Raises _Refused."""
    graph = module.graph
    _bind_extents(graph)
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    inputs, takes, attributes, used = [], [], {}, {}
    for place, node in enumerate(placeholders):
        value = node.meta.get("val")
        if place in frozen and isinstance(example[place], torch.Tensor):
            inputs.append(Input(node, weight=node.name))
            if node.users:
                used[place] = node.name
        elif isinstance(value, torch.Tensor) or (isinstance(value, torch.SymInt) and node.users):
            inputs.append(Input(node))
            takes.append(place)
        elif not node.users:
            inputs.append(Input(node, constant=0))
        else:
            inputs.append(Input(node, constant=value))
    for node in list(graph.nodes):  # tensors that are part of the code
        if node.op == "get_attr":
            value = functools.reduce(getattr, node.target.split("."), module)
            if not isinstance(value, torch.Tensor):
                raise _Refused({node.name: "an attribute that is no tensor"})
            node.meta.setdefault("val", value)
            attributes[node.name] = value.detach()
            inputs.append(Input(node, weight=node.name))
    results = next(n for n in graph.nodes if n.op == "output").args[0]
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    try:
        planned = plan_results(results, placeholders)
    except NoNumber as error:
        raise _Refused({node.name: "a number that is a result and depends on elements" for node in error.nodes}) from error
    shape_env = next((v.fake_mode.shape_env for n in placeholders if hasattr(v := n.meta.get("val"), "fake_mode")), None)
    try:
        data = encode(graph, inputs, [Output(node) for node in planned.nodes], shape_env.var_to_range if shape_env else None)
    except NotEncodable as error:
        raise _Refused({error.node: error.reason}) from error
    finally:
        planned.remove_added()

    def build(values: Sequence[torch.Tensor]) -> Program:
        weights = {name: value.detach() for name, value in zip(used.values(), values, strict=True)}
        try:
            return compile_source(_Encoded(data, weights | attributes), progress=False, **settings)
        except Error as error:
            if refused := _find_refused(graph, error):
                raise _Refused(refused) from error
            raise

    return _Runner(build, takes, list(used), example, planned.finish)


@dataclasses.dataclass
class _Encoded:
    data: bytes
    weights: dict


def _read_encoded(model: Any) -> Source | None:
    return Source(model.data, "torch", "graph.pt2", model.weights, keeps=model) if isinstance(model, _Encoded) else None


def _describe_refused(nodes: dict[str, str]) -> Error:
    return Error("\n".join(f"node '{name}': {reason}" for name, reason in nodes.items()))


def compile_graph(module: torch.fx.GraphModule, example: Sequence[Any], frozen: Sequence[int] = (), settings: dict | None = None,
                  whole: bool = False) -> tuple[Callable, Explanation]:
    """What a graph of ATen ops is called with, and what became of it. `frozen`: the places of arguments that are weights. With
    `whole` a node that cannot be imported is an error."""
    real = make_real(module, _decompositions())
    if real is None:
        return _compile_real(module, example, frozen, settings, whole)
    frozen = [place for place in frozen if place not in real.complex_places] + list(range(len(example), len(example) + len(real.matrices)))
    made, explanation = _compile_real(real.module, real.list_arguments(example), frozen, settings, whole)
    return real.wrap(made), explanation


def _compile_real(module: torch.fx.GraphModule, example: Sequence[Any], frozen: Sequence[int], settings: dict | None,
                  whole: bool) -> tuple[Callable, Explanation]:
    explanation = Explanation()
    settings = settings or {}
    refused = _find_unsupported(module.graph)
    if whole and refused:
        raise _describe_refused(refused)
    # Nodes that read what PyTorch computes must be cut off as well; the import names them one after the other.
    for tries in range(64):
        try:
            if not refused:
                runner = _compile_graph(module, example, frozen, settings)
                explanation.programs = [runner.program]
                return runner, explanation
            return _compile_parts(module, example, frozen, settings, refused, explanation), explanation
        except _Refused as found:
            fresh = {k: v for k, v in found.nodes.items() if k not in refused}
            if whole or not fresh:
                raise _describe_refused(found.nodes) from found
            refused.update(fresh)
            if tries >= 8:  # each try compiles what stands before: others of these ops are not waited for
                reasons = {node.target: fresh[node.name] for node in module.graph.nodes if node.name in fresh}
                refused |= {node.name: reasons[node.target] for node in module.graph.nodes if node.target in reasons and node.name not in refused}
            explanation = Explanation()
    # Each try finds one more: the whole graph is left to PyTorch.
    nodes = {node.name: node for node in module.graph.nodes}
    explanation.refusals = [Refusal(name, str(nodes[name].target), reason, _last_frame(nodes[name])) for name, reason in refused.items()
                           if name in nodes]
    return module, explanation


def _compile_parts(module: torch.fx.GraphModule, example: Sequence[Any], frozen: Sequence[int], settings: dict,
                   refused: dict[str, str], explanation: Explanation) -> Callable:
    from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
    from torch.fx.passes.operator_support import OperatorSupportBase

    class Support(OperatorSupportBase):
        def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
            return node.op == "call_function" and node.name not in refused and not (
                node.target is operator.getitem and node.args[0].name in refused)

    module = torch.fx.GraphModule(module, _copy_graph(module.graph))
    for node in module.graph.nodes:
        if node.name in refused:
            explanation.refusals.append(Refusal(node.name, str(node.target), refused[node.name], _last_frame(node)))
    partitioner = CapabilityBasedPartitioner(module, Support(), allows_single_node_partition=True)
    parts = partitioner.fuse_partitions(partitioner.propose_partitions(), prefix="fuse_part")
    originals = {n.name: i for i, n in enumerate(n for n in parts.graph.nodes if n.op == "placeholder")}
    for node in parts.graph.nodes:
        if node.op != "call_module" or not node.target.startswith("fuse_part"):
            continue
        inner = getattr(parts, node.target)
        places = [originals.get(a.name) if isinstance(a, torch.fx.Node) and a.op == "placeholder" else None for a in node.args]
        values = [example[p] if p is not None else None for p in places]
        own = [i for i, p in enumerate(places) if p in frozen]
        for placeholder, argument in zip((n for n in inner.graph.nodes if n.op == "placeholder"), node.args):
            placeholder.meta.setdefault("val", argument.meta.get("val"))
        runner = _compile_graph(inner, values, own, settings)
        explanation.programs.append(runner.program)
        setattr(parts, node.target, _Part(runner, inner))
    parts.recompile()
    return parts


def _copy_graph(graph: torch.fx.Graph) -> torch.fx.Graph:
    copy = torch.fx.Graph()
    result = copy.graph_copy(graph, names := {})
    copy.output(result)
    for old, new in names.items():
        new.name = old.name
        new.meta = dict(old.meta)
    return copy


class _Part(torch.nn.Module):
    """A compiled part of a graph in its place: one result comes as itself where the part gave it so."""

    def __init__(self, runner: _Runner, inner: torch.fx.GraphModule):
        super().__init__()
        self.runner = runner
        self.is_single = not isinstance(next(n for n in inner.graph.nodes if n.op == "output").args[0], (tuple, list))

    def forward(self, *arguments: Any) -> Any:
        made = self.runner(*arguments)
        return made[0] if self.is_single else made


#===- The backend ----------------------------------------------------------------------------===#


@functools.cache
def _decompositions() -> dict:
    from torch._decomp import core_aten_decompositions
    ops = supported_ops()
    return {op: function for op, function in core_aten_decompositions().items() if str(op) not in ops} | DECOMPOSITIONS


def fuse(module: torch.fx.GraphModule, example: Sequence[Any], *, options: dict | None = None, mode: str | None = None) -> Callable:
    """The backend of torch.compile."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    settings = dict(options or {})
    explains, whole, freezes = settings.pop("explain", False), settings.pop("fullgraph", False), settings.pop("freeze", True)
    def compiler(kind: str) -> Callable:
        def run(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable:
            frozen: list[int] = []
            real = list(inputs)
            if kind == "inference" and freezes:
                real, frozen = _find_frozen(graph, inputs, example)
            with _disable_current_modes():  # weights are tensors with elements
                made, explanation = compile_graph(graph, real, frozen, settings, whole)
            if explains:
                print(f"fuse: a {kind} graph is {explanation}", file=sys.stderr)
            return make_boxed_func(made)
        return run

    return aot_autograd(fw_compiler=compiler("forward"), bw_compiler=compiler("backward"),
                        inference_compiler=compiler("inference"), decompositions=_decompositions() | find_expert_ops())(module, example)


def _find_frozen(graph: torch.fx.GraphModule, inputs: Sequence[Any], example: Sequence[Any]) -> tuple[list, list[int]]:
    """The arguments that are weights: parameters and buffers that the module has, which Dynamo lists among its own arguments in
    the order that AOTAutograd keeps."""
    real, frozen = list(inputs), []
    if len(inputs) != len(example):
        return real, frozen
    placeholders = [n for n in graph.graph.nodes if n.op == "placeholder"]
    for place, (node, given) in enumerate(zip(placeholders, example)):
        value = node.meta.get("val")
        if _is_static(given) and isinstance(value, torch.Tensor) and value.shape == given.shape and value.dtype == given.dtype:
            real[place] = given
            frozen.append(place)
    return real, frozen


register_source(read_exported)
register_source(_read_encoded)
