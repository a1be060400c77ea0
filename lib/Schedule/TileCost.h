//===- TileCost.h - What tiles of a CPU's block cost ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_SCHEDULE_TILECOST_H
#define FUSE_LIB_SCHEDULE_TILECOST_H

#include "TileSizes.h"

namespace mlir::fuse {

/// Estimates by which tile sizes of a kernel are compared, and what its dims are to them. A tile has one size for each of the
/// kernel's shared dims, in elements. Example: a product of 512x256 by 256x1024 has the dims 512 and 1024; tiles of 64x256
/// make 8 * 4 blocks.
class TileCost {
public:
  /// `streams`: the schedule has a streamed dim.
  TileCost(const KernelFacts &facts, TargetAttr target, bool streams);

  /// Steps (a step is one element's worth of work of one member) until the last of the blocks is done, on as many threads as
  /// are worth a block each, and a part of what all of them compute, for threads are few.
  int64_t estimateTime(ArrayRef<int64_t> sizes, const KernelWork &work) const;

  /// What part of its time more a kernel takes with narrow tiles. A contraction that has fewer
  /// columns than it could make use of leaves lanes empty, or loads rows for one vector alone: 17 columns take two vectors of
  /// 16, and as long as 32. Other tiles that are narrower than a line touch it again for each other.
  double getNarrowPart(ArrayRef<int64_t> sizes) const;

  /// Whether temporaries stay near the core: half of the cache is left to operands; what most blocks do not need may take a
  /// part of that.
  bool fitsScratch(const KernelWork &work) const {
    return work.nearBytes <= scratchLimit && work.scratchBytes <= 2 * scratchLimit;
  }

protected:
  /// Vectors of columns that rows of a contraction are computed for together.
  static constexpr int64_t kColumnVectors = 2;

  /// Whether all points take so little that one thread does them.
  bool isSerial(int64_t points) const;

  /// Whether the operand that rows of this contraction share, with all columns, is more than stays near the core.
  bool readsFar(const KernelFacts::Member &member) const;

  /// Whether each group of rows that a product computes together reads all that the tile has along dim `d` of the operand
  /// that rows share: the lines of an image that lies channels first, where the rows are the filters.
  bool readsAgain(int64_t d) const;

  /// The most elements that a product in such tiles has of the operand that rows share.
  int64_t countShared(ArrayRef<int64_t> sizes) const;

  /// Whether the temporaries of tiles of `larger` take more than half of the innermost cache, in a kernel that computes as
  /// much in all with tiles of `sizes`, which are smaller along dim `d`: the channels, or the batch, of a depthwise
  /// convolution that copies the image of each channel with a border. Depthwise 3x3 over 14x14 pixels, 384 channels first, on
  /// a core of Emerald Rapids (48 KB): copies of 384 channels 0.058 ms, of 64 0.056, of 32 (32 KB) 0.044, of 16 and of 8 0.034.
  bool leavesInnermost(int64_t d, ArrayRef<int64_t> sizes, ArrayRef<int64_t> larger) const;

  /// Whether the kernel is a depthwise convolution or a pool whose memory runs along channels, and nothing that shares loads.
  bool hasWindowTiles() const { return facts.windowDim && rank > 2 && !facts.hasProducts; }

  /// The channels of a tile of a kernel with `windowDim`: two vectors, if all tiles have so many, since a pixel's 128 bytes are
  /// two lines that are fetched together, and the weights of a window of 3x3 still fit the registers; but one vector where the
  /// result has its channels first and the image stays near the core. Depthwise 3x3 on a core of Emerald Rapids, 4 rows of
  /// pixels in a tile: 64 channels of 112x112 pixels 0.49 ms with 16 channels, 0.35 with 32, 0.34 with 64; 576 of 14x14 0.031,
  /// 0.026, 0.026, with 128 0.029; 192 of 28x28, transposed to channels first, 0.037, 0.048, 0.056.
  int64_t getWindowChannels() const;

  /// Whether tiles with windows may become as large as `larger` along dim `d`. Channels stay as they are. A tile has whole
  /// rows of pixels, and so many of them as the innermost cache holds with their border (all of them may take twice as much),
  /// but at least four, and as many more as keep the border less than half of what is read. Depthwise 3x3 with a relu in
  /// front, 144 channels of 56x56 pixels, on a core of Emerald Rapids (48 KB): 0.17 ms in tiles of 1 to 4 rows of 16 channels,
  /// 0.22 of 8, 0.31 of 56.
  bool suitsWindows(int64_t d, ArrayRef<int64_t> larger) const;

  /// The least size along a dim that does not waste what was loaded.
  int64_t granule(int64_t d) const;

  /// Whether lines of memory (of 64 bytes) run along this dim.
  bool isLine(int64_t d) const { return llvm::is_contained(facts.lineDims, d); }

  /// Whether memory runs along this dim and along another one: what is read along one of them
  /// touches a line, and a page, for each element. Not where a tile lays out an image of its own first.
  bool isCrossed(int64_t d) const;

  /// A product whose blocks may be as large as leaves enough of them: what they read again for each
  /// other decides, not what handing one over costs.
  bool isProduct() const;

  /// Whether tiles along a dim have whole vectors.
  bool hasVectors(int64_t d) const;

  const KernelFacts &facts;
  bool streams;
  int64_t rank;
  /// Elements of a vector: of the kernel's widest type, and of f32.
  int64_t lanes, f32Lanes;
  /// Half of a core's cache, in bytes.
  int64_t scratchLimit;
  /// Bytes of the innermost cache; 0 where the target does not say.
  int64_t l1Bytes;
  /// Whether the kernel goes over rows that it folds again, so that a block has no more of them than the innermost cache.
  bool foldsRows = false;
  /// Steps of a block that are worth handing it over between threads.
  int64_t blockWork;
  /// How many contiguous ranges blocks are divided into: one for each thread.
  int64_t ranges;
  int64_t wantedBlocks = 1;
  /// Each dim's extent, or what an open one is likely to be.
  SmallVector<int64_t> whole;
  int64_t numContractions = 0;
  /// The dim that vectors of contractions run along.
  std::optional<int64_t> columns;

private:
  /// What part more columns than there are, in tiles of `size`, a contraction computes, because the last vector of a tile, or
  /// the last block of packed columns, is not full.
  double getEmptyPart(int64_t d, int64_t size) const;
  std::optional<int64_t> findColumns() const;
  int64_t countFarLoads(ArrayRef<int64_t> sizes, const KernelWork &work) const;
  int64_t countColumns(const KernelFacts::Member &member, ArrayRef<int64_t> sizes) const;
  int64_t getLine() const;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_SCHEDULE_TILECOST_H
