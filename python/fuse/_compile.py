# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a model to a program."""
import dataclasses
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy

from . import _budget, _core
from ._core import Error, Program
from ._progress import ProgressBar, make_progress


@dataclasses.dataclass(frozen=True)
class Dim:
    """What an open dimension may be: a call with less than `least` or more than `most` is an error, and kernels are
    planned for `likely`."""
    least: int | None = None
    most: int | None = None
    likely: int | None = None


@dataclasses.dataclass
class Source:
    """What a compilation is given."""
    data: str | bytes  # a path, or a model's bytes
    format: str | None = None
    name: str | None = None  # of bytes, for messages
    weights: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    keeps: Any = None  # what must stay as long as the program


_readers: list[Callable[[Any], Source | None]] = []


def register_source(reader: Callable[[Any], Source | None]) -> None:
    """Makes fuse.compile take another kind of models: `reader` gives what it knows as a Source, and None for anything else."""
    _readers.append(reader)


def _read_source(model: Any) -> Source:
    if type(model).__module__.startswith("torch.export"):
        from . import torch_backend  # noqa: F401 (registers what reads exported programs)
    if type(model).__module__.startswith("jax._src.export"):
        from . import jax  # noqa: F401 (the same for what jax.export gives)
    for reader in _readers:
        if (source := reader(model)) is not None:
            return source
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Source(bytes(model))
    if isinstance(model, (str, os.PathLike)):
        return Source(os.fspath(model))
    # A model of the package onnx, which need not be imported for that.
    if type(model).__name__ == "ModelProto" and hasattr(model, "SerializeToString"):
        return Source(model.SerializeToString(), "onnx", "model.onnx")
    raise Error(f"expected a path, bytes or an onnx.ModelProto, found {type(model).__module__}.{type(model).__name__}")


def _format_dim(name: str, size: Any) -> tuple[str, str] | None:
    if size is None:
        return None
    if isinstance(size, int):
        return "dim", f"{name}={size}"
    if isinstance(size, (tuple, list)):
        size = Dim(*size)
    if not isinstance(size, Dim):
        raise Error(f"dynamic_shapes: '{name}': expected a size, (least, most), fuse.Dim or None, found {size!r}")
    parts = []
    if size.least is not None or size.most is not None:
        if size.most is None:
            raise Error(f"dynamic_shapes: '{name}': expected a largest size beside the least one, {size.least}")
        parts.append(f"{size.least or 0}..{size.most}")
    if size.likely is not None:
        parts.append(f"likely={size.likely}")
    return ("dim", f"{name}={','.join(parts)}") if parts else None


def _list_dims(shapes: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Options for {"batch": …}, and for {"input": {axis: …}}."""
    options = []
    for name, size in shapes.items():
        entries = {f"{name}:{axis}": each for axis, each in size.items()} if isinstance(size, Mapping) else {name: size}
        options += [option for key, each in entries.items() if (option := _format_dim(key, each))]
    return options


def _name_inputs(inputs: Any) -> dict[str, Any]:
    if inputs is None:
        return {}
    if isinstance(inputs, Mapping):
        return dict(inputs)
    raise Error(f"inputs: expected arrays by the names of inputs, found {type(inputs).__name__}")


class _CalibrationFiles:
    """Inputs to calibrate with, as archives: those that are arrays are written to a folder until remove()."""

    def __init__(self, calibrate):
        self.paths, self._folder = [], None
        if isinstance(calibrate, (str, os.PathLike, Mapping)):
            calibrate = [calibrate]
        for number, sample in enumerate(calibrate):
            if isinstance(sample, (str, os.PathLike)):
                self.paths.append(os.fspath(sample))
                continue
            if not isinstance(sample, Mapping):
                raise Error(f"calibrate: expected arrays by the names of inputs, or a path, found {type(sample).__name__}")
            self._folder = self._folder or tempfile.TemporaryDirectory(prefix="fuse-")
            self.paths.append(os.path.join(self._folder.name, f"{number}.npz"))
            numpy.savez(self.paths[-1], **{name: numpy.asarray(array) for name, array in sample.items()})

    def remove(self):
        if self._folder:
            self._folder.cleanup()


class _Default(str):
    """The value of an argument that was not given: signatures show it as the text that it is."""


EXACT = _Default("exact")


def compile(
    model: Any,
    *,
    inputs: Mapping[str, Any] | None = None,
    dynamic_shapes: Mapping[str, Any] | None = None,
    weights: Mapping[str, Any] | None = None,
    target: str = "cpu",
    numerics: str = EXACT,
    precision: str = "as-written",
    calibrate: str | os.PathLike | Mapping[str, Any] | Sequence[str | os.PathLike | Mapping[str, Any]] = (),
    threads: int | None = None,
    specialize: str | Sequence[str] | None = None,
    fusion: bool = True,
    disable: Iterable[str] = (),
    function: str | None = None,
    cpu: str | Iterable[str] | None = None,
    chip: str | None = None,
    cost_target: str | os.PathLike | None = None,
    schedules: str | os.PathLike | None = None,
    cache: bool | str | os.PathLike = True,
    explain: bool = False,
    progress: bool | Callable[[float, str], None] | None = None,
    format: str | None = None,
    options: Iterable[tuple[str, str | None]] = (),
) -> Program:
    """Compiles a model into a program, which is called with arrays and gives arrays.

    model: a path (.onnx, .pt2, .stablehlo, .mlir, .mlirbc), the bytes of one, an onnx.ModelProto, a
        torch.export.ExportedProgram, or what jax.export.export gives.
    inputs: arrays by the names of a model's inputs. What the model leaves open is as in them; inputs that say shapes
        or axes become part of the program.
    dynamic_shapes: of dimensions that stay open, by their names, or {"input": {axis: …}}: a size that they are fixed to,
        (least, most) or fuse.Dim.
    weights: arrays for parameters by name, in place of the model's own; held, not copied.
    target: "cpu", or "cuda" with a chip such as "sm_90".
    numerics: how far results may change by what is fused and prepared: "exact" (not a bit), "reassociates", "folds" (what
        other runtimes do, and fuse-run and fuse-compile by default) or "reduced-precision" (docs/numerics.md).
    precision: what products with weights are computed in: "as-written", "bf16" or "int8" (docs/precision.md). The last two
        are "reduced-precision", which numerics need not say.
    calibrate: inputs, as arrays by name or the path of an .npz, or several of these: int8 needs them for the ranges of
        activations; the error that the precision makes of their outputs is in Program.messages.
    threads: that a call uses, and kernels are cut for; None: as many as OpenMP would use.
    specialize: sizes that get code of their own, such as "batch=1,length=1"; "auto" (default) or "none".
    explain: collects a message for each decision of the planner, for Program.explain.
    progress: True, False, a function of (part done, stage), or None: a bar where stderr is a terminal.
    options: other options of fuse-compile by name.

    Raises fuse.Error, whose text has the places in the model, and whose `messages` have them as objects.
    """
    source = _read_source(model)
    given: list[tuple[str, str | None]] = [("target", target), ("precision", precision)]
    if precision == "as-written" or not isinstance(numerics, _Default):
        given.append(("numerics", str(numerics)))
    given += _list_dims(dynamic_shapes or {})
    for name, value in (("function", function), ("chip", chip), ("cost-target", cost_target), ("schedules", schedules),
                        ("threads", threads)):
        if value is not None:
            given.append((name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)))
    if specialize is not None:
        given += [("specialize", each) for each in ([specialize] if isinstance(specialize, str) else specialize)]
    if cpu is not None:
        given.append(("cpu", cpu if isinstance(cpu, str) else ",".join(cpu)))
    given += [("disable", label) for label in disable]
    given += [("no-fusion", None)] if not fusion else []
    given += [("explain", None)] if explain else []
    if cache is False:
        given.append(("no-cache", None))
    elif cache is not True:
        given.append(("cache", os.fspath(cache)))
    given += _budget.current_options()
    given += list(options)
    report = make_progress(progress, "fuse")
    archives = _CalibrationFiles(calibrate)
    given += [("calibrate", path) for path in archives.paths]
    try:
        program = _core.compile(source.data, format or source.format, name=source.name,
                                weights={**source.weights, **(weights or {})}, inputs=_name_inputs(inputs),
                                options=given, progress=report, threads=threads or 0)
    finally:
        archives.remove()
        if isinstance(report, ProgressBar):
            report.close()
    program._keeps = source.keeps
    return program


def load(path: str | os.PathLike, *, weights: str | os.PathLike | None = None, threads: int | None = None) -> Program:
    """Opens a bundle that Program.save or fuse-compile has written. Needs the package fuse-runtime alone."""
    return _core.load(os.fspath(path), None if weights is None else os.fspath(weights), threads=threads or 0)
