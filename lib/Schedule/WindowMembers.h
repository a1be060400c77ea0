//===- WindowMembers.h - Members that are computed for windows -----------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_SCHEDULE_WINDOWMEMBERS_H
#define FUSE_LIB_SCHEDULE_WINDOWMEMBERS_H

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/Analysis/MemberTable.h"

namespace mlir::fuse {

/// Whether an op is computed where its only reader lays out its windows (see MergeMembers.cpp), so
/// that it is nowhere whole. What is computed from sums is: these are whole.
bool isMadeForWindows(const MemberTable &table, const GroupDomain &domain, unsigned node);

/// For each member the copy for windows that it is computed for, itself or by way of its only reader: each tile computes as
/// much of an element-wise member as its copy has. Nothing for members that are computed once for all tiles.
SmallVector<std::optional<WindowCopy>> findCopiesMadeOf(const MemberTable &table, const GroupDomain &domain);

} // namespace mlir::fuse

#endif // FUSE_LIB_SCHEDULE_WINDOWMEMBERS_H
