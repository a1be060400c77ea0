//===- GroupMemo.h - What was found out about groups that look alike -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Networks repeat themselves: the twelve layers of an encoder ask the same questions twelve times.
// Two groups are alike if their members have equal facts and read one another and what is outside in
// the same way; everything a verdict is made of is then equal, but for the names in a reason.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_GROUPMEMO_H
#define FUSE_COSTMODEL_GROUPMEMO_H

#include "fuse/Analysis/Legality.h"
#include "fuse/CostModel/LaunchFacts.h"
#include "fuse/IR/FuseAttributes.h"

namespace mlir::fuse {

/// A kernel that could be.
struct GroupVerdict {
  Legality legality;
  LaunchFacts facts;
  ScheduleAttr schedule; ///< that the facts are of
};

/// Verdicts by what groups look like, under one target and one cost model.
class GroupMemo {
public:
  /// A digest of 128 bits.
  using Key = std::pair<uint64_t, uint64_t>;

  /// `nodes`: fusable ops of the table, ascending; `repeated` as for computeGroupDomain.
  static Key getKey(const MemberTable &table, ArrayRef<unsigned> nodes, ArrayRef<unsigned> repeated = {});

  /// Null if no group of that look is known. Valid until the next insertion.
  const GroupVerdict *lookup(Key key) const;
  void insert(Key key, const GroupVerdict &verdict);

private:
  llvm::DenseMap<Key, GroupVerdict> verdicts;
};

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_GROUPMEMO_H
