//===- FuseToLinalg.h - From the dialect to linalg on tensors -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The conversion goes over a whole function, not pattern by pattern: what a value becomes is a
// tensor *and* how its dimensions lie in it (transposed, repeated, unit), and its readers absorb
// that in their indexing maps. Rewrite patterns, which must replace a value by a value of one
// type, would have to materialize each view and find it again afterwards.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CONVERSION_FUSETOLINALG_FUSETOLINALG_H
#define FUSE_CONVERSION_FUSETOLINALG_FUSETOLINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

/// How an element lies in memory: uiN as iN, a mask (i1) as a byte 0 or 1, others as they are.
Type getStorageType(Type elementType);

/// For ops of a function the factors that the dimensions of their results are to be split into: one list a
/// dimension, the outermost factor first, an empty list where it stays whole. Of a view those of the copy that
/// brings what leaves the function into its order. Ops without lists take the factors of what they read.
using ResultFactors = DenseMap<Operation *, SmallVector<SmallVector<int64_t>>>;

/// Converts a function of one block; see the pass `convert-fuse-to-linalg`. On failure an error
/// was emitted at the op that has no form in linalg, and the function's body is as it was (but
/// composites may be decomposed, which `resultFactors` must know already).
///
/// Example: with the factors [[], [12, 64]] for a product of 128 rows and 768 columns the generic runs over
/// (128, 12, 64, k), and a reader that sees the product as 128x12x64 runs over the same three loops.
LogicalResult convertFuseToLinalg(func::FuncOp func, const ResultFactors &resultFactors = ResultFactors());

/// Replaces extents of what members and launches compute by those of what they are written to, so that an extent
/// keeps no member from being tiled, and needs nothing to be computed.
void readExtentsOffInits(func::FuncOp func);

/// Fuses element-wise generics into their only reader where no element is computed twice; see the
/// pass `fuse-merge-members`, whose option `per-element` is `perElement`.
void fuseElementwiseMembers(func::FuncOp func, bool perElement = false);

} // namespace mlir::fuse

#endif // FUSE_CONVERSION_FUSETOLINALG_FUSETOLINALG_H
