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
