//===- KernelTiler.h - Many members, one loop over blocks -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Upstream's tile-and-fuse computes a producer with two users twice. Here the original ops stay
// untouched while tiles are made, member by member in order, and a map from each original value to
// its tile says what a slice of that value is: the tile itself, a part of it, or, for fills and
// paddings, something generated on the spot.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_KERNELTILER_H
#define FUSE_LIB_CODEGEN_KERNEL_KERNELTILER_H

#include "fuse/Analysis/KernelMembers.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::fuse {

class KernelTiler {
public:
  KernelTiler(func::FuncOp function, const KernelMembers &members, ArrayRef<int64_t> tileSizes);

  /// Appends the arguments (begin, end) and replaces the body by the loop over blocks.
  LogicalResult run();

private:
  using OpFoldResults = SmallVector<OpFoldResult>;
  struct Tile {
    Value value;
    OpFoldResults offsets, sizes;
  };

  void positionBlock(Value block);
  LogicalResult emit(unsigned member);
  /// Of a loop that no tile cuts. Equal loops get one value: slices are known by it.
  OpFoldResult privateExtent(unsigned member, unsigned loop);
  void tileDomain(unsigned member, OpFoldResults &offsets, OpFoldResults &sizes);
  /// The tensor to use for the part [offsets, offsets + sizes) of `full`. `result`: the kernel
  /// result that the part is written for, so that its destination serves as memory.
  FailureOr<Value> resolve(Value full, ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes, std::optional<unsigned> result);
  /// The same of a view of a member's value: the view is made again, of the member's tile.
  FailureOr<Value> resolveView(Operation *view, ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes);
  /// Whether `value` is computed in the kernel, or a view of what is.
  bool isFromMember(Value value);
  /// Tiled ops cut slices of whole tensors: points each at what resolve() gives.
  /// `resultOfInit` gives the kernel result that an init of the op is memory for.
  using ResultOfInit = function_ref<std::optional<unsigned>(unsigned)>;
  /// The loops of the tiled op run over [loopOffsets, loopOffsets + loopSizes) of the original's.
  LogicalResult redirect(Operation *original, TilingResult &tiled,
                         ArrayRef<OpFoldResult> loopOffsets, ArrayRef<OpFoldResult> loopSizes,
                         ResultOfInit resultOfInit);
  LogicalResult redirectBodyReads(Operation *original, Operation *tiled,
                                  ArrayRef<OpFoldResult> loopOffsets,
                                  ArrayRef<OpFoldResult> loopSizes);
  Value makeScratch(Type elementType, ArrayRef<OpFoldResult> sizes);
  OpFoldResult tileSize(unsigned dim, OpFoldResult offset);

  func::FuncOp function;
  const KernelMembers &members;
  IRRewriter rewriter;
  Location loc;
  SmallVector<int64_t> tileSizes;
  /// Per shared dim: extent, and of the block at hand offset and size.
  OpFoldResults extents, offsets, sizes;
  DenseMap<Value, Tile> tiles;
  Operation *blockLoop = nullptr;
  DenseMap<std::pair<Value, int64_t>, OpFoldResult> privateExtents;
  /// The loop's carried destinations, one per kernel result.
  SmallVector<Value> destinations;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_KERNELTILER_H
