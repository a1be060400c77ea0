//===- MergeQuery.cpp - May two groups be one kernel, and what would it gain? -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/MergeQuery.h"
#include "fuse/Analysis/TensorTiles.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/CostModel/Profile.h"
#include "fuse/IR/OpText.h"
#include "fuse/Schedule/GpuSchedule.h"
#include "fuse/Schedule/GroupFacts.h"
#include "fuse/Schedule/ScatterSchedule.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;

/// Prices are not known to better than this part of what two kernels take, or of a launch: a
/// smaller loss is none, and one kernel is better than two. Measured on whole transformers: blocks
/// of eight rows, which the model prices a hundredth higher than apart, run as fast; those of four
/// up to 15 % slower.
static constexpr double kPrecision = 0.015, kPrecisionOfLaunch = 0.25;
/// The same of two products or convolutions in one kernel that computes a part of the first one twice, such as rows at the
/// borders of tiles. Measured: four such pairs in ResNet-50, priced up to 0.22 % dearer than apart, take 0.994 of the time on
/// one thread and 1.005 on two. Where weights are read again instead, prices are less exact: which cache has them depends on
/// the threads (a transformer, priced as much dearer, takes 1.05 on two).
static constexpr double kPrecisionOfRepeating = 0.0025;

MergeQuery::MergeQuery(const FusionGraph &graph, const MemberTable &table, TargetAttr target,
                       const CostModel &costModel)
    : graph(graph), table(table), target(target),
      limits(KernelLimits::get(target, costModel.getNumerics() != Numerics::Exact)),
      caches(CacheFacts::get(table, target)), io(createCostModel("io", target)), costModel(costModel) {}

std::string MergeQuery::describe(unsigned node) const {
  if (table.isCopy(node))
    return describe(table[node].reads.front().producer);
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
  std::optional<unsigned> labeled; // a member of a kernel that fuse.together asks for
  for (unsigned node : nodes)
    if (table[node].together && (!labeled || (table[node].isClosed && !table[*labeled].isClosed)))
      labeled = node;
  for (unsigned node : nodes) {
    const Member &member = table[node];
    if (!member.isFusable)
      return checkKind(node);
    if (member.isAlone && nodes.size() > 1)
      return {Barrier::KeptAlone, describe(node) + " is marked fuse.alone", "the mark removed"};
    if (!labeled || member.together == table[*labeled].together)
      continue;
    if (table[*labeled].isClosed)
      return {Barrier::KeptTogether,
              describe(*labeled) + " belongs to a kernel that fuse.together fixes, and fuse.closed "
                                   "keeps others out of it",
              "the mark fuse.closed removed"};
    if (member.together)
      return {Barrier::KeptTogether,
              describe(*labeled) + " and " + describe(node) +
                  " belong to two kernels that fuse.together fixes",
              "one label for both"};
  }
  if (Legality legality = checkInPlace(table, nodes); !legality)
    return legality;
  return checkExtents(nodes);
}

Legality MergeQuery::checkExtents(ArrayRef<unsigned> nodes) const {
  for (unsigned node : nodes) {
    const Member &member = table[node];
    // Where extents that are unknown change, what is reshaped is read from memory.
    for (const MemberRead &read : member.reads)
      if (ReshapeOp reshape = read.hidingReshape;
          reshape && std::binary_search(nodes.begin(), nodes.end(), read.producer))
        return {Barrier::UnknownExtent,
                describe(node) + " reads another op through a reshape of " +
                    formatShape(cast<ShapedType>(reshape.getOperand().getType()).getShape()) + " to " +
                    formatShape(reshape.getType().getShape()) + ", whose loops do not follow from each other",
                "static extents where the reshape changes them"};
    if (member.unknownDim)
      return {Barrier::UnknownExtent,
              "the kernel's operands do not tell the extent of dimension " + std::to_string(*member.unknownDim) + " of " +
                  describe(node),
              "a static extent, or one that an operand has"};
  }
  return Legality::legal();
}

GroupVerdict MergeQuery::evaluate(ArrayRef<unsigned> nodes, ScheduleAttr given, ArrayRef<unsigned> repeated) const {
  GroupVerdict verdict;
  GroupDomain domain = computeGroupDomain(table, nodes, repeated);
  verdict.legality =
      checkLimits(table, domain, limits, [&](unsigned node) { return describe(node); });
  SmallVector<int64_t, 4> sizes(domain.shared.numDims, 1);
  KernelFacts kernel = getKernelFacts(table, domain, limits.mayStream);
  auto compute = target.getKind() == TargetKind::Gpu ? computeGpuSchedule : computeSchedule;
  verdict.schedule = given ? given : compute(target.getContext(), kernel, target);
  for (LevelAttr level : verdict.schedule.getLevels())
    if (level.getMapping() == LevelMapping::Block)
      for (auto [dim, size] : llvm::zip(level.getDims(), level.getSizes()))
        if (dim >= 0 && dim < static_cast<int64_t>(sizes.size())) // else code refuses what was given
          // A tile may be larger than an open extent.
          sizes[dim] = std::min(size, std::max<int64_t>(1, domain.likely[dim]));
  std::optional<unsigned> scatter = findScatter(table, nodes);
  if (scatter) // whose loop computes each element once, whatever its tiles
    sizes = domain.likely;
  double narrowPart =
      target.getKind() == TargetKind::Gpu ? 0 : getNarrowPart(kernel, sizes, target);
  bool hasWarpgroups = target.getFigure("warpgroup_size") == kWarpgroupThreads;
  verdict.facts = computeLaunchFacts(table, domain, sizes, caches, kernel.reuseDim, getBlockRanges(target), narrowPart,
                                     hasWarpgroups ? verdict.schedule.getThreads() : 0);
  if (scatter) {
    const ScatterShape &shape = *table[*scatter].scatter;
    auto computeTiles = target.getKind() == TargetKind::Gpu ? computeGpuScatterSchedule
                                                            : computeScatterSchedule;
    verdict.schedule = computeTiles(target.getContext(), shape, target);
    verdict.facts.blocks = countScatterBlocks(shape, verdict.schedule);
  }
  if (verdict.legality && nodes.size() > 1 && !scatter) {
    Legality hasBlocks = checkBlocks(table, domain, verdict.facts.blocks, limits,
                                     [&](unsigned node) { return describe(node); });
    // A merge takes no blocks away where the widest member has no more alone.
    if (!hasBlocks && evaluate(getWidestMember(table, domain, limits)).facts.blocks > verdict.facts.blocks)
      verdict.legality = hasBlocks;
  }
  return verdict;
}

GroupVerdict MergeQuery::evaluate(ArrayRef<unsigned> nodes, GroupMemo &memo, ArrayRef<unsigned> repeated) const {
  GroupMemo::Key key = GroupMemo::getKey(table, nodes, repeated);
  if (const GroupVerdict *known = memo.lookup(key))
    return *known;
  GroupVerdict verdict = evaluate(nodes, /*given=*/{}, repeated);
  memo.insert(key, verdict);
  return verdict;
}

/// A window of each result's own (a depthwise convolution) is none: it goes behind a product as
/// element-wise ops do.
bool MergeQuery::hasContraction(ArrayRef<unsigned> nodes) const {
  return llvm::any_of(nodes, [&](unsigned node) {
    return table[node].isContraction() && reusesLoads(table[node]);
  });
}

bool MergeQuery::mayTolerateLoss(ArrayRef<unsigned> a, ArrayRef<unsigned> b, MergeTolerance tolerance) const {
  switch (tolerance) {
  case MergeTolerance::None:
    return false;
  case MergeTolerance::Epilogues:
    return hasContraction(a) && !hasContraction(b);
  case MergeTolerance::Prologues:
    return hasContraction(a) || hasContraction(b);
  }
  llvm_unreachable("a tolerance that is none of these");
}

/// What a merge that `barrier` speaks against may lose by the model, in ns.
double MergeQuery::getToleratedLoss(ArrayRef<unsigned> a, const LaunchFacts &aLaunch,
                                    ArrayRef<unsigned> b, const LaunchFacts &bLaunch, Barrier barrier,
                                    MergeTolerance tolerance) const {
  if (!mayTolerateLoss(a, b, tolerance))
    return 0;
  double apartNs = costModel.estimateNs(aLaunch) + costModel.estimateNs(bLaunch),
         launchNs = kPrecisionOfLaunch * target.getFigure("dispatch_ns");
  bool isProduct = hasContraction(a), readsIt = hasContraction(b);
  if (!readsIt)
    return std::max(kPrecision * apartNs, launchNs);
  if (isProduct)
    return barrier == Barrier::Recomputation ? kPrecisionOfRepeating * apartNs : 0;
  bool isNorm = llvm::any_of(a, [&](unsigned node) { return table[node].isReduction(); });
  return isNorm ? std::max(kPrecision * apartNs, launchNs) : launchNs;
}

/// What makes a merge dear is what it would be cheaper without.
Legality MergeQuery::explainLoss(const LaunchFacts &facts, double lossNs) const {
  LaunchFacts once = facts, near = facts, filled = facts;
  once.flops -= once.repeatedFlops;
  once.productFlops = std::min(once.productFlops, once.flops);
  once.byteFlops = std::min(once.byteFlops, once.productFlops);
  once.byteTensorFlops = std::min(once.byteTensorFlops, once.byteFlops);
  near.rereadBytes = 0;
  filled.flops -= filled.lostFlops;
  filled.productFlops -= filled.lostFlops;
  filled.byteFlops = std::min(filled.byteFlops, filled.productFlops);
  filled.byteTensorFlops = std::min(filled.byteTensorFlops, filled.byteFlops);
  double withoutRepeating = costModel.estimateNs(once), withoutReading = costModel.estimateNs(near),
         withAllRows = costModel.estimateNs(filled);
  std::string price;
  llvm::raw_string_ostream(price) << llvm::format(", %.0f ns more than is saved", lossNs);
  if (withAllRows < std::min(withoutRepeating, withoutReading))
    return {Barrier::Rereading,
            "blocks of few rows or columns would cost products as much as " + std::to_string(facts.lostFlops) +
                " operations, for what they load serves few" + price,
            "more rows or columns, or members that can be tiled along more dims"};
  if (withoutRepeating < withoutReading)
    return {Barrier::Recomputation,
            std::to_string(facts.repeatedFlops) + " operations would be repeated" + price,
            "a smaller member, or a result that several kernels read"};
  if (withoutReading < costModel.estimateNs(facts))
    return {Barrier::Rereading,
            std::to_string(facts.rereadBytes) + " bytes would be read again" + price,
            "operands that fit a cache, or larger tiles"};
  return {Barrier::Overlap, "loading and computing would wait for each other" + price,
          "members that go over a row at once"};
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
  if (lossNs <= 0)
    return verdict;
  Legality refusal = explainLoss(facts, lossNs);
  if (lossNs > getToleratedLoss(a, aLaunch, b, bLaunch, refusal.barrier, tolerance))
    verdict.legality = refusal;
  return verdict;
}
