# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs with complex numbers as graphs of real ones.

The dialect has no complex elements. A complex tensor becomes two tensors, its real and its imaginary parts; a complex argument
or result of the graph is one tensor with both as its last dimension, which is how they lie in memory. Fourier transforms of up
to _LONGEST elements are products with a matrix that is known when the graph is compiled. Ops without a rule here keep their
complex operands, so that PyTorch runs them, and what stands around them is compiled."""
import dataclasses
import math
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing, make_fx
from torch.fx.experimental.symbolic_shapes import statically_known_true as is_known
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._pytree import tree_leaves, tree_map

_aten = torch.ops.aten
_PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}
_LONGEST = 64  # beyond it the work of products outgrows that of PyTorch's transforms


@dataclasses.dataclass
class _Pair:
    re: torch.Tensor
    im: torch.Tensor


#===- Rules ----------------------------------------------------------------------------------===#

RULES: dict[Any, Callable] = {}


def _rule(*ops: Any) -> Callable:
    def add(function: Callable) -> Callable:
        RULES.update(dict.fromkeys(ops, function))
        return function
    return add


def _split(x: Any) -> tuple[Any, Any]:
    """The parts of a tensor or a number; None for an imaginary part that is 0."""
    if isinstance(x, _Pair):
        return x.re, x.im
    return (x.real, x.imag) if isinstance(x, complex) else (x, None)


def _take(x: Any, place: int) -> Any:
    """A part of an operand of an op that is linear in its floats; masks and indices are both parts' own."""
    if isinstance(x, _Pair):
        return (x.re, x.im)[place]
    if isinstance(x, torch.dtype):
        return _PARTS.get(x, x)
    return torch.zeros_like(x) if place and isinstance(x, torch.Tensor) and x.is_floating_point() else x


def _each(op: Any, *args: Any, **kwargs: Any) -> Any:
    """What op makes of either part."""
    re, im = (op(*tree_map(lambda x: _take(x, place), args), **tree_map(lambda x: _take(x, place), kwargs)) for place in (0, 1))
    return [_Pair(*each) for each in zip(re, im)] if isinstance(re, (list, tuple)) else _Pair(re, im)


# Ops that move or add up elements.
_LINEAR = """alias cat clone contiguous copy cumsum detach diagonal empty_like expand expand_copy flip gather index index_add
    index_put index_select lift_fresh lift_fresh_copy mean narrow neg permute permute_copy repeat reshape roll scatter_add
    select select_copy select_scatter slice slice_copy slice_scatter split split_with_sizes squeeze squeeze_copy stack sum t
    transpose transpose_copy tril triu unbind unfold unsqueeze unsqueeze_copy view view_copy zeros_like new_zeros new_empty
    zeros empty empty_strided _reshape_alias _unsafe_index _unsafe_view""".split()
for each in _LINEAR:
    RULES[getattr(_aten, each)] = lambda op, *args, **kwargs: _each(op, *args, **kwargs)
RULES[_aten.where.self] = RULES[_aten.view]
RULES[_aten.view.dtype] = lambda op, *args, **kwargs: NotImplemented


@_rule(_aten.constant_pad_nd)
def _pad(op: Any, x: Any, pad: Sequence, value: Any = 0) -> Any:
    return _each(op, x, pad, 0) if value == 0 else NotImplemented


def _add(x: Any, y: Any, alpha: Any = 1) -> Any:
    if isinstance(alpha, complex):
        return NotImplemented
    (xr, xi), (yr, yi) = _split(x), _split(y)
    re = torch.add(xr, yr, alpha=alpha) if isinstance(xr, torch.Tensor) else xr + yr * alpha
    if xi is None:
        im = yi * alpha
    else:
        im = xi if yi is None else torch.add(xi, yi, alpha=alpha)
    return _Pair(re, im.expand(re.shape) if isinstance(im, torch.Tensor) else torch.full_like(re, im))


def _multiply(x: Any, y: Any, times: Callable = operator.mul) -> _Pair:
    (xr, xi), (yr, yi) = _split(x), _split(y)
    if yi is None:
        return _Pair(times(xr, yr), times(xi, yr))
    if xi is None:
        return _Pair(times(xr, yr), times(xr, yi))
    return _Pair(times(xr, yr) - times(xi, yi), times(xr, yi) + times(xi, yr))


def _conjugate(x: Any) -> Any:
    re, im = _split(x)
    return re if im is None else _Pair(re, -im)


def _square_length(x: _Pair) -> torch.Tensor:
    return x.re * x.re + x.im * x.im


@_rule(_aten.add)
def _(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    return _add(x, y, alpha)


@_rule(_aten.sub)
def _(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    return _add(x, y, -alpha)


@_rule(_aten.rsub)
def _(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    return _add(_each(_aten.neg, x), y) if alpha == 1 else NotImplemented


@_rule(_aten.mul)
def _(op: Any, x: Any, y: Any) -> Any:
    return _multiply(x, y)


@_rule(_aten.mm, _aten.bmm, _aten.matmul, _aten.mv)
def _(op: Any, x: Any, y: Any) -> Any:
    return _multiply(x, y, op)


@_rule(_aten.div.Tensor, _aten.div.Scalar)
def _(op: Any, x: Any, y: Any) -> Any:
    if isinstance(y, _Pair):
        made, length = _multiply(x, _conjugate(y)), _square_length(y)
        return _Pair(made.re / length, made.im / length)
    return NotImplemented if isinstance(y, complex) else _Pair(x.re / y, x.im / y)


@_rule(_aten.reciprocal)
def _(op: Any, x: _Pair) -> _Pair:
    length = _square_length(x)
    return _Pair(x.re / length, -x.im / length)


@_rule(_aten.pow.Tensor_Scalar)
def _(op: Any, x: Any, exponent: Any) -> Any:
    return _multiply(x, x) if exponent == 2 else NotImplemented


@_rule(_aten._conj, _aten._conj_physical, _aten.conj_physical)
def _(op: Any, x: _Pair) -> _Pair:
    return _conjugate(x)


@_rule(_aten.resolve_conj, _aten.resolve_neg)
def _(op: Any, x: _Pair) -> _Pair:
    return x


@_rule(_aten.exp)
def _(op: Any, x: _Pair) -> _Pair:
    return _polar(x.re.exp(), x.im)


@_rule(_aten.log)
def _(op: Any, x: _Pair) -> _Pair:
    return _Pair(torch.hypot(x.re, x.im).log(), torch.atan2(x.im, x.re))


def _polar(length: torch.Tensor, angle: torch.Tensor) -> _Pair:
    return _Pair(length * angle.cos(), length * angle.sin())


@_rule(_aten.polar)
def _(op: Any, length: torch.Tensor, angle: torch.Tensor) -> _Pair:
    return _polar(length, angle)


@_rule(_aten.complex)
def _(op: Any, re: torch.Tensor, im: torch.Tensor) -> _Pair:
    return _Pair(*torch.broadcast_tensors(re, im))


@_rule(_aten.abs)
def _(op: Any, x: _Pair) -> torch.Tensor:
    return torch.hypot(x.re, x.im)


@_rule(_aten.angle)
def _(op: Any, x: _Pair) -> torch.Tensor:
    return torch.atan2(x.im, x.re)


@_rule(_aten.sgn)
def _(op: Any, x: _Pair) -> _Pair:
    length = torch.hypot(x.re, x.im)
    return _Pair(*(torch.where(length == 0, 0.0, part / length) for part in (x.re, x.im)))


@_rule(_aten.view_as_real)
def _(op: Any, x: _Pair) -> torch.Tensor:
    return torch.stack((x.re, x.im), -1)


@_rule(_aten.view_as_complex)
def _(op: Any, x: torch.Tensor) -> _Pair:
    return _Pair(x.select(-1, 0), x.select(-1, 1))


@_rule(_aten._to_copy)
def _(op: Any, x: Any, *, dtype: torch.dtype | None = None, **kwargs: Any) -> Any:
    if isinstance(x, _Pair):
        becomes_real = dtype is not None and dtype not in _PARTS
        return op(x.re, dtype=dtype, **kwargs) if becomes_real else _each(op, x, dtype=dtype, **kwargs)
    re = op(x, dtype=_PARTS[dtype], **kwargs)
    return _Pair(re, torch.zeros_like(re))


@_rule(_aten.full, _aten.full_like, _aten.scalar_tensor)
def _(op: Any, *args: Any, dtype: torch.dtype | None = None, **kwargs: Any) -> Any:
    """The value is the last one of the arguments that stand without a name."""
    if dtype is not None and dtype not in _PARTS:
        return NotImplemented
    before = [_take(x, 0) for x in args[:-1]]
    like = before[0].dtype if before and isinstance(before[0], torch.Tensor) else torch.float32
    return _Pair(*(op(*before, float(part or 0), dtype=_PARTS.get(dtype, like), **kwargs) for part in _split(args[-1])))


@_rule(_aten.ones, _aten.ones_like, _aten.new_ones)
def _(op: Any, *args: Any, dtype: torch.dtype | None = None, **kwargs: Any) -> Any:
    re = op(*(_take(x, 0) for x in args), dtype=_PARTS.get(dtype, dtype), **kwargs)
    return _Pair(re, torch.zeros_like(re))


@_rule(_aten.masked_fill.Scalar)
def _(op: Any, x: Any, mask: torch.Tensor, value: Any) -> Any:
    if not isinstance(x, _Pair):
        return NotImplemented
    return _Pair(*(op(part, mask, number or 0) for part, number in zip(_split(x), _split(value))))


@_rule(_aten.linalg_vector_norm)
def _(op: Any, x: _Pair, *args: Any, **kwargs: Any) -> torch.Tensor:
    return op(torch.hypot(x.re, x.im), *args, **kwargs)


#===- Fourier transforms ---------------------------------------------------------------------===#


@dataclasses.dataclass(frozen=True)
class _Transform:
    """Along one dimension: `kind` is "r2c", "c2c" or "c2r"; `size` elements are or become real or complex ones, `width` are the
    others."""
    kind: str
    dim: int
    size: int
    width: int
    forward: bool
    scale: float
    dtype: torch.dtype

    def matrix(self) -> torch.Tensor:
        """What a row of elements is multiplied with, real parts first and imaginary ones behind."""
        rows, columns = (self.width, self.size) if self.kind == "c2r" else (self.size, self.width)
        place = torch.arange(rows)[:, None] * torch.arange(columns) % self.size  # so that angles are exact
        angle = place.to(torch.float64) * (2 * math.pi / self.size)
        cos, sin = angle.cos() * self.scale, angle.sin() * self.scale * (-1 if self.forward else 1)
        sin[2 * place % self.size == 0] = 0
        if self.kind == "r2c":
            made = torch.cat((cos, sin), 1)
        elif self.kind == "c2c":
            made = torch.cat((torch.cat((cos, sin), 1), torch.cat((-sin, cos), 1)))
        else:  # those elements that are not there are the others' conjugates
            times = torch.full((rows, 1), 2.0, dtype=torch.float64)
            times[0] = 1
            if self.size % 2 == 0:
                times[-1] = 1
            made = torch.cat((cos * times, -sin * times))
        return made.to(self.dtype)


def _as_number(size: Any) -> Any:
    """A size that was open as the number that it can only be by now, if there is one."""
    number = size.node.maybe_as_int() if isinstance(size, torch.SymInt) else None
    return size if number is None else number


def _list_transforms(op: Any, x: Any, dims: Sequence[int], normalization: int, last: Any) -> list[_Transform] | None:
    """Those that an op of several dimensions does one after the other; `x` has its operand's shape and the parts' type. None
    where the op stays what it is."""
    sizes = [_as_number(size) for size in x.shape]
    kinds = ["c2c"] * len(dims)
    order = list(dims)
    forward = op is _aten._fft_r2c.default or (op is _aten._fft_c2c.default and last)
    if op is _aten._fft_r2c.default:
        order.reverse()
        kinds[0] = "r2c"
    elif op is _aten._fft_c2r.default:
        kinds[-1] = "c2r"
    made = []
    for kind, dim in zip(kinds, order):
        size = _as_number(last) if kind == "c2r" else sizes[dim]
        if not isinstance(size, int) or not isinstance(sizes[dim], int) or not 1 <= size <= _LONGEST:
            return None
        width = size if kind == "c2c" or (kind == "r2c" and not last) else size // 2 + 1
        if kind == "c2r" and sizes[dim] != width:
            return None
        scale = (1.0, size ** -0.5, 1 / size)[normalization]
        made.append(_Transform(kind, dim % len(sizes), size, width, forward, scale, x.dtype))
        sizes[dim] = width
    return made


def _transform(matrices: dict[_Transform, torch.Tensor], op: Any, x: Any, dims: Sequence[int], normalization: int,
               last: Any) -> Any:
    steps = _list_transforms(op, x.re if isinstance(x, _Pair) else x, dims, normalization, last)
    if steps is None or any(step not in matrices for step in steps):  # an open size may have become a number only now
        return NotImplemented
    for step in steps:
        parts = [part.movedim(step.dim, -1) for part in _split(x) if part is not None]
        made = torch.matmul(torch.cat(parts, -1) if len(parts) > 1 else parts[0], matrices[step])
        if step.kind == "c2r":
            x = made.movedim(-1, step.dim)
        else:
            x = _Pair(*(made.narrow(-1, first, step.width).movedim(-1, step.dim) for first in (0, step.width)))
    return x


_TRANSFORMS = (_aten._fft_r2c.default, _aten._fft_c2c.default, _aten._fft_c2r.default)


#===- Graphs ---------------------------------------------------------------------------------===#


def _is_complex(value: Any) -> bool:
    return any(isinstance(v, torch.Tensor) and v.is_complex() for v in tree_leaves(value))


def _join(x: Any) -> Any:
    return torch.view_as_complex(torch.stack((x.re, x.im), -1)) if isinstance(x, _Pair) else x


def _part(x: Any) -> Any:
    if not isinstance(x, torch.Tensor) or not x.is_complex():
        return x
    parts = torch.view_as_real(x.resolve_conj())
    return _Pair(parts.select(-1, 0), parts.select(-1, 1))


class _Rewriter(torch.fx.Interpreter):
    def __init__(self, module: torch.fx.GraphModule, matrices: dict[_Transform, torch.Tensor]):
        super().__init__(module)
        self.matrices = matrices

    def _is_as_known(self, made: Any) -> bool:
        """Whether a rule gave what the graph says of the node: a real tensor or a pair, of its type and shape."""
        made, known = (list(x) if isinstance(x, (list, tuple)) else [x] for x in (made, self.node.meta.get("val")))
        for x, value in zip(made, known, strict=True):
            if isinstance(x, _Pair) != value.is_complex():
                return False
            dtype = _PARTS.get(value.dtype, value.dtype)
            for part in (x.re, x.im) if isinstance(x, _Pair) else (x,):
                if part.dtype != dtype or len(part.shape) != len(value.shape):
                    return False
                # Comparisons of open sizes are not part of the graph that is made.
                with disable_proxy_modes_tracing():
                    if not all(is_known(a == b) for a, b in zip(part.shape, value.shape)):
                        return False
        return True

    def run_node(self, n: torch.fx.Node) -> Any:
        self.node = n
        made = super().run_node(n)
        value = n.meta.get("val")
        if n.op == "placeholder" and _is_complex(value):
            return _Pair(made.select(-1, 0), made.select(-1, 1))
        if n.op == "call_function" and n.target is not operator.getitem and (
                _is_complex(value) or any(_is_complex(a.meta.get("val")) for a in n.all_input_nodes)):
            return tree_map(_part, made)
        return made

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        if isinstance(target, torch._ops.OpOverload):
            holds = any(isinstance(x, (_Pair, complex)) or (isinstance(x, torch.dtype) and x in _PARTS)
                        for x in tree_leaves((args, kwargs)))
            if target in _TRANSFORMS or target.overloadpacket in (_aten.view_as_complex, _aten.complex, _aten.polar) or holds:
                made = NotImplemented
                if target in _TRANSFORMS:
                    made = _transform(self.matrices, target, *args)
                elif rule := RULES.get(target, RULES.get(target.overloadpacket)):
                    made = rule(target, *args, **kwargs)
                if made is not NotImplemented and self._is_as_known(made):
                    return made
                args, kwargs = tree_map(_join, (args, kwargs))
        return super().call_function(target, args, kwargs)

    def output(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return [torch.stack((x.re, x.im), -1) if isinstance(x, _Pair) else x
                for x in (args[0] if isinstance(args[0], (list, tuple)) else [args[0]])]


def _restride(made: torch.Tensor, strides: tuple) -> torch.Tensor:
    made = torch.view_as_complex(made)
    return made if made.stride() == strides else torch.empty_strided(made.shape, strides, dtype=made.dtype).copy_(made)


@dataclasses.dataclass
class RealGraph:
    """A graph of real tensors, which is called with the arguments of the complex one, as real tensors, and with `matrices`
    behind them."""
    module: torch.fx.GraphModule
    matrices: list[torch.Tensor]
    complex_places: set[int]
    strides: dict[int, tuple]  # of complex results
    given: dict[int, int]  # complex results that are arguments, and which

    def list_arguments(self, arguments: Sequence[Any]) -> list[Any]:
        real = list(arguments)
        for place in self.complex_places:
            real[place] = torch.view_as_real(arguments[place].detach().resolve_conj())
        return real + self.matrices

    def wrap(self, made: Callable) -> Callable:
        def call(*arguments: Any) -> tuple:
            results = list(made(*self.list_arguments(arguments)))
            for place, strides in self.strides.items():
                results[place] = _restride(results[place], strides)
            for place, argument in self.given.items():
                results[place] = arguments[argument]
            return tuple(results)
        return call


def make_real(module: torch.fx.GraphModule, decompositions: dict) -> RealGraph | None:
    """None where the graph has no complex tensors, or has sparse ones, or results that share the memory of complex ones."""
    from torch._guards import detect_fake_mode

    nodes = list(module.graph.nodes)
    held = [v for v in tree_leaves([n.meta.get("val") for n in nodes]) if isinstance(v, torch.Tensor)]
    if not _is_complex(held) or any(v.layout is not torch.strided or (v.is_complex() and v.dtype not in _PARTS) for v in held):
        return None
    placeholders = [n for n in nodes if n.op == "placeholder"]
    values = [n.meta.get("val") for n in placeholders]
    fake = detect_fake_mode(values)
    results = nodes[-1].args[0]
    results = results if isinstance(results, (list, tuple)) else [results]
    made = [r.meta.get("val") if isinstance(r, torch.fx.Node) else r for r in results]
    if fake is None or any(n.op == "get_attr" for n in nodes):
        return None
    memory = lambda v: StorageWeakRef(v.untyped_storage())
    given = {i: placeholders.index(r) for i, r in enumerate(results) if _is_complex(made[i]) and r.op == "placeholder"}
    tensors = [v for i, v in enumerate(made) if isinstance(v, torch.Tensor) and i not in given]
    taken = {memory(v) for v in values if _is_complex(v)}
    if any(memory(v) in taken for v in tensors):
        return None
    strides = {}
    for place, value in enumerate(made):
        if _is_complex(value) and place not in given:
            if sum(memory(v) == memory(value) for v in tensors) > 1 or not all(isinstance(n, int) for n in value.stride()):
                return None
            strides[place] = tuple(value.stride())
    matrices: dict[_Transform, torch.Tensor] = {}
    for node in nodes:
        if node.target in _TRANSFORMS:
            x = node.args[0].meta["val"]
            shaped = types.SimpleNamespace(shape=x.shape, dtype=_PARTS.get(x.dtype, x.dtype))
            dims, normalization, last = torch.fx.node.map_arg(node.args[1:4], lambda n: n.meta["val"])
            for step in _list_transforms(node.target, shaped, dims, normalization, last) or []:
                matrices.setdefault(step, step.matrix())
    places = {i for i, v in enumerate(values) if _is_complex(v)}
    with fake:
        inputs = [torch.view_as_real(v.resolve_conj()) if i in places else v for i, v in enumerate(values)]
        given_matrices = [fake.from_tensor(m, static_shapes=True) for m in matrices.values()]

    def run(*arguments: Any) -> Any:
        known = dict(zip(matrices, arguments[len(values):]))
        results = _Rewriter(module, known).run(*arguments[:len(values)], enable_io_processing=False)
        return [None if place in given else result for place, result in enumerate(results)]

    with fake, torch.fx.traceback.preserve_node_meta():
        real = make_fx(run, decomposition_table=decompositions)(*inputs, *given_matrices)
    return RealGraph(real, list(matrices.values()), places, strides, given)
