//===- PointBody.h - A member's body on a chunk of elements -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_POINTBODY_H
#define FUSE_LIB_CODEGEN_GPU_POINTBODY_H

#include "IterationSpace.h"
#include "MemberLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fuse {

/// Loads, stores and computes consecutive elements along a member's chunk loop, at the position
/// that `ivs` says. Elements are scalars; memory is touched in vectors where it is contiguous.
class PointBody : protected IterationSpace {
protected:
  PointBody(RewriterBase &b, linalg::GenericOp op, const ThreadMapping &mapping,
            const DenseMap<Value, PrivateTile> &privates);

  /// The how-manieth position a thread is at: as a value, and as a number where it is unrolled.
  struct Trip {
    Value index;
    std::optional<int64_t> number;
  };

  /// `count` elements of an operand; one for all where it does not change along the chunk loop.
  SmallVector<Value> load(OpOperand &operand, int64_t count);
  /// Of all inputs that the body reads, in their order.
  SmallVector<SmallVector<Value>> loadInputs(int64_t count);
  void store(OpOperand &init, ArrayRef<Value> values);
  /// The body for element `e`; `carried` are its init arguments, null where unused.
  SmallVector<Value> body(int64_t e, ArrayRef<SmallVector<Value>> inputs, ArrayRef<Value> carried);

  const ThreadMapping &mapping;
  const DenseMap<Value, PrivateTile> &privates;
  struct {
    Trip row, chunk;
  } position;

private:
  /// What a load in the body has for element `e`; null unless lines are loaded in chunks. `known`: the
  /// body's values for that element.
  Value loadLine(memref::LoadOp load, int64_t e, IRMapping &known);
  /// The chunks that the body has loaded at the position at hand.
  DenseMap<Operation *, Value> lines;
  /// Of the element `e` along the chunk loop.
  SmallVector<Value> indicesOf(OpOperand &operand, int64_t e);
  SmallVector<Value> privateIndices(const PrivateTile &tile, int64_t e);
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_POINTBODY_H
