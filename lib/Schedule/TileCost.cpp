//===- TileCost.cpp - What tiles of a CPU's block cost ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileCost.h"
#include "fuse/Analysis/SerialCutoff.h"
#include "fuse/Support/Saturating.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Blocks are cut so that a block's work is worth a hand-over between threads (about ten
/// microseconds), and its data stays near the core.
static constexpr int64_t kBlockWork = 32768;
/// Contiguous bytes along the innermost dim below which a strided walk down the rows wastes
/// bandwidth: column sums reach a read's speed from 256 floats on.
static constexpr int64_t kContiguousBytes = 1024;
/// What memory hands over at once.
static constexpr int64_t kLineBytes = 64;
/// Rows of a contraction that are computed together (see VectorPlan.h).
static constexpr int64_t kReusedRows = 8;
/// What part of its time more a contraction takes whose tiles have one vector of columns alone, so that each row is loaded for
/// each of them. 1x1 convolutions of 1024 by 256 channels, 14 by 14 pixels, and of 960 by 320, 7 by 7: a quarter longer.
static constexpr double kNarrowPart = 0.2;
/// Steps, of 16 multiplications and additions of a contraction, in the time that an element takes to come from a cache further
/// off than the core's: 10 GB a second, at 190 GFLOPS.
static constexpr int64_t kFarSteps = 2;
/// Rows of pixels that a tile with windows may have in any case. Depthwise 3x3 of stride 2, 144 channels of 56x56 pixels, on a
/// core of Emerald Rapids: 0.058 ms in tiles of one row, 0.056 of 2, 0.052 of 4, 0.050 of 7.
static constexpr int64_t kWindowRows = 4;
/// A machine with this many threads feels what is computed again.
static constexpr int64_t kFewThreads = 8;

TileCost::TileCost(const KernelFacts &facts, TargetAttr target, bool streams)
    : facts(facts), streams(streams), rank(facts.extents.size()),
      lanes(std::max<int64_t>(1, static_cast<int64_t>(target.getFigure("vector_bytes")) /
                                     std::max<int64_t>(1, facts.elementBytes))),
      f32Lanes(std::max<int64_t>(1, static_cast<int64_t>(target.getFigure("vector_bytes")) / int64_t(sizeof(float)))),
      scratchLimit(static_cast<int64_t>(target.getFigure("l2_bytes")) / 2),
      l1Bytes(static_cast<int64_t>(target.getFigure("l1_bytes"))), blockWork(kBlockWork),
      ranges(getBlockRanges(target)) {
  for (int64_t dim = 0; dim < rank; ++dim)
    whole.push_back(facts.getLikely(dim));
  wantedBlocks = std::max<int64_t>(1, static_cast<int64_t>(target.getFigure("min_blocks")));
  if (facts.isStep)
    wantedBlocks = std::min(wantedBlocks, ranges);
  for (const KernelFacts::Member &member : facts.members)
    numContractions += member.isContraction;
  columns = findColumns();
  // Rows that are folded are gone over again: from the innermost cache, if there are few of them.
  foldsRows = facts.hasReductions && numContractions == 0 && !isShortFold(facts.rowElements);
  if (l1Bytes > 0 && foldsRows)
    blockWork = std::min(blockWork, l1Bytes / std::max<int64_t>(1, facts.elementBytes));
}

double TileCost::getNarrowPart(ArrayRef<int64_t> sizes) const {
  auto countParts = [&](int64_t d, int64_t wanted) -> int64_t {
    return llvm::divideCeil(std::min(whole[d], wanted), std::min(whole[d], sizes[d]));
  };
  if (columns && llvm::is_contained(facts.vectorDims, *columns)) {
    int64_t d = *columns;
    int64_t vector = std::min(whole[d], lanes);
    for (auto [dim, extent] : llvm::zip(facts.vectorDims, facts.vectorLoops))
      if (static_cast<int64_t>(dim) == d)
        vector = std::max(vector, std::min(getKnown(extent), lanes));
    if (sizes[d] < vector)
      return std::max(getEmptyPart(d, sizes[d]), static_cast<double>(llvm::divideCeil(vector, sizes[d]) - 1));
    double narrow = sizes[d] < std::min(whole[d], kColumnVectors * lanes) ? kNarrowPart : 0;
    return (1 + narrow) * (1 + getEmptyPart(d, sizes[d])) - 1;
  }
  int64_t parts = 1;
  for (unsigned d : facts.lineDims)
    parts = std::max(parts, countParts(d, getLine()));
  return static_cast<double>(parts - 1);
}

double TileCost::getEmptyPart(int64_t d, int64_t size) const {
  // Columns that other members take as 4 by 20 run on from one 20 to the next.
  auto isFactor = [&](auto each) { return int64_t(std::get<0>(each)) == d && std::get<1>(each) != facts.extents[d]; };
  if (ShapedType::isDynamic(facts.extents[d]) || llvm::any_of(llvm::zip(facts.vectorDims, facts.vectorLoops), isFactor))
    return 0;
  // Numbers shorter than f32 are multiplied as f32 or added to sums of four bytes.
  int64_t multiple = std::min(lanes, f32Lanes);
  for (auto [dim, block] : facts.columnBlocks)
    if (static_cast<int64_t>(dim) == d)
      multiple = block;
  size = std::min(size, whole[d]);
  int64_t computed = mulCounts(whole[d] / size, llvm::alignTo(size, multiple)) +
                     static_cast<int64_t>(llvm::alignTo(whole[d] % size, multiple));
  return static_cast<double>(computed) / static_cast<double>(whole[d]) - 1;
}

bool TileCost::hasVectors(int64_t d) const {
  return d == columns || facts.windowDim == d || (d == rank - 1 && facts.lastDimIsContiguous && !facts.hasPrivateColumns);
}

bool TileCost::isSerial(int64_t points) const { return points <= kSerialPoints && !facts.isStep; }

int64_t TileCost::estimateTime(ArrayRef<int64_t> sizes, const KernelWork &work) const {
  // At most as much again: whether enough blocks are left weighs more (see compute).
  int64_t far = countFarLoads(sizes, work);
  // What a tile writes and reads again goes by way of a cache further off where it does not fit the core's.
  int64_t again = work.nearBytes + work.rereadBytes;
  if (again > 2 * scratchLimit)
    far = addCounts(far, mulCounts(kFarSteps * (again / facts.elementBytes), work.blocks));
  int64_t total = addCounts(work.total, std::min(work.total, far));
  return total / std::min<int64_t>(work.blocks, wantedBlocks) + total / kFewThreads;
}

/// Steps that loads wait for a cache further off than the core's, in all blocks: those of columns that do not fit there all
/// together, since each tile of rows reads them again.
int64_t TileCost::countFarLoads(ArrayRef<int64_t> sizes, const KernelWork &work) const {
  int64_t steps = 0;
  for (const KernelFacts::Member &member : facts.members)
    if (readsFar(member))
      steps = addCounts(steps, mulCounts(kFarSteps * countColumns(member, sizes), work.blocks));
  return steps;
}

/// Elements of the operand that rows of a tile share, for the columns of that tile.
int64_t TileCost::countColumns(const KernelFacts::Member &member, ArrayRef<int64_t> sizes) const {
  int64_t width = columns && llvm::is_contained(member.dims, unsigned(*columns)) ? sizes[*columns] : 1;
  return mulCounts(member.getLikely(), width);
}

bool TileCost::readsFar(const KernelFacts::Member &member) const {
  return member.isContraction && facts.reuseDim && *facts.reuseDim != columns &&
         llvm::is_contained(member.dims, *facts.reuseDim) &&
         mulCounts(countColumns(member, whole), facts.elementBytes) > scratchLimit;
}

bool TileCost::readsAgain(int64_t d) const {
  return isProduct() && !facts.packed && d > *facts.reuseDim && d != columns && whole[*facts.reuseDim] > kReusedRows;
}

int64_t TileCost::countShared(ArrayRef<int64_t> sizes) const {
  int64_t most = 0;
  for (const KernelFacts::Member &member : facts.members) {
    if (!member.isContraction || !llvm::is_contained(member.dims, *facts.reuseDim))
      continue;
    int64_t elements = member.getLikely();
    for (unsigned dim : member.dims)
      elements = mulCounts(elements, dim == facts.reuseDim ? 1 : sizes[dim]);
    most = std::max(most, elements);
  }
  return most;
}

bool TileCost::leavesInnermost(int64_t d, ArrayRef<int64_t> sizes, ArrayRef<int64_t> larger) const {
  // The rows of a product share what is loaded, and memory runs along lines and the last dim.
  if (facts.hasProducts || foldsRows || l1Bytes <= 0 || isLine(d) || d == rank - 1)
    return false;
  KernelWork work = computeWork(facts, larger, ranges);
  return work.nearBytes > l1Bytes / 2 && work.total >= computeWork(facts, sizes, ranges).total;
}

int64_t TileCost::getWindowChannels() const {
  int64_t channels = *facts.windowDim, all = whole[channels];
  // Channels that are no whole vectors stay together: code knows the bounds of its vectors.
  if (all < 4 * lanes && all % lanes != 0)
    return all;
  int64_t two = kColumnVectors * lanes;
  if (facts.hasProducts)
    return std::min(all, channels == columns ? two : lanes);
  // The image that is read.
  int64_t bytes = facts.elementBytes;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t most = whole[d];
    for (const KernelFacts::Member &member : facts.members)
      most = std::max(most, getWindowExtent(member.windows, d, whole[d]));
    bytes = mulCounts(bytes, most);
  }
  bool isTransposed = channels != rank - 1;
  return all % two == 0 && (!isTransposed || bytes > scratchLimit) ? two : std::min(all, lanes);
}

bool TileCost::suitsWindows(int64_t d, ArrayRef<int64_t> larger) const {
  int64_t channels = *facts.windowDim;
  if (d == channels)
    return false;
  bool isRow = d == rank - 1 || (d == rank - 2 && channels == rank - 1);
  // All that is left of a dim is worth a little more: code for tiles of one size knows its bounds.
  int64_t most = larger[d] == whole[d] ? 2 * l1Bytes : l1Bytes;
  if (isRow || l1Bytes <= 0 || computeWork(facts, larger, ranges).nearBytes <= most)
    return true;
  // Twice as much would be read of the image of a tile of half as many pixels as it has of its own.
  return llvm::any_of(facts.members, [&](const KernelFacts::Member &member) {
    return llvm::any_of(member.windows, [&](const WindowDim &window) {
      bool isMuch = getWindowExtent(member.windows, d, larger[d] / 2) >= 2 * window.step * (larger[d] / 2);
      return window.dim == d && (larger[d] <= kWindowRows || isMuch);
    });
  });
}

/// The dim that vectors of contractions run along. It need not be the last one: the channels of a
/// convolution whose result leaves the kernel with its channels first.
std::optional<int64_t> TileCost::findColumns() const {
  if (numContractions == 0 || rank == 0)
    return std::nullopt;
  if (facts.vectorDims.empty())
    return facts.lastDimIsContiguous && !facts.hasPrivateColumns ? std::optional<int64_t>(rank - 1) : std::nullopt;
  bool hasLast = llvm::is_contained(facts.vectorDims, rank - 1);
  return hasLast ? rank - 1 : int64_t(facts.vectorDims.front());
}

int64_t TileCost::granule(int64_t d) const {
  if (d == columns)
    return 4 * lanes;
  if (d == rank - 1 && !isCrossed(d) && facts.lastDimIsContiguous && numContractions == 0)
    return facts.hasReductions ? std::max(lanes, kContiguousBytes / facts.elementBytes)
                               : 4 * lanes;
  int64_t line = isLine(d) ? getLine() : 1;
  if (llvm::is_contained(facts.vectorDims, d))
    line = std::max(line, lanes);
  return std::max(line, facts.reuseDim == d ? kReusedRows : 1);
}

/// The elements of a line.
int64_t TileCost::getLine() const {
  return std::max<int64_t>(1, kLineBytes / std::max<int64_t>(1, facts.elementBytes));
}

bool TileCost::isCrossed(int64_t d) const {
  return numContractions == 0 && !facts.windowDim && facts.lineDims.size() > 1 &&
         llvm::is_contained(facts.lineDims, d);
}

bool TileCost::isProduct() const {
  return columns && facts.reuseDim && rank > 1 && !streams && *facts.reuseDim != *columns;
}
