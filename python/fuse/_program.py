# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program says of itself. The class is that of the extension module, so that a call is a call of C; what follows is added
to it."""
import dataclasses
import functools
import json
import os
from typing import Any

from . import _arrays, _core
from ._core import Program
from ._report import Explanation, Graph, Profile, Report

_ORT_TYPES = {"float32": "float", "float64": "double", "bool": "bool"}

# The texts of fuse_compilation_text, by their numbers in fuse/CAPI/Compile.h.
MESSAGES, MESSAGES_JSON, REPORT, REPORT_JSON, LISTING, DOT, SVG, PAGE = range(8)


@dataclasses.dataclass(frozen=True)
class Value:
    """An input or an output. Of an open dimension `shape` has the name, or None."""
    name: str
    dtype: str
    shape: tuple[int | str | None, ...]
    is_written: bool = False  # the program writes the array that it is given
    says_sizes: bool = False  # its elements say sizes of outputs
    indices_below: int | None = None  # its elements are indices below this

    @property
    def type(self) -> str:
        """As ONNX Runtime names it: tensor(float)."""
        return f"tensor({_ORT_TYPES.get(self.dtype, self.dtype)})"


def _make_values(described: tuple) -> list[Value]:
    return [Value(name, dtype, shape, bool(flags & 1), bool(flags & 2), below or None)
            for name, dtype, shape, flags, below in described]


def _property(function: Any) -> property:
    """A property that is computed once."""
    name = "_cached" + function.__name__

    @functools.wraps(function)
    def get(self: Any) -> Any:
        if name not in self.__dict__:
            self.__dict__[name] = function(self)
        return self.__dict__[name]
    return property(get, doc=function.__doc__)


def inputs(self: Program) -> list[Value]:
    """What a call takes, in order; weights are no inputs."""
    return _make_values(self._inputs)


def outputs(self: Program) -> list[Value]:
    """What a call gives, in order."""
    return _make_values(self._outputs)


def report(self: Program) -> Report:
    """The kernels, what they hold, what they cost, and what was not fused and why."""
    return Report(json.loads(self._report))


def messages(self: Program) -> list[dict[str, Any]]:
    """Warnings and remarks of the compiler; none of a program that was loaded."""
    return json.loads(self._text(MESSAGES_JSON)) if self._is_compiled else []


def graph(self: Program) -> Graph:
    """The kernels as a picture: inline in a notebook, a file with .save(path). Of compiled programs only."""
    return Graph(self._text)


def explain(self: Program) -> Explanation:
    """Why the kernels hold what they hold: what was fused, what was not, what that would gain and what would allow it. With
    compile(…, explain=True) also each decision on the way."""
    listing = self._text(LISTING) if self._is_compiled else ""
    return Explanation(self.report, listing, self.messages)


def profile(self: Program, *arrays: Any, runs: int = 20) -> Profile:
    """Runs the program `runs` times, and says how long each kernel takes."""
    return Profile(self.report, self._record(arrays, runs))


def save(self: Program, path: str | os.PathLike) -> None:
    """Writes a bundle: PATH, which ends in .so, and beside it .weights and .h. All three appear, or none. It runs with the
    package fuse-runtime alone, from C, and by fuse-run."""
    self._save(os.fspath(path))


def get_inputs(self: Program) -> list[Value]:
    """As InferenceSession.get_inputs of ONNX Runtime."""
    return self.inputs


def get_outputs(self: Program) -> list[Value]:
    """As InferenceSession.get_outputs of ONNX Runtime."""
    return self.outputs


def _describe(value: Value) -> str:
    return f"{value.name}: {value.dtype}[{', '.join('?' if size is None else str(size) for size in value.shape)}]"


def __repr__(self: Program) -> str:
    return (f"<fuse.Program ({', '.join(map(_describe, self.inputs))}) -> ({', '.join(map(_describe, self.outputs))}), "
            f"{sum(f.fused_kernels for f in self.report.functions[:1])} kernels>")


for _each in (inputs, outputs, report, messages):
    setattr(Program, _each.__name__, _property(_each))
for _each in (graph, explain, profile, save, get_inputs, get_outputs, __repr__):
    setattr(Program, _each.__name__, _each)
