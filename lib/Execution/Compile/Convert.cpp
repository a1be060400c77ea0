//===- Convert.cpp - Programs of TOSA and linalg become the dialect's -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Conversion/Passes.h"
#include "fuse/Execution/Compile.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fuse;

template <typename Dialect>
static bool hasOpsOf(ModuleOp module) {
  return module
      ->walk([](Operation *op) {
        return isa_and_nonnull<Dialect>(op->getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static LogicalResult run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> add) {
  PassManager passes(module->getContext(), ModuleOp::getOperationName());
  add(passes.nest<func::FuncOp>());
  return passes.run(module);
}

LogicalResult mlir::fuse::convertProgram(ModuleOp module) {
  bool hasTosa = hasOpsOf<tosa::TosaDialect>(module);
  if (!hasTosa && !hasOpsOf<linalg::LinalgDialect>(module) &&
      !hasOpsOf<tensor::TensorDialect>(module))
    return success();
  if (hasTosa && failed(run(module, [](OpPassManager &function) {
        function.addPass(createConvertTosaToFuse());
      })))
    return failure();
  // What is left of TOSA has upstream's form in linalg, arith and tensor; ops without one stay, and
  // are refused by name when they are to be compiled.
  if (hasOpsOf<tosa::TosaDialect>(module) && failed(run(module, [](OpPassManager &function) {
        function.addPass(tosa::createTosaMakeBroadcastablePass());
        function.addPass(tosa::createTosaToLinalgNamed());
        function.addPass(tosa::createTosaToLinalg());
        function.addPass(createTosaToArithPass(/*options=*/{/*includeApplyRescale=*/true}));
        function.addPass(createTosaToTensorPass());
        function.addPass(createTosaToSCFPass());
        function.addPass(createCanonicalizerPass());
      })))
    return failure();
  return run(module,
             [](OpPassManager &function) { function.addPass(createConvertLinalgToFuse()); });
}
