//===- LoopCode.h - What all loops of members are made of -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_LOOPCODE_H
#define FUSE_LIB_CODEGEN_KERNEL_LOOPCODE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir {
class IRMapping;
}

namespace mlir::fuse {

/// The extent of a loop of a member on buffers, as an index.
Value createExtent(OpBuilder &b, linalg::GenericOp op, unsigned loop);

/// Where an operand's element lies with the loops at `ivs`; null stands for 0.
SmallVector<Value> createIndices(OpBuilder &b, linalg::GenericOp op, AffineMap map,
                                 ArrayRef<Value> ivs);

/// l · r + c of a contraction in one rounding, always: left to LLVM, it depends on the code around.
/// Null unless `op` is a sum that may be contracted with a product. `known`: what stands for values.
Value createMultiplyAdd(OpBuilder &b, Operation &op, IRMapping &known);

/// The op `combiner`, of two scalars, on two other values of one type: vectors, too.
Value createCombined(OpBuilder &b, Location loc, Operation *combiner, Value left, Value right);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_LOOPCODE_H
