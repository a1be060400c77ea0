//===- ByteMultiplyAdd.h - Sums of scaled bytes in one rounding -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Sums of dequantized bytes, x · s + c, that have to be rounded once are computed in f64, where the product is exact,
// and then become f32:
//
//   to f32(to f64(x) · s + c)
//
// That rounds twice, but hardly ever otherwise than once. There are 256 bytes: if all of them, with all values that c may
// have, give the same to the bit, the sum is one multiplication and addition in f32.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_BYTEMULTIPLYADD_H
#define FUSE_LIB_CODEGEN_CPU_BYTEMULTIPLYADD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Rewrites such sums in a kernel of loops over vectors, for a machine that multiplies and adds in one instruction.
void multiplyAddBytes(RewriterBase &rewriter, func::FuncOp kernel);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_BYTEMULTIPLYADD_H
