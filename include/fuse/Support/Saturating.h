//===- Saturating.h - Arithmetic on sizes that ends where a number does ---------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Extents come from whoever wrote the program, so that bytes, points and floating-point operations, which are products
// of them, may be more than an int64_t holds. Analyses compare and price such numbers; for them "as much as can be said"
// does, whereas a sum that wrapped around would look cheap. Where a size that is too large is an error,
// llvm::MulOverflow tells so instead.
//
// llvm::SaturatingAdd and llvm::SaturatingMultiply are for unsigned numbers: their limit is no int64_t, and a negative
// operand is taken for a huge one.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_SATURATING_H
#define FUSE_SUPPORT_SATURATING_H

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mlir::fuse {

//===- All of int64_t -----------------------------------------------------------------------===//

namespace detail {
/// What stands for a number outside int64_t.
inline int64_t getNearest(bool isNegative) {
  return isNegative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}
} // namespace detail

/// a + b, or the int64_t nearest to it.
inline int64_t addSaturating(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? detail::getNearest(a < 0) : sum;
}

/// a - b, or the int64_t nearest to it.
inline int64_t subSaturating(int64_t a, int64_t b) {
  int64_t difference;
  return llvm::SubOverflow(a, b, difference) ? detail::getNearest(a < 0) : difference;
}

/// a * b, or the int64_t nearest to it.
inline int64_t mulSaturating(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? detail::getNearest((a < 0) != (b < 0)) : product;
}

//===- Counts with room above them ----------------------------------------------------------===//

/// Where counts end that go through plain arithmetic afterwards: doubling one, or adding up seven, stays within int64_t.
constexpr int64_t kCountLimit = int64_t(1) << 60;

/// a + b of two counts, at most kCountLimit.
inline int64_t addCounts(int64_t a, int64_t b) { return std::min(addSaturating(a, b), kCountLimit); }

/// a * b of two counts, at most kCountLimit.
inline int64_t mulCounts(int64_t a, int64_t b) { return std::min(mulSaturating(a, b), kCountLimit); }

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_SATURATING_H
