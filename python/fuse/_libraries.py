# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the shared libraries lie: in the packages fuse and fuse_compiler, or, for who works on fuse itself, in the folder that
FUSE_LIBRARY_DIR names."""
import importlib.util
import os
import pathlib

from . import _core


def _find(folder: pathlib.Path, name: str) -> str:
    path = folder / name
    return str(path) if path.exists() else ""


def find_compiler() -> str:
    """The library with the compiler; empty where there is none."""
    if chosen := os.environ.get("FUSE_LIBRARY_DIR"):
        return _find(pathlib.Path(chosen), "libfuse-compiler.so")
    spec = importlib.util.find_spec("fuse_compiler")
    if not spec or not spec.submodule_search_locations:
        return ""
    return _find(pathlib.Path(spec.submodule_search_locations[0]) / "lib", "libfuse-compiler.so")


def _set_paths() -> None:
    own = pathlib.Path(__file__).parent / "lib"
    if chosen := os.environ.get("FUSE_LIBRARY_DIR"):
        _core.set_paths(_find(pathlib.Path(chosen), "libfuse-runtime.so"), find_compiler(), "")
    else:
        _core.set_paths(_find(own, "libfuse-runtime.so"), find_compiler(), _find(own, "libomp.so.5"))


_set_paths()
