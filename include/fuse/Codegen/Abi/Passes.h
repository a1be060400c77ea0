//===- Passes.h - What kernels look like to the runtime ------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_ABI_PASSES_H
#define FUSE_CODEGEN_ABI_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fuse/Codegen/Abi/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_ABI_PASSES_H
