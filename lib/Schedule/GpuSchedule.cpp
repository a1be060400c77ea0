//===- GpuSchedule.cpp - Tiles and threads of a kernel on a GPU ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/GpuSchedule.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Threads of a block whose tile has points, and the least where it has rows.
static constexpr int64_t kPointThreads = 256, kLeastThreads = 128;
/// Lanes of a row: a subgroup at least; each has so many elements of it at least.
static constexpr int64_t kLeastLanes = 32, kMostLanes = 512, kElementsPerLane = 16;
/// Points of a tile: four for each thread; of a contraction a square one.
static constexpr int64_t kPoints = 4 * kPointThreads, kContractionSide = 64;
/// Columns that a subgroup reads at once, 16 bytes a lane, and the sides of a tile that is turned.
static constexpr int64_t kColumns = 128, kCrossedSide = 32;
static constexpr int64_t kStreamTile = 64;
/// What an unknown extent counts as, and the multiprocessors of an unknown GPU.
static constexpr int64_t kUnknownElements = 1024, kUnknownProcessors = 108;

static int64_t known(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUnknownElements : std::max<int64_t>(extent, 1);
}

namespace {

class GpuTiles {
public:
  GpuTiles(const KernelFacts &facts, TargetAttr target)
      : facts(facts), rank(facts.extents.size()),
        sharedBytes(static_cast<int64_t>(target.getFigure("shared_memory_bytes"))),
        processors(static_cast<int64_t>(target.getFigure("max_threads"))) {
    if (processors <= 1)
      processors = kUnknownProcessors;
    for (const KernelFacts::Member &member : facts.members)
      hasContraction |= member.isContraction;
    hasRows = !facts.lastDimIsContiguous && known(facts.rowElements) > 1;
  }

  void compute() {
    sizes.assign(rank, 1);
    threads = kPointThreads;
    if (hasRows)
      computeRows();
    else
      computePoints();
    shrink();
  }

  /// Whether the temporaries of the tile fit.
  bool fits() const {
    return sharedBytes == 0 || computeWork(facts, sizes).scratchBytes <= sharedBytes;
  }

  SmallVector<int64_t> sizes;
  int64_t threads = 0, lanes = 0;

private:
  void computeRows() {
    lanes = llvm::PowerOf2Ceil(llvm::divideCeil(known(facts.rowElements), kElementsPerLane));
    lanes = std::clamp(lanes, kLeastLanes, kMostLanes);
    threads = std::max(lanes, kLeastThreads);
    grow(rank - 1, threads / lanes);
  }

  void computePoints() {
    if (rank == 0)
      return;
    if (hasContraction) {
      grow(rank - 1, kContractionSide);
      if (facts.reuseDim && *facts.reuseDim + 1 < rank)
        grow(*facts.reuseDim, kContractionSide);
      return;
    }
    if (facts.lineDims.size() > 1) {
      for (unsigned dim : facts.lineDims)
        grow(dim, kCrossedSide);
      return;
    }
    int64_t points = kPoints;
    int64_t all = 1;
    for (int64_t extent : facts.extents)
      all = std::min<int64_t>(all * known(extent), int64_t(1) << 40);
    while (points > kPointThreads && all / points < 2 * processors)
      points /= 2;
    // Sums down columns: a thread has a chunk of them.
    if (facts.hasReductions)
      points = std::min(points, kColumns);
    for (unsigned dim = rank; dim-- > 0 && points > 1;) {
      grow(dim, points);
      points /= sizes[dim];
    }
    if (facts.hasReductions)
      threads = kLeastLanes;
  }

  void grow(unsigned dim, int64_t size) {
    if (dim < rank)
      sizes[dim] = std::min(known(facts.extents[dim]), size);
  }

  void shrink() {
    while (!fits()) {
      int64_t *largest = llvm::max_element(sizes);
      if (largest == sizes.end() || *largest == 1)
        return;
      *largest = llvm::divideCeil(*largest, 2);
    }
  }

  const KernelFacts &facts;
  unsigned rank;
  int64_t sharedBytes, processors;
  bool hasContraction = false, hasRows = false;
};

} // namespace

ScheduleAttr mlir::fuse::computeGpuSchedule(MLIRContext *context, const KernelFacts &facts,
                                            TargetAttr target) {
  int64_t rank = facts.extents.size();
  GpuTiles tiles(facts, target);
  tiles.compute();
  SmallVector<LevelAttr> levels;
  bool streams = facts.streamExtent && known(*facts.streamExtent) > kStreamTile && !tiles.fits();
  KernelFacts streamed;
  std::optional<GpuTiles> streamedTiles;
  if (streams) {
    streamed = facts;
    for (KernelFacts::Member &member : streamed.members)
      if (member.isStreamed)
        for (int64_t *bytes : {&member.scratchBytes, &member.largestBytes})
          *bytes = llvm::divideCeil(*bytes, known(*facts.streamExtent)) * kStreamTile;
    streamedTiles.emplace(streamed, target);
    streamedTiles->compute();
  }
  const GpuTiles &used = streams ? *streamedTiles : tiles;
  if (rank > 0)
    levels.push_back(LevelAttr::get(context, LevelMapping::Block,
                                    llvm::to_vector(llvm::seq<int64_t>(0, rank)), used.sizes));
  if (streams)
    levels.push_back(LevelAttr::get(context, LevelMapping::Sequential, {rank}, {kStreamTile}));
  return ScheduleAttr::get(context, levels, /*reductionLanes=*/0, used.threads, used.lanes);
}
