//===- ExpandMath.cpp - Pass fuse-expand-math -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/MathExpansion.h"
#include "fuse/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEEXPANDMATH
#include "fuse/Codegen/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {
struct ExpandMath : fuse::impl::FuseExpandMathBase<ExpandMath> {
  using FuseExpandMathBase::FuseExpandMathBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (!llvm::is_contained({0, 1, 8, 16}, permutedLanes.getValue())) {
      getOperation()->emitError() << "expected 0, 1, 8 or 16 as permuted-lanes, found "
                                  << permutedLanes.getValue();
      return signalPassFailure();
    }
    RewritePatternSet patterns(context);
    const fuse::MathExpansionOptions options{hasScaling, permutedLanes, flushesExp, convertsBf16};
    fuse::readNibblesOffTables(getOperation(), options);
    if (!library) {
      fuse::populateExpandFloat32MathPatterns(patterns, options);
      fuse::populateExpandShortFloatPatterns(patterns);
      if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
        signalPassFailure();
      return;
    }
    fuse::populateExpandMathPatterns(patterns, options);
    ConversionTarget target(*context);
    fuse::configureExpandMathTarget(target, options);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
