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
#include "fuse/CostModel/CostModel.h"
#include "fuse/CostModel/GroupMemo.h"

namespace mlir::fuse {

struct MergeVerdict {
  Legality legality;
  GroupVerdict merged;
  /// What the merge saves in launches and traffic. Set only where the group may be formed at all.
  double gainNs = 0;
};

/// Which merges may lose what prices are not known to: none; what stands behind a product; or what stands before one as well, norms,
/// element-wise ops, and products of which parts are computed again.
enum class MergeTolerance { None, Epilogues, Prologues };

class MergeQuery {
public:
  /// Gains are those of the cost model `io`; a merge that `costModel` prices as a loss is refused.
  MergeQuery(const FusionGraph &graph, const MemberTable &table, TargetAttr target,
             const CostModel &costModel);

  /// The model that gains come from.
  const CostModel &getIoModel() const { return *io; }
  /// The members by themselves: kinds, marks, and order in memory; not the ops between them.
  Legality checkMembers(ArrayRef<unsigned> nodes) const;
  /// A group, with its price in the tiles of `given`, or else of the schedule that such a kernel gets; `nodes`
  /// ascending, fusable. `repeated`: as for computeGroupDomain.
  GroupVerdict evaluate(ArrayRef<unsigned> nodes, ScheduleAttr given = {}, ArrayRef<unsigned> repeated = {}) const;
  /// The same, out of `memo` if a group like it was evaluated before. A refusal's reason may then name
  /// the ops of that other group.
  GroupVerdict evaluate(ArrayRef<unsigned> nodes, GroupMemo &memo, ArrayRef<unsigned> repeated = {}) const;
  /// The merge of two groups with these launches. Ops between them are not looked at.
  MergeVerdict evaluateMerge(ArrayRef<unsigned> a, const LaunchFacts &aLaunch,
                             ArrayRef<unsigned> b, const LaunchFacts &bLaunch,
                             MergeTolerance tolerance = MergeTolerance::Prologues,
                             GroupMemo *memo = nullptr) const;
  /// Whether a merge of the two groups that the model prices as a loss may be made all the same: never where neither
  /// has a product or a convolution.
  bool mayTolerateLoss(ArrayRef<unsigned> a, ArrayRef<unsigned> b, MergeTolerance tolerance) const;
  /// How messages name a node.
  std::string describe(unsigned node) const;

private:
  Legality checkKind(unsigned node) const;
  Legality checkExtents(ArrayRef<unsigned> nodes) const;
  bool hasContraction(ArrayRef<unsigned> nodes) const;
  double getToleratedLoss(ArrayRef<unsigned> a, const LaunchFacts &aLaunch, ArrayRef<unsigned> b,
                          const LaunchFacts &bLaunch, Barrier barrier, MergeTolerance tolerance) const;
  Legality explainLoss(const LaunchFacts &facts, double lossNs) const;

  const FusionGraph &graph;
  const MemberTable &table;
  TargetAttr target;
  KernelLimits limits;
  CacheFacts caches;
  std::unique_ptr<CostModel> io;
  const CostModel &costModel;
};

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_MERGEQUERY_H
