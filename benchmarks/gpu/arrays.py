# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that two machines make alike, and how results are compared: used where bundles are prepared and where they run."""

import zlib

import numpy as np

# By fuse_dtype; bf16 is kept as the upper halves of f32.
TYPES = {0: "float16", 1: "bfloat16", 2: "float32", 3: "float64", 4: "bool", 5: "int8", 6: "int16", 7: "int32", 8: "int64",
         9: "uint8", 10: "uint16", 11: "uint32", 12: "uint64"}
# As `fuse-run --check`: (relative, absolute).
TOLERANCES = {"float64": (1e-10, 1e-12), "float32": (1e-4, 1e-5), "float16": (5e-3, 1e-3), "bfloat16": (4e-2, 1e-2)}


def to_bfloat16(array):
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).reshape(array.shape)


def widen(array, kind):
    """As numbers that can be compared."""
    if kind == "bfloat16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64) if kind.startswith("float") else array


# Larger arrays repeat so many elements, a prime number, so that no two rows are equal: to draw them all takes a second.
PERIOD = 4194301


def make(name, shape, kind, indices_below=0):
    """As `fuse-run --random-inputs` does: normal floats, integers -8..8 (unsigned 0..16), indices within their extent."""
    size = int(np.prod(shape, dtype=np.int64))
    if size > 2 * PERIOD:
        return np.resize(make(name, (PERIOD,), kind, indices_below), shape)
    random = np.random.default_rng(zlib.crc32(f"{name}{tuple(shape)}{kind}".encode()))
    if indices_below:
        return random.integers(0, indices_below, shape).astype(kind)
    if kind == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if "int" in kind:
        low, high = (0, 17) if kind[0] == "u" else (-8, 9)
        return random.integers(low, high, shape).astype(kind)
    numbers = random.standard_normal(shape, np.float64 if kind == "float64" else np.float32)
    return to_bfloat16(np.asarray(numbers)) if kind == "bfloat16" else np.asarray(numbers).astype(kind)


def sample(array, most=4096):
    """Elements spread over all of the array, at most so many."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat if flat.size <= most else flat[np.linspace(0, flat.size - 1, most).astype(np.int64)]


def largest_fault(got, want, kind, scale=1.0):
    """How far the worst element is beyond what is tolerated: up to 1 is right. NaN is equal to NaN."""
    got, want = widen(got, kind), widen(want, kind)
    if got.shape != want.shape:
        return np.inf
    if kind not in TOLERANCES:
        return 0.0 if np.array_equal(got, want) else np.inf
    if not got.size:
        return 0.0
    relative, absolute = (scale * bound for bound in TOLERANCES[kind])
    with np.errstate(invalid="ignore", over="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        finite = want[np.isfinite(want)]
        size = np.maximum(np.abs(want), np.sqrt(np.mean(finite**2)) if finite.size else 0)
        fault = np.where(same, 0.0, np.abs(got - want) / (absolute + relative * size))
    return float(np.nan_to_num(fault, nan=np.inf).max())
