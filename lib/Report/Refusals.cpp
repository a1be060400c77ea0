//===- Refusals.cpp - The edges between kernels, and why they are there -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

//
// A formed function keeps no trace of what was refused. Since inlining a kernel is the identity,
// the answer is asked again on a copy without kernels.
//
//===----------------------------------------------------------------------------------------===//

#include "Refusals.h"
#include "fuse/Analysis/Chains.h"
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

class Collector {
public:
  explicit Collector(DenseMap<Operation *, unsigned> homes) : homes(std::move(homes)) {}

  void visit(Block &block) {
    FusionGraph graph(block);
    for (unsigned consumer = 0; consumer < graph.size(); ++consumer) {
      NodeKind kind = graph.getKind(consumer);
      if (kind == NodeKind::View || kind == NodeKind::Terminator)
        continue;
      for (unsigned producer : getProducers(graph, consumer))
        if (!areTogether(graph, producer, consumer))
          add(graph, producer, consumer);
    }
  }

  std::vector<RefusedReport> refused;

private:
  bool areTogether(const FusionGraph &graph, unsigned a, unsigned b) const {
    auto first = homes.find(graph.getOp(a)), second = homes.find(graph.getOp(b));
    return first != homes.end() && second != homes.end() && first->second == second->second;
  }

  void add(const FusionGraph &graph, unsigned producer, unsigned consumer) {
    Legality why = checkChainEdge(graph, producer, consumer);
    if (why) {
      why = {Barrier::NotPlanned, "nothing but the plan keeps them apart", "another plan"};
      for (unsigned other : getProducers(graph, consumer))
        if (areTogether(graph, other, consumer))
          why = {Barrier::JoinedElsewhere,
                 "'" + describeOp(graph.getOp(consumer)) + "' joined the chain of '" +
                     describeOp(graph.getOp(other)) + "'",
                 "a strategy that merges more than chains"};
    }
    Operation *from = graph.getOp(producer), *to = graph.getOp(consumer);
    refused.push_back({describeOp(from), describeOp(to), formatLocation(to->getLoc()),
                       stringifyBarrier(why.barrier).str() + ": " + why.reason, std::nullopt,
                       why.needs});
  }

  DenseMap<Operation *, unsigned> homes;
};

} // namespace

std::vector<RefusedReport> mlir::fuse::collectRefusals(FunctionOpInterface function) {
  OwningOpRef<FunctionOpInterface> copy(cast<FunctionOpInterface>(function->clone()));
  Collector collector(inlineKernels(*copy));
  (*copy)->walk<WalkOrder::PreOrder>([&](Block *block) { collector.visit(*block); });
  return std::move(collector.refused);
}
