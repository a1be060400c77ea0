//===- ScatterSchedule.h - Tiles of a kernel that scatters -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A block of a scatter owns a tile of the result, [A, n, C] with n the dimension of the indices. It
// copies its tile of the operand, then walks all updates in order and takes those that meet its tile:
//
//   [173, 64] with 1500 updates, tiles of [87, 64]: two blocks; each looks at 1500 indices and folds
//   about 750 rows of 64 elements.
//
// So tiles along A and C divide the updates among blocks, and tiles along n do so, too, but every
// block looks at every index: the more blocks, the more looks. No two blocks write one element,
// hence results do not depend on how blocks are cut, nor on threads.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_SCATTERSCHEDULE_H
#define FUSE_SCHEDULE_SCATTERSCHEDULE_H

#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/ScatterShape.h"

namespace mlir::fuse {

/// One level over blocks, whose dims are the dimensions of the result. The number of blocks is that
/// which takes least time on the target's threads.
ScheduleAttr computeScatterSchedule(MLIRContext *context, const ScatterShape &scatter,
                                    TargetAttr target);
/// The same for a GPU, with the threads of a block: these have the columns of a row, and all walk the
/// updates together.
ScheduleAttr computeGpuScatterSchedule(MLIRContext *context, const ScatterShape &scatter,
                                       TargetAttr target);

/// How many blocks such a schedule makes; unknown extents count as the schedule counts them.
int64_t countScatterBlocks(const ScatterShape &scatter, ScheduleAttr schedule);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_SCATTERSCHEDULE_H
