# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's driver through ctypes: which GPU there is, and how fast it copies and waits. The driver is libcuda.so.1, or what
FUSE_CUDA_DRIVER names, as for the runtime of fuse."""

import ctypes
import os
import time

# Bundles have PTX 8.0, or what ptxas of CUDA 12 makes of it.
OLDEST = 12000
# What code is made for.
CHIPS = ("sm_80", "sm_90", "sm_90a", "compute_90")
PROCESSORS, MAJOR, MINOR, L2_BYTES, SHARED_BYTES = 16, 75, 76, 38, 97


class DriverError(Exception):
    pass


class Driver:
    """The first GPU. Nothing is allocated on it before `open`."""

    def __init__(self):
        path = os.environ.get("FUSE_CUDA_DRIVER") or "libcuda.so.1"
        try:
            self.library = ctypes.CDLL(path)
        except OSError as error:
            raise DriverError(f"no driver of NVIDIA's: {error}") from None
        self.call("cuInit", 0)
        self.version = self.get("cuDriverGetVersion", ctypes.c_int())
        if self.version < OLDEST:
            raise DriverError(f"expected a driver of CUDA {OLDEST // 1000}.0 or later, found one of CUDA "
                              f"{self.version // 1000}.{self.version % 1000 // 10}")
        if self.get("cuDeviceGetCount", ctypes.c_int()) == 0:
            raise DriverError("no GPU")
        self.device = self.get("cuDeviceGet", ctypes.c_int(), 0)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), self.device)
        self.name = name.value.decode()
        self.processors, major, minor, self.l2_bytes, self.shared_bytes = (
            self.get("cuDeviceGetAttribute", ctypes.c_int(), number, self.device)
            for number in (PROCESSORS, MAJOR, MINOR, L2_BYTES, SHARED_BYTES))
        self.chip = 10 * major + minor

    def call(self, entry, *arguments):
        code = getattr(self.library, entry)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            raise DriverError(f"{entry}: {text.value.decode() if text.value else code}")

    def get(self, entry, value, *arguments):
        self.call(entry, ctypes.byref(value), *arguments)
        return value.value

    def open(self):
        """Takes the context that the runtime of bundles and PyTorch have as well, and a stream."""
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)
        self.stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(self.stream), 0)
        self.marks = [ctypes.c_void_p(), ctypes.c_void_p()]
        for mark in self.marks:
            self.call("cuEventCreate", ctypes.byref(mark), 0)

    def close(self):
        for mark in self.marks:
            self.call("cuEventDestroy_v2", mark)
        self.call("cuStreamDestroy_v2", self.stream)
        self.call("cuDevicePrimaryCtxRelease_v2", self.device)

    def time(self, submit, times):
        """ns of one of so many, by the GPU's clock."""
        self.call("cuEventRecord", self.marks[0], self.stream)
        for _ in range(times):
            submit()
        self.call("cuEventRecord", self.marks[1], self.stream)
        self.wait()
        milliseconds = self.get("cuEventElapsedTime", ctypes.c_float(), *self.marks)
        return 1e6 * milliseconds / times

    def wait(self):
        self.call("cuStreamSynchronize", self.stream)

    def copy_bandwidth(self, size, times=10):
        """Bytes read and written per ns by copies from one place on the GPU to another."""
        places = [ctypes.c_uint64(), ctypes.c_uint64()]
        try:
            for place in places:
                self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(size))
            copy = lambda: self.call("cuMemcpyDtoDAsync_v2", *places, ctypes.c_size_t(size), self.stream)  # noqa: E731
            self.time(copy, 2)
            return 2 * size / min(self.time(copy, times) for _ in range(3))
        finally:
            for place in places:
                if place.value:
                    self.call("cuMemFree_v2", place)

    def readback_bandwidth(self, size):
        """Bytes per ns from the GPU to memory of the host that is pinned."""
        place, host = ctypes.c_uint64(), ctypes.c_void_p()
        self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(size))
        self.call("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(size), 0)
        try:
            copy = lambda: self.call("cuMemcpyDtoHAsync_v2", host, place, ctypes.c_size_t(size), self.stream)  # noqa: E731
            return size / min(self.time(copy, 3) for _ in range(3))
        finally:
            self.call("cuMemFree_v2", place)
            self.call("cuMemFreeHost", host)

    def roundtrip(self):
        """ns from submitting next to nothing to knowing that it is done, by the host's clock."""
        place, took = ctypes.c_uint64(), []
        self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(4096))
        for _ in range(100):
            begin = time.perf_counter_ns()
            self.call("cuMemsetD8Async", place, ctypes.c_ubyte(0), ctypes.c_size_t(16), self.stream)
            self.wait()
            took.append(time.perf_counter_ns() - begin)
        self.call("cuMemFree_v2", place)
        return sorted(took)[len(took) // 2]


def get_number(chip):
    """90 of sm_90, sm_90a and compute_90."""
    return int("".join(filter(str.isdigit, chip)))


def choose_chip(prepared, number):
    """Of the chips that code was prepared for, the one whose code the GPU sm_`number` runs fastest; None if it runs none. Code
    of sm_90a is that GPU's alone; other code runs on later chips of its generation, and PTX ("compute_90") on all later ones."""
    def fits(chip):
        made = get_number(chip)
        if chip.startswith("compute_"):
            return made <= number
        return made == number if chip.endswith("a") else made // 10 == number // 10 and made <= number
    return max(filter(fits, prepared), key=lambda chip: (chip.startswith("sm_"), get_number(chip), chip.endswith("a")), default=None)
