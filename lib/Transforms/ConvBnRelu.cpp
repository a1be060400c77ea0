//===- ConvBnRelu.cpp - The pass fuse-conv-bn-relu -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Strategy.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSECONVBNRELU
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct ConvBnReluPass : fuse::impl::FuseConvBnReluBase<ConvBnReluPass> {
  void runOnOperation() override {
    FormOptions options;
    options.wrapRemaining = false;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(planFunction(function, *createConvBnReluStrategy())) ||
          failed(formKernels(function, options)))
        return signalPassFailure();
  }
};

} // namespace
