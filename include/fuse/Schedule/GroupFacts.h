//===- GroupFacts.h - The facts of a group that a schedule is made from -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_GROUPFACTS_H
#define FUSE_SCHEDULE_GROUPFACTS_H

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/Analysis/KernelMembers.h"
#include "fuse/Schedule/KernelSchedule.h"

namespace mlir::fuse {

/// What the schedule of `domain`'s kernel will be made from, before the kernel exists. `mayStream`: dims may
/// be streamed, and long sums may change their order.
KernelFacts getKernelFacts(const MemberTable &table, const GroupDomain &domain,
                           bool mayStream = true);
/// What that of a kernel of linalg members is made from; `mayStream`: dims may be streamed.
KernelFacts getKernelFacts(const KernelMembers &kernel, bool mayStream);
/// The schedule that an outlined kernel of fuse ops is priced with, and ought to be built with; nothing where
/// it scatters. `mayStream`: dims may be streamed; `gpu`: blocks have threads.
std::optional<ScheduleAttr> computePlannedSchedule(func::FuncOp kernel, bool mayStream, bool gpu);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_GROUPFACTS_H
