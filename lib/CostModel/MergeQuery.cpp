//===- MergeQuery.cpp - May two groups be one kernel, and what would it gain? -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/MergeQuery.h"
#include "fuse/Analysis/ExtentSource.h"
#include "fuse/CostModel/Profile.h"
#include "fuse/IR/OpText.h"
#include "fuse/Schedule/GroupFacts.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;

/// Prices are not known to better than this part of what two kernels take: a smaller loss is none, and
/// one kernel is better than two. Measured on whole transformers: merges that lose up to 0.4 % by the
/// model run as fast as apart, those beyond (with blocks of four rows) up to 15 % slower.
static constexpr double kPrecision = 0.004;

MergeQuery::MergeQuery(const FusionGraph &graph, const MemberTable &table, TargetAttr target,
                       const CostModel &costModel)
    : graph(graph), table(table), target(target), limits(KernelLimits::get(target)),
      nearBytes(static_cast<int64_t>(target.getFigure("l2_bytes") / 2)),
      io(createCostModel("io", target)), costModel(costModel) {}

std::string MergeQuery::describe(unsigned node) const {
  return "'" + describeOp(graph.getOp(node)) + "'";
}

/// What keeps an op out of every kernel but those that exist.
Legality MergeQuery::checkKind(unsigned node) const {
  switch (graph.getKind(node)) {
  case NodeKind::Device:
    return {Barrier::Composite, describe(node) + " is a composite that was not taken apart",
            "fuse-decompose before planning"};
  case NodeKind::Host:
    return {Barrier::HostOp, describe(node) + " runs on the host",
            "an equivalent op on the device"};
  case NodeKind::Kernel:
    return {Barrier::AlreadyFormed, "a kernel is formed already", "planning before forming"};
  default:
    return {Barrier::ForeignOp, describe(node) + " is an op of another dialect that nobody plans",
            "a conversion to the fuse dialect"};
  }
}

Legality MergeQuery::checkMembers(ArrayRef<unsigned> nodes) const {
  StringAttr label = table[nodes.front()].together;
  for (unsigned node : nodes) {
    const Member &member = table[node];
    if (!member.isFusable)
      return checkKind(node);
    if (member.isAlone && nodes.size() > 1)
      return {Barrier::KeptAlone, describe(node) + " is marked fuse.alone", "the mark removed"};
    if (member.together != label)
      return {Barrier::KeptTogether,
              describe(label ? nodes.front() : node) +
                  " belongs to a kernel that fuse.together fixes",
              "the mark removed"};
  }
  if (Legality legality = checkInPlace(table, nodes); !legality)
    return legality;
  return checkExtents(nodes);
}

/// Memory for a result is made before the launch: its extents must be found at the operands.
Legality MergeQuery::checkExtents(ArrayRef<unsigned> nodes) const {
  auto isOutside = [&](Value value) {
    unsigned node = graph.lookup(value);
    unsigned root = node == FusionGraph::kNone ? node : graph.getRoot(node);
    if (root == FusionGraph::kNone)
      return node == FusionGraph::kNone || graph.getKind(node) != NodeKind::View;
    return !std::binary_search(nodes.begin(), nodes.end(), root);
  };
  for (unsigned node : nodes) {
    if (table[node].isStaticShape)
      continue;
    for (Value result : graph.getOp(node)->getResults()) {
      auto type = cast<ShapedType>(result.getType());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim) && failed(findExtentSource(result, dim, isOutside)))
          return {Barrier::UnknownExtent,
                  "the kernel's operands do not tell the extent of dimension " +
                      std::to_string(dim) + " of " + describe(node),
                  "a static extent, or one that an operand has"};
    }
  }
  return Legality::legal();
}

GroupVerdict MergeQuery::evaluate(ArrayRef<unsigned> nodes) const {
  GroupVerdict verdict;
  GroupDomain domain = computeGroupDomain(table, nodes);
  verdict.legality =
      checkLimits(table, domain, limits, [&](unsigned node) { return describe(node); });
  SmallVector<int64_t, 4> sizes(domain.shared.numDims, 1);
  KernelFacts kernel = getKernelFacts(table, domain);
  ScheduleAttr schedule = computeSchedule(target.getContext(), kernel, target);
  for (LevelAttr level : schedule.getLevels())
    if (level.getMapping() == LevelMapping::Block)
      for (auto [dim, size] : llvm::zip(level.getDims(), level.getSizes()))
        sizes[dim] = size;
  verdict.facts = computeLaunchFacts(table, domain, sizes, nearBytes, kernel.reuseDim,
                                     getBlockRanges(target));
  if (verdict.legality && nodes.size() > 1)
    verdict.legality = checkBlocks(table, domain, verdict.facts.blocks, limits,
                                   [&](unsigned node) { return describe(node); });
  return verdict;
}

GroupVerdict MergeQuery::evaluate(ArrayRef<unsigned> nodes, GroupMemo &memo) const {
  GroupMemo::Key key = GroupMemo::getKey(table, nodes);
  if (const GroupVerdict *known = memo.lookup(key))
    return *known;
  GroupVerdict verdict = evaluate(nodes);
  memo.insert(key, verdict);
  return verdict;
}

/// Whether one of two groups with contractions reads what the other computes. A contraction with
/// element-wise members or a norm loses rows as well, but no loss below two fifths could be measured.
bool MergeQuery::chainsContractions(ArrayRef<unsigned> a, ArrayRef<unsigned> b) const {
  auto reads = [&](ArrayRef<unsigned> readers, ArrayRef<unsigned> producers) {
    return llvm::any_of(readers, [&](unsigned node) {
      return llvm::any_of(table[node].reads, [&](const MemberRead &read) {
        return read.producer != FusionGraph::kNone &&
               std::binary_search(producers.begin(), producers.end(), read.producer);
      });
    });
  };
  return hasContraction(a) && hasContraction(b) && (reads(a, b) || reads(b, a));
}

bool MergeQuery::hasContraction(ArrayRef<unsigned> nodes) const {
  return llvm::any_of(nodes, [&](unsigned node) { return table[node].isContraction(); });
}

/// What a merge may lose by the model, in ns.
double MergeQuery::getToleratedLoss(ArrayRef<unsigned> a, const LaunchFacts &aLaunch,
                                    ArrayRef<unsigned> b, const LaunchFacts &bLaunch,
                                    MergeTolerance tolerance) const {
  auto folds = [&](ArrayRef<unsigned> nodes) {
    return llvm::any_of(nodes, [&](unsigned node) { return table[node].isReduction(); });
  };
  bool isEpilogue = hasContraction(a) && !hasContraction(b);
  bool isNorm = !hasContraction(a) && folds(a) && hasContraction(b);
  bool isTolerated = (isEpilogue && tolerance != MergeTolerance::None) ||
                     (isNorm && tolerance == MergeTolerance::Norms);
  if (!isTolerated)
    return 0;
  return kPrecision * (costModel.estimateNs(aLaunch) + costModel.estimateNs(bLaunch));
}

/// Few rows in a block must be worth what contractions lose by them.
Legality MergeQuery::checkRows(ArrayRef<LaunchFacts> apart, const LaunchFacts &together,
                               double gainNs) const {
  auto estimateLoss = [&](const LaunchFacts &facts) {
    LaunchFacts slower = facts;
    slower.flops = addSaturating(slower.flops, slower.lostFlops);
    return costModel.estimateNs(slower) - costModel.estimateNs(facts);
  };
  double lossNs = estimateLoss(together);
  for (const LaunchFacts &launch : apart)
    lossNs -= estimateLoss(launch);
  if (lossNs <= gainNs)
    return Legality::legal();
  std::string reason;
  llvm::raw_string_ostream(reason)
      << "blocks of few rows would cost contractions " << llvm::format("%.0f ns", lossNs)
      << ", for what they load serves few; saved are " << llvm::format("%.0f ns", gainNs);
  return {Barrier::Rereading, reason, "more rows, or members that can be cut along more dims"};
}

MergeVerdict MergeQuery::evaluateMerge(ArrayRef<unsigned> a, const LaunchFacts &aLaunch,
                                       ArrayRef<unsigned> b, const LaunchFacts &bLaunch,
                                       MergeTolerance tolerance, GroupMemo *memo) const {
  MergeVerdict verdict;
  verdict.legality = checkSize(a.size() + b.size(), limits);
  if (!verdict.legality)
    return verdict;
  SmallVector<unsigned, 16> nodes;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(nodes));
  verdict.legality = checkMembers(nodes);
  if (!verdict.legality) {
    verdict.merged.legality = verdict.legality;
    return verdict;
  }
  verdict.merged = memo ? evaluate(nodes, *memo) : evaluate(nodes);
  verdict.legality = verdict.merged.legality;
  if (!verdict.legality)
    return verdict;
  const LaunchFacts &facts = verdict.merged.facts;
  LaunchFacts apart[] = {aLaunch, bLaunch};
  verdict.gainNs = io->scoreGroup(apart, facts);
  double lossNs = -costModel.scoreGroup(apart, facts);
  // The reason is what costs more.
  LaunchFacts once = facts, near = facts;
  once.flops -= once.repeatedFlops;
  near.rereadBytes = 0;
  bool isRecomputation = costModel.estimateNs(once) < costModel.estimateNs(near);
  double tolerated = getToleratedLoss(a, aLaunch, b, bLaunch, tolerance);
  if (lossNs <= std::max(0.0, tolerated)) {
    if (chainsContractions(a, b) || facts.lostFlops > facts.flops / 5 * 2)
      verdict.legality = checkRows(apart, facts, verdict.gainNs);
    return verdict;
  }
  std::string price;
  llvm::raw_string_ostream(price) << llvm::format(", %.0f ns more than is saved", lossNs);
  if (isRecomputation)
    verdict.legality = {Barrier::Recomputation,
                        std::to_string(facts.repeatedFlops) + " operations would be repeated" + price,
                        "a smaller member, or a result that several kernels read"};
  else
    verdict.legality = {Barrier::Rereading,
                        std::to_string(facts.rereadBytes) + " bytes would be read again" + price,
                        "operands that fit a cache, or larger tiles"};
  return verdict;
}
