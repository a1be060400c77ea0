//===- SinkContractions.cpp - Sums are made where they are read -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESINKCONTRACTIONS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// A sum of products: several operands folded along a reduction.
static bool isContraction(Operation *op) {
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  return loops && op->getNumResults() == 1 && loops.getNumReductionLoops() > 0 && loops.getNumDpsInputs() > 1;
}

/// The first op of the block in which, or in a region of which, the op's only result is read.
static Operation *findFirstReader(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
    if (reader && (!first || reader->isBeforeInBlock(first)))
      first = reader;
  }
  return first;
}

/// Follows views to the value whose elements they show.
static Value skipViews(Value value) {
  while (Operation *def = value.getDefiningOp())
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp, tensor::ExtractSliceOp>(def))
      value = def->getOperand(0);
    else
      break;
  return value;
}

/// The first op before `reader` that moves what `op` reads to a destination. That value may be computed in the destination's
/// place, which is written again by the move: `op` cannot read it behind.
static Operation *findFirstMove(Operation *op, Operation *reader) {
  Operation *first = reader;
  for (Value operand : op->getOperands()) {
    SmallVector<Value> values = {skipViews(operand)};
    while (!values.empty())
      for (Operation *user : values.pop_back_val().getUsers()) {
        if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp, tensor::ExtractSliceOp>(user))
          values.push_back(user->getResult(0));
        else if (isa<bufferization::MaterializeInDestinationOp>(user) && user->getBlock() == op->getBlock() &&
                 op->isBeforeInBlock(user) && user->isBeforeInBlock(first))
          first = user;
      }
  }
  return first;
}

namespace {
struct SinkContractions : fuse::impl::FuseSinkContractionsBase<SinkContractions> {
  void runOnOperation() override {
    SmallVector<Operation *> sunk;
    // Readers come first, so that what they read can stand right before them.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      auto fill = dyn_cast<linalg::FillOp>(op);
      bool isReshape = isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
      if (isContraction(op) || isReshape ||
          (fill && fill->hasOneUse() && isContraction(*fill->user_begin())))
        sunk.push_back(op);
    });
    for (Operation *op : sunk)
      if (Operation *reader = findFirstReader(op))
        op->moveBefore(findFirstMove(op, reader));
  }
};
} // namespace
