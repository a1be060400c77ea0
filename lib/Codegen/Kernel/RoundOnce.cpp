//===- RoundOnce.cpp - Short floats, rounded where they are stored ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WidenTemporaries.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEROUNDONCE
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Functions of which the expansion has a shorter form than f32 needs.
static bool hasShortForm(Operation *op) { return isa<math::ExpOp, math::TanhOp, GateOp>(op); }

/// Marks the function whose result `rounding` makes short, if nothing else reads that.
static void markShortResult(arith::TruncFOp rounding) {
  Operation *function = rounding.getIn().getDefiningOp();
  if (function && hasShortForm(function) && function->hasOneUse() && getElementTypeOrSelf(rounding.getIn()).isF32())
    function->setAttr(attr::kShortResult, UnitAttr::get(rounding.getContext()));
}

namespace {
struct RoundOnce : fuse::impl::FuseRoundOnceBase<RoundOnce> {
  using FuseRoundOnceBase::FuseRoundOnceBase;

  void runOnOperation() override {
    getOperation().walk([&](arith::TruncFOp op) {
      if (op->hasAttr(attr::kRounding))
        markShortResult(op);
    });
    SmallVector<arith::ExtFOp> extensions;
    getOperation().walk([&](arith::ExtFOp op) { extensions.push_back(op); });
    for (arith::ExtFOp extension : extensions) {
      auto rounding = extension.getIn().getDefiningOp<arith::TruncFOp>();
      if (!rounding || !rounding->hasAttr(attr::kRounding) || rounding.getIn().getType() != extension.getType())
        continue;
      extension.getResult().replaceAllUsesWith(rounding.getIn());
      extension.erase();
      if (rounding->use_empty())
        rounding.erase();
    }
    widenTemporaries(getOperation());
  }
};
} // namespace
