//===- KernelSchedule.h - Tile sizes of a kernel from facts and a target -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A pure function (kernel facts, target) -> #fuse.schedule. The facts are those that code is built
// from, so that a cost model can ask for the same schedule.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_KERNELSCHEDULE_H
#define FUSE_SCHEDULE_KERNELSCHEDULE_H

#include "fuse/IR/FuseAttributes.h"

namespace mlir::fuse {

/// What a schedule is made from.
struct KernelFacts {
  /// Extent of each shared dim, in loop order; ShapedType::kDynamic where unknown.
  SmallVector<int64_t> extents;
  /// The members that lack some shared dim, and are computed once per tile along it.
  struct ReplicatedMember {
    SmallVector<unsigned> dims;  ///< the shared dims that it has
    int64_t privateElements = 1; ///< ShapedType::kDynamic where unknown
  };
  SmallVector<ReplicatedMember> replicated;
  /// The largest product of private extents of one member: elements behind one point of the
  /// shared domain; 1 for element-wise kernels, ShapedType::kDynamic where unknown.
  int64_t privateElements = 1;
  /// Whether a member reduces over private loops.
  bool hasReductions = false;
  /// Whether memory is contiguous along the last shared dim (element-wise kernels, column sums,
  /// contractions) and not along a private one (row kernels).
  bool lastDimIsContiguous = true;
  /// Bytes of the widest element that the kernel touches.
  int64_t elementBytes = 4;
};

/// One level over blocks, with a tile size for each shared dim.
ScheduleAttr computeSchedule(MLIRContext *context, const KernelFacts &facts, TargetAttr target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_KERNELSCHEDULE_H
