//===- PlanFunction.cpp - From constraints and a strategy to fuse.group -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/Analysis/GroupLegality.h"
#include "fuse/CostModel/Collectives.h"
#include "fuse/CostModel/Profile.h"
#include "fuse/IR/OpText.h"
#include "fuse/Support/Plural.h"
#include "fuse/Transforms/Strategy.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class FunctionPlanner {
public:
  FunctionPlanner(FunctionOpInterface function, const Strategy &strategy,
                  const PlanOptions &options)
      : function(function), strategy(strategy),
        target(options.target ? options.target : TargetAttr::lookup(function)),
        costModel(createCostModel(options.costModel, target, options.numerics)) {
    for (const std::string &label : options.disabledLabels)
      disabled.insert(label);
  }

  LogicalResult run() {
    if (failed(checkLabels()))
      return failure();
    LogicalResult result = success();
    function->walk<WalkOrder::PreOrder>([&](Block *block) {
      if (isa<KernelOp, ScanOp>(block->getParentOp()))
        return WalkResult::skip();
      result = planBlock(*block);
      return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return result;
  }

private:
  /// The ops of a label stand in one block.
  LogicalResult checkLabels() {
    llvm::StringMap<Operation *> first;
    WalkResult result = function->walk([&](Operation *op) {
      op->removeAttr(attr::kGroup);
      auto label = op->getAttrOfType<StringAttr>(attr::kTogether);
      if (!label)
        return WalkResult::advance();
      if (op->hasAttr(attr::kAlone)) {
        op->emitOpError() << "is marked both fuse.alone and fuse.together = " << label;
        return WalkResult::interrupt();
      }
      auto [it, isNew] = first.try_emplace(label.getValue(), op);
      if (isNew || it->second->getBlock() == op->getBlock())
        return WalkResult::advance();
      InFlightDiagnostic diagnostic = op->emitOpError();
      diagnostic << "cannot be in one kernel with the others of " << label << " ("
                 << stringifyBarrier(Barrier::OtherBlock) << "): they are in different blocks";
      diagnostic.attachNote(it->second->getLoc()) << "another op of " << label;
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult planBlock(Block &block) {
    FusionGraph graph(block);
    BlockPlan plan(graph, function.getName(), target, *costModel, disabled);
    llvm::MapVector<int64_t, SmallVector<unsigned>> composites;
    llvm::MapVector<StringRef, SmallVector<unsigned>> labels;
    for (unsigned node = 0; node < graph.size(); ++node) {
      Operation *op = graph.getOp(node);
      explainCollective(op);
      if (std::optional<int64_t> id = getOriginId(op))
        composites[*id].push_back(node);
      if (auto label = op->getAttrOfType<StringAttr>(attr::kTogether))
        labels[label.getValue()].push_back(node);
    }
    // The primitives of a composite are one kernel as long as they can be: something may have
    // been put between them by hand, or what they are is switched off.
    for (auto &[id, nodes] : composites)
      if (checkGroup(graph, nodes) && plan.checkLabel(nodes))
        for (unsigned node : nodes)
          plan.unite(nodes.front(), node);
    for (auto &[label, nodes] : labels)
      if (failed(uniteLabel(plan, label, nodes)))
        return failure();
    if (!labels.empty() && failed(checkLabelOrder(plan, labels)))
      return failure();
    strategy.plan(plan);
    llvm::MapVector<unsigned, SmallVector<int64_t, 1>> groupsOf; // several of what is computed again
    for (const SmallVector<unsigned> &group : plan.getGroups()) {
      for (unsigned node : group)
        groupsOf[node].push_back(numGroups);
      ++numGroups;
    }
    for (auto &[node, numbers] : groupsOf)
      graph.getOp(node)->setAttr(attr::kGroup, DenseI64ArrayAttr::get(function->getContext(), numbers));
    return success();
  }

  /// What a collective costs, for who asks.
  void explainCollective(Operation *op) {
    if (!getCollectiveKind(op))
      return;
    remark::detail::InFlightRemark remark = remark::analysis(
        op->getLoc(),
        remark::RemarkOpts::name("collective").category("fuse-plan").function(function.getName()));
    remark << remark::add("{0}: each process sends {1}, in {2:F1} us", describeOp(op),
                          pluralize(getCollectiveBytesSent(op), "byte"), collectiveTime(target, op) * 1e-3);
  }

  static LogicalResult uniteLabel(BlockPlan &plan, StringRef label, ArrayRef<unsigned> nodes) {
    const FusionGraph &graph = plan.getGraph();
    for (unsigned node : nodes)
      plan.unite(nodes.front(), node);
    SmallVector<unsigned> group;
    for (unsigned node = 0; node < graph.size(); ++node)
      if (plan.getGroup(node) == plan.getGroup(nodes.front()))
        group.push_back(node);
    Legality legality = checkGroup(graph, group);
    if (legality && group.size() > 1)
      legality = checkInPlace(MemberTable(graph), group);
    if (legality)
      legality = plan.checkLabel(group);
    if (legality)
      return success();
    return graph.getOp(nodes.back())->emitOpError()
           << "cannot be in one kernel with the others of \"" << label << "\" ("
           << stringifyBarrier(legality.barrier) << "): " << legality.reason;
  }

  /// Each of the kernels asked for may be legal, and yet two of them need each other.
  static LogicalResult checkLabelOrder(const BlockPlan &plan,
                                       const llvm::MapVector<StringRef, SmallVector<unsigned>> &labels) {
    const FusionGraph &graph = plan.getGraph();
    llvm::MapVector<unsigned, unsigned> units;
    std::vector<unsigned> unitOf;
    for (unsigned node = 0; node < graph.size(); ++node)
      unitOf.push_back(units.try_emplace(plan.getGroup(node), units.size()).first->second);
    SmallVector<unsigned> order;
    if (succeeded(sortUnits(graph, unitOf, units.size(), order)))
      return success();
    llvm::DenseSet<unsigned> sorted(order.begin(), order.end());
    std::string names;
    Operation *last = graph.getOp(0);
    for (auto &[label, nodes] : labels)
      if (!sorted.contains(unitOf[nodes.front()])) {
        names += (names.empty() ? "\"" : ", \"") + label.str() + "\"";
        last = graph.getOp(nodes.back());
      }
    return last->emitError() << "the kernels that fuse.together asks for need each other's results ("
                               << stringifyBarrier(Barrier::Cycle) << "): " << names;
  }

  FunctionOpInterface function;
  const Strategy &strategy;
  TargetAttr target;
  std::unique_ptr<CostModel> costModel;
  llvm::StringSet<> disabled;
  int64_t numGroups = 0;
};

} // namespace

LogicalResult mlir::fuse::planFunction(FunctionOpInterface function, const Strategy &strategy,
                                       const PlanOptions &options) {
  return FunctionPlanner(function, strategy, options).run();
}
