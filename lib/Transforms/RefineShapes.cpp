//===- RefineShapes.cpp - The pass fuse-refine-shapes -----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/RefineShapes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/StatedExtents.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEREFINESHAPES
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct RefineShapesPass : fuse::impl::FuseRefineShapesBase<RefineShapesPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return markAllAnalysesPreserved();
    // Of arguments that are all static nothing follows that a type does not say.
    bool isOpen = false;
    forEachOpenDim(function, [&](unsigned, int64_t) { isOpen = true; });
    if (!isOpen)
      return markAllAnalysesPreserved();
    SmallVector<Type> arguments(function.getArgumentTypes());
    if (failed(refineShapes(function, arguments)))
      signalPassFailure();
  }
};

} // namespace
