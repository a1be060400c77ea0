//===- fuse-opt.cpp - All upstream passes and dialects beside ours -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/InitAll/InitAll.h"
#ifdef FUSE_INCLUDE_TESTS
#include "TestPasses.h"
#endif
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::fuse::registerAllFuseDialects(registry);
  mlir::registerAllPasses();
  mlir::fuse::registerAllFusePasses();
#ifdef FUSE_INCLUDE_TESTS
  mlir::fuse::registerTestDistributePass();
  mlir::fuse::registerTestScalarBodyPass();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "fuse optimizer driver\n", registry));
}
