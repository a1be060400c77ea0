//===- ReturnDestinations.cpp - Results that are views of all of a destination --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSERETURNDESTINATIONS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// The buffer that `value` is a view of all elements of, in their order.
static Value getWhole(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(def))
      break;
    value = def->getOperand(0);
  }
  return value;
}

namespace {
struct ReturnDestinations : fuse::impl::FuseReturnDestinationsBase<ReturnDestinations> {
  void runOnOperation() override {
    getOperation().walk([](func::ReturnOp ret) {
      for (OpOperand &result : ret->getOpOperands()) {
        Value whole = getWhole(result.get());
        if (isa<BlockArgument>(whole) && whole.getType() == result.get().getType())
          result.set(whole);
      }
    });
  }
};
} // namespace
