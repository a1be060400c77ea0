#!/usr/bin/env python3
# Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the polynomials of lib/Codegen/MathExpansion and lib/IR/ScalarBody*.

Prints, per polynomial, the coefficients from the highest power down, each rounded to the type that
evaluates it, and the largest weighted error of the rounded polynomial. Remez exchange on a dense
grid; coefficients are rounded one at a time from the constant term up, the rest refitted each time,
so that the roundings compensate.

  utils/fit_math.py [NAME…]
"""
import sys

import mpmath as mp
import numpy as np

mp.mp.prec = 200


def grid(lo, hi, count=3001):
    lo, hi = float(lo), float(hi)
    t = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    return np.sort((hi + lo) / 2 + (hi - lo) / 2 * t)


def remez(x, target, weight, powers):
    """Coefficients c of sum c_j x^powers_j that minimize max |weight * (sum - target)|."""
    columns = np.stack([x**p for p in powers], axis=1) * weight[:, None]
    right = target * weight
    n = len(powers)
    picks = ((1 - np.cos(np.pi * np.arange(n + 1) / n)) / 2 * (len(x) - 1)).round().astype(int)
    best = None
    for _ in range(60):
        signs = (-1.0) ** np.arange(n + 1)
        system = np.concatenate([columns[picks], signs[:, None]], axis=1)
        solution = np.linalg.solve(system, right[picks])
        c, level = solution[:n], abs(solution[n])
        error = columns @ c - right
        worst = np.abs(error).max()
        if best is None or worst < best[1]:
            best = (c, worst)
        if worst <= level * 1.001:
            break
        # One extremum per run of equal sign.
        change = np.flatnonzero(np.diff(np.sign(error)) != 0) + 1
        runs = np.split(np.arange(len(x)), change)
        peaks = [r[np.abs(error[r]).argmax()] for r in runs]
        while len(peaks) > n + 1:
            if len(peaks) == n + 2:
                peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
            else:
                low = int(np.abs(error[peaks]).argmin())
                if 0 < low < len(peaks) - 1:
                    left, right_ = peaks[low - 1], peaks[low + 1]
                    drop = low + 1 if abs(error[right_]) < abs(error[left]) else low - 1
                    for index in sorted((low, drop), reverse=True):
                        peaks.pop(index)
                else:
                    peaks.pop(low)
        if len(peaks) < n + 1:
            break
        picks = np.array(peaks)
    return best


def fit(function, lo, hi, degree, weight=lambda x: 1.0, type_=np.float32, powers=None):
    x = grid(lo, hi)
    target = np.array([float(function(mp.mpf(float(v)))) for v in x])
    w = np.array([float(weight(mp.mpf(float(v)))) for v in x])
    powers = list(range(degree + 1)) if powers is None else powers
    fixed = {}
    for p in powers[:-1]:
        rest = [q for q in powers if q not in fixed]
        known = sum((fixed[q] * x**q for q in fixed), np.zeros_like(x))
        c, _ = remez(x, target - known, w, rest)
        fixed[p] = float(type_(c[0]))
    known = sum((fixed[q] * x**q for q in fixed), np.zeros_like(x))
    c, _ = remez(x, target - known, w, [powers[-1]])
    fixed[powers[-1]] = float(type_(c[0]))
    error = w * (sum(fixed[q] * x**q for q in powers) - target)
    return [fixed[p] for p in reversed(powers)], np.abs(error).max()


def series(function, at_zero):
    return lambda x: at_zero if x == 0 else function(x)


half_ln2 = mp.log(2) / 2
quarter_pi = mp.pi / 4
SQRT_HALF = mp.sqrt(0.5)


PHI_K = 2.92578125


def scaled_phi(u):
    a = PHI_K * (1 + u) / (1 - u)
    return mp.erfc(a / mp.sqrt(2)) / 2 * mp.exp(a * a / 2) * (a + PHI_K)


# name -> arguments of fit. Every entry says what the polynomial stands for.
FITS = {
    # exp(r) = 1 + r + r^2 P(r)
    "exp": lambda: fit(series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), -half_ln2,
                       half_ln2, 4, lambda r: r**2),
    # expm1(r) = r + r^2 P(r), relative to r
    "expm1": lambda: fit(series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), -half_ln2,
                         half_ln2, 5, lambda r: r),
    # log(1 + f) = f - f^2/2 + f^3 P(f)
    "log": lambda: fit(series(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, mp.mpf(1) / 3),
                       SQRT_HALF - 1, mp.sqrt(2) - 1, 8, lambda f: f**2),
    # sin(r) = r + r^3 P(r^2)
    "sin": lambda: fit(lambda s: (mp.sin(mp.sqrt(s)) / mp.sqrt(s) - 1) / s, 1e-9,
                       quarter_pi**2 * 1.001, 3, lambda s: s),
    # cos(r) = 1 - r^2/2 + r^4 P(r^2)
    "cos": lambda: fit(lambda s: (mp.cos(mp.sqrt(s)) - 1 + s / 2) / s**2, 1e-9,
                       quarter_pi**2 * 1.001, 3, lambda s: s**2),
    # tanh(x) = x + x^3 P(x^2), |x| <= 0.625
    "tanh": lambda: fit(lambda s: (mp.tanh(mp.sqrt(s)) / mp.sqrt(s) - 1) / s, 1e-9, 0.625**2, 5,
                        lambda s: s),
    # erf(x) = x + x P(x^2), |x| <= 1
    "erf-small": lambda: fit(lambda s: mp.erf(mp.sqrt(s)) / mp.sqrt(s) - 1, 1e-9, 1.0, 6),
    # erf(x) = 1 - exp(P(x)), 1 <= x <= 4
    "erf-large": lambda: fit(lambda x: mp.log(mp.erfc(x)), 0.99, 4.0, 6, lambda x: mp.erfc(x)),
    # Phi(x) = 1/2 + x P(x^2), |x| <= 0.75
    "phi-near": lambda: fit(lambda s: (mp.ncdf(mp.sqrt(s)) - mp.mpf(1) / 2) / mp.sqrt(s), 1e-9,
                            0.76**2, 4),
    # exp(a^2 / 2) Phi(-a) = P(u) / (a + PHI_K), u = (a - PHI_K) / (a + PHI_K), 0.74 <= a <= 14.5
    "phi-tail": lambda: fit(scaled_phi, (0.74 - PHI_K) / (0.74 + PHI_K),
                            (14.5 - PHI_K) / (14.5 + PHI_K), 9, lambda u: 1 / scaled_phi(u)),
    # 2^r = 1 + r P(r)
    "exp2": lambda: fit(series(lambda r: (mp.power(2, r) - 1) / r, mp.log(2)), -0.5, 0.5, 5,
                        lambda r: r * mp.power(2, -r)),
    # sin and cos in f64 for tan, to 2^-32
    "sin-f64": lambda: fit(lambda s: (mp.sin(mp.sqrt(s)) / mp.sqrt(s) - 1) / s, 1e-9,
                           quarter_pi**2 * 1.001, 4, lambda s: s, np.float64),
    "cos-f64": lambda: fit(lambda s: (mp.cos(mp.sqrt(s)) - 1) / s, 1e-9, quarter_pi**2 * 1.001, 5,
                           lambda s: s, np.float64),
    # atan(x) = x P(x^2), |x| <= 1, in f64
    "atan-f64": lambda: fit(lambda s: mp.atan(mp.sqrt(s)) / mp.sqrt(s), 1e-12, 1.0, 11,
                            lambda s: 1 / (mp.atan(mp.sqrt(s)) / mp.sqrt(s)), np.float64),
    # asin(x) = x P(x^2), |x| <= 1/2, in f64
    "asin-f64": lambda: fit(lambda s: mp.asin(mp.sqrt(s)) / mp.sqrt(s), 1e-12, 0.25, 7,
                            type_=np.float64),
    # sinh(x) = x P(x^2), |x| <= 1, in f64
    "sinh-f64": lambda: fit(lambda s: mp.sinh(mp.sqrt(s)) / mp.sqrt(s), 1e-12, 1.0, 4,
                            type_=np.float64),
    # log2(m) = s P(s^2), s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)], in f64
    "log2-f64": lambda: fit(lambda t: 2 * mp.atanh(mp.sqrt(t)) / mp.sqrt(t) / mp.log(2), 1e-12,
                            0.0294373, 6, type_=np.float64),
    # 2^r = P(r), |r| <= 1/2, in f64
    "exp2-f64": lambda: fit(lambda r: mp.power(2, r), -0.5, 0.5, 7, lambda r: mp.power(2, -r),
                            np.float64),
}


def main():
    for name in sys.argv[1:] or FITS:
        coefficients, error = FITS[name]()
        print(f"{name}: largest weighted error 2^{np.log2(error):.2f}")
        print("  {" + ", ".join(f"{c.hex()}" for c in coefficients) + "}")


if __name__ == "__main__":
    main()
