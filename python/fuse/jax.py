# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX: fuse.jax.jit(f) is called as jax.jit(f) is, and fuse.compile takes what jax.export.export gives.

    @fuse.jax.jit
    def predict(x, w):
        return jax.nn.softmax(x @ w)

A function is lowered to StableHLO by JAX, and that is imported op by op. There is no other way for what cannot be imported: an
error names the ops with the lines that they come from, or, with fallback=True, jax.jit runs the function.
"""
import collections
import functools
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.export
import numpy
from jax.extend import source_info_util

from . import _core
from ._compile import Source, compile as compile_source, register_source
from ._core import Error, Program
from .jax_lowering import Lowered, encode, encode_exported, name_leaves

__all__ = ["JitFunction", "jit", "supported_ops"]

source_info_util.register_exclusion(__file__)  # places in messages are the caller's

# A function with more programs forgets the one that was not called for the longest time.
_MOST_PROGRAMS = 256


@functools.cache
def supported_ops() -> frozenset[str]:
    """The ops of StableHLO that can be imported: "stablehlo.add"."""
    return frozenset(_core.stablehlo_ops().split())


def _read_exported(model: Any) -> Source | None:
    """What jax.export.export gives, or what jit has lowered, as what fuse.compile is given; None for anything else."""
    if isinstance(model, jax.export.Exported):
        model = encode_exported(model)
    if not isinstance(model, Lowered):
        return None
    return Source(model.text, "stablehlo", model.name, model.weights, keeps=model)


register_source(_read_exported)


def _as_tuple(value: Any) -> tuple:
    return () if value is None else (value,) if isinstance(value, (int, str)) else tuple(value)


class _Compiled:
    """A program of one function at one kind of arguments."""

    def __init__(self, program: Program, taken: Sequence[int], dtypes: Sequence[Any], out_tree: Any, keeps: Any):
        self.program, self.out_tree, self.keeps = program, out_tree, keeps
        self.arguments = list(zip(taken, dtypes))

    def __call__(self, leaves: Sequence[Any]) -> Any:
        arrays = [_to_array(leaves[place], dtype) for place, dtype in self.arguments]
        made = self.program(*arrays)
        made = () if made is None else made if isinstance(made, tuple) else (made,)
        # Nobody else has these arrays: JAX may take their memory over.
        return jax.tree.unflatten(self.out_tree, jax.device_put(list(made), may_alias=True))


def _to_array(leaf: Any, dtype: Any) -> Any:
    if isinstance(leaf, jax.Array):
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.extended):
            leaf = jax.random.key_data(leaf)
        return numpy.asarray(leaf)  # JAX's memory, in a fiftieth of the time that DLPack takes
    # JAX takes int64 and float64 for the short types, unless it is told not to.
    return numpy.asarray(leaf, dtype)


class JitFunction:
    """What jit gives. A call with arguments of other shapes, types or static values makes another program."""

    def __init__(self, function: Callable, *, static_argnums: Any = (), static_argnames: Any = (),
                 constant_argnums: Any = (), constant_argnames: Any = (), polymorphic_shapes: Any = None,
                 fallback: bool = False, **options: Any):
        functools.update_wrapper(self, function)
        self._function, self._options, self._fallback = function, options, fallback
        self._static_argnums, self._static_argnames = _as_tuple(static_argnums), _as_tuple(static_argnames)
        self._constant_argnums, self._constant_argnames = _as_tuple(constant_argnums), _as_tuple(constant_argnames)
        self._shapes = polymorphic_shapes
        try:
            parameters = inspect.signature(function).parameters.values()
            self._names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        except (TypeError, ValueError):
            self._names = []
        # An argument is static, or constant, whether it is given by its place or by its name.
        self._static_argnums, self._static_argnames = self._complete(self._static_argnums, self._static_argnames)
        self._constant_argnums, self._constant_argnames = self._complete(self._constant_argnums, self._constant_argnames)
        self._jitted = jax.jit(function, static_argnums=tuple(sorted(self._static_argnums)),
                               static_argnames=tuple(sorted(self._static_argnames)), keep_unused=True)
        self._programs: collections.OrderedDict[Any, _Compiled | None] = collections.OrderedDict()
        self._lock = threading.Lock()
        self.refusals: list[Error] = []  # of what jax.jit runs

    def _complete(self, places: tuple, names: tuple) -> tuple[frozenset[int], frozenset[str]]:
        count = len(self._names)
        places = {place + count if place < 0 else place for place in places}
        return (frozenset(places | {self._names.index(n) for n in names if n in self._names}),
                frozenset(set(names) | {self._names[p] for p in places if p < count}))

    def _split(self, args: tuple, kwargs: Mapping[str, Any]) -> tuple[tuple, dict, Any]:
        """The arguments that are arrays, and the static ones as a key."""
        dynamic = tuple(a for i, a in enumerate(args) if i not in self._static_argnums)
        named = {k: v for k, v in kwargs.items() if k not in self._static_argnames}
        static = (tuple((i, a) for i, a in enumerate(args) if i in self._static_argnums),
                  tuple(sorted((k, v) for k, v in kwargs.items() if k in self._static_argnames)))
        return dynamic, named, static

    def _find_constants(self, args: tuple, kwargs: Mapping[str, Any]) -> list[bool]:
        """For each leaf, whether it is one of a constant argument."""
        flags: list[bool] = []
        for place, value in enumerate(args):
            if place not in self._static_argnums:
                flags += [place in self._constant_argnums] * len(jax.tree.leaves(value))
        for name in sorted(kwargs):
            if name not in self._static_argnames:
                flags += [name in self._constant_argnames] * len(jax.tree.leaves(kwargs[name]))
        return flags

    def _describe(self, leaf: Any) -> tuple:
        aval = leaf.aval if isinstance(leaf, jax.Array) else jax.typeof(leaf)
        return (len(aval.shape) if self._shapes is not None else aval.shape), aval.dtype, getattr(aval, "weak_type", False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        dynamic, named, static = self._split(args, kwargs)
        leaves, tree = jax.tree.flatten((dynamic, named))
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return self._jitted(*args, **kwargs)  # a part of what JAX traces
        compiled = self._get(args, kwargs, leaves, tree, static)
        return self._jitted(*args, **kwargs) if compiled is None else compiled(leaves)

    def _get(self, args: tuple, kwargs: Mapping[str, Any], leaves: list, tree: Any, static: Any) -> _Compiled | None:
        constants = self._find_constants(args, kwargs) if self._constant_argnums or self._constant_argnames else ()
        # Arrays of JAX do not change: a constant is what it was as long as it is the same object.
        key = (tree, static, tuple(id(leaf) if constants and constants[i] else self._describe(leaf)
                                   for i, leaf in enumerate(leaves)))
        with self._lock:
            if key in self._programs:
                self._programs.move_to_end(key)
                return self._programs[key]
        try:
            compiled = self._compile(args, kwargs, leaves, constants)
        except Error as error:
            if not self._fallback:
                raise
            self.refusals.append(error)
            compiled = None
        with self._lock:
            self._programs[key] = compiled
            while len(self._programs) > _MOST_PROGRAMS:
                self._programs.popitem(last=False)
        return compiled

    def _compile(self, args: tuple, kwargs: Mapping[str, Any], leaves: list, constants: Sequence[bool]) -> _Compiled:
        known = {}
        for i, leaf in enumerate(leaves):
            if constants and constants[i]:
                if not isinstance(leaf, jax.Array):
                    raise Error(f"expected arrays of JAX as constant arguments, found {type(leaf).__name__}: others may change")
                known[i] = leaf
        prefixes = [name for i, name in enumerate(self._names) if i not in self._static_argnums]
        if self._shapes is not None:
            specs, named = jax.export.symbolic_args_specs((args, kwargs), (self._shapes, {k: None for k in kwargs}))
            exported = jax.export.export(self._jitted, platforms=["cpu"])(*specs, **named)
            if known:
                raise Error("expected no constant arguments beside polymorphic_shapes; close the function over them")
            lowered = encode_exported(exported, prefixes)
            taken, avals, out_tree = list(exported.module_kept_var_idx), exported.in_avals, exported.out_tree
        else:
            made = self._jitted.trace(*args, **kwargs).lower(lowering_platforms=("cpu",))
            dynamic, named, _ = self._split(args, kwargs)
            names = name_leaves((dynamic, named), prefixes)
            name = getattr(self._function, "__name__", "function")
            lowered = encode(made.compiler_ir("stablehlo"), name, names=names, parameters=known)
            taken, out_tree = range(len(leaves)), made.out_tree
            avals = jax.tree.leaves(made.in_avals)
        taken = [place for place in taken if place not in known]
        options = {"progress": False, **self._options}
        program = compile_source(lowered, **options)
        return _Compiled(program, taken, [avals[place].dtype for place in taken], out_tree, known)

    def program(self, *args: Any, **kwargs: Any) -> Program:
        """What a call with such arguments runs, for .report, .explain(), .graph() and .save(). Arguments may be
        jax.ShapeDtypeStruct. An error where jax.jit runs it."""
        dynamic, named, static = self._split(args, kwargs)
        leaves, tree = jax.tree.flatten((dynamic, named))
        compiled = self._get(args, kwargs, leaves, tree, static)
        if compiled is None:
            raise self.refusals[-1]
        return compiled.program

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def jit(function: Callable | None = None, **options: Any) -> Any:
    """A function whose calls run programs that fuse has compiled; a decorator, with or without options.

    static_argnums, static_argnames: as of jax.jit.
    constant_argnums, constant_argnames: of arguments that seldom change, such as parameters. They are packed once, and part of the
        program: a call with other arrays makes another one.
    polymorphic_shapes: the shapes of positional arguments, as jax.export.symbolic_args_specs takes them, such as
        ("b, _", None). One program is for all sizes.
    fallback: what cannot be imported is run by jax.jit, and `refusals` has the reasons.
    Others are those of fuse.compile: numerics, threads, cache, …

    Arguments and results are as of jax.jit. In what JAX itself traces (jax.grad, jax.vmap) the function is that of jax.jit."""
    if function is None:
        return functools.partial(jit, **options)
    return JitFunction(function, **options)
