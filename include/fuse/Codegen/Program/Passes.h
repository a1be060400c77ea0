//===- Passes.h - The program around the kernels -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PROGRAM_PASSES_H
#define FUSE_CODEGEN_PROGRAM_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fuse/Codegen/Program/Passes.h.inc"

/// Lets one-shot bufferization know `fuse.launch` and `fuse.launch_host`.
void registerBufferizationModels(DialectRegistry &registry);

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_PROGRAM_PASSES_H
