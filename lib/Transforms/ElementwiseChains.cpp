//===- ElementwiseChains.cpp - Element-wise chains, and a pass of them alone -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/Chains.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/OpText.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Strategy.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEELEMENTWISECHAINS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct ChainsStrategy : Strategy {
  StringRef getName() const override { return "chains"; }

  // In order, each op looks at its operands in order and joins the first chain that it may.
  // A member before the last has one reader, the next member, so no path leaves a chain and
  // comes back: chains need no check for cycles.
  void plan(BlockPlan &plan) const override {
    const FusionGraph &graph = plan.getGraph();
    for (unsigned consumer = 0; consumer < graph.size(); ++consumer) {
      NodeKind kind = graph.getKind(consumer);
      if (kind == NodeKind::View || kind == NodeKind::Terminator)
        continue;
      std::optional<unsigned> joined;
      for (unsigned producer : getProducers(graph, consumer)) {
        if (plan.getGroup(producer) == plan.getGroup(consumer))
          continue;
        Legality legality = check(plan, producer, consumer, joined);
        if (legality && !plan.merge(producer, consumer))
          legality = plan.getFuelLegality(producer, consumer);
        if (!legality) {
          plan.explainRefusal(producer, consumer, legality);
          continue;
        }
        plan.explainMerge(producer, consumer);
        joined = producer;
      }
    }
  }

private:
  static Legality check(const BlockPlan &plan, unsigned producer, unsigned consumer,
                        std::optional<unsigned> joined) {
    Legality legality = checkChainEdge(plan.getGraph(), producer, consumer);
    if (!legality)
      return legality;
    if (plan.isDisabled("elementwise-chain"))
      return {Barrier::Disabled, "the pattern elementwise-chain is switched off",
              "the pattern switched on"};
    if (joined)
      return {Barrier::JoinedElsewhere,
              "'" + describeOp(plan.getGraph().getOp(consumer)) + "' joined the chain of '" +
                  describeOp(plan.getGraph().getOp(*joined)) + "' already",
              "a strategy that merges more than chains"};
    return legality;
  }
};

} // namespace

std::unique_ptr<Strategy> mlir::fuse::createChainsStrategy() {
  return std::make_unique<ChainsStrategy>();
}

namespace {

struct ElementwiseChains : fuse::impl::FuseElementwiseChainsBase<ElementwiseChains> {
  void runOnOperation() override {
    FormOptions options;
    options.wrapRemaining = false;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(planFunction(function, *createChainsStrategy())) ||
          failed(formKernels(function, options)))
        return signalPassFailure();
  }
};

} // namespace
