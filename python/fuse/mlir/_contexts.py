# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contexts, what MLIR says in them, and locations."""
import contextlib
import dataclasses
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from . import _c
from ._c import Handle, call, print_with

_state = threading.local()


def _stack(name: str) -> list:
    if not hasattr(_state, name):
        setattr(_state, name, [])
    return getattr(_state, name)


class _Scoped:
    """What `with` makes the current one of its kind."""

    def __enter__(self) -> Any:
        _stack(self._kind).append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _stack(self._kind).pop()


def _current(kind: str, what: str) -> Any:
    if not _stack(kind):
        raise ValueError(f"expected {what}, as an argument or by `with`")
    return _stack(kind)[-1]


@dataclasses.dataclass
class DiagnosticInfo:
    """What MLIR said: severity "error", "warning", "note" or "remark", where, and what."""
    severity: str
    location: str
    message: str
    notes: "list[DiagnosticInfo]" = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.severity}: {self.location}: {self.message}"]
        return "\n".join(lines + ["  " + str(note) for note in self.notes])


class MLIRError(Exception):
    """Text that cannot be parsed, an op that is not sound, or a pass that has failed."""

    def __init__(self, message: str, error_diagnostics: Sequence[DiagnosticInfo] = ()):
        super().__init__("\n".join([message + (":" if error_diagnostics else ""), *map(str, error_diagnostics)]))
        self.message, self.error_diagnostics = message, list(error_diagnostics)


def _read_diagnostic(diagnostic: Handle) -> DiagnosticInfo:
    severity = ("error", "warning", "note", "remark")[call("DiagnosticGetSeverity", "u", diagnostic) & 3]
    place = print_with("LocationPrint", call("DiagnosticGetLocation", "h", diagnostic))
    notes = [_read_diagnostic(call("DiagnosticGetNote", "h", diagnostic, i))
             for i in range(call("DiagnosticGetNumNotes", "n", diagnostic))]
    return DiagnosticInfo(severity, place.removeprefix("loc(").removesuffix(")"), print_with("DiagnosticPrint", diagnostic), notes)


class Root:
    """Something of MLIR that is destroyed when nobody needs it any more: a context, a module, an op without a block. They are
    counted here, and not by Python, which finalizes the objects of a cycle in any order."""

    def __init__(self, destroy: str, handle: Handle, needs: "Sequence[Root]" = (), keeps: Any = None):
        self.destroy, self.handle, self.count, self.keeps = destroy, handle, 0, keeps
        self.needs = [root.acquire() for root in needs]

    def acquire(self) -> "Root":
        self.count += 1
        return self

    def release(self) -> None:
        self.count -= 1
        if self.count == 0:
            if self.handle.ptr:
                call(self.destroy, "v", self.handle)
            for root in self.needs:
                root.release()

    def join(self, other: "Root") -> None:
        """It is part of another one from now on."""
        self.handle = Handle(None)
        self.needs.append(other.acquire())


class Lease:
    """An object that needs a root, and those that come from it."""

    def __init__(self, root: Root, context: "Context"):
        self.root, self.context = root.acquire(), context

    def __del__(self) -> None:
        if hasattr(self, "root"):
            self.root.release()


class Context(_Scoped):
    """Types, attributes and dialects. All that fuse-opt reads is registered."""
    _kind = "contexts"

    def __init__(self) -> None:
        registry = _c.register()
        self._handle = call("ContextCreateWithRegistry", "h", registry, False)
        call("DialectRegistryDestroy", "v", registry)
        self._diagnostics: list[list[DiagnosticInfo]] = []
        heard = self._diagnostics

        def note(diagnostic: Handle, _: Any) -> int:
            if heard:
                heard[-1].append(_read_diagnostic(diagnostic))
            return 1 if heard else 0
        handler = _c.DiagnosticHandler(note)
        call("ContextAttachDiagnosticHandler", "i", self._handle, handler, None, None)
        self._root = Root("ContextDestroy", self._handle, keeps=handler).acquire()

    @property
    def allow_unregistered_dialects(self) -> bool:
        return call("ContextGetAllowUnregisteredDialects", "b", self._handle)

    @allow_unregistered_dialects.setter
    def allow_unregistered_dialects(self, allow: bool) -> None:
        call("ContextSetAllowUnregisteredDialects", "v", self._handle, allow)

    def _own(self, destroy: str, handle: Handle, needs: "Sequence[Root]" = ()) -> Lease:
        """What is destroyed by a function of that name."""
        return Lease(Root(destroy, handle, [self._root, *needs]), self)

    def __del__(self) -> None:
        if hasattr(self, "_root"):
            self._root.release()


class _CurrentContext:
    def __get__(self, instance: Any, owner: Any) -> Context:
        if _stack("contexts"):
            return _stack("contexts")[-1]
        if _stack("locations"):
            return _stack("locations")[-1].context
        raise ValueError("expected a context, as an argument or by `with`")


Context.current = _CurrentContext()


@contextlib.contextmanager
def collect_diagnostics(context: Context) -> Iterator[list[DiagnosticInfo]]:
    """What MLIR says meanwhile."""
    context._diagnostics.append([])
    try:
        yield context._diagnostics[-1]
    finally:
        context._diagnostics.pop()


class Location(_Scoped):
    _kind = "locations"

    def __init__(self, handle: Handle, context: Context):
        self._handle, self.context = handle, context

    @classmethod
    def unknown(cls, context: Context | None = None) -> "Location":
        context = context or Context.current
        return cls(call("LocationUnknownGet", "h", context._handle), context)

    @classmethod
    def file(cls, filename: str, line: int, col: int, context: Context | None = None) -> "Location":
        context = context or Context.current
        return cls(call("LocationFileLineColGet", "h", context._handle, filename, line, col), context)

    @classmethod
    def name(cls, name: str, childLoc: "Location | None" = None, context: Context | None = None) -> "Location":
        child = childLoc or cls.unknown(context)
        return cls(call("LocationNameGet", "h", child.context._handle, name, child._handle), child.context)

    def __str__(self) -> str:
        return print_with("LocationPrint", self._handle)

    def __enter__(self) -> "Location":
        _stack("contexts").append(self.context)
        return super().__enter__()

    def __exit__(self, *arguments: Any) -> None:
        super().__exit__(*arguments)
        _stack("contexts").pop()


def _get_location(loc: Location | None) -> Location:
    return loc or _current("locations", "a location")
