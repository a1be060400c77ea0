#!/usr/bin/env python3
"""Writes values.txt: what the scalar functions must give, from an independent source.

Functions are evaluated as SEMANTICS writes them, in mpmath at 60 digits (with more inside, where a
formula cancels); exact operations in fractions; integers in Python's. Each line is

    unary   KIND TYPE X Y        (gelu's KIND is gelu_none or gelu_tanh)
    binary  KIND TYPE X1 X2 Y
    compare KIND TYPE X1 X2 Y
    reduce  KIND TYPE X... = Y

Operands are exact; a float result is the mathematical value to 64 bits, before any rounding to
TYPE, or nan, inf, -inf. Run without arguments: the output is the same every time.
"""
import math
import os
import random
from fractions import Fraction

import mpmath as mp
import numpy as np

mp.mp.dps = 60
NAN, INF = math.nan, math.inf
FLOATS = ("f32", "f64")
INTS = {"i8": (8, True), "i16": (16, True), "i32": (32, True), "i64": (64, True),
        "ui8": (8, False), "ui16": (16, False), "ui32": (32, False), "ui64": (64, False)}
# Beyond these magnitudes exp and friends have left every type's range.
FAR = 20000


def to_type(ty, x):
    with np.errstate(over="ignore"):
        return float(np.float32(x)) if ty == "f32" else float(x)


def show(x):
    """An exact double."""
    if math.isnan(x) or math.isinf(x):
        return str(x)
    text = x.hex()
    mantissa, exponent = text.split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + "p" + exponent.lstrip("+")


def show_exact(y):
    """A result, to 64 bits: float for specials and signed zeros, mpf or Fraction otherwise."""
    if isinstance(y, float):
        return show(y)
    if isinstance(y, Fraction):
        y = mp.mpf(y.numerator) / y.denominator
    y = mp.mpf(y)
    if y == 0:
        return "0x0p0"
    sign = "-" if y < 0 else ""
    mantissa, exponent = mp.frexp(abs(y))
    if exponent > 16000:
        return sign + "inf"
    if exponent < -16000:
        return sign + "0x0p0"
    bits = int(mp.floor(mantissa * mp.mpf(2) ** 64 + mp.mpf(1) / 2))
    exponent -= 64
    while bits % 16 == 0:
        bits //= 16
        exponent += 4
    return "%s0x%xp%d" % (sign, bits, exponent)


# --- unary ---------------------------------------------------------------------------------------
# Values at -inf, -0, +0, +inf.
SPECIAL = {
    "relu": (0.0, 0.0, 0.0, INF), "sigmoid": (0.0, 0.5, 0.5, 1.0), "tanh": (-1.0, -0.0, 0.0, 1.0),
    "gelu_none": (NAN, -0.0, 0.0, INF), "gelu_tanh": (NAN, -0.0, 0.0, INF),
    "sqrt": (NAN, -0.0, 0.0, INF), "rsqrt": (NAN, -INF, INF, 0.0), "exp": (0.0, 1.0, 1.0, INF),
    "log": (NAN, -INF, -INF, INF), "neg": (INF, 0.0, -0.0, -INF), "abs": (INF, 0.0, 0.0, INF),
    "erf": (-1.0, -0.0, 0.0, 1.0), "silu": (NAN, -0.0, 0.0, INF),
    "softplus": (0.0, mp.log(2), mp.log(2), INF), "hard_sigmoid": (0.0, 0.5, 0.5, 1.0),
    "hard_swish": (NAN, -0.0, 0.0, INF), "leaky_relu": (-INF, -0.0, 0.0, INF),
    "elu": (-1.0, -0.0, 0.0, INF), "floor": (-INF, -0.0, 0.0, INF),
    "ceil": (-INF, -0.0, 0.0, INF), "round_even": (-INF, -0.0, 0.0, INF),
    "sign": (-1.0, -0.0, 0.0, 1.0), "sin": (NAN, -0.0, 0.0, NAN), "cos": (NAN, 1.0, 1.0, NAN),
    "tan": (NAN, -0.0, 0.0, NAN), "reciprocal": (-0.0, -INF, INF, 0.0),
    "log1p": (NAN, -0.0, 0.0, INF), "expm1": (-1.0, -0.0, 0.0, INF),
    "atan": (-mp.pi / 2, -0.0, 0.0, mp.pi / 2), "asin": (NAN, -0.0, 0.0, NAN),
    "acos": (NAN, mp.pi / 2, mp.pi / 2, NAN), "sinh": (-INF, -0.0, 0.0, INF),
    "cosh": (INF, 1.0, 1.0, INF), "asinh": (-INF, -0.0, 0.0, INF),
    "acosh": (NAN, NAN, NAN, INF), "atanh": (NAN, -0.0, 0.0, NAN),
}


def sigmoid(x):
    return 1 / (1 + mp.exp(-max(min(x, FAR), -FAR)))


def exp(x):
    return mp.exp(max(min(x, FAR), -FAR))


def gelu_none(x):
    # Φ by erfc on the left: erf is 1 to any digits there.
    return x * mp.erfc(-x / mp.sqrt(2)) / 2 if x > -200 else -0.0


def gelu_tanh(x):
    if abs(x) > 200:
        return x if x > 0 else -0.0
    u = mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)
    # (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)), the form that needs no digits to spare.
    return x / (1 + mp.exp(-2 * u))


def round_half_even(x):
    whole = mp.floor(x)
    rest = x - whole
    if rest > 0.5 or (rest == 0.5 and int(whole) % 2):
        whole += 1
    return whole


def signed_zero(function):
    """Rounding to zero keeps the operand's sign."""
    def wrapped(x):
        y = function(x)
        return math.copysign(0.0, x) if y == 0 else y
    return wrapped


UNARY = {
    "relu": lambda x: max(x, mp.mpf(0)),
    "sigmoid": sigmoid,
    "tanh": mp.tanh,
    "gelu_none": gelu_none,
    "gelu_tanh": gelu_tanh,
    "sqrt": lambda x: mp.sqrt(x) if x > 0 else NAN,
    "rsqrt": lambda x: 1 / mp.sqrt(x) if x > 0 else NAN,
    "exp": exp,
    "log": lambda x: mp.log(x) if x > 0 else NAN,
    "neg": lambda x: -x,
    "abs": abs,
    "erf": mp.erf,
    "silu": lambda x: x * sigmoid(x) if x > -FAR else -0.0,
    "softplus": lambda x: mp.log1p(exp(x)) if x < FAR else x,
    "hard_sigmoid": lambda x: max(mp.mpf(0), min(mp.mpf(1), mp.mpf(0.2) * x + mp.mpf(0.5))),
    "hard_swish": signed_zero(lambda x: x * max(mp.mpf(0), min(mp.mpf(1), x / 6 + mp.mpf(0.5)))),
    "leaky_relu": lambda x: x if x >= 0 else mp.mpf(0.01) * x,
    "elu": lambda x: x if x >= 0 else mp.expm1(max(x, -FAR)),
    "floor": mp.floor,
    "ceil": signed_zero(mp.ceil),
    "round_even": signed_zero(round_half_even),
    "sign": mp.sign,
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan,
    "reciprocal": lambda x: 1 / x,
    "log1p": lambda x: mp.log1p(x) if x > -1 else -INF if x == -1 else NAN,
    "expm1": lambda x: mp.expm1(min(max(x, -FAR), FAR)),
    "atan": mp.atan,
    "asin": lambda x: mp.asin(x) if abs(x) <= 1 else NAN,
    "acos": lambda x: (mp.acos(x) if x != 1 else 0.0) if abs(x) <= 1 else NAN,
    "sinh": lambda x: mp.sinh(min(max(x, -FAR), FAR)),
    "cosh": lambda x: mp.cosh(min(max(x, -FAR), FAR)),
    "asinh": mp.asinh,
    "acosh": lambda x: (mp.acosh(x) if x != 1 else 0.0) if x >= 1 else NAN,
    "atanh": lambda x: mp.atanh(x) if abs(x) < 1 else math.copysign(INF, x) if abs(x) == 1 else NAN,
}

NEAR_ONE = (1 - 2**-24, 1 - 2**-53, 1 + 2**-23, 1 + 2**-52)
EXTRA = {  # near cancellation, near ends of the range
    "log": NEAR_ONE + (2.718281828459045, 0.9999, 1.0001),
    "log1p": (-1.0, -(1 - 2**-24), -(1 - 2**-53), -0.5, 1e-20, -1e-20),
    "sin": (3.141592653589793, 22.0, 1e5, 6.283185307179586, 1e22, 6381956970095103 * 2.0**797),
    "cos": (1.5707963267948966, 11.0, 1e5, 4.71238898038469, 1e22, 6381956970095103 * 2.0**797),
    "tan": (1.5707963267948966, 3.141592653589793, 0.7853981633974483, 11.0, 1e22),
    "gelu_none": (-13.0, -14.1, -37.5, -38.3, -4.2),
    "gelu_tanh": (-9.5, -10.02, -20.5, -21.3, -19.87893175203875),
    "exp": (-87.5, -103.5, 88.72, -745.1, 709.78, -708.5), "expm1": (-17.0, 88.72, 709.78),
    "sigmoid": (-87.5, -103.5, -745.1, 17.0, 37.0), "silu": (-87.5, -108.0, -750.0),
    "softplus": (-103.5, -745.1, -37.0), "hard_sigmoid": (-2.5, 2.5, -2.499999, 2.499999),
    "hard_swish": (-3.0, 3.0, -2.9999998, 2.9999998), "tanh": (9.01, 19.06, 0.625),
    "erf": (3.92, 5.92, 0.84375, 1.25), "floor": (2.5, -2.5, 2.0**52 + 0.5, 8388607.5),
    "ceil": (2.5, -2.5, -0.25, 8388607.5), "round_even": (2.5, -2.5, 1.5, -1.5, 4503599627370495.5),
    "atan": (1 - 2**-24, 1 + 2**-23, 1e-20), "asin": NEAR_ONE + (0.49999997, 0.50000006, -0.9999),
    "acos": NEAR_ONE + (0.49999997, 0.50000006, -0.9999), "sinh": (88.9, -89.4, 89.5, 710.2, 0.9999),
    "cosh": (88.9, -89.4, 89.5, 710.2, 1e-4), "asinh": (0.015624, 0.015626, 1e19, 1e-20),
    "acosh": NEAR_ONE + (1.0001, 1e19, 2.0, 1.5, 20.0), "atanh": NEAR_ONE + (-1.0, 0.015626, 0.9999),
    "elu": (-17.0, -1e-8), "rsqrt": (4.0, 1e-40, 0.25), "sqrt": (4.0, 1e-40, 2.0 + 2**-22),
}


def unary_inputs(ty, kind):
    tiny, normal, most = ((2**-149, 2**-126, 3.4028234663852886e38) if ty == "f32"
                          else (2**-1074, 2**-1022, 1.7976931348623157e308))
    base = [1e-12, 3e-5, 0.1, 0.5, 1.0, 1.75, 3.3, 5.5, 12.0]
    values = [NAN, -INF, -0.0, 0.0, INF, tiny, -tiny, normal, most, -most, 30.0, -30.0, 1e10]
    values += base + [-x for x in base] + list(EXTRA.get(kind, ()))
    seen = {}
    for x in values:
        x = to_type(ty, x)
        seen.setdefault(show(x), x)
    return seen.values()


def unary_value(kind, x):
    if math.isnan(x):
        return NAN
    if x == 0 or math.isinf(x):
        return SPECIAL[kind][(0 if x < 0 else 3) if x else 1 if math.copysign(1, x) < 0 else 2]
    return UNARY[kind](mp.mpf(x))


# --- binary --------------------------------------------------------------------------------------
def power(x, y):
    if not (math.isfinite(x) and math.isfinite(y)) or x == 0 or y == 0:
        try:
            return math.pow(x, y)
        except ValueError:  # C's divide-by-zero: an infinity, signed for odd integers
            return math.copysign(INF, x) if y % 2 == 1 else INF
    sign = 1
    if x < 0:
        if y != math.floor(y):
            return NAN
        sign = -1 if Fraction(y) % 2 == 1 else 1
    size = mp.mpf(y) * mp.log(abs(mp.mpf(x)), 2)
    if abs(size) > FAR:
        return sign * (INF if size > 0 else 0.0)
    return sign * mp.power(abs(mp.mpf(x)), mp.mpf(y))


def exact(kind, x, y):
    """On finite operands, the divisor not 0; zero results carry the sign IEEE 754 gives."""
    a, b = Fraction(x), Fraction(y)
    if kind in ("add", "sub"):
        # a - b is a + -b, and x + y is exactly 0 only with the sign the hardware gives.
        result = a + b if kind == "add" else a - b
        return result if result else (x + y if kind == "add" else x - y)
    sign = math.copysign(1.0, x) * (1 if kind == "rem" else math.copysign(1.0, y))
    if kind == "mul":
        result = a * b
    elif kind == "div":
        result = a / b
    else:
        result = a - b * int(a / b)
    return result if result else math.copysign(0.0, sign)


def binary_value(kind, x, y):
    if kind == "pow":
        return power(x, y)
    if kind in ("max", "min"):
        if math.isnan(x) or math.isnan(y):
            return NAN
        if x == 0 and y == 0:
            negative = [math.copysign(1, v) < 0 for v in (x, y)]
            return -0.0 if (all(negative) if kind == "max" else any(negative)) else 0.0
        return max(x, y) if kind == "max" else min(x, y)
    if math.isfinite(x) and math.isfinite(y) and not (kind in ("div", "rem") and y == 0):
        return exact(kind, x, y)
    with np.errstate(all="ignore"):  # specials: IEEE 754 by the hardware
        return float({"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
                      "rem": np.fmod}[kind](np.float64(x), np.float64(y)))


PAIRS = [(0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (-0.0, -0.0), (1.0, 0.0), (-1.0, 0.0), (NAN, 1.0),
         (1.0, NAN), (NAN, 0.0), (INF, INF), (INF, -INF), (-INF, 2.0), (2.0, -INF), (INF, 0.0),
         (1.0, 1 + 2**-23), (1.0, -(1 - 2**-24)), (1 / 3, 3.0), (-7.5, 2.0), (7.5, -2.0),
         (1e30, 1e-30), (0.1, 0.2), (-8.0, 1 / 3), (-8.0, 3.0), (-2.0, 63.0), (1.0000001, 1e6),
         (2.0, 0.5), (2.0, 127.0), (2.0, -149.0), (10.0, -38.5), (1e-40, 2.0), (123456.0, 0.001),
         (0.9999, 12345.678), (3e38, 3e38), (5.0, -1.0)]


# --- integers ------------------------------------------------------------------------------------
def wrap(ty, value):
    bits, signed = INTS[ty]
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def truncated_quotient(x, y):
    return -(-x // y) if (x < 0) != (y < 0) else x // y


def int_power(x, y):
    if y < 0:
        return 1 if x == 1 else (-1 if y % 2 else 1) if x == -1 else 0
    return pow(x, y, 1 << 64)


INT_BINARY = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: -1 if y == 0 else truncated_quotient(x, y),
    "rem": lambda x, y: x if y == 0 else x - y * truncated_quotient(x, y),
    "max": max, "min": min, "pow": int_power,
    "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
}
INT_SHIFT = {"shift_left": lambda x, y: x << y, "shift_right": lambda x, y: x >> y}

INT_UNARY = {
    "relu": lambda x: max(x, 0), "neg": lambda x: -x, "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0), "bitwise_not": lambda x: ~x,
}
COMPARE = {
    "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y, "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
}


def int_pairs(ty):
    bits, signed = INTS[ty]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    pairs = [(7, 2), (low, high), (high, 2), (5, 0), (low, 3), (high, high), (1, 3)]
    if signed:
        pairs += [(-7, 2), (7, -2), (low, -1), (-1, -3), (-3, -2), (low, 0)]
    return pairs


# --- reductions ----------------------------------------------------------------------------------
def reduce_value(kind, values):
    if any(math.isnan(v) for v in values):
        return NAN
    if kind in ("max", "min"):
        return max(values, default=-INF) if kind == "max" else min(values, default=INF)
    if any(math.isinf(v) for v in values):
        return float(math.prod(values) if kind == "prod" else sum(values))
    total = Fraction(1 if kind == "prod" else 0)
    for v in values:
        total = total * Fraction(v) if kind == "prod" else total + Fraction(v)
    if kind == "mean":
        return total / len(values) if values else NAN
    return total


def reduce_lists(ty, generator):
    yield from ([], [1.0, 2.0, 3.0, 4.0], [NAN, 1.0], [1.0, INF], [INF, -INF], [2.5], [-INF, -1.0],
                [1e8, 1.0, -1e8], [1e16, 1.0, -1e16, 1.0])
    for i in range(12):
        scale = 10.0 ** (i % 4 * 2)
        yield [to_type(ty, generator.uniform(-1, 1) * scale ** generator.uniform(-1, 1))
               for _ in range(2 + i % 5)]


def lines():
    for kind in UNARY:
        for ty in FLOATS:
            for x in unary_inputs(ty, kind):
                yield f"unary {kind} {ty} {show(x)} {show_exact(unary_value(kind, x))}"
    for ty in FLOATS:
        for x in unary_inputs(ty, "is_nan"):
            yield f"unary is_nan {ty} {show(x)} {int(math.isnan(x))}"
            yield f"unary is_inf {ty} {show(x)} {int(math.isinf(x))}"
    for x in (0, 1):
        yield f"unary logical_not i1 {x} {1 - x}"
    for kind in ("add", "sub", "mul", "div", "max", "min", "pow", "rem"):
        for ty in FLOATS:
            for x, y in PAIRS:
                x, y = to_type(ty, x), to_type(ty, y)
                yield (f"binary {kind} {ty} {show(x)} {show(y)} "
                       f"{show_exact(binary_value(kind, x, y))}")
    for kind in COMPARE:
        for x, y in PAIRS:
            x, y = to_type("f32", x), to_type("f32", y)
            yield f"compare {kind} f32 {show(x)} {show(y)} {int(COMPARE[kind](x, y))}"
    for ty in INTS:
        for x in sorted({x for x, _ in int_pairs(ty)}):
            for kind, function in INT_UNARY.items():
                if kind == "neg" and not INTS[ty][1]:
                    continue
                yield f"unary {kind} {ty} {x} {wrap(ty, function(x))}"
        for x, y in int_pairs(ty):
            for kind, function in INT_BINARY.items():
                yield f"binary {kind} {ty} {x} {y} {wrap(ty, function(x, y))}"
        bits = INTS[ty][0]
        for x, count in ((x, count) for x in (int_pairs(ty)[1][0], int_pairs(ty)[2][0], 5, 1)
                         for count in (0, 1, 3, bits - 1, bits, bits + 1, 100, -1)):
            count = wrap(ty, count)
            # Python's integers have no end: a count far beyond any width stands for the others.
            far = min(count % (1 << bits), 200)
            for kind, function in INT_SHIFT.items():
                yield f"binary {kind} {ty} {x} {count} {wrap(ty, function(x, far))}"
        for kind, function in COMPARE.items():
            for x, y in int_pairs(ty)[:4]:
                yield f"compare {kind} {ty} {x} {y} {int(function(x, y))}"
    for kind in ("and", "or", "xor", "max", "min"):
        for x, y in ((0, 0), (0, 1), (1, 0), (1, 1)):
            yield f"binary {kind} i1 {x} {y} {INT_BINARY[kind](x, y)}"
    for kind in ("sum", "mean", "prod", "max", "min"):
        for ty in FLOATS:
            for values in reduce_lists(ty, random.Random(7)):
                values = [to_type(ty, v) for v in values]
                operands = "".join(show(v) + " " for v in values)
                yield f"reduce {kind} {ty} {operands}= {show_exact(reduce_value(kind, values))}"


if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "values.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("# Written by make_values.py; see there.\n")
        file.writelines(line + "\n" for line in lines())
