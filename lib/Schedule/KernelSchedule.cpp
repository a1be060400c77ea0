//===- KernelSchedule.cpp - A kernel's schedule from facts and a target -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/KernelSchedule.h"
#include "TileSizes.h"
#include "fuse/Analysis/SerialCutoff.h"
#include "fuse/Support/Saturating.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// So many loads of a contraction cost as much as one point.
static constexpr int64_t kLoadsPerElement = 4;
/// The least tile of a streamed dim, and the most: vectors are whole, and rows of scores short.
static constexpr int64_t kLeastStreamTile = 64;
static constexpr int64_t kStreamTile = 256;
/// From so many elements on, several lanes fold a window.
static constexpr int64_t kLongWindow = 256;

int64_t KernelFacts::getLikely(unsigned dim) const {
  // No memory holds more; tiles of the next power of two are numbers, too.
  constexpr int64_t kMost = int64_t(1) << 50;
  return std::min(kMost, dim < likely.size() ? std::max<int64_t>(1, likely[dim]) : getKnown(extents[dim]));
}

int64_t KernelFacts::Member::getLikely() const {
  return ShapedType::isDynamic(privateElements) && likelyElements > 0 ? likelyElements : getKnown(privateElements);
}

void KernelFacts::add(Member member) {
  for (Member &other : members) {
    bool isKnown = !ShapedType::isDynamic(member.privateElements) &&
                   !ShapedType::isDynamic(other.privateElements);
    if (!isKnown || member.isContraction || other.isContraction || other.dims != member.dims ||
        other.isStreamed != member.isStreamed)
      continue;
    other.privateElements = addCounts(other.privateElements, member.privateElements);
    other.scratchBytes = addCounts(other.scratchBytes, member.scratchBytes);
    other.sumBytes = addCounts(other.sumBytes, member.sumBytes);
    other.rereadBytes = addCounts(other.rereadBytes, member.rereadBytes);
    other.largestBytes = std::max(other.largestBytes, member.largestBytes);
    return;
  }
  members.push_back(std::move(member));
}

void KernelFacts::addRow(int64_t elements) {
  if (ShapedType::isDynamic(elements) || ShapedType::isDynamic(rowElements))
    rowElements = ShapedType::kDynamic;
  else
    rowElements = std::max(rowElements, elements);
}

void KernelFacts::addFold(const Member &member, bool alongMemory, bool isWindow) {
  hasWindows |= isWindow;
  if (member.isContraction) // see ThinProduct
    return;
  bool isLong =
      ShapedType::isDynamic(member.privateElements) || member.privateElements >= kLongWindow;
  if (alongMemory || (isWindow && isLong))
    addRowDims(member.dims);
}

void KernelFacts::addRowDims(ArrayRef<unsigned> dims) {
  if (!rowDims) {
    rowDims = llvm::to_vector(dims);
    llvm::sort(*rowDims);
    return;
  }
  llvm::erase_if(*rowDims, [&](unsigned dim) { return !llvm::is_contained(dims, dim); });
}

void KernelFacts::addLine(unsigned dim, ArrayRef<unsigned> dims) {
  if (!llvm::is_contained(lineDims, dim))
    lineDims.push_back(dim);
  auto isSame = [&](const Line &line) { return line.dim == dim && ArrayRef(line.dims) == dims; };
  if (llvm::none_of(lines, isSame))
    lines.push_back({dim, llvm::to_vector(dims)});
}

bool mlir::fuse::isShortFold(int64_t elements) {
  constexpr int64_t kShortFold = 64;
  return !ShapedType::isDynamic(elements) && elements <= kShortFold;
}

bool KernelFacts::isTurned() const {
  return llvm::any_of(lines, [&](const Line &a) {
    return llvm::any_of(lines, [&](const Line &b) {
      return a.dim != b.dim && llvm::is_contained(a.dims, b.dim) &&
             llvm::is_contained(b.dims, a.dim);
    });
  });
}

void KernelFacts::orderBlocks() {
  int64_t rank = extents.size();
  for (const Member &member : members) {
    int64_t numDims = member.dims.size();
    if (!member.isContraction || numDims == 0 || numDims == rank)
      continue;
    blockOrder.assign(member.dims.begin(), member.dims.end());
    llvm::sort(blockOrder);
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(member.dims, static_cast<unsigned>(dim)))
        blockOrder.push_back(dim);
    if (llvm::is_sorted(blockOrder))
      blockOrder.clear();
    return;
  }
}

/// What stands for each dim, in the order of the blocks.
template <typename T>
static SmallVector<T> inBlockOrder(const KernelFacts &facts, ArrayRef<T> values) {
  SmallVector<T> ordered(values.begin(),
                         values.end()); // llvm::to_vector takes two bools of a range
  for (auto [position, dim] : llvm::enumerate(facts.blockOrder))
    ordered[position] = values[dim];
  return ordered;
}

KernelWork mlir::fuse::computeWork(const KernelFacts &facts, ArrayRef<int64_t> sizes,
                                   int64_t ranges) {
  KernelWork work;
  int64_t points = 1;
  SmallVector<int64_t> tiles;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    tiles.push_back(llvm::divideCeil(facts.getLikely(dim), size));
    work.blocks = mulCounts(work.blocks, tiles.back());
    points = mulCounts(points, size);
  }
  for (const KernelFacts::Member &member : facts.members) {
    int64_t elements = 1;
    double whole = 1; // parts of tiles that lie within the extents
    SmallVector<bool> has(tiles.size(), false);
    for (unsigned dim : member.dims) {
      elements = mulCounts(elements, getWindowExtent(member.windows, dim, sizes[dim]));
      whole *= double(facts.getLikely(dim)) / double(tiles[dim] * sizes[dim]);
      has[dim] = true;
    }
    work.scratchBytes = addCounts(work.scratchBytes, mulCounts(elements, member.scratchBytes));
    int64_t computing = member.isRepeated
                            ? work.blocks
                            : countComputing(inBlockOrder(facts, ArrayRef(tiles)),
                                             inBlockOrder(facts, ArrayRef(has)), ranges);
    int64_t nearBytes = computing < work.blocks ? member.largestBytes : member.scratchBytes;
    work.nearBytes = addCounts(work.nearBytes, mulCounts(elements, nearBytes));
    work.rereadBytes = addCounts(work.rereadBytes, mulCounts(elements, member.rereadBytes));
    int64_t steps = mulCounts(elements, member.getLikely());
    steps = std::ceil(double(steps) * whole);
    if (!member.isContraction) {
      work.total = addCounts(work.total, mulCounts(steps, computing));
      continue;
    }
    // What the rows of a tile share is loaded once for all of them.
    bool sharesLoads = facts.reuseDim && llvm::is_contained(member.dims, *facts.reuseDim);
    int64_t loads = steps / (sharesLoads ? sizes[*facts.reuseDim] : 1);
    int64_t own = llvm::divideCeil(steps, kContractionSteps) + loads / kLoadsPerElement;
    work.total = addCounts(work.total, mulCounts(own, computing));
  }
  if (facts.members.empty())
    work.total = mulCounts(points, work.blocks);
  work.perBlock = llvm::divideCeil(work.total, work.blocks);
  return work;
}

/// A divisor of the extent, so that all tiles are whole, if there is one that is no waste.
static int64_t getStreamTile(int64_t extent, int64_t lanes) {
  if (!ShapedType::isDynamic(extent))
    for (int64_t tile = kStreamTile; tile >= kLeastStreamTile; tile -= lanes)
      if (extent % tile == 0)
        return tile;
  return kStreamTile;
}

/// The facts of the kernel with its streamed dim in tiles: scratch holds one tile.
static KernelFacts streamIn(const KernelFacts &facts, int64_t tile) {
  KernelFacts streamed = facts;
  for (KernelFacts::Member &member : streamed.members) {
    if (!member.isStreamed)
      continue;
    member.isRepeated = true;
    for (int64_t *bytes : {&member.scratchBytes, &member.largestBytes})
      *bytes = llvm::divideCeil(*bytes, getKnown(*facts.streamExtent)) * tile;
  }
  return streamed;
}

/// Tiles along a dim whose extent is not known are one as far as can be told. Where a second one
/// would compute much again, that dim is not cut, however long it turns out to be: the sums of a
/// norm's row are not made again for every 1024 columns.
static void keepWhole(const KernelFacts &facts, MutableArrayRef<int64_t> sizes) {
  constexpr int64_t kMuch = 4; // a part of its own work
  for (auto [dim, extent] : llvm::enumerate(facts.extents)) {
    if (!ShapedType::isDynamic(extent) || sizes[dim] < facts.getLikely(dim))
      continue;
    int64_t again = 0, own = 0, scratch = 0;
    for (const KernelFacts::Member &member : facts.members) {
      int64_t steps = member.getLikely();
      for (unsigned other : member.dims)
        steps = mulCounts(steps, sizes[other]);
      bool isCut = llvm::is_contained(member.dims, static_cast<unsigned>(dim));
      (isCut ? own : again) = addCounts(isCut ? own : again, steps);
      scratch += isCut ? member.scratchBytes : 0;
    }
    if (scratch == 0 && kMuch * again >= own)
      sizes[dim] = LevelAttr::kUncut;
  }
}

ScheduleAttr mlir::fuse::computeSchedule(MLIRContext *context, const KernelFacts &facts,
                                         TargetAttr target) {
  int64_t rank = facts.extents.size();
  SmallVector<LevelAttr> levels;
  KernelFacts used = facts;
  std::optional<int64_t> streamTile;
  if (facts.streamExtent && getKnown(*facts.streamExtent) > kStreamTile &&
      !rowsFit(facts, target)) {
    int64_t lanes = static_cast<int64_t>(target.getFigure("vector_bytes")) / facts.elementBytes;
    streamTile = getStreamTile(*facts.streamExtent, std::max<int64_t>(1, lanes));
    used = streamIn(facts, *streamTile);
  }
  if (rank > 0) { // else one block; a level has at least one dim
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    SmallVector<int64_t> sizes = computeTileSizes(used, target, streamTile.has_value());
    keepWhole(used, sizes);
    enlargeOpenRows(used, target, sizes);
    levels.push_back(LevelAttr::get(context, LevelMapping::Block,
                                    inBlockOrder(used, ArrayRef(dims)),
                                    inBlockOrder(used, ArrayRef(sizes))));
  }
  if (streamTile)
    levels.push_back(
        LevelAttr::get(context, LevelMapping::Sequential, {rank}, {*streamTile}));
  return ScheduleAttr::get(context, levels, ScheduleAttr::kReductionLanes, /*threads=*/0, /*lanes=*/0);
}
