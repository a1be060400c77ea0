//===- HideSelects.cpp - Selects of indices while tensors become buffers -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEHIDESELECTS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {
struct HideSelects : fuse::impl::FuseHideSelectsBase<HideSelects> {
  using Base::Base;

  void runOnOperation() override {
    if (restore)
      getOperation()->walk(restoreSelect);
    else
      getOperation()->walk(hide);
  }

private:
  static void hide(arith::SelectOp op) {
    if (!op.getType().isIndex())
      return;
    OpBuilder builder(op);
    auto hidden = UnrealizedConversionCastOp::create(builder, op.getLoc(), op->getResultTypes(), op->getOperands());
    op->replaceAllUsesWith(hidden);
    op.erase();
  }

  static void restoreSelect(UnrealizedConversionCastOp op) {
    auto isOf = [](TypeRange types) {
      return types.size() == 3 && types[0].isInteger(1) && types[1].isIndex() && types[2].isIndex();
    };
    if (op.getNumResults() != 1 || !op.getType(0).isIndex() || !isOf(op.getOperandTypes()))
      return;
    OpBuilder builder(op);
    auto select = arith::SelectOp::create(builder, op.getLoc(), op.getOperand(0), op.getOperand(1), op.getOperand(2));
    op->replaceAllUsesWith(select);
    op.erase();
  }
};
} // namespace
