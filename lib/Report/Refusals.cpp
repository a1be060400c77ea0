//===- Refusals.cpp - The edges between kernels, and why they are there -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

//
// A formed function keeps no trace of what was refused. Since inlining a kernel is the identity,
// the planner's question is asked again on a copy without kernels, with each kernel as a group. What
// would be legal and pay was not asked for by the plan: if that knows chains only, their rule says
// why.
//
//===----------------------------------------------------------------------------------------===//

#include "Refusals.h"
#include "fuse/Analysis/Chains.h"
#include "fuse/CostModel/MergeQuery.h"
#include "fuse/IR/OpText.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Inlines all kernels; gives the number of the kernel that each member was in.
DenseMap<Operation *, unsigned> inlineKernels(FunctionOpInterface function) {
  SmallVector<KernelOp> kernels;
  function->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  DenseMap<Operation *, unsigned> homes;
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    Block *body = kernel.getBlock();
    for (auto [argument, input] : llvm::zip(body->getArguments(), kernel.getInputs()))
      argument.replaceAllUsesWith(input);
    YieldOp yield = kernel.getYield();
    for (auto [result, value] : llvm::zip(kernel.getResults(), yield.getResults()))
      result.replaceAllUsesWith(value);
    yield.erase();
    for (Operation &op : llvm::make_early_inc_range(*body)) {
      homes[&op] = number;
      op.moveBefore(kernel);
    }
    kernel.erase();
  }
  return homes;
}

std::string formatLocation(Location loc) {
  std::string text = "unknown";
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" +
           std::to_string(file.getColumn());
    return WalkResult::interrupt();
  });
  return text;
}

/// Whether chains alone would have made these kernels: each is one written op or element-wise.
bool areOnlyChains(FunctionOpInterface function) {
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

/// Asks the planner's question about the kernels of one block.
class Collector {
public:
  Collector(DenseMap<Operation *, unsigned> homes, TargetAttr target, bool onlyChains)
      : homes(std::move(homes)), target(target), costModel(createCostModel("roofline", target)),
        onlyChains(onlyChains) {}

  void visit(Block &block) {
    FusionGraph graph(block);
    MemberTable table(graph);
    MergeQuery query(graph, table, target, *costModel);
    groups.clear();
    for (unsigned node = 0; node < graph.size(); ++node)
      groups[getHome(graph, node)].push_back(node);
    launches.clear();
    for (unsigned consumer = 0; consumer < graph.size(); ++consumer) {
      NodeKind kind = graph.getKind(consumer);
      if (kind == NodeKind::View || kind == NodeKind::Terminator)
        continue;
      for (unsigned producer : getProducers(graph, consumer))
        if (getHome(graph, producer) != getHome(graph, consumer))
          add(graph, query, producer, consumer);
    }
  }

  std::vector<RefusedReport> refused;

private:
  /// The number of the kernel that a node is in; of any other node a number of its own.
  int64_t getHome(const FusionGraph &graph, unsigned node) const {
    auto it = homes.find(graph.getOp(node));
    if (it == homes.end() || graph.getKind(node) != NodeKind::Device)
      return -1 - static_cast<int64_t>(node);
    return it->second;
  }

  const LaunchFacts &getLaunch(const FusionGraph &graph, const MergeQuery &query, int64_t home) {
    auto [it, isNew] = launches.try_emplace(home);
    if (isNew)
      it->second = query.evaluate(groups[home]).facts;
    return it->second;
  }

  void add(const FusionGraph &graph, const MergeQuery &query, unsigned producer,
           unsigned consumer) {
    int64_t a = getHome(graph, producer), b = getHome(graph, consumer);
    SmallVector<unsigned> pair{producer, consumer}, both;
    std::merge(groups[a].begin(), groups[a].end(), groups[b].begin(), groups[b].end(),
               std::back_inserter(both));
    std::optional<double> gain;
    // The two ops first: what is true of them says more than what is true of all.
    Legality why = query.checkMembers(pair);
    if (why)
      why = query.checkMembers(both);
    if (why) {
      // Copies: a second lookup may move what the first one found.
      LaunchFacts launchA = getLaunch(graph, query, a), launchB = getLaunch(graph, query, b);
      MergeVerdict verdict = query.evaluateMerge(groups[a], launchA, groups[b], launchB);
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
      why = explainChains(graph, producer, consumer);
    if (why)
      why = {Barrier::NotPlanned, "nothing but the plan keeps them apart", "another plan"};
    Operation *from = graph.getOp(producer), *to = graph.getOp(consumer);
    refused.push_back({describeOp(from), describeOp(to), formatLocation(to->getLoc()),
                       stringifyBarrier(why.barrier).str() + ": " + why.reason, gain, why.needs});
  }

  Legality explainChains(const FusionGraph &graph, unsigned producer, unsigned consumer) const {
    if (Legality why = checkChainEdge(graph, producer, consumer); !why)
      return why;
    for (unsigned other : getProducers(graph, consumer))
      if (getHome(graph, other) == getHome(graph, consumer))
        return {Barrier::JoinedElsewhere,
                "'" + describeOp(graph.getOp(consumer)) + "' joined the chain of '" +
                    describeOp(graph.getOp(other)) + "'",
                "a strategy that merges more than chains"};
    return Legality::legal();
  }

  DenseMap<Operation *, unsigned> homes;
  TargetAttr target;
  std::unique_ptr<CostModel> costModel;
  bool onlyChains;
  DenseMap<int64_t, SmallVector<unsigned>> groups;
  DenseMap<int64_t, LaunchFacts> launches;
};

} // namespace

std::vector<RefusedReport> mlir::fuse::collectRefusals(FunctionOpInterface function) {
  OwningOpRef<FunctionOpInterface> copy(cast<FunctionOpInterface>(function->clone()));
  bool onlyChains = areOnlyChains(function);
  Collector collector(inlineKernels(*copy), TargetAttr::lookup(function), onlyChains);
  (*copy)->walk<WalkOrder::PreOrder>([&](Block *block) { collector.visit(*block); });
  return std::move(collector.refused);
}
