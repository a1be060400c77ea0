//===- SearchSpace.cpp - Which schedules a kernel can have ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Tune/SearchSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace mlir::fuse;

/// Streamed tiles are at least so long.
static constexpr int64_t kLeastStreamTile = 16;
/// A random step is this many decisions at most.
static constexpr unsigned kMostSteps = 4;
/// Of a block and a row on a GPU.
static constexpr int64_t kLeastThreads = 32, kMostThreads = 1024, kMostLanes = 512;

bool Candidate::operator<(const Candidate &other) const {
  auto tie = [](const Candidate &c) { return std::tie(c.sizes, c.order, c.streamTile, c.threads, c.lanes); };
  return tie(*this) < tie(other);
}

std::optional<Candidate> Candidate::get(ScheduleAttr schedule, unsigned rank) {
  Candidate candidate;
  candidate.sizes.assign(rank, 0);
  candidate.threads = schedule.getThreads();
  candidate.lanes = schedule.getLanes();
  for (LevelAttr level : schedule.getLevels()) {
    if (level.getMapping() == LevelMapping::Sequential && candidate.streamTile == 0 &&
        level.getSizes().size() == 1) {
      candidate.streamTile = level.getSizes().front();
      continue;
    }
    if (level.getMapping() == LevelMapping::Subgroup) // which dims tell rows apart is no choice
      continue;
    if (level.getMapping() != LevelMapping::Block || !candidate.order.empty())
      return std::nullopt;
    for (auto [dim, size] : llvm::zip_equal(level.getDims(), level.getSizes())) {
      if (dim < 0 || dim >= static_cast<int64_t>(rank) || candidate.sizes[dim] != 0)
        return std::nullopt;
      candidate.order.push_back(dim);
      candidate.sizes[dim] = size;
    }
  }
  if (candidate.order.size() != rank)
    return std::nullopt;
  return candidate;
}

ScheduleAttr Candidate::makeSchedule(ScheduleAttr like) const {
  MLIRContext *context = like.getContext();
  SmallVector<LevelAttr> levels;
  SmallVector<int64_t> ordered;
  for (int64_t dim : order)
    ordered.push_back(sizes[dim]);
  if (!order.empty())
    levels.push_back(LevelAttr::get(context, LevelMapping::Block, order, ordered));
  if (streamTile > 0)
    levels.push_back(LevelAttr::get(context, LevelMapping::Sequential,
                                    {static_cast<int64_t>(order.size())}, {streamTile}));
  for (LevelAttr level : like.getLevels())
    if (level.getMapping() == LevelMapping::Subgroup)
      levels.push_back(level);
  return ScheduleAttr::get(context, levels, like.getReductionLanes(), threads, lanes);
}

SearchSpace::SearchSpace(KernelFacts facts, Candidate start, int64_t l2Bytes, int64_t lanes)
    : facts(std::move(facts)), start(std::move(start)), lanes(std::max<int64_t>(1, lanes)) {
  // The compiler's own sizes may be above the extent.
  for (auto [size, extent] : llvm::zip_equal(this->start.sizes, this->facts.extents))
    size = std::min(size, std::max<int64_t>(1, extent));
  mostScratch = std::max(l2Bytes, computeWork(this->facts, this->start.sizes).scratchBytes);
}

int64_t SearchSpace::getStep(unsigned dim) const {
  int64_t step = 1;
  for (auto [cut, block] : facts.columnBlocks)
    if (cut == dim)
      step = std::lcm(step, block);
  return step;
}

bool SearchSpace::isLegal(const Candidate &candidate) const {
  size_t rank = facts.extents.size();
  SmallVector<int64_t> dims(candidate.order);
  llvm::sort(dims);
  if (candidate.sizes.size() != rank || dims != llvm::to_vector(llvm::seq<int64_t>(0, rank)))
    return false;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t size = candidate.sizes[dim], extent = std::max<int64_t>(1, facts.extents[dim]);
    if (size < 1 || size > extent || (size < extent && size % getStep(dim) != 0))
      return false;
  }
  bool isGpu = start.threads > 0;
  if (isGpu != (candidate.threads > 0) ||
      (isGpu && (candidate.threads < kLeastThreads || candidate.threads > kMostThreads ||
                 !llvm::isPowerOf2_64(candidate.threads))) ||
      (start.lanes > 0) != (candidate.lanes > 0) || candidate.lanes > candidate.threads || candidate.lanes > kMostLanes ||
      (candidate.lanes > 0 && !llvm::isPowerOf2_64(candidate.lanes)))
    return false;
  if (candidate.streamTile < 0 ||
      (candidate.streamTile > 0 &&
       (!facts.streamExtent || candidate.streamTile > *facts.streamExtent)))
    return false;
  // A streamed dim's temporaries are a tile long; facts count all of it.
  return candidate.streamTile > 0 ||
         computeWork(facts, candidate.sizes).scratchBytes <= mostScratch;
}

SmallVector<int64_t> SearchSpace::getSizes(unsigned dim, int64_t size) const {
  int64_t extent = std::max<int64_t>(1, facts.extents[dim]), step = getStep(dim);
  int64_t tiles = llvm::divideCeil(extent, size);
  SmallVector<int64_t> sizes = {2 * size,     size / 2,     extent, 4 * size, size / 4,
                                size + lanes, size - lanes, lanes,  1};
  // One tile more or less, all as even as can be.
  for (int64_t number : {tiles - 1, tiles + 1})
    if (number > 0)
      sizes.push_back(llvm::divideCeil(extent, number));
  SmallVector<int64_t> found;
  for (int64_t candidate : sizes) {
    int64_t fitting = candidate;
    if (fitting < extent)
      fitting =
          std::max<int64_t>(1, llvm::divideNearest(std::max<int64_t>(1, fitting), step)) * step;
    fitting = std::min(fitting, extent);
    if (fitting != size && !llvm::is_contained(found, fitting))
      found.push_back(fitting);
  }
  return found;
}

void SearchSpace::addThreads(const Candidate &candidate, llvm::function_ref<void(const Candidate &)> add) const {
  for (int64_t Candidate::*count : {&Candidate::threads, &Candidate::lanes})
    for (int64_t number : {2 * (candidate.*count), candidate.*count / 2}) {
      Candidate other = candidate;
      other.*count = number;
      add(other);
    }
}

std::vector<Candidate> SearchSpace::getNeighbours(const Candidate &candidate) const {
  std::vector<Candidate> neighbours;
  auto add = [&](const Candidate &other) {
    if (!(other == candidate) && isLegal(other) && !llvm::is_contained(neighbours, other))
      neighbours.push_back(other);
  };
  unsigned rank = facts.extents.size();
  for (unsigned dim = rank; dim-- > 0;)
    for (int64_t size : getSizes(dim, candidate.sizes[dim])) {
      Candidate other = candidate;
      other.sizes[dim] = size;
      add(other);
    }
  // As much work in a block, of another shape.
  for (unsigned larger = 0; larger < rank; ++larger)
    for (unsigned smaller = 0; smaller < rank; ++smaller) {
      Candidate other = candidate;
      other.sizes[larger] = std::min(2 * candidate.sizes[larger], facts.extents[larger]);
      other.sizes[smaller] = std::max<int64_t>(1, candidate.sizes[smaller] / 2);
      if (larger != smaller && other.sizes[larger] != candidate.sizes[larger] &&
          other.sizes[smaller] != candidate.sizes[smaller])
        add(other);
    }
  for (unsigned i = 0; i + 1 < rank; ++i) {
    Candidate other = candidate;
    std::swap(other.order[i], other.order[i + 1]);
    // Dims of one tile have no place in the order.
    auto isCut = [&](int64_t dim) { return candidate.sizes[dim] < facts.extents[dim]; };
    if (isCut(other.order[i]) && isCut(other.order[i + 1]))
      add(other);
  }
  if (start.threads > 0)
    addThreads(candidate, add);
  if (facts.streamExtent) {
    int64_t tile = candidate.streamTile;
    SmallVector<int64_t> tiles = {0, std::min<int64_t>(128, *facts.streamExtent)};
    if (tile > 0)
      tiles = {0, 2 * tile, tile / 2, tile + lanes, tile - lanes};
    for (int64_t size : tiles) {
      Candidate other = candidate;
      other.streamTile =
          size == 0 ? 0 : std::max(size, std::min(kLeastStreamTile, *facts.streamExtent));
      add(other);
    }
  }
  return neighbours;
}

Candidate SearchSpace::mutate(Candidate candidate, std::mt19937_64 &random) const {
  for (unsigned steps = 1 + random() % kMostSteps; steps > 0; --steps) {
    std::vector<Candidate> neighbours = getNeighbours(candidate);
    if (neighbours.empty())
      break;
    candidate = neighbours[random() % neighbours.size()];
  }
  return candidate;
}
