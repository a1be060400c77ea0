//===- CanFuse.cpp - May these two ops share a kernel? -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Transforms/CanFuse.h"
#include "fuse/CostModel/MergeQuery.h"
#include "fuse/IR/OpText.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

static std::string quote(Operation *op) { return "'" + describeOp(op) + "'"; }

/// Whether `consumer` reads a result of `producer`.
static bool reads(Operation *consumer, Operation *producer) {
  return llvm::any_of(consumer->getOperands(), [&](Value operand) {
    return getViewSource(operand).getDefiningOp() == producer;
  });
}

/// Replaces `op` by its primitives, if it has any; gives what stands for it.
static SmallVector<Operation *> takeApart(Operation *op) {
  auto composite = dyn_cast<DecomposableOpInterface>(op);
  if (!composite)
    return {op};
  Operation *before = op->getPrevNode();
  Block *block = op->getBlock();
  OpBuilder builder(op);
  SmallVector<Value> results = composite.decompose(builder);
  SmallVector<Operation *> pieces;
  for (Operation *piece = before ? before->getNextNode() : &block->front(); piece != op;
       piece = piece->getNextNode())
    if (classifyNode(piece) == NodeKind::Device) {
      for (StringRef name : {attr::kAlone, attr::kTogether, attr::kClosed})
        if (Attribute mark = op->getAttr(name))
          piece->setAttr(name, mark);
      pieces.push_back(piece);
    }
  op->replaceAllUsesWith(results);
  op->erase();
  return pieces;
}

/// Asks the planner's question in a copy.
static Legality askQuery(ArrayRef<Operation *> first, ArrayRef<Operation *> second,
                         TargetAttr target, StringRef costModel) {
  FusionGraph graph(*first.front()->getBlock());
  MemberTable table(graph);
  std::unique_ptr<CostModel> model = createCostModel(costModel, target);
  MergeQuery query(graph, table, target, *model);
  auto getNodes = [&](ArrayRef<Operation *> ops) {
    return llvm::map_to_vector(ops, [&](Operation *op) { return graph.lookup(op); });
  };
  SmallVector<unsigned> a = getNodes(first), b = getNodes(second), both(a);
  llvm::append_range(both, b);
  llvm::sort(both);
  if (Legality legality = query.checkMembers(both); !legality)
    return legality;
  if (Legality legality = checkGroup(graph, both); !legality)
    return legality;
  return query.evaluateMerge(a, query.evaluate(a).facts, b, query.evaluate(b).facts).legality;
}

Legality mlir::fuse::canFuse(Operation *producer, Operation *consumer, StringRef costModel) {
  if (producer->getBlock() != consumer->getBlock())
    return {Barrier::OtherBlock, "they are in different blocks", "both ops in one block"};
  if (!reads(consumer, producer))
    return {Barrier::NoEdge, quote(consumer) + " reads no result of " + quote(producer),
            "an op that reads the value"};
  auto function = producer->getParentOfType<FunctionOpInterface>();
  if (!function || producer->getParentOfType<KernelOp>())
    return {Barrier::AlreadyFormed, "they are in a kernel already", "planning before forming"};
  IRMapping mapping;
  OwningOpRef<Operation *> copy(function->clone(mapping));
  auto isDevice = [](Operation *op) { return classifyNode(op) == NodeKind::Device; };
  Operation *first = mapping.lookup(producer), *second = mapping.lookup(consumer);
  if (isDevice(first) && isDevice(second)) {
    SmallVector<Operation *> a = takeApart(first), b = takeApart(second);
    return askQuery(a, b, TargetAttr::lookup(function), costModel);
  }
  return askQuery(first, second, TargetAttr::lookup(function), costModel);
}
