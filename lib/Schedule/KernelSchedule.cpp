//===- KernelSchedule.cpp - Tile sizes of a kernel from facts and a target ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/KernelSchedule.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Blocks are cut so that a block's work is worth a hand-over between threads (tens of
/// microseconds), and its data stays near the core.
static constexpr int64_t kBlockElements = 16384;
/// Contiguous bytes along the innermost dim below which a strided walk down the rows wastes
/// bandwidth: column sums reach a read's speed from 256 floats on.
static constexpr int64_t kContiguousBytes = 1024;
/// With fewer blocks than this there is nothing to spread evenly.
static constexpr int64_t kWantedBlocks = 16;
/// What an unknown private extent counts as.
static constexpr int64_t kUnknownElements = 1024;
/// Of a tile's work, what may be recomputed in each tile.
static constexpr int64_t kRecomputedShare = 8;

static int64_t cut(int64_t extent, int64_t most) {
  most = std::max<int64_t>(most, 1);
  return ShapedType::isDynamic(extent) ? most : std::clamp<int64_t>(extent, 1, most);
}

/// Makes tiles whole along the dims that a member lacks if computing that member once per tile would
/// cost more than a share of the tile itself.
static void avoidRecomputation(const KernelFacts &facts, int64_t perPoint,
                               MutableArrayRef<int64_t> sizes) {
  auto multiply = [](int64_t a, int64_t b) -> int64_t {
    return std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(a, b), int64_t(1) << 60);
  };
  for (const KernelFacts::ReplicatedMember &member : facts.replicated) {
    int64_t tile = perPoint;
    int64_t again = ShapedType::isDynamic(member.privateElements)
                        ? kUnknownElements
                        : std::max<int64_t>(1, member.privateElements);
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      tile = multiply(tile, size);
      if (llvm::is_contained(member.dims, dim))
        again = multiply(again, size);
    }
    if (again <= tile / kRecomputedShare)
      continue;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!llvm::is_contained(member.dims, dim) && !ShapedType::isDynamic(facts.extents[dim]))
        size = std::max<int64_t>(1, facts.extents[dim]);
  }
}

ScheduleAttr mlir::fuse::computeSchedule(MLIRContext *context, const KernelFacts &facts,
                                         TargetAttr target) {
  int64_t rank = facts.extents.size();
  int64_t lanes = std::max<int64_t>(1, static_cast<int64_t>(target.getFigure("vector_bytes")) /
                                           std::max<int64_t>(1, facts.elementBytes));
  int64_t perPoint = ShapedType::isDynamic(facts.privateElements)
                         ? kUnknownElements
                         : std::max<int64_t>(1, facts.privateElements);
  int64_t budget = std::max<int64_t>(1, kBlockElements / perPoint);
  if (facts.lastDimIsContiguous && facts.hasReductions)
    budget = std::max(budget, kContiguousBytes / facts.elementBytes);
  // Leave enough blocks for all threads where the kernel has that many points.
  int64_t points = 1;
  for (int64_t extent : facts.extents)
    points = llvm::SaturatingMultiply<uint64_t>(
        points, ShapedType::isDynamic(extent) ? kBlockElements : std::max<int64_t>(extent, 1));
  if (points > 0 && points * perPoint >= 4 * kBlockElements) {
    int64_t fair = std::max<int64_t>(1, points / kWantedBlocks);
    if (facts.lastDimIsContiguous)
      fair = std::max(fair, 4 * lanes);
    budget = std::min(budget, fair);
  }

  SmallVector<int64_t> dims, sizes(rank, 1);
  for (int64_t d = 0; d < rank; ++d)
    dims.push_back(d);
  int64_t left = budget;
  for (int64_t d = rank - 1; d >= 0; --d) {
    sizes[d] = cut(facts.extents[d], left);
    // Whole vectors along the dim that memory runs along.
    if (d == rank - 1 && facts.lastDimIsContiguous && sizes[d] > lanes &&
        sizes[d] != facts.extents[d])
      sizes[d] = llvm::alignDown(sizes[d], lanes);
    left = std::max<int64_t>(1, left / sizes[d]);
  }
  avoidRecomputation(facts, perPoint, sizes);
  if (rank == 0) // one block; a level has at least one dim
    return ScheduleAttr::get(context, {}, /*reductionLanes=*/64);
  auto level = LevelAttr::get(context, LevelMapping::Block, dims, sizes);
  return ScheduleAttr::get(context, {level}, /*reductionLanes=*/64);
}
