//===- LowerUnplanned.cpp - Loops around what no kernel computes -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSELOWERUNPLANNED
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {

struct LowerUnplanned : fuse::impl::FuseLowerUnplannedBase<LowerUnplanned> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](linalg::LinalgOp op) {
        if (!isa<linalg::FillOp>(op) || !function.isPublic())
          ops.push_back(op);
      });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (!op.hasPureBufferSemantics()) {
        op->emitError() << "'" << op->getName() << "' expected on buffers, found tensors";
        return signalPassFailure();
      }
      if (failed(linalg::linalgOpToLoops(rewriter, op))) {
        op->emitError() << "'" << op->getName() << "' cannot be run on the host";
        return signalPassFailure();
      }
      rewriter.eraseOp(op);
    }
  }
};

} // namespace
