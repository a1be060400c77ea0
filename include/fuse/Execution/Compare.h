//===- Compare.h - What was computed against what was expected ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_COMPARE_H
#define FUSE_EXECUTION_COMPARE_H

#include "fuse/Support/HostArray.h"

#include <string>

namespace mlir::fuse {

/// got fits want if |got − want| ≤ atol + rtol·max(|want|, rms), where rms is the root of the mean
/// square of want's finite elements: the noise of a long sum depends on its terms, not on how far
/// they happen to cancel. NaN fits NaN, an infinity itself only. Integers and i1 must be equal.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

/// f64 1e-10 and 1e-12, f32 1e-4 and 1e-5, f16 5e-3 and 1e-3, bf16 4e-2 and 1e-2; 0 for others.
Tolerance getDefaultTolerance(ElementType type);

struct Comparison {
  int64_t elements = 0;
  /// Elements that do not fit.
  int64_t wrong = 0;
  /// The largest |got − want|; infinity where one is not finite and they differ.
  double largestError = 0;
  /// Where that is, as a row-major index, and both values; −1 if all are equal.
  int64_t worst = -1;
  double got = 0, want = 0;
  /// The root of the mean square of the finite elements of what is wanted; 0 for integers, and where
  /// squares overflow.
  double rms = 0;

  bool fits() const { return wrong == 0; }
};

/// An error for arrays of different type or shape.
llvm::Expected<Comparison> compareArrays(const HostArray &got, const HostArray &want,
                                         Tolerance tolerance);

/// "[1, 0, 3]" for a row-major index.
std::string formatIndex(int64_t index, ArrayRef<int64_t> shape);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_COMPARE_H
