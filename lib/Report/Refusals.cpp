//===- Refusals.cpp - The edges between kernels, and why they are there -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Refusals.h"
#include "LocationText.h"
#include "fuse/Analysis/Chains.h"
#include "fuse/CostModel/SizeConditions.h"
#include "fuse/IR/OpText.h"

using namespace mlir;
using namespace mlir::fuse;

// Each kernel is one written op or element-wise.
bool mlir::fuse::areOnlyChains(FunctionOpInterface function) {
  return !function
              ->walk([&](KernelOp kernel) {
                std::optional<int64_t> origin;
                unsigned written = 0, primitives = 0;
                bool isElementwise = true;
                for (Operation &op : kernel.getBlock()->without_terminator()) {
                  if (classifyNode(&op) != NodeKind::Device)
                    continue;
                  isElementwise &= classifyPattern(&op) == OpPattern::Elementwise;
                  std::optional<int64_t> id = getOriginId(&op);
                  written += primitives++ == 0 || !id || id != origin;
                  origin = id;
                }
                return written > 1 && !isElementwise ? WalkResult::interrupt()
                                                     : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {

/// Asks the planner's question about pairs of launches of one block.
class Collector {
public:
  Collector(const LaunchBlock &block, const InlinedFunction &function, TargetAttr target, const CostModel &costModel,
            bool onlyChains)
      : block(block), graph(block.getGraph()), function(function), target(target),
        conditions(graph, target, costModel), onlyChains(onlyChains) {}

  void collect(std::vector<RefusedReport> &refused) {
    for (unsigned consumer = 0; consumer < graph.size(); ++consumer) {
      NodeKind kind = graph.getKind(consumer);
      if (kind == NodeKind::View || kind == NodeKind::Terminator || computesSizes(graph.getOp(consumer)))
        continue;
      for (unsigned producer : getProducers(graph, consumer))
        if (block.getLaunch(producer) != block.getLaunch(consumer) && !computesSizes(graph.getOp(producer)))
          refused.push_back(explain(producer, consumer));
    }
  }

private:
  RefusedReport explain(unsigned producer, unsigned consumer) {
    int64_t a = block.getLaunch(producer), b = block.getLaunch(consumer);
    ArrayRef<unsigned> nodesA = block.getNodes(a), nodesB = block.getNodes(b);
    SmallVector<unsigned> pair{producer, consumer}, both;
    std::merge(nodesA.begin(), nodesA.end(), nodesB.begin(), nodesB.end(),
               std::back_inserter(both));
    const MergeQuery &query = block.getQuery();
    std::optional<double> gain;
    // The two ops first: what is true of them says more than what is true of all.
    Legality why = query.checkMembers(pair);
    if (why)
      why = query.checkMembers(both);
    if (why) {
      MergeVerdict verdict =
          query.evaluateMerge(nodesA, *block.getFacts(a), nodesB, *block.getFacts(b));
      why = verdict.legality;
      if (verdict.gainNs != 0) // asked for a price at all
        gain = verdict.gainNs;
    }
    // Last, since it looks at all that lies between.
    if (why)
      why = checkGroup(graph, both);
    if (why && gain.value_or(0) < target.getFigure("min_gain_ns"))
      why = {Barrier::MinGain, "the merge gains less than the target asks for",
             "larger values, or a target with a smaller min_gain_ns"};
    if (why && onlyChains)
      why = explainChains(producer, consumer);
    if (why)
      why = {Barrier::NotPlanned, "nothing but the plan keeps them apart", "another plan"};
    conditions.addTo(why, nodesA, nodesB);
    Operation *from = graph.getOp(producer), *to = graph.getOp(consumer);
    RefusedReport report;
    report.producer = describeOp(from);
    report.consumer = describeOp(to);
    report.location = formatLocation(to->getLoc());
    report.reason = stringifyBarrier(why.barrier).str() + ": " + why.reason;
    report.gainNs = gain;
    report.needs = why.needs;
    report.kind = getBarrierKind(why.barrier).str();
    report.producerKernel = function.getLaunch(from);
    report.consumerKernel = function.getLaunch(to);
    report.producerOp = function.getOriginal(from);
    report.consumerOp = function.getOriginal(to);
    return report;
  }

  Legality explainChains(unsigned producer, unsigned consumer) const {
    if (Legality why = checkChainEdge(graph, producer, consumer); !why)
      return why;
    for (unsigned other : getProducers(graph, consumer))
      if (block.getLaunch(other) == block.getLaunch(consumer))
        return {Barrier::JoinedElsewhere,
                "'" + describeOp(graph.getOp(consumer)) + "' joined the chain of '" +
                    describeOp(graph.getOp(other)) + "'",
                "a strategy that merges more than chains"};
    return Legality::legal();
  }

  const LaunchBlock &block;
  const FusionGraph &graph;
  const InlinedFunction &function;
  TargetAttr target;
  SizeConditions conditions;
  bool onlyChains;
};

} // namespace

void mlir::fuse::collectRefusals(const LaunchBlock &block, const InlinedFunction &function,
                                 TargetAttr target, const CostModel &costModel, bool onlyChains,
                                 std::vector<RefusedReport> &refused) {
  Collector(block, function, target, costModel, onlyChains).collect(refused);
}
