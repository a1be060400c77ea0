//===- Dialect.cpp - The dialect and its passes for MLIR's C interface -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CAPI/Dialect.h"

#include "fuse/Driver/LoadProgram.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/InitAll/InitAll.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/InitAllPasses.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Fuse, fuse, mlir::fuse::FuseDialect)

void fuse_register_dialects(MlirDialectRegistry registry) {
  mlir::fuse::makeProgramRegistry().appendTo(*unwrap(registry));
}

void fuse_register_passes(void) {
  static const bool once = [] {
    mlir::registerAllPasses();
    mlir::fuse::registerAllFusePasses();
    return true;
  }();
  (void)once;
}
