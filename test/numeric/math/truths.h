//===- truths.h - Functions right to well below an f32's last place -------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_MATH_TRUTHS_H
#define FUSE_TEST_NUMERIC_MATH_TRUTHS_H

#include <cmath>

inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
inline double silu(double x) { return x < -700 ? x * std::exp(x) : x * sigmoid(x); }
inline double geluErf(double x) { return x * 0.5 * std::erfc(-x * M_SQRT1_2); }
inline double geluTanh(double x) {
  return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x));
}
inline double hardSwish(double x) { return x * (std::fmin(std::fmax(x + 3, 0.0), 6.0) / 6); }

#endif // FUSE_TEST_NUMERIC_MATH_TRUTHS_H
