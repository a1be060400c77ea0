//===- ShortWeights.h - Weights that are computed from few bits -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The weights W[k, n] of a product as a tree of element-wise ops and views over parameters:
// (float(q) - z) * s, say. A leaf of the tree is read at positions that are digits of k and n: a
// scale for each 32 steps, of a parameter of [columns, steps / 32], at (n, k / 32).
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_SHORTWEIGHTS_H
#define FUSE_LIB_TRANSFORMS_SHORTWEIGHTS_H

#include "fuse/Analysis/SourceAccess.h"
#include "fuse/IR/FuseBuilder.h"

namespace mlir::fuse {

/// How a tensor is read at (k, n): for each of its dimensions the digits of loop 0 (k) and loop 1
/// (n) whose number is the position, the outermost first. A dimension without digits is read at 0.
struct WeightAccess {
  SmallVector<SmallVector<LoopDigit, 2>> dims;

  /// The same of the operand of a view, or of operand `number` of an element-wise op; nothing where
  /// a position would be no number of digits.
  std::optional<WeightAccess> through(Operation *op, unsigned number) const;

  /// How many steps k in a row, and columns n, read one element: 0 if all do. Nothing where the
  /// digits of a loop are not all those from some divisor on.
  struct Run {
    int64_t steps, columns;
    /// How many steps and columns there are elements for.
    int64_t coveredSteps, coveredColumns;
  };
  std::optional<Run> getRun() const;

  /// `value`, which is read so, as a matrix of [runs of steps, columns]; one row or column where
  /// none tells them apart.
  Value toMatrix(FuseBuilder &b, Value value) const;
};

/// The least and the largest integer that an element of `value` can be, by how it is computed.
std::pair<int64_t, int64_t> getIntegerRange(Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_SHORTWEIGHTS_H
