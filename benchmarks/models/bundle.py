# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs bundles of fuse-compile on NumPy arrays, by their C interface (include/fuse/Runtime/Bundle.h)."""

import ctypes
import json

import numpy as np

ABI_VERSION = 3
TYPES = {1: "uint16", 2: "float32", 3: "float64", 4: "bool", 5: "int8", 6: "int16", 7: "int32", 8: "int64", 9: "uint8", 10: "uint16",
         11: "uint32", 12: "uint64", 0: "float16"}


def difference(outputs, wanted):
    """The largest difference of two lists of arrays, relative to each one's largest element; infinite for other shapes."""
    found = 0.0
    for got, want in zip(outputs, wanted, strict=True):
        a, b = (np.asarray(side, np.float64) for side in (got, want))
        if a.shape != b.shape:
            return np.inf
        found = max(found, float(np.abs(a - b).max(initial=0) / max(np.abs(b).max(initial=0), 1e-30)))
    return found


class Value(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_int32),
                ("dtype", ctypes.c_int32), ("flags", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("indices_below", ctypes.c_int64)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("sizes", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_int32), ("dtype", ctypes.c_int32)]


class Bundle:
    """Open, with a context of its own."""

    def __init__(self, path, threads):
        self.library = ctypes.CDLL(path)
        for name in ("input", "output"):
            getattr(self.library, f"fuse_bundle_{name}").restype = ctypes.POINTER(Value)
            getattr(self.library, f"fuse_bundle_num_{name}s").restype = ctypes.c_int64
        self.library.fuse_bundle_error.restype = ctypes.c_char_p
        self.handle, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        text = ctypes.create_string_buffer(1000)
        size = ctypes.c_int64(len(text))
        if (self.library.fuse_bundle_open(ABI_VERSION, None, ctypes.byref(self.handle), text, size) or
                self.library.fuse_bundle_context_create(self.handle, threads, ctypes.byref(self.context), text, size)):
            raise RuntimeError(text.value.decode())

    def close(self):
        """Gives the context and the weights back; nothing may be called then."""
        self.library.fuse_bundle_context_destroy(self.context)
        self.library.fuse_bundle_close(self.handle)

    def values(self, kind):
        count = getattr(self.library, f"fuse_bundle_num_{kind}s")(self.handle)
        return [getattr(self.library, f"fuse_bundle_{kind}")(self.handle, ctypes.c_int64(i)).contents for i in range(count)]

    def bind(self, arrays):
        """A function that runs on these inputs, by name, into `outputs`: the same memory in each run."""
        ins, outs = self.values("input"), self.values("output")
        # Not ascontiguousarray, which gives scalars a dimension.
        self.inputs = [np.asarray(arrays[value.name.decode()], TYPES[value.dtype], order="C") for value in ins]
        given = (Buffer * len(ins))(*map(self.describe, self.inputs, ins))
        wanted = (Buffer * len(outs))()
        self.check(self.library.fuse_bundle_query(self.context, given, wanted))
        self.outputs = [np.empty(tuple(buffer.sizes[:buffer.rank]), TYPES[buffer.dtype]) for buffer in wanted]
        taken = (Buffer * len(outs))(*map(self.describe, self.outputs, outs))

        return lambda: self.check(self.library.fuse_bundle_run(self.context, given, taken))

    def time(self, times):
        """ns of one of so many repetitions of the last run on the GPU, by its clock, without copies from and to the host."""
        nanoseconds = ctypes.c_int64()
        self.check(self.library.fuse_bundle_time(self.context, ctypes.c_int64(times), ctypes.byref(nanoseconds)))
        return nanoseconds.value / times

    def report(self):
        """Of the plan, as fuse-run --report-json writes it."""
        self.library.fuse_bundle_report.restype = ctypes.c_char_p
        return json.loads(self.library.fuse_bundle_report())

    def describe(self, array, value):
        sizes = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        return Buffer(array.ctypes.data, ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64)), None, array.ndim, value.dtype)

    def check(self, status):
        if status:
            raise RuntimeError(self.library.fuse_bundle_error(self.context).decode())
