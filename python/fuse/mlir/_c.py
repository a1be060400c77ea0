# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's C interface (mlir-c/*.h) in the library fuse-compiler. Its handles are structs of one pointer, its strings a pointer and a
length."""
import ctypes
import functools
import pathlib
from collections.abc import Callable
from typing import Any

from .. import _libraries
from .._core import Error


class Handle(ctypes.Structure):
    """MlirContext, MlirOperation, and the others of one pointer."""
    _fields_ = [("ptr", ctypes.c_void_p)]


class TypeID(Handle):
    pass


class StringRef(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]

    @staticmethod
    def of(text: str) -> "StringRef":
        data = text.encode()
        ref = StringRef(ctypes.cast(ctypes.create_string_buffer(data, len(data) + 1), ctypes.POINTER(ctypes.c_char)), len(data))
        ref._keeps = data
        return ref

    def __str__(self) -> str:
        return ctypes.string_at(self.data, self.length).decode(errors="replace")


class NamedAttribute(ctypes.Structure):
    _fields_ = [("name", Handle), ("attribute", Handle)]


class LogicalResult(ctypes.Structure):
    _fields_ = [("value", ctypes.c_int8)]


class OperationState(ctypes.Structure):
    _fields_ = [("name", StringRef), ("location", Handle)] + [
        field for kind in ("Results", "Operands", "Regions", "Successors", "Attributes")
        for field in (("n" + kind, ctypes.c_ssize_t), (kind, ctypes.c_void_p))] + [("infers", ctypes.c_bool)]


StringCallback = ctypes.CFUNCTYPE(None, StringRef, ctypes.c_void_p)
# Results of callbacks cannot be structs: this one of one byte is returned as that byte.
DiagnosticHandler = ctypes.CFUNCTYPE(ctypes.c_int8, Handle, ctypes.c_void_p)

# What a function gives, where it is no handle.
_RESULTS = {
    "i": ctypes.c_int64, "n": ctypes.c_ssize_t, "b": ctypes.c_bool, "d": ctypes.c_double, "s": StringRef, "v": None,
    "l": LogicalResult, "a": NamedAttribute, "u": ctypes.c_uint, "o": OperationState}


@functools.cache
def _open() -> ctypes.CDLL:
    path = _libraries.find_compiler()
    if not path:
        raise Error("the package fuse-compiler is not installed: pip install fuse-compiler")
    return ctypes.CDLL(path)  # the one that fuse._core opens, too


def find_dialects() -> str:
    """The folder of the classes that mlir-tblgen has made; empty where there is none."""
    path = _libraries.find_compiler()
    folder = pathlib.Path(path).parent / "mlir_dialects" if path else None
    return str(folder) if folder and folder.is_dir() else ""


@functools.cache
def _find(name: str, result: str) -> Callable[..., Any]:
    function = getattr(_open(), name)
    function.restype = _RESULTS.get(result, Handle)
    return function


def _convert(argument: Any) -> Any:
    if isinstance(argument, str):
        return StringRef.of(argument)
    if isinstance(argument, bool):
        return ctypes.c_bool(argument)
    if isinstance(argument, int):
        return ctypes.c_int64(argument)  # intptr_t and int64_t are one; narrower ones take its low bits
    if isinstance(argument, float):
        return ctypes.c_double(argument)
    return argument


def call(name: str, result: str, *arguments: Any) -> Any:
    """mlirName(arguments…). `result`: "h" for a handle, else a letter of the table above."""
    return _find("mlir" + name, result)(*map(_convert, arguments))


def register() -> Handle:
    """A registry of all dialects; passes have their names from then on."""
    _find("fuse_register_passes", "v")()
    registry = call("DialectRegistryCreate", "h")
    _find("fuse_register_dialects", "v")(registry)
    return registry


def array(handles: list) -> Any:
    return (Handle * len(handles))(*handles)


def print_with(name: str, *arguments: Any, flags: tuple = ()) -> str:
    """What a function prints that calls back with parts of a text."""
    parts: list[str] = []
    callback = StringCallback(lambda part, _: parts.append(ctypes.string_at(part.data, part.length).decode(errors="replace")))
    call(name, "v", *arguments, *flags, callback, None)
    return "".join(parts)
