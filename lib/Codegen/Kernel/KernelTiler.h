//===- KernelTiler.h - Many members, one loop over blocks -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Upstream's tile-and-fuse computes a producer with two users twice. Here the original ops stay
// untouched while tiles are made, member by member in order, and a map from each original value to
// its tile says what a slice of that value is: the tile itself, a part of it, or something generated on
// the spot: a fill, an op marked `fuse.recompute`, or a `tensor.pad` of what lies inside.
//
// With a streamed dim, the members along it run inside a second loop, which carries what they fold:
//
//   for block:                                  members before
//     for tile of the streamed dim (carried):   members in the loop; sums so far are corrected
//     last corrections; members after
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_KERNELTILER_H
#define FUSE_LIB_CODEGEN_KERNEL_KERNELTILER_H

#include "fuse/Analysis/KernelMembers.h"
#include "fuse/Analysis/StreamedDim.h"
#include "fuse/IR/FuseAttributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::fuse {

/// Whether a shared dim is one tile whatever its extent turns out to be (see LevelAttr).
bool isUncut(const KernelMembers &members, ArrayRef<int64_t> tileSizes, int64_t dim);

/// The view that undoes `view` (an expand, a collapse or a cast), applied to `value`.
Value undoView(OpBuilder &builder, Location loc, Operation *view, Value value);
/// `view` again, of `value`.
Value redoView(OpBuilder &builder, Location loc, Operation *view, Value value);

class KernelTiler {
public:
  /// `blockOrder`: all shared dims, the one that changes from block to block last. `stream`: a dim
  /// without deferrals to take in tiles of `streamTile` elements, or null.
  KernelTiler(func::FuncOp function, const KernelMembers &members, ArrayRef<int64_t> tileSizes,
              ArrayRef<int64_t> blockOrder, const StreamedDim *stream = nullptr,
              int64_t streamTile = 0);

  /// Appends the arguments (begin, end) and replaces the body by the loop over blocks.
  LogicalResult run();
  /// The same for a kernel that scatters. Its dims are those of the scatter's result; it has no
  /// members, since what the scatter reads is computed for it tile by tile.
  LogicalResult runScatter(ScatterRowsOp scatter);

private:
  using OpFoldResults = SmallVector<OpFoldResult>;
  struct Tile {
    Value value;
    OpFoldResults offsets, sizes;
  };

  /// Appends the arguments (begin, end); null on failure.
  std::pair<Value, Value> addRange();
  /// Makes the loop over blocks, and stands at the end of its body, at the tile of its block.
  scf::ForOp beginBlocks(Value begin, Value end, ValueRange initial);
  /// Ends the function with `results`, and drops what tiles took the place of.
  LogicalResult returnResults(func::ReturnOp ret, ValueRange results);
  void positionBlock(Value block);
  bool canBeEven(int64_t dim);
  Value makeEvenStep(int64_t dim);
  /// The tile of a scatter's result before the first update, in its destination.
  FailureOr<Value> emitScatterInit(ScatterRowsOp scatter);
  /// The slice that update number `number` is for, in [0, extent).
  FailureOr<Value> emitScatterIndex(ScatterRowsOp scatter, Value number);
  /// `accumulated` after update number `number`, which is for its slice `slice`.
  FailureOr<Value> emitScatterUpdate(ScatterRowsOp scatter, Value accumulated, Value number,
                                     Value slice);
  LogicalResult emitMembers(Block *block);
  LogicalResult emitStream(Block *block);
  LogicalResult emitStreamed(unsigned member, ValueRange carried, MutableArrayRef<Value> next);
  LogicalResult emitRunningMaximum(unsigned member, Value old, Value &next);
  /// exp(T(from - to)) elementwise; `body` makes the two from the elements of `inputs`.
  using FromTo = function_ref<std::pair<Value, Value>(OpBuilder &, ValueRange)>;
  Value makeCorrection(const StreamCorrection &correction, ValueRange inputs, const Tile &like,
                       FromTo body);
  /// `accumulated`, of `member`, times a correction.
  Value correct(Value accumulated, unsigned member, int correction);
  /// For each member the number of its first carried value; last, how many there are.
  SmallVector<unsigned> getCarriedPositions() const;
  FailureOr<Tile> positionResult(unsigned member, unsigned result);
  LogicalResult emit(unsigned member);
  /// On the member's tile, for who spreads it over threads.
  void markLoopDims(unsigned member, TilingResult &tiled);
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
  /// The same of a padded tensor: a `tensor.pad` of the part of the source that lies inside.
  FailureOr<Value> resolvePad(tensor::PadOp pad, ArrayRef<OpFoldResult> offsets,
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
  /// `evenStep`: how far even tiles lie apart, at most `size`; null where that is `size`.
  OpFoldResult tileSize(int64_t size, OpFoldResult extent, OpFoldResult offset, Value evenStep = {});

  func::FuncOp function;
  const KernelMembers &members;
  IRRewriter rewriter;
  Location loc;
  SmallVector<int64_t> tileSizes, blockOrder;
  /// Per shared dim: extent, and of the block at hand offset and size.
  OpFoldResults extents, offsets, sizes;
  DenseMap<Value, Tile> tiles;
  const StreamedDim *stream;
  int64_t streamTile;
  /// Of the tile of the streamed dim at hand.
  OpFoldResult streamOffset, streamSize;
  /// The factors of the corrections, over the positions of their maxima.
  SmallVector<Value> factors;
  /// Results are not written to their destinations.
  bool usesScratch = false;
  Operation *blockLoop = nullptr;
  DenseMap<std::pair<Value, int64_t>, OpFoldResult> privateExtents;
  /// The loop's carried destinations, one per kernel result.
  SmallVector<Value> destinations;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_KERNELTILER_H
