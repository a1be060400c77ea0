//===- Passes.h - Kernels and programs for the GPU -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_GPU_PASSES_H
#define FUSE_CODEGEN_GPU_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fuse/Codegen/Gpu/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_GPU_PASSES_H
