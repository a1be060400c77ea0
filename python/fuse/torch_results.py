# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of graphs as PyTorch has them: with its strides, and in the memory of an argument or of another result where they are views.

That is more than appearance: AOTAutograd makes what it gives of arguments and of other results by the sizes, the strides and the offset
of what a graph's code gives it. A program's results are tensors of their own, row by row."""
import dataclasses
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true as is_known
from torch.multiprocessing.reductions import StorageWeakRef


class NoNumber(Exception):
    """Numbers that depend on elements; `nodes` compute them."""

    def __init__(self, nodes: Sequence[torch.fx.Node]):
        super().__init__(", ".join(node.name for node in nodes))
        self.nodes = list(nodes)


@dataclasses.dataclass
class Results:
    """nodes: what the program computes
    finish: the graph's results, of its arguments and of what the program gives; None where these are the results"""
    nodes: list[torch.fx.Node]
    finish: Callable[[Sequence[Any], Sequence[torch.Tensor]], tuple] | None
    added: list[torch.fx.Node]

    def remove_added(self) -> None:
        """Leaves the graph as it was."""
        for node in self.added:
            node.graph.erase_node(node)


def _make_number(node: torch.fx.Node, placeholders: list[torch.fx.Node]) -> Callable[[Sequence[Any]], Any]:
    """What computes a number made of extents and of numbers that are arguments (which a graph for training hands to that for the
    backward pass), of the arguments. Raises NoNumber where it depends on elements."""
    if node.op == "placeholder":
        return operator.itemgetter(placeholders.index(node))
    if node.target is torch.ops.aten.sym_size.int and node.args[0].op == "placeholder":
        place, dim = placeholders.index(node.args[0]), node.args[1]
        return lambda arguments: arguments[place].shape[dim]
    if node.op != "call_function" or isinstance(node.target, torch._ops.OpOverload) or isinstance(node.meta.get("val"), torch.Tensor):
        # An extent of what the graph computes: its expression says it, where it is one of arguments' extents.
        value = node.meta.get("val")
        numbers = _make_numbers([value], placeholders) if isinstance(value, (int, torch.SymInt)) else None
        if numbers is None:
            raise NoNumber([node])
        return lambda arguments: numbers(arguments)[0]
    makers = {a: _make_number(a, placeholders) for a in node.all_input_nodes}
    function, operands = node.target, node.args  # of which some are lists (sym_sum)
    return lambda arguments: function(*torch.fx.node.map_arg(operands, lambda a: makers[a](arguments)))


def _make_numbers(values: Sequence[int | torch.SymInt], placeholders: list[torch.fx.Node]) -> Callable[[Sequence[Any]], tuple] | None:
    """What computes expressions of the extents of arguments; None where they have other symbols."""
    from torch.utils._sympy.printers import PythonPrinter

    if not any(isinstance(v, torch.SymInt) for v in values):
        known = tuple(values)
        return lambda arguments: known
    sources: dict[Any, str] = {}
    for place, node in enumerate(placeholders):
        value = node.meta.get("val")
        if isinstance(value, torch.SymInt):
            sources.setdefault(value.node.expr, f"arguments[{place}]")
        elif isinstance(value, torch.Tensor):
            for dim, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt):
                    sources.setdefault(size.node.expr, f"arguments[{place}].shape[{dim}]")
    expressions = [v.node.expr if isinstance(v, torch.SymInt) else v for v in values]
    symbols = sorted({s for e in expressions for s in getattr(e, "free_symbols", ())}, key=str)
    if not all(s in sources for s in symbols):
        return None
    text = ", ".join(str(e) if isinstance(e, int) else PythonPrinter().doprint(e) for e in expressions)
    return eval(f"lambda arguments: (lambda {', '.join(map(str, symbols))}: ({text},))({', '.join(sources[s] for s in symbols)})", {"math": math, "torch": torch})


def _find_memory(value: torch.Tensor) -> tuple | None:
    """What is equal of tensors that may be views of each other; None of what none is a view of."""
    if value.layout != torch.strided or value.is_complex():
        return None
    return StorageWeakRef(value.untyped_storage()), value.dtype


def find_order(value: torch.Tensor) -> list[int] | None:
    """The dimensions in the order that they have in memory, where there are no gaps; None where there are."""
    hint = lambda n: n if isinstance(n, int) else getattr(n.node, "hint", None) or 0
    order = sorted(range(value.dim()), key=lambda dim: (-hint(value.stride(dim)), dim))
    dense = 1
    for dim in reversed(order):
        if not is_known(value.shape[dim] == 1):
            if not is_known(value.stride(dim) == dense):
                return None
            dense = dense * value.shape[dim]
    return order


def _fills_memory(value: torch.Tensor) -> bool:
    return is_known(value.storage_offset() == 0) and find_order(value) is not None and is_known(
        value.numel() * value.element_size() == value.untyped_storage().nbytes())


def _make_view(of: torch.Tensor, value: torch.Tensor, placeholders: list[torch.fx.Node]) -> Callable[[Sequence[Any], torch.Tensor], torch.Tensor] | None:
    """What makes `value`, which shares the memory of `of`, of the arguments and of what `of` is when the graph runs."""
    rank = value.dim()
    numbers = _make_numbers([*value.shape, *value.stride(), value.storage_offset() - of.storage_offset()], placeholders)
    if numbers is None:
        return None

    def make(arguments: Sequence[Any], base: torch.Tensor) -> torch.Tensor:
        found = numbers(arguments)
        return base.as_strided(found[:rank], found[rank:-1], base.storage_offset() + found[-1])

    return make


def plan_results(results: Sequence[Any], placeholders: list[torch.fx.Node]) -> Results:
    """Raises NoNumber."""
    nodes: list[torch.fx.Node] = []
    added: list[torch.fx.Node] = []
    makers: list[Callable[[Sequence[Any], Sequence[torch.Tensor], list], Any]] = []
    is_plain = True
    unknown: list[torch.fx.Node] = []
    arguments_in: dict[tuple, int] = {}  # by their memory
    for place, node in enumerate(placeholders):
        if isinstance(base := node.meta.get("val"), torch.Tensor) and (memory := _find_memory(base)):
            arguments_in.setdefault(memory, place)
    results_in: dict[tuple, tuple[int, torch.Tensor]] = {}  # those without gaps that fill it

    def add_view(value: torch.Tensor) -> bool:
        memory = _find_memory(value)
        if memory in arguments_in:
            place = arguments_in[memory]
            if view := _make_view(placeholders[place].meta["val"], value, placeholders):
                makers.append(lambda arguments, made, done: view(arguments, arguments[place]))
        elif memory in results_in:
            place, base = results_in[memory]
            if view := _make_view(base, value, placeholders):
                makers.append(lambda arguments, made, done: view(arguments, done[place]))
        else:
            return False
        return view is not None

    def add_computed(result: torch.fx.Node, value: torch.Tensor) -> None:
        number, order = len(nodes), find_order(value) if value.layout == torch.strided else None
        if order is None or order == sorted(order):
            nodes.append(result)
            makers.append(lambda arguments, made, done: made[number])
        else:
            with result.graph.inserting_before(next(n for n in result.graph.nodes if n.op == "output")):
                turned = result.graph.call_function(torch.ops.aten.permute.default, (result, order))
            turned.meta["val"] = value.permute(order)
            added.append(turned)
            nodes.append(turned)
            back = [order.index(dim) for dim in range(len(order))]
            makers.append(lambda arguments, made, done: made[number].permute(back))

    # What others are views of stands first.
    wholes: dict[tuple, int] = {}
    for place, result in enumerate(results):
        value = result.meta.get("val") if isinstance(result, torch.fx.Node) else None
        memory = _find_memory(value) if isinstance(value, torch.Tensor) else None
        if memory and memory not in arguments_in and memory not in wholes and _fills_memory(value):
            wholes[memory] = place
    first = set(wholes.values())
    places = [*sorted(first), *(p for p in range(len(results)) if p not in first)]
    for place in places:
        result = results[place]
        value = result.meta.get("val") if isinstance(result, torch.fx.Node) else None
        if not isinstance(result, torch.fx.Node):
            makers.append(lambda arguments, made, done, result=result: result)
        elif not isinstance(value, torch.Tensor):
            try:
                number = _make_number(result, placeholders)
            except NoNumber as error:
                unknown += error.nodes
                continue
            makers.append(lambda arguments, made, done, number=number: number(arguments))
        elif result.op == "placeholder":
            makers.append(lambda arguments, made, done, place=placeholders.index(result): arguments[place])
        elif not add_view(value):
            is_plain &= place == len(makers)
            add_computed(result, value)
            if place in first:
                results_in[_find_memory(value)] = place, value
            continue
        is_plain = False
    if unknown:
        Results(nodes, None, added).remove_added()
        raise NoNumber(list(dict.fromkeys(unknown)))
    if is_plain and not added:
        return Results(nodes, None, added)

    def finish(arguments: Sequence[Any], made: Sequence[torch.Tensor]) -> tuple:
        done: list = [None] * len(places)
        for place, maker in zip(places, makers):
            done[place] = maker(arguments, made, done)
        return tuple(done)

    return Results(nodes, finish, added)
