//===- SlicedOperand.h - Parts of what a reduction reads -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_SLICEDOPERAND_H
#define FUSE_LIB_TRANSFORMS_SLICEDOPERAND_H

#include "fuse/IR/FuseOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

/// Parts of the operand of a reduction along one dimension. Element-wise ops that nobody else reads
/// are made again for each part, so that kernels still compute them where they fold them:
///
///   sum(exp(x))  →  exp(slice(x)), not slice(exp(x)), which memory would have to hold
class SlicedOperand {
public:
  SlicedOperand(ReduceOp reader, int64_t dim);

  /// The elements [offset, offset + size) of the operand.
  Value create(OpBuilder &builder, int64_t offset, int64_t size);

private:
  using Made = llvm::DenseMap<Value, Value>;
  Value slice(OpBuilder &builder, Value value, int64_t dim, int64_t offset, int64_t size,
              Made &made);

  ReduceOp reader;
  int64_t dim;
  /// The element-wise ops that only the reader needs.
  llvm::DenseSet<Operation *> own;
};

/// Erases what computes `value`, as far as nobody reads it.
void eraseUnused(Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_SLICEDOPERAND_H
