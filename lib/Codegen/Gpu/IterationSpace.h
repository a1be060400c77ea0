//===- IterationSpace.h - Where a thread stands in a member's loops -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_ITERATIONSPACE_H
#define FUSE_LIB_CODEGEN_GPU_ITERATIONSPACE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// The loops of a member on buffers: their extents, and the position that `ivs` says.
class IterationSpace {
protected:
  /// `bounds`: the most iterations of each loop; kDynamic where unknown.
  IterationSpace(RewriterBase &b, linalg::GenericOp op, ArrayRef<int64_t> bounds);

  Value index(int64_t value);
  /// The largest extent of a loop, and whether this tile's may be less.
  Value boundOf(unsigned loop);
  bool isPartial(unsigned loop);

  /// Puts `loops` at position `number` of them all, the last fastest, which counts in steps of
  /// `step`. Returns whether this tile has the position, null if for certain.
  Value place(ArrayRef<unsigned> loops, Value number, int64_t step = 1);
  /// Of an operand, `ahead` iterations of `loop` later.
  SmallVector<Value> indices(OpOperand &operand, unsigned loop = 0, int64_t ahead = 0);

  Value isBelow(Value value, Value end);
  /// Either may be null, which is true.
  Value both(Value left, Value right);
  void emitIf(Value condition, llvm::function_ref<void()> emit);
  /// What `emit` gives where `condition` holds, else `otherwise`.
  SmallVector<Value> emitIfElse(Value condition, ValueRange otherwise,
                                llvm::function_ref<SmallVector<Value>()> emit);

  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  ArrayRef<int64_t> bounds;
  SmallVector<int64_t> ranges;
  SmallVector<Value> extents, ivs; ///< of each loop
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_ITERATIONSPACE_H
