//===- Bounds.h - How far native code may be from the interpreter --------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Integers and i1 are equal. For floats there are two kinds of bound:
//  - element-wise ops: ULPs of the result's type between two results, by function (the table that
//    docs/numerics.md shows);
//  - sums and what is made of them: a multiple of the accumulator's ε times a magnitude, plus the
//    rounding to the result's type.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_DIFFERENTIAL_BOUNDS_H
#define FUSE_TEST_NUMERIC_DIFFERENTIAL_BOUNDS_H

#include "fuse/Support/HostArray.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace mlir::fuse::differential {

struct Bound {
  enum Magnitude {
    None,      // ULPs only; a zero's sign counts
    OfResult,  // |want|
    OfTerms,   // what the function gives on absolute values: Σ|xᵢ|
    OfArray    // max(|want|, the root of the mean square of want's finite elements)
  };
  Magnitude magnitude = None;
  /// In ULPs of the result's type.
  double ulps = 0;
  /// In units of the least denormal (of the accumulator, where terms are summed), beside these.
  double denormals = 0;
  /// In ε of `epsilonType`.
  double factor = 0;
  ElementType epsilonType = ElementType::F32;
};

/// Bound of an element-wise function: a unary kind ("gelu_none" and "gelu_tanh" for gelu) or a
/// binary one.
Bound getElementwiseBound(llvm::StringRef kind, ElementType type);
/// The table as Markdown.
void printBounds(llvm::raw_ostream &os);

/// The first element of `got` out of bounds as text; empty if there is none. `magnitudes`: for
/// OfTerms, else unused. `worst` becomes the largest distance in ULPs where that is larger.
std::string findError(const HostArray &got, const HostArray &want, const HostArray &magnitudes,
                      const Bound &bound, double &worst);

/// Whether all elements have the same bits; a NaN equals a NaN.
bool isIdentical(const HostArray &a, const HostArray &b, int64_t &where);

} // namespace mlir::fuse::differential

#endif // FUSE_TEST_NUMERIC_DIFFERENTIAL_BOUNDS_H
