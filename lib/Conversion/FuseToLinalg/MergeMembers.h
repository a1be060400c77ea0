//===- MergeMembers.h - What decides whether generics become one ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_FUSETOLINALG_MERGEMEMBERS_H
#define FUSE_LIB_CONVERSION_FUSETOLINALG_MERGEMEMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// Whether several operands are folded along a reduction: a matrix product, a convolution.
bool isContraction(linalg::GenericOp op);

/// Whether the reader, a generic, runs along each dimension of the operand and along nothing else,
/// so that it reads each element exactly once, and can compute it itself. Windows do not.
bool isReadOnce(OpOperand &operand);

/// Lets the reader compute the operand, which it reads once and whose only use this is. Gives what took the
/// reader's place; null where nothing would be left that tells the extent of a loop.
linalg::GenericOp mergeProducer(RewriterBase &rewriter, OpOperand &operand);

/// Whether evaluateAt() can evaluate an element of the op, null included, and evaluating it again gives the same.
bool isElementwise(linalg::GenericOp op);

/// What the body of `op` yields first of the elements `inputs`; `getIndex` gives the number of a loop's iteration.
Value evaluateBody(OpBuilder &builder, linalg::GenericOp op, ValueRange inputs,
                   llvm::function_ref<Value(unsigned)> getIndex);

/// The element of an element-wise `producer` at `position`, one index per dimension of its result.
Value evaluateAt(OpBuilder &builder, linalg::GenericOp producer, ValueRange position);

/// Lets each `tensor.pad` of the function be a generic whose body decides for every element whether it lies
/// inside, and computes it.
void evaluatePads(func::FuncOp func);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_FUSETOLINALG_MERGEMEMBERS_H
