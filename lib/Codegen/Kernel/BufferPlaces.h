//===- BufferPlaces.h - Where buffers lie in memory that they share -------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_BUFFERPLACES_H
#define FUSE_LIB_CODEGEN_KERNEL_BUFFERPLACES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {

/// Of the places of buffers: a cache line, and the widest vector register.
inline constexpr int64_t kBufferAlignment = 64;

/// Bytes of one element in memory; what a reshape's list of extents holds are indices.
int64_t getElementBytes(MemRefType type);

/// Bytes of a buffer of static size, in whole multiples of the alignment.
int64_t getAlignedBytes(MemRefType type);

/// The same for a buffer of dynamic size, computed at `builder`.
Value computeAlignedBytes(OpBuilder &builder, memref::AllocOp alloc);

/// A buffer of static size, and where it begins in the memory that it shares with others.
struct PlacedBuffer {
  memref::AllocOp alloc;
  int64_t bytes, offset = 0;

  /// What the places of kBufferAlignment that the buffer may lie at are multiples of.
  int64_t getAlignment() { return std::max<int64_t>(kBufferAlignment, alloc.getAlignment().value_or(1)); }
};

/// Gives each buffer the lowest place that none with an overlapping life has, the largest first; returns the
/// bytes of all. `Buffer`: a PlacedBuffer that has `overlaps(other)`.
template <typename Buffer>
int64_t placeBuffers(SmallVectorImpl<Buffer> &buffers) {
  llvm::stable_sort(buffers, [](const Buffer &l, const Buffer &r) { return l.bytes > r.bytes; });
  int64_t end = 0;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    buffer.offset = 0;
    for (const Buffer &other : ArrayRef<Buffer>(buffers).take_front(i))
      if (buffer.overlaps(other))
        taken.push_back({other.offset, other.offset + other.bytes});
    llvm::sort(taken);
    for (auto [from, to] : taken) {
      if (buffer.offset + buffer.bytes <= from)
        break;
      buffer.offset = std::max<int64_t>(buffer.offset, llvm::alignTo(to, buffer.getAlignment()));
    }
    end = std::max(end, buffer.offset + buffer.bytes);
  }
  return end;
}

/// Puts a view of `memory`, which begins `offset` bytes behind it, in the buffer's place; the builder stands
/// behind the view.
void replaceByView(OpBuilder &builder, memref::AllocOp alloc, Value memory, Value offset);

/// A copy of `function` beside it, named `name`, that only computes `value`, and lacks the last `numDropped`
/// arguments. Null, and an error, if `value` depends on one of these: on what is in memory of the function's own.
func::FuncOp makeQuery(func::FuncOp function, Value value, const Twine &name,
                       unsigned numDropped = 0);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_BUFFERPLACES_H
