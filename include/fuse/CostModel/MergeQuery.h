//===- MergeQuery.h - May two groups be one kernel, and what would it gain? -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The question that the planner, the report and users ask alike. Legality comes first (what members
// are, order in memory, the shared domain, the limits of the target), then the price.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_MERGEQUERY_H
#define FUSE_COSTMODEL_MERGEQUERY_H

#include "fuse/Analysis/GroupLegality.h"
#include "fuse/CostModel/GroupCost.h"

namespace mlir::fuse {

/// One launch, priced twice.
struct LaunchPrice {
  double ioNs = 0;       ///< launch and traffic alone: what merges are ordered by
  double rooflineNs = 0; ///< with what is read or computed again: what may speak against a merge

  LaunchPrice operator+(const LaunchPrice &other) const {
    return {ioNs + other.ioNs, rooflineNs + other.rooflineNs};
  }
};

/// A kernel that could be.
struct GroupVerdict {
  Legality legality;
  GroupCost cost;
  LaunchPrice price;
};

struct MergeVerdict {
  Legality legality;
  GroupVerdict merged;
  /// What the merge saves in launches and traffic. Set only where the group may be formed at all.
  double gainNs = 0;
};

class MergeQuery {
public:
  MergeQuery(const FusionGraph &graph, const MemberTable &table, TargetAttr target);

  const MemberTable &getTable() const { return table; }
  /// The members by themselves: kinds, marks, and order in memory; not the ops between them.
  Legality checkMembers(ArrayRef<unsigned> nodes) const;
  /// A group, with its price; `nodes` ascending, fusable.
  GroupVerdict evaluate(ArrayRef<unsigned> nodes) const;
  /// The merge of two groups whose launches have these prices. Ops between them are not looked at.
  MergeVerdict evaluateMerge(ArrayRef<unsigned> a, const LaunchPrice &aPrice, ArrayRef<unsigned> b,
                             const LaunchPrice &bPrice) const;
  /// How messages name a node.
  std::string describe(unsigned node) const;

private:
  const FusionGraph &graph;
  const MemberTable &table;
  TargetAttr target;
  KernelLimits limits;
  LaunchRates rates;
};

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_MERGEQUERY_H
