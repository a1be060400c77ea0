//===- outside-opt.cpp - The passes within a pipeline of one's own --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// usage: outside-opt FILE: reads a module, runs one pipeline over it, prints it.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/InitAll/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect>();
  mlir::fuse::registerAllFuseDialects(registry);
  mlir::fuse::registerAllFusePasses();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  mlir::PassManager manager(&context);
  manager.addPass(mlir::createCSEPass());
  if (failed(mlir::parsePassPipeline("fuse-elementwise-chains", manager)))
    return 1;
  manager.addPass(mlir::createCanonicalizerPass());
  if (failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
