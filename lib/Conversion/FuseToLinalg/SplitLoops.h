//===- SplitLoops.h - The loops of a generic: those of a domain, in factors -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_FUSETOLINALG_SPLITLOOPS_H
#define FUSE_LIB_CONVERSION_FUSETOLINALG_SPLITLOOPS_H

#include "GenericBuilder.h"

namespace mlir::fuse {

/// The loops of a domain, split into factors as outputs ask for, and as inputs lie (see buildGeneric). Loops of
/// one iteration are left out.
///
/// Example: loops over (128, 1, 768), of which the last is to have the factors [12, 64], are loops over (128, 12,
/// 64): `factors` is [(0, 128)], [] and [(1, 12), (2, 64)].
class SplitLoops {
public:
  SplitLoops(MLIRContext *context, const Domain &domain, ArrayRef<Input> inputs,
             ArrayRef<Output> outputs);

  /// Per loop of the domain its factors: loops of the generic.
  SmallVector<SmallVector<TensorFactor, 1>> factors;
  /// Of the loops of the generic.
  SmallVector<OpFoldResult> extents;
  SmallVector<utils::IteratorType> iterators;

  AffineExpr getDim(int64_t loop) const { return getAffineDimExpr(loop, context); }
  AffineMap getMap(ArrayRef<AffineExpr> exprs) const {
    return AffineMap::get(extents.size(), 0, exprs, context);
  }
  /// An expression over the domain's loops, none of which it takes apart, as one over those of the generic.
  AffineExpr convert(AffineExpr expr) const;

private:
  void addCuts(const Input &input);
  void addCuts(unsigned loop, ArrayRef<int64_t> extents);
  void makeLoops();

  MLIRContext *context;
  const Domain &domain;
  SmallVector<SmallVector<int64_t>> cuts; ///< per loop, ascending
  SmallVector<bool> isWhole;              ///< the loop takes no more cuts
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FUSETOLINALG_SPLITLOOPS_H
