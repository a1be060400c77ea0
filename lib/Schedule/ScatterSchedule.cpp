//===- ScatterSchedule.cpp - Tiles of a kernel that scatters ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/ScatterSchedule.h"
#include "TileSizes.h"
#include "fuse/Analysis/SerialCutoff.h"
#include "fuse/Analysis/SharedTiles.h"
#include "fuse/Analysis/TensorTiles.h"
#include "fuse/Support/Saturating.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// The elements that one update writes.
static int64_t getSliceElements(const ScatterShape &scatter) {
  int64_t elements = 1;
  for (auto [dim, extent] : llvm::enumerate(scatter.extents))
    if (dim != scatter.dimension)
      elements = mulCounts(elements, getKnown(extent));
  return elements;
}

/// The whole extent as one tile.
static int64_t getWhole(int64_t extent) {
  return ShapedType::isDynamic(extent) ? LevelAttr::kUncut : std::max<int64_t>(extent, 1);
}

/// A tile of about `extent` / `parts`, a multiple of `step` unless that is all.
static int64_t cut(int64_t extent, int64_t parts, int64_t step) {
  int64_t size = llvm::alignTo(llvm::divideCeil(getKnown(extent), parts), step);
  if (parts == 1 || size >= getKnown(extent))
    return getWhole(extent);
  return std::min(size, LevelAttr::kUncut - 1); // as long or longer: not cut at all
}

static ScheduleAttr makeSchedule(MLIRContext *context, ArrayRef<int64_t> sizes, int64_t threads) {
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
  return ScheduleAttr::get(context, LevelAttr::get(context, LevelMapping::Block, dims, sizes),
                           /*reductionLanes=*/0, threads, /*lanes=*/0);
}

ScheduleAttr mlir::fuse::computeScatterSchedule(MLIRContext *context, const ScatterShape &scatter,
                                                TargetAttr target) {
  constexpr int64_t kLanes = 16, kLongRow = 1024;
  int64_t slice = getSliceElements(scatter), updates = getKnown(scatter.updates);
  int64_t rows = getKnown(scatter.extents[scatter.dimension]);
  int64_t vectors = llvm::divideCeil(slice, kLanes);
  int64_t copied = mulCounts(vectors, rows), folded = mulCounts(vectors, updates);
  int64_t blocks = 1;
  if (mulCounts(addCounts(copied, folded), kLanes) > kSerialPoints) {
    // In accesses of a vector (about a nanosecond); looking at an index counts as one, beginning a
    // block, and handing part of the work to other threads, as so many.
    constexpr int64_t kBegin = 256, kFork = 4096;
    int64_t threads = getBlockRanges(target), work = addCounts(copied, folded);
    auto estimate = [&](int64_t count) {
      int64_t rounds = llvm::divideCeil(count, threads);
      return (work / count + updates + kBegin) * rounds + (count > 1 ? kFork : 0);
    };
    for (int64_t count = 2; count <= kWantedBlocks; count *= 2)
      if (estimate(count) < estimate(blocks))
        blocks = count;
    // Nobody knows how many threads there are: more blocks, as long as looking is a small part.
    constexpr int64_t kSmallPart = 8;
    bool isKnown = target.getFigures().contains("max_threads");
    while (!isKnown && blocks > 1 && 2 * blocks <= kWantedBlocks &&
           mulCounts(2 * blocks * kSmallPart, updates) <= work)
      blocks *= 2;
  }
  // Dims before the indices first, long rows next, for those blocks look at no more than they need;
  // then the slices.
  SmallVector<int64_t> sizes = llvm::map_to_vector(scatter.extents, getWhole);
  int64_t last = scatter.extents.size() - 1, rest = blocks;
  auto cutDim = [&](int64_t dim, int64_t step) {
    int64_t parts = std::min<int64_t>(rest, llvm::divideCeil(getKnown(scatter.extents[dim]), step));
    sizes[dim] = cut(scatter.extents[dim], parts, step);
    rest = llvm::divideCeil(rest, parts);
  };
  if (scatter.dimension > 0)
    cutDim(0, 1);
  if (last > scatter.dimension && getKnown(scatter.extents[last]) >= 2 * kLongRow)
    cutDim(last, kLongRow);
  cutDim(scatter.dimension, 1);
  return makeSchedule(context, sizes, /*threads=*/0);
}

ScheduleAttr mlir::fuse::computeGpuScatterSchedule(MLIRContext *context, const ScatterShape &scatter,
                                                   TargetAttr target) {
  constexpr int64_t kMostThreads = 256, kUnknownProcessors = 108;
  auto processors = static_cast<int64_t>(target.getFigure("max_threads"));
  if (processors <= 1)
    processors = kUnknownProcessors;
  SmallVector<int64_t> sizes = llvm::map_to_vector(scatter.extents, getWhole);
  int64_t last = scatter.extents.size() - 1, blocks = 1, columns = 1;
  if (last > scatter.dimension) {
    int64_t extent = getKnown(scatter.extents[last]), parts = llvm::divideCeil(extent, kMostThreads);
    sizes[last] = cut(scatter.extents[last], parts, kSubgroupThreads);
    columns = std::min(extent, sizes[last]);
    blocks = parts;
  }
  if (scatter.dimension > 0) {
    int64_t extent = getKnown(scatter.extents[0]);
    int64_t parts = llvm::divideCeil(extent, std::max<int64_t>(1, kMostThreads / columns));
    sizes[0] = cut(scatter.extents[0], parts, 1);
    columns = mulCounts(columns, std::min(extent, sizes[0]));
    blocks = mulCounts(blocks, parts);
  }
  // Slices in as many parts as the multiprocessors that are left.
  int64_t rows = getKnown(scatter.extents[scatter.dimension]);
  int64_t parts = std::min(rows, std::max<int64_t>(1, 2 * processors / blocks));
  sizes[scatter.dimension] = cut(scatter.extents[scatter.dimension], parts, 1);
  int64_t threads = std::clamp<int64_t>(llvm::PowerOf2Ceil(columns), kSubgroupThreads, kMostThreads);
  return makeSchedule(context, sizes, threads);
}

int64_t mlir::fuse::countScatterBlocks(const ScatterShape &scatter, ScheduleAttr schedule) {
  int64_t blocks = 1;
  for (LevelAttr level : schedule.getLevels())
    for (auto [dim, size] : llvm::zip_equal(level.getDims(), level.getSizes()))
      blocks = mulCounts(blocks, llvm::divideCeil(getKnown(scatter.extents[dim]), size));
  return blocks;
}
