//===- build-ir.cpp - A program of the dialect, made in C++ --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Builds softmax(relu(x · w + b)) for 8 rows of 16 columns, plans it, and prints its kernels and the
// report. Without a type for the result, an element-wise op has its operands' type as they broadcast.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/InitAll/InitAll.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Report/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

static OwningOpRef<ModuleOp> build(MLIRContext &context) {
  OpBuilder b(&context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  auto x = RankedTensorType::get({8, 16}, b.getF32Type());
  auto w = RankedTensorType::get({16, 4}, b.getF32Type());
  auto bias = RankedTensorType::get({4}, b.getF32Type());
  auto y = RankedTensorType::get({8, 4}, b.getF32Type());

  auto function = func::FuncOp::create(b, loc, "main", b.getFunctionType({x, w, bias}, {y}));
  // Weights are the same for every run.
  for (unsigned argument : {1, 2})
    function.setArgAttr(argument, fuse::attr::kParam, b.getUnitAttr());
  b.setInsertionPointToEnd(function.addEntryBlock());
  Value product = fuse::MatmulOp::create(b, loc, y, function.getArgument(0),
                                         function.getArgument(1));
  Value sum = fuse::BinaryOp::create(b, loc, fuse::BinaryKind::Add, product,
                                     function.getArgument(2));
  Value relu = fuse::UnaryOp::create(b, loc, y, fuse::UnaryKind::Relu, sum);
  Value result = fuse::SoftmaxOp::create(b, loc, y, relu, /*dimension=*/1);
  func::ReturnOp::create(b, loc, result);
  return module;
}

int main() {
  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  fuse::registerAllFuseDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();

  OwningOpRef<ModuleOp> module = build(context);
  if (failed(verify(*module)))
    return 1;
  PassManager passes(&context);
  fuse::FusePipelineOptions options;
  options.numerics = "reassociates";
  fuse::buildFusePipeline(passes, options);
  if (failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  fuse::printReport(fuse::computeReport(*module), llvm::outs());
  return 0;
}
