//===- GroupFacts.h - The facts of a group that a schedule is made from -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_GROUPFACTS_H
#define FUSE_SCHEDULE_GROUPFACTS_H

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/Schedule/KernelSchedule.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::fuse {

/// What the schedule of `domain`'s kernel will be made from, before the kernel exists. `mayStream`: dims may
/// be streamed, and long sums may change their order.
KernelFacts getKernelFacts(const MemberTable &table, const GroupDomain &domain, bool mayStream);
/// The same of an outlined kernel, a function of fuse ops in which nothing scatters. Fails, with an error
/// at the op, where another op stands in it.
FailureOr<KernelFacts> getKernelFacts(func::FuncOp kernel, bool mayStream);
/// The schedule that such a function is built with; it may scatter. `gpu`: blocks have threads.
FailureOr<ScheduleAttr> computeKernelSchedule(func::FuncOp kernel, bool mayStream, bool gpu);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_GROUPFACTS_H
