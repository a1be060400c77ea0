//===- SinkContractions.cpp - Sums are made where they are read -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
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
        op->moveBefore(reader);
  }
};
} // namespace
