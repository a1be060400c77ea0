//===- RepeatSmall.h - Small kernels that their readers compute for themselves -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An attention mask, `tensor<128xf32>`, is made of the tokens' flags by one kernel and read by twelve: merges put an op into
// one kernel, so none of the twelve may have it. Computed in each of them, it takes nothing, and its launch is saved.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_REPEATSMALL_H
#define FUSE_LIB_TRANSFORMS_REPEATSMALL_H

#include "fuse/CostModel/MergeQuery.h"
#include "fuse/Transforms/Strategy.h"

namespace mlir::fuse {

/// Lets all readers of a group of `plan` compute it for themselves where that is legal and costs less by both of the models of
/// `query`, `costModel` being the one that refuses merges. The group's results have at most 64 KB, only other groups of the
/// block read them, and computing them twice gives the same bits (`FusableOpInterface::isBitStable`).
void repeatSmallGroups(BlockPlan &plan, const MemberTable &table, const MergeQuery &query, GroupMemo &memo);

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_REPEATSMALL_H
