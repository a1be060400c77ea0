//===- Alignment.h - What divides offsets and extents -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_ALIGNMENT_H
#define FUSE_LIB_CODEGEN_GPU_ALIGNMENT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {

/// A number that divides `value` for certain; 0 for the constant 0, 1 if nothing is known.
int64_t getDivisor(OpFoldResult value);

/// The same of the extent of a buffer's dimension.
int64_t getExtentDivisor(Value buffer, unsigned dim);

/// A number that divides the position, in elements, where a load in the body (a gather) begins that
/// goes through memory element by element along `loop`; none if it does not.
std::optional<int64_t> getContiguousDivisor(linalg::GenericOp op, memref::LoadOp load,
                                            unsigned loop);

/// Whether elements that `loop` takes one after the other lie one behind the other.
bool isContiguousAlong(linalg::GenericOp op, OpOperand &operand, unsigned loop);

/// A number that divides the position of the operand's element, counted in elements from where its
/// memory begins, whenever `loop` stands at 0, whatever the other loops are.
int64_t getAlignment(linalg::GenericOp op, OpOperand &operand, unsigned loop);

/// How many elements lie between those that `loop` takes one after the other; none where that is not known.
std::optional<int64_t> getStride(linalg::GenericOp op, OpOperand &operand, unsigned loop);

/// Bytes of the widest access.
inline constexpr int64_t kAccessBytes = 16;

/// How many elements along `loop` one access takes. Chunks begin and end with the loop, whose largest extents are `bounds`,
/// with a partial tile, and with each `whole` iterations.
int64_t countChunk(linalg::GenericOp op, ArrayRef<int64_t> bounds, OpOperand &operand, unsigned loop,
                   int64_t whole);

//===- Neighbouring elements in one access --------------------------------------------------===//

/// `count` elements of a buffer from `at` on, as a vector; they are aligned to their own bytes.
Value createChunkLoad(OpBuilder &b, Location loc, Value buffer, ValueRange at, int64_t count);

/// The opposite.
void createChunkStore(OpBuilder &b, Location loc, ValueRange elements, Value buffer, ValueRange at);

/// The elements of such a vector.
SmallVector<Value> createElements(OpBuilder &b, Location loc, Value chunk);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_ALIGNMENT_H
