//===- RoundToBytes.h - Floats that are rounded and saturated to bytes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Quantizing rounds, adds a zero point, saturates and converts:
//
//   to byte(min(max(round(x) + z, low), high))
//
// With integers z, low and high that is the same to the bit as saturating first, where rounding and converting are
// one instruction, and adding z as an integer:
//
//   truncate(to integer, rounded(min(max(x, low - z), high - z)) + z)
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_ROUNDTOBYTES_H
#define FUSE_LIB_CODEGEN_CPU_ROUNDTOBYTES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Rewrites vectors of f32 that become bytes so in a kernel of loops over vectors.
void roundToBytes(RewriterBase &rewriter, func::FuncOp kernel);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_ROUNDTOBYTES_H
