//===- LinalgToFuse.cpp - The pass ------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Conversion/LinalgToFuse.h"

#include "Patterns.h"
#include "fuse/Conversion/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CONVERTLINALGTOFUSE
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

void fuse::populateLinalgToFusePatterns(RewritePatternSet &patterns) {
  populateLinalgNamedOpPatterns(patterns);
  populateLinalgStructurePatterns(patterns);
  populateTensorOpPatterns(patterns);
}

namespace {
struct ConvertLinalgToFuse : public fuse::impl::ConvertLinalgToFuseBase<ConvertLinalgToFuse> {
  using ConvertLinalgToFuseBase::ConvertLinalgToFuseBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateLinalgToFusePatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
    eraseDeadOps(getOperation());
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
