//===- IndexMath.h - Arithmetic on offsets and sizes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_INDEXMATH_H
#define FUSE_LIB_CODEGEN_KERNEL_INDEXMATH_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"

namespace mlir::fuse {

/// Makes affine ops of offsets and sizes, which are folded where those are known. An expression is
/// one of the symbols s0, s1, ..., which stand for `operands`.
struct IndexMath {
  OpBuilder &builder;
  Location loc;

  AffineExpr symbol(unsigned number) const { return builder.getAffineSymbolExpr(number); }

  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) const {
    return affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(0, operands.size(), expr), operands);
  }
  OpFoldResult min(ArrayRef<AffineExpr> exprs, ArrayRef<OpFoldResult> operands) const {
    return affine::makeComposedFoldedAffineMin(
        builder, loc, AffineMap::get(0, operands.size(), exprs, builder.getContext()), operands);
  }
  OpFoldResult max(ArrayRef<AffineExpr> exprs, ArrayRef<OpFoldResult> operands) const {
    return affine::makeComposedFoldedAffineMax(
        builder, loc, AffineMap::get(0, operands.size(), exprs, builder.getContext()), operands);
  }
  /// The expression, or `least` or `most` where it is less or more. `least` is not more than
  /// `most`.
  OpFoldResult clamp(AffineExpr expr, ArrayRef<OpFoldResult> operands, OpFoldResult least,
                     OpFoldResult most) const {
    SmallVector<OpFoldResult> all(operands);
    all.push_back(least);
    OpFoldResult raised = max({expr, symbol(operands.size())}, all);
    return min({symbol(0), symbol(1)}, {raised, most});
  }
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_INDEXMATH_H
