#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what must be exact in the scalar bodies: casts between all pairs of the 13 element types,
integer arithmetic, comparisons, and max, min, relu, sign, … with NaN and signed zeros.

  check_bodies.py [--fuse-opt PATH] [NAME…]

Everything is built twice, as vectors of 16 and as scalars, and compared bit for bit (any NaN for a
NaN) with exact arithmetic on Python's integers and fractions.
"""
import argparse
import ctypes
import fractions
import math
import pathlib
import random
import sys
import tempfile

import numpy as np

import lowering

BLOCK = 1024
FLOATS = ["f16", "bf16", "f32", "f64"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
TYPES = FLOATS + ["i1"] + INTEGERS
# precision, least exponent of a normal number, greatest exponent
FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127),
           "f64": (53, -1022, 1023)}
STORAGE = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64, "i1": np.uint8}
for width in (8, 16, 32, 64):
    STORAGE[f"i{width}"] = STORAGE[f"ui{width}"] = np.dtype(f"u{width // 8}").type


def signless(t):
    return t.replace("ui", "i")


def bits_of(t):
    return 1 if t == "i1" else int(t.lstrip("uibf"))


def lowest(t):
    return -(1 << (bits_of(t) - 1)) if t in SIGNED else 0


def highest(t):
    return (1 << (bits_of(t) - 1 if t in SIGNED else bits_of(t))) - 1


def wrap(t, value):
    value &= (1 << bits_of(t)) - 1
    return value - (1 << bits_of(t)) if t in SIGNED and value > highest(t) else value


def encode(t, value):
    """A Python number -> the bits of type t. Floats are rounded once, to nearest even."""
    if t not in FLOATS:
        return int(value) & ((1 << bits_of(t)) - 1)
    precision, low, high = FORMATS[t]
    width = bits_of(t)
    mantissa_bits = precision - 1
    infinity = ((1 << (width - precision)) - 1) << mantissa_bits
    if isinstance(value, float) and math.isnan(value):
        return infinity | 1 << (mantissa_bits - 1)
    sign = 1 << (width - 1) if math.copysign(1, value) < 0 else 0
    if isinstance(value, float) and math.isinf(value):
        return sign | infinity
    exact = abs(fractions.Fraction(value))
    if exact == 0:
        return sign
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if fractions.Fraction(2) ** exponent > exact:
        exponent -= 1
    exponent = max(exponent, low)
    scaled = exact / fractions.Fraction(2) ** (exponent - mantissa_bits)
    # The bits of a float are in the order of the floats: a carry needs no care.
    return sign | min(((exponent - low) << mantissa_bits) + round(scaled), infinity)


def decode(t, bits):
    if t not in FLOATS:
        return wrap(t, bits) if t != "i1" else bits & 1
    precision, low, _ = FORMATS[t]
    width = bits_of(t)
    exponent = bits >> (precision - 1) & ((1 << (width - precision)) - 1)
    mantissa = bits & ((1 << (precision - 1)) - 1)
    negative = bits >> (width - 1)
    if exponent == (1 << (width - precision)) - 1:
        value = math.nan if mantissa else math.inf
    else:
        if exponent:
            mantissa |= 1 << (precision - 1)
        value = math.ldexp(mantissa, max(exponent, 1) - 1 + low - (precision - 1))
    return -value if negative else value


def special_values(t, count, seed):
    """`count` bit patterns of type t: the special ones, then random ones."""
    rng = random.Random(f"{t}{seed}")
    width = bits_of(t)
    values = []
    if t in FLOATS:
        numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.99999, -0.99999, 3.0,
                   math.inf, -math.inf, math.nan, 1e-40, -1e-40, 1e-45, 65504.0, 65519.9, 65520.0,
                   1e300, -1e300, 1e38, 3.4e38, 3.39e38]
        for power in (7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64):
            for sign in (1.0, -1.0):
                base = sign * 2.0**power
                numbers += [base, base - 1, base + 1, base - 0.5, base + 0.5, base * 1.00390625,
                            np.nextafter(base, 0), np.nextafter(np.float32(base), np.float32(0))]
        values = [encode(t, float(number)) for number in numbers]
        values += [encode(t, rng.uniform(-300, 300)) for _ in range(count // 4)]
        # Ties of the narrower formats, and values just off them.
        for precision in (8, 11, 24):
            for _ in range(20):
                tie = float((rng.getrandbits(precision) | 1) * 2.0 ** rng.randint(-20, 60))
                values += [encode(t, tie), encode(t, tie * (1 + 2.0**-50)),
                           encode(t, tie * (1 - 2.0**-50))]
    elif t == "i1":
        values = [0, 1]
    else:
        numbers = [0, 1, -1, 2, -2, 3, 7, -7, 10, lowest(t), lowest(t) + 1, highest(t),
                   highest(t) - 1]
        for precision in (8, 11, 24, 53):
            for shift in range(0, max(1, width - precision)):
                tie = (1 << precision | 1) << shift
                numbers += [tie, tie + 1, tie - 1, -tie, -tie - 1, -tie + 1]
        values = [encode(t, number) for number in numbers if lowest(t) <= number <= highest(t)]
    if len(values) > count:
        head = min(40, count // 2)
        values = values[:head] + rng.sample(values, count - head)
    while len(values) < count:
        values.append(rng.getrandbits(width) >> rng.choice([0, 0, width // 2]))
    return values


def cast(source, target, value):
    if target == "i1":
        return int(value != 0)
    if target in FLOATS or source not in FLOATS:
        return value if target in FLOATS else wrap(target, value)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return highest(target) if value > 0 else lowest(target)
    return min(max(math.trunc(value), lowest(target)), highest(target))


def divide(t, l, r):
    if r == 0:
        return -1
    quotient = abs(l) // abs(r)
    return -quotient if (l < 0) != (r < 0) else quotient


def remainder(t, l, r):
    if r == 0:
        return l
    rest = abs(l) % abs(r)
    return -rest if l < 0 else rest


def power(t, l, r):
    if r < 0:
        return {1: 1, -1: -1 if r % 2 else 1}.get(l, 0)
    return pow(l, r, 1 << bits_of(t))


def shift_left(t, l, r):
    r &= (1 << bits_of(t)) - 1
    return l << r if r < bits_of(t) else 0


def shift_right(t, l, r):
    return l >> min(r & ((1 << bits_of(t)) - 1), bits_of(t))


def extreme(pick):
    def choose(t, l, r):
        if t in FLOATS:
            if math.isnan(l) or math.isnan(r):
                return math.nan
            if l == r == 0:
                return pick(math.copysign(1, l), math.copysign(1, r)) * 0.0
        return pick(l, r)
    return choose


def unary_float(function):
    return lambda t, x: x if math.isnan(x) or math.isinf(x) else function(x)


def float_sign(t, x):
    return x if math.isnan(x) or x == 0 else math.copysign(1.0, x)


def rounded(function):
    return unary_float(lambda x: math.copysign(float(function(x)), x))


BINARY = {"add": lambda t, l, r: l + r, "sub": lambda t, l, r: l - r,
          "mul": lambda t, l, r: l * r, "div": divide, "rem": remainder, "pow": power,
          "max": extreme(max), "min": extreme(min), "and": lambda t, l, r: l & r,
          "or": lambda t, l, r: l | r, "xor": lambda t, l, r: l ^ r,
          "shift_left": shift_left, "shift_right": shift_right}
COMPARE = {"lt": lambda l, r: l < r, "le": lambda l, r: l <= r, "gt": lambda l, r: l > r,
           "ge": lambda l, r: l >= r, "eq": lambda l, r: l == r, "ne": lambda l, r: l != r}


def cases():
    """name -> (body, operand types, result type, reference on decoded values, or None for equal
    bits)."""
    result = {}

    def add(name, body, operands, target, reference):
        result[name] = (body, operands, target, reference)

    for source in TYPES:
        for target in TYPES:
            add(f"cast_{source}_{target}", f"cast {source} {target}", [source], target,
                lambda x, s=source, t=target: cast(s, t, x))
            if "i1" not in (source, target) and bits_of(source) == bits_of(target):
                add(f"bitcast_{source}_{target}", f"bitcast {source} {target}", [source], target,
                    None)
    for t in TYPES:
        for kind, reference in BINARY.items():
            is_legal = (t in INTEGERS or kind in ("max", "min")
                        or t == "i1" and kind in ("and", "or", "xor"))
            if is_legal:
                add(f"{kind}_{t}", f"binary {kind} {t}", [t, t], t,
                    lambda l, r, t=t, f=reference: f(t, l, r))
        for predicate, reference in COMPARE.items():
            add(f"{predicate}_{t}", f"compare {predicate} {t}", [t, t], "i1",
                lambda l, r, f=reference: int(f(l, r)))
    for t in INTEGERS:
        add(f"clamp_{t}", f"clamp {t}", [t] * 3, t, lambda x, lo, hi: min(max(x, lo), hi))
        add(f"relu_{t}", f"unary relu {t}", [t], t, lambda x: max(x, 0))
        add(f"abs_{t}", f"unary abs {t}", [t], t, abs)
        add(f"sign_{t}", f"unary sign {t}", [t], t, lambda x: (x > 0) - (x < 0))
        add(f"bitwise_not_{t}", f"unary bitwise_not {t}", [t], t, lambda x: ~x)
    for t in SIGNED:
        add(f"neg_{t}", f"unary neg {t}", [t], t, lambda x: -x)
    add("logical_not", "unary logical_not i1", ["i1"], "i1", lambda x: 1 - x)
    for t in FLOATS:
        maximum, minimum = extreme(max), extreme(min)
        add(f"clamp_{t}", f"clamp {t}", [t] * 3, t,
            lambda x, lo, hi, t=t: minimum(t, maximum(t, x, lo), hi))
        add(f"is_nan_{t}", f"unary is_nan {t}", [t], "i1", lambda x: int(math.isnan(x)))
        add(f"is_inf_{t}", f"unary is_inf {t}", [t], "i1", lambda x: int(math.isinf(x)))
        for kind, f in {"relu": lambda t, x: maximum(t, x, 0.0), "abs": lambda t, x: abs(x),
                        "neg": lambda t, x: -x, "sign": float_sign, "floor": rounded(math.floor),
                        "ceil": rounded(math.ceil), "round_even": rounded(round)}.items():
            add(f"{kind}_{t}", f"unary {kind} {t}", [t], t, lambda x, t=t, f=f: f(t, x))
    return result


def is_nan(t, bits):
    return t in FLOATS and math.isnan(decode(t, bits))


def check(library, name, case, width):
    """The number of wrong elements; prints the first."""
    _, operands, target, reference = case
    count = BLOCK
    if len(operands) == 1:
        columns = [special_values(operands[0], count, 0)]
    else:
        side = int(round(count ** (1 / len(operands))))
        axes = [special_values(t, side, i) for i, t in enumerate(operands)]
        columns = [[axis[j // side**i % side] for j in range(count)]
                   for i, axis in enumerate(axes)]
    arrays = [np.array(c, dtype=STORAGE[t]) for c, t in zip(columns, operands)]
    out = np.full(count, 0x55, dtype=STORAGE[target])
    getattr(library, f"fuse_{name}_{width}")(*(a.ctypes.data_as(ctypes.c_void_p)
                                              for a in [*arrays, out]))
    wrong = 0
    for index, got in enumerate(out.tolist()):
        inputs = [decode(t, column[index]) for t, column in zip(operands, columns)]
        want = encode(target, reference(*inputs)) if reference else columns[0][index]
        if got == want or is_nan(target, got) and is_nan(target, want):
            continue
        if not wrong:
            print(f"{name}, width {width}: {inputs}: got {decode(target, got)} ({got:#x}), "
                  f"want {decode(target, want)} ({want:#x})")
        wrong += 1
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    lowering.add_arguments(parser)
    args = parser.parse_args()
    chosen = {n: c for n, c in cases().items() if not args.names or n in args.names}
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        ir = "".join(lowering.block_function(f"{name}_{width}", body, list(map(signless, operands)),
                                             signless(target), BLOCK, width)
                     for name, (body, operands, target, _) in chosen.items() for width in (16, 0))
        path = lowering.compile_and_link(folder, [lowering.lower(folder, ir, args)],
                                         folder / "bodies.so", ["-shared", "-lm"])
        library = ctypes.CDLL(str(path.resolve()))
        failed = [f"{name}/{width}" for name, case in chosen.items() for width in (16, 0)
                  if check(library, name, case, width)]
    print(f"{2 * len(chosen) - len(failed)} functions right on {BLOCK} elements each, "
          f"{len(failed)} wrong")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
