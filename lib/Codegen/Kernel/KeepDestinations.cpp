//===- KeepDestinations.cpp - What a block loop carries stays in its destination ---------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEKEEPDESTINATIONS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// Follows a value to the tensor whose place it takes; the value itself where that is unknown.
static Value getDestination(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(def))
      value = insert.getDest();
    else if (auto destination = dyn_cast<DestinationStyleOpInterface>(def))
      value = destination.getTiedOpOperand(cast<OpResult>(value))->get();
    else if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
      value = def->getOperand(0);
    else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(def))
      value = extract.getSource();
    else if (auto loop = dyn_cast<scf::ForOp>(def))
      value = loop.getInitArgs()[cast<OpResult>(value).getResultNumber()];
    else
      break;
  }
  return value;
}

/// A value can take the place of one destination: the last one. What goes elsewhere is copied before.
static void copyToFurtherDestinations(Operation *root) {
  llvm::MapVector<Value, SmallVector<bufferization::MaterializeInDestinationOp, 1>> places;
  root->walk([&](bufferization::MaterializeInDestinationOp op) {
    if (op->getNumResults() == 1)
      places[op.getSource()].push_back(op);
  });
  for (auto &[value, ops] : places)
    for (auto op : ArrayRef(ops).drop_back()) {
      if (op->getBlock() != ops.back()->getBlock())
        continue;
      OpBuilder builder(op);
      auto copy = linalg::CopyOp::create(builder, op.getLoc(), op.getSource(), op.getDest());
      op->replaceAllUsesWith(copy->getResults());
      op.erase();
    }
}

namespace {
struct KeepDestinations : fuse::impl::FuseKeepDestinationsBase<KeepDestinations> {
  void runOnOperation() override {
    copyToFurtherDestinations(getOperation());
    getOperation().walk([](scf::ForOp loop) {
      for (auto [yielded, carried] :
           llvm::zip_equal(loop.getYieldedValuesMutable().value(), loop.getRegionIterArgs())) {
        if (!isa<RankedTensorType>(carried.getType()) || getDestination(yielded.get()) == carried)
          continue;
        // Before other copies of it, for it may be computed in place of one.
        Operation *point = loop.getBody()->getTerminator();
        for (Operation *user : yielded.get().getUsers())
          if (isa<bufferization::MaterializeInDestinationOp>(user) &&
              user->getBlock() == loop.getBody() && user->isBeforeInBlock(point))
            point = user;
        OpBuilder builder(point);
        yielded.set(linalg::CopyOp::create(builder, loop.getLoc(), yielded.get(), carried)
                        .getResult(0));
      }
    });
  }
};
} // namespace
