//===- ScatterShape.h - What the loops of a scatter go over -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_SCATTERSHAPE_H
#define FUSE_IR_SCATTERSHAPE_H

#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// The result of a scatter as [A, n, C]: the dimensions before that of the indices as one, that one, and
/// those behind it as one. A and C are missing where they are 1. Extents are ShapedType::kDynamic where
/// unknown.
///
///   operand [2, 3, 7, 5], indices [4, 6], dimension 2: extents [6, 7, 5], dimension 1, updates 24
struct ScatterShape {
  SmallVector<int64_t, 3> extents;
  unsigned dimension = 0; ///< of n in `extents`
  int64_t updates = 1;    ///< how many indices there are

  static ScatterShape get(ArrayRef<int64_t> operand, ArrayRef<int64_t> indices, int64_t dimension);
  static ScatterShape get(ScatterOp scatter);
  static ScatterShape get(ScatterRowsOp scatter);

  /// Whether a scatter of so many updates into so many elements has none of one, and copies its operand.
  static bool isCopy(ArrayRef<int64_t> operand, ArrayRef<int64_t> updates) {
    return llvm::is_contained(operand, 0) || llvm::is_contained(updates, 0);
  }

  /// The same with U in place of n.
  SmallVector<int64_t, 3> getUpdateExtents() const;
};

} // namespace mlir::fuse

#endif // FUSE_IR_SCATTERSHAPE_H
