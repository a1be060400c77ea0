//===- ConvBnRelu.cpp - conv2d, batch norm, relu, and a pass of them alone -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ConvBnRelu.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/OpText.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Strategy.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSECONVBNRELU
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct ConvBnReluStrategy : Strategy {
  StringRef getName() const override { return "conv-bn-relu"; }

  void plan(BlockPlan &plan) const override {
    const FusionGraph &graph = plan.getGraph();
    for (unsigned node = 0; node < graph.size(); ++node) {
      auto conv = dyn_cast<Conv2dOp>(graph.getOp(node));
      if (!conv)
        continue;
      ConvBnRelu match = matchConvBnRelu(conv);
      if (!match.legality) {
        plan.explainRefusal(graph.lookup(match.before), graph.lookup(match.blocker),
                            match.legality);
        continue;
      }
      // A result that nobody reads meets no pattern, and there is no edge to explain.
      if (!match.members.empty())
        form(plan, match);
    }
  }

private:
  static void form(BlockPlan &plan, const ConvBnRelu &match) {
    const FusionGraph &graph = plan.getGraph();
    SmallVector<unsigned> nodes =
        llvm::map_to_vector(match.members, [&](Operation *op) { return graph.lookup(op); });
    unsigned conv = nodes.front(), relu = nodes.back(), reader = nodes[1];
    Legality legality = check(plan, nodes);
    // One kernel, one action: there is nothing between all and nothing.
    if (legality && !plan.merge(conv, relu))
      legality = plan.getFuelLegality(conv, relu);
    if (!legality)
      return plan.explainRefusal(conv, reader, legality);
    for (unsigned node : nodes)
      plan.unite(conv, node);
    for (unsigned consumer : nodes)
      for (unsigned producer : getProducers(graph, consumer))
        if (llvm::is_contained(nodes, producer))
          plan.explainMerge(producer, consumer);
  }

  static Legality check(const BlockPlan &plan, ArrayRef<unsigned> nodes) {
    const FusionGraph &graph = plan.getGraph();
    llvm::DenseSet<unsigned> groups;
    for (unsigned node : nodes) {
      Operation *op = graph.getOp(node);
      std::string name = "'" + describeOp(op) + "'";
      if (op->hasAttr(attr::kAlone))
        return {Barrier::KeptAlone, name + " is marked fuse.alone", "the mark removed"};
      if (op->getAttr(attr::kTogether) != graph.getOp(nodes.front())->getAttr(attr::kTogether))
        return {Barrier::KeptTogether, name + " belongs to a kernel that fuse.together fixes",
                "the mark removed"};
      groups.insert(plan.getGroup(node));
    }
    // Whole groups join, so that a composite is not torn apart.
    SmallVector<unsigned> all;
    for (unsigned node = 0; node < graph.size(); ++node)
      if (groups.contains(plan.getGroup(node)))
        all.push_back(node);
    return checkGroup(graph, all);
  }
};

} // namespace

std::unique_ptr<Strategy> mlir::fuse::createConvBnReluStrategy() {
  return std::make_unique<ConvBnReluStrategy>();
}

namespace {

struct ConvBnReluPass : fuse::impl::FuseConvBnReluBase<ConvBnReluPass> {
  void runOnOperation() override {
    FormOptions options;
    options.wrapRemaining = false;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(planFunction(function, *createConvBnReluStrategy())) ||
          failed(formKernels(function, options)))
        return signalPassFailure();
  }
};

} // namespace
