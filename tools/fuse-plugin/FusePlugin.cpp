//===- FusePlugin.cpp - The dialect and the passes for stock mlir-opt -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// mlir-opt --load-dialect-plugin=FusePlugin.so --load-pass-plugin=FusePlugin.so …
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/InitAll/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Fuse", FUSE_VERSION,
          [](mlir::DialectRegistry *registry) { mlir::fuse::registerAllFuseDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Fuse", FUSE_VERSION, mlir::fuse::registerAllFusePasses};
}
