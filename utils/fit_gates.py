#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints lib/Codegen/MathExpansion/GateTables.h: polynomials for the tails of sigmoid and gelu, and for tanh.

The tail of a gate g is g(-a), a >= 0. Piece k of 16 holds the a for which a (quadratic a + linear)
rounds to k; such pieces span about equal parts of the tail's logarithm, so that one degree does for
all. In piece k the tail is a polynomial in a - center. Of the numbers near the middle of the
piece the center is the one whose tail is nearest to a float: that is the first coefficient. Each
further one is rounded before the rest is fitted again. Tables of lower degrees serve results that
are rounded to f16 or bf16; among them is tanh(a) / a, to 9, where tanh is 1 in f32. Errors are
relative; the largest is printed to standard error in units of 2^-24. Needs mpmath.
"""
import struct
import sys

import mpmath as mp

PIECES, SAMPLES, CANDIDATES = 16, 40, 150
# The larger a is, the faster the tail falls: what is added to the first coefficient had better be
# the larger part where the sum is small.
CENTER = 0.7


def sigmoid_tail(a):
    return 1 / (1 + mp.e**a)


def gelu_tanh_tail(a):
    return sigmoid_tail(2 * mp.sqrt(2 / mp.pi) * (a + mp.mpf("0.044715") * a**3))


def gelu_erf_tail(a):
    return mp.erfc(a / mp.sqrt(2)) / 2


def tanh_quotient(a):
    return mp.tanh(a) / a if a else mp.mpf(1)


# name, function, degree, quadratic and linear term of the index.
TABLES = [("kSigmoidTail", sigmoid_tail, 6, 0.005, 1.15),
          ("kGeluTanhTail", gelu_tanh_tail, 6, 0.46, 1.05),
          ("kGeluErfTail", gelu_erf_tail, 6, 0.42, 0.8),
          ("kShortSigmoidTail", sigmoid_tail, 4, 0.005, 1.15),
          ("kShortGeluTanhTail", gelu_tanh_tail, 4, 0.46, 1.05),
          ("kShortGeluErfTail", gelu_erf_tail, 4, 0.42, 0.8),
          ("kShortTanhQuotient", tanh_quotient, 3, -0.0975, 2.6)]


def to_float(value):
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def least_squares(rows, wanted):
    """The coefficients of columns of `rows` whose sum is nearest to `wanted`."""
    a = mp.matrix(rows)
    return mp.lu_solve(a.T * a, a.T * mp.matrix(wanted))


def choose_center(tail, low, high):
    middle = low + (high - low) * CENTER
    near = [to_float(middle + i * (high - low) / 16384) for i in range(-CANDIDATES, CANDIDATES + 1)]
    return min(near, key=lambda a: abs(to_float(tail(mp.mpf(a))) / tail(mp.mpf(a)) - 1))


def fit_piece(tail, degree, low, high):
    """The center, the coefficients from the lowest power up, and the largest relative error."""
    center = choose_center(tail, low, high)
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * SAMPLES))
             for i in range(SAMPLES)]
    values = [tail(a) for a in nodes]
    coefficients = [to_float(tail(mp.mpf(center)))]
    evaluate = lambda r: mp.polyval(coefficients[::-1], r)
    for power in range(1, degree + 1):
        rows = [[(a - center)**p / v for p in range(power, degree + 1)]
                for a, v in zip(nodes, values)]
        rest = [(v - evaluate(a - center)) / v for a, v in zip(nodes, values)]
        coefficients.append(to_float(least_squares(rows, rest)[0]))
    return center, coefficients, max(abs(evaluate(a - center) / v - 1)
                                     for a, v in zip(nodes, values))


def fit(tail, degree, quadratic, linear):
    """The pieces' centers and coefficients, the least a behind them, and the largest error."""
    root = lambda k: (mp.sqrt(linear**2 + 4 * quadratic * k) - linear) / (2 * quadratic)
    pieces = [fit_piece(tail, degree, root(k - 0.5) if k else mp.mpf(0), root(k + 0.5))
              for k in range(PIECES)]
    return pieces, to_float(root(PIECES - 0.51)), max(piece[2] for piece in pieces)


HEADER = """\
//===- GateTables.h - Polynomials for the tails of sigmoid and gelu, and for tanh ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Printed by utils/fit_gates.py, which says how they are made.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_MATHEXPANSION_GATETABLES_H
#define FUSE_LIB_CODEGEN_MATHEXPANSION_GATETABLES_H

namespace mlir::fuse {

/// A function of a for 0 <= a < limit: with k = a (quadratic a + linear), rounded to an integer, a polynomial in
/// a - centers[k] whose coefficients are coefficients[i][k], i from the lowest power up. The tails g(-a) of gates g are
/// right to about 2^-24 of them; those named `Short`, for results that are rounded to f16 or bf16, to 2^-15.
template <unsigned kDegree>
struct FunctionTable {
  double quadratic, linear, limit;
  float centers[16];
  float coefficients[kDegree + 1][16];
};
"""


def print_row(indent, values):
    texts = [v.hex().replace("0000000p", "p") + "f" for v in values]
    print(f"{indent}{{" + f",\n{indent} ".join(", ".join(texts[i:i + 4])
                                               for i in range(0, PIECES, 4)) + "}", end="")


def main():
    print(HEADER)
    for name, tail, degree, quadratic, linear in TABLES:
        quadratic, linear = to_float(quadratic), to_float(linear)
        pieces, limit, error = fit(tail, degree, mp.mpf(quadratic), mp.mpf(linear))
        print(f"{name}: {float(error * 2**24):.2f}", file=sys.stderr)
        print(f"inline constexpr FunctionTable<{degree}> {name} = {{\n    {quadratic.hex()}, {linear.hex()}, "
              f"{limit.hex()},")
        print_row("    ", [piece[0] for piece in pieces])
        print(",\n    {")
        for power in range(degree + 1):
            print_row("        ", [piece[1][power] for piece in pieces])
            print("," if power < degree else "}};\n")
    print("} // namespace mlir::fuse\n\n#endif // FUSE_LIB_CODEGEN_MATHEXPANSION_GATETABLES_H")


mp.mp.dps = 40
if __name__ == "__main__":
    main()
