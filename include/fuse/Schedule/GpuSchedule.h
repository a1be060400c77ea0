//===- GpuSchedule.h - Tiles and threads of a kernel on a GPU -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_GPUSCHEDULE_H
#define FUSE_SCHEDULE_GPUSCHEDULE_H

#include "fuse/Schedule/KernelSchedule.h"

namespace mlir::fuse {

/// One level over blocks, with the threads of a block, and with `lanes` where a block's tile has
/// rows. Temporaries fit the target's `shared_memory_bytes`, if the smallest tiles' do; a dim that
/// can be streamed is, where that makes them fit.
ScheduleAttr computeGpuSchedule(MLIRContext *context, const KernelFacts &facts, TargetAttr target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_GPUSCHEDULE_H
