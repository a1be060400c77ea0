//===- ThinProduct.h - Products with few rows or columns -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A matrix times a vector reads each element of the matrix once or a few times: tiles of it are
// worth nothing, and what counts is how its memory is walked. So it is with convolutions that have
// a filter for each channel.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_THINPRODUCT_H
#define FUSE_SCHEDULE_THINPRODUCT_H

#include "fuse/Schedule/KernelSchedule.h"

namespace mlir::fuse {

/// A contraction of two operands, loop by loop.
struct ContractionLoop {
  int64_t extent = 1; ///< ShapedType::kDynamic where unknown
  bool reduces = false;
  /// The shared dims that it is, the innermost last; none where it is private.
  SmallVector<unsigned, 1> dims;
  /// Of each operand: whether it changes along the loop, and whether its memory's last dimension does.
  bool isIn[2] = {false, false}, isLast[2] = {false, false};
};

/// Notes in `entry` that the contraction is thin, if its parallel loops are all shared, and it has
/// fewer rows or fewer columns than are worth a tile.
void describeThinProduct(ArrayRef<ContractionLoop> loops, KernelFacts::Member &entry);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_THINPRODUCT_H
