//===- TileSizes.cpp - How large the tiles of a CPU's blocks are ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileSizes.h"
#include "TileCost.h"
#include "fuse/Analysis/SerialCutoff.h"
#include "fuse/Support/Saturating.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Blocks of contractions may be so much larger, for they read less then.
static constexpr int64_t kContractionBlocks = 16;
/// And those with a streamed dim so much once more: its tiles are laid out anew in every block.
static constexpr int64_t kStreamBlocks = 4;
/// So many blocks for each thread are enough to keep such runs: 16384x1024 f32 on a core of Zen 5
/// in 1.8 ms, with runs of 64 floats 3.1.
static constexpr int64_t kLongRunBlocks = 2;
/// Tiles of dims that memory runs along both: a line along the result's, so long a run along the
/// operand's. Turning 2048 by 2048 f32, 1.8 ms; with squares of 32 or 64, or long along the
/// result's, 3 to 5.
static constexpr int64_t kCrossedRun = 256;
/// Rows and columns of a product's tile. 2048x2048x2048 f32 on a core of Zen 5, 1 MB of L2: with 32
/// by 64 122 GFLOPS, 256 by 256 205, 1024 by 256 217.
static constexpr int64_t kProductRows = 512, kProductColumns = 256;
/// What part of the cache of a core the rows of such a tile take, if its weights lie packed: each
/// panel of columns goes through all of them, and is fetched while the one before it does. But so
/// many rows there are at least. 1024x1024x1024 f32 on a core of Granite Rapids, 2 MB of L2: 12.9
/// ms in tiles of 512 rows, 12.0 of 256, 11.5 of 128, 11.8 of 64.
static constexpr int64_t kRowsPart = 4, kLeastRows = 64;
/// Rows of a tile of an open extent that is likely shorter: whole groups of 4, 6, 8, 12 and 16 that are computed together.
static constexpr int64_t kOpenRows = 96;
/// Rows of a tile for which a dim that rows are folded along need not be streamed. Whatever lies along that dim, such as the
/// keys and values of attention, is read and packed again by each tile of rows. Attention with 6
/// heads of 64 columns on a core of Zen 5, 1 MB of L2: of 1500 rows 33.7 ms in tiles of 15 whole
/// rows, 19.4 streamed; of 512 2.9 and 2.3, of 384 1.33 and 1.17; of 300 0.84 and 0.83.
static constexpr int64_t kWholeRows = 128;
/// Rows of a recurrence's block: each step reads all recurrent weights, which takes as long as so many
/// rows compute with them. An LSTM of 128 with 3 rows: 4.9 us a step in two blocks, 2.5 in one.
static constexpr int64_t kStepRows = 3;
/// How much faster a kernel with fewer must be than one with enough.
static constexpr int64_t kFewBlocksFactor = 2;

namespace {

class TileSizes : TileCost {
public:
  using TileCost::TileCost;

  /// The best of: tiles along all dims, or whole along those that some member lacks.
  SmallVector<int64_t> compute() {
    SmallVector<bool> isWhole(rank, false), lackedByAny(rank, false);
    SmallVector<SmallVector<bool>> candidates = {isWhole};
    for (const KernelFacts::Member &member : facts.members) {
      SmallVector<bool> lacked(rank, true);
      for (unsigned dim : member.dims)
        lacked[dim] = false;
      if (!llvm::is_contained(candidates, lacked))
        candidates.push_back(lacked);
      for (int64_t d = 0; d < rank; ++d)
        lackedByAny[d] = lackedByAny[d] || lacked[d];
    }
    candidates.push_back(lackedByAny);
    SmallVector<int64_t> best;
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t once = computeWork(facts, whole, ranges).perBlock;
    for (const SmallVector<bool> &candidate : candidates) {
      SmallVector<int64_t> sizes = grow(candidate);
      // Blocks run on several threads: what is computed again there is not all lost.
      KernelWork work = computeWork(facts, sizes, ranges);
      int64_t time = estimateTime(sizes, work);
      time = addCounts(time, static_cast<int64_t>(getNarrowPart(sizes) * static_cast<double>(time)));
      // Too few blocks have to be worth it: the planner refuses such kernels.
      if (!isSerial(once) && work.blocks < wantedBlocks)
        time = mulCounts(time, kFewBlocksFactor);
      if (time < least) {
        least = time;
        best = sizes;
      }
    }
    return best;
  }

  /// Rows of an open extent that one tile is likely to hold may turn out to be many more, and then each tile reads what the
  /// rows share again: weights of 768 by 768 for every 7 rows took four times as long as for every 48. A tile that is larger
  /// than the extent costs nothing, so it gets as many rows as a product of many rows would have, as long as temporaries
  /// stay near the core.
  void enlargeOpenRows(MutableArrayRef<int64_t> sizes) const {
    if (!facts.reuseDim)
      return;
    int64_t d = *facts.reuseDim;
    if (!ShapedType::isDynamic(facts.extents[d]) || sizes[d] < whole[d] || sizes[d] >= kOpenRows ||
        llvm::is_contained(facts.vectorDims, unsigned(d)))
      return;
    SmallVector<int64_t> larger(sizes.begin(), sizes.end());
    for (int64_t dim = 0; dim < rank; ++dim)
      larger[dim] = std::min(larger[dim], whole[dim]);
    SmallVector<int64_t> current(larger);
    for (int64_t rows = kOpenRows; rows > sizes[d]; rows /= 2) {
      larger[d] = rows;
      KernelWork work = computeWork(facts, larger, ranges), before = computeWork(facts, current, ranges);
      bool isNoMore = work.nearBytes <= before.nearBytes && work.scratchBytes <= before.scratchBytes;
      if (!isNoMore && !fitsScratch(work))
        continue;
      sizes[d] = rows;
      return;
    }
  }

  bool rowsFit() const {
    SmallVector<int64_t> sizes(rank);
    for (int64_t d = 0; d < rank; ++d)
      sizes[d] = std::min(whole[d], facts.reuseDim == d && facts.foldsStream ? kWholeRows : granule(d));
    return fitsScratch(computeWork(facts, sizes, ranges));
  }

private:
  SmallVector<int64_t> grow(ArrayRef<bool> isWhole) const {
    SmallVector<int64_t> sizes(rank);
    for (int64_t d = 0; d < rank; ++d)
      sizes[d] = isWhole[d] ? whole[d] : std::min(whole[d], granule(d));
    int64_t once = computeWork(facts, whole, ranges).perBlock;
    int64_t most = blockWork * std::max<int64_t>(1, kContractionBlocks * numContractions) *
                   (streams ? kStreamBlocks : 1);
    // Twice a fair share: fits() counts the blocks.
    int64_t wanted = isSerial(once) ? once : 2 * once / wantedBlocks;
    // Blocks that read much from far off are as large as leaves enough of them, too.
    bool isFar = !streams && llvm::any_of(facts.members, [&](const auto &m) { return readsFar(m); });
    if (!isProduct() && !isFar)
      wanted = std::min(most, wanted);
    // What is too large for the cache may still be cut less along dims that it does not have.
    auto fits = [&](ArrayRef<int64_t> tile) {
      KernelWork work = computeWork(facts, tile, ranges), current = computeWork(facts, sizes, ranges);
      bool isNoMore = work.nearBytes <= current.nearBytes && work.scratchBytes <= current.scratchBytes;
      return work.perBlock <= wanted && (isNoMore || fitsScratch(work)) &&
             (isSerial(once) || work.blocks >= wantedBlocks);
    };
    int64_t mostRows = getMostRows();
    auto enlarge = [&](int64_t d, int64_t size) {
      SmallVector<int64_t> larger(sizes);
      bool isCut = isCrossed(d) && once > kSerialPoints;
      int64_t cut = d == rank - 1 ? granule(d) : kCrossedRun;
      if (isProduct() && facts.packed)
        ; // see growPacked
      else if (isProduct() && d == *facts.reuseDim)
        size = std::min(size, 2 * kProductRows);
      else if (isProduct() && d == *columns)
        size = std::min(size, kProductColumns);
      larger[d] = std::min(whole[d], isCut ? std::min(size, cut) : size);
      bool isHigher = facts.packed && llvm::is_contained(facts.packed->rows, unsigned(d));
      if (readsAgain(d) && countShared(larger) > scratchLimit / facts.elementBytes)
        return false;
      if (hasWindowTiles() ? !suitsWindows(d, larger) : leavesInnermost(d, sizes, larger))
        return false;
      if (larger[d] == sizes[d] || (isHigher && countRows(larger) > mostRows) || !fits(larger))
        return false;
      sizes = larger;
      return true;
    };
    // Tiles of products are high, so that what columns are read from serves many rows.
    if (isProduct() && facts.packed) {
      growPacked(sizes, enlarge);
    } else if (facts.windowDim && rank > 2) {
      sizes[*facts.windowDim] = getWindowChannels();
      for (int64_t d = rank; d-- > 0;)
        while (d != *facts.windowDim && sizes[d] < whole[d] && enlarge(d, 2 * sizes[d])) {
        }
    } else if (isProduct()) {
      for (auto [dim, most] : {std::pair(int64_t(*facts.reuseDim), kProductRows),
                               {*columns, kProductColumns},
                               {int64_t(*facts.reuseDim), 2 * kProductRows}})
        while (sizes[dim] < most && enlarge(dim, std::min(most, 2 * sizes[dim]))) {
        }
    } else if (columns && facts.reuseDim) {
      // A contraction reads least for a square tile.
      int64_t rows = *facts.reuseDim;
      for (bool grows = true; grows;) {
        bool rowsFirst = sizes[rows] <= sizes[*columns];
        int64_t first = rowsFirst ? rows : *columns, second = rowsFirst ? *columns : rows;
        grows = enlarge(first, 2 * sizes[first]) || enlarge(second, 2 * sizes[second]);
      }
    }
    SmallVector<int64_t> order = getCutOrder();
    auto fill = [&] {
      for (int64_t d : llvm::reverse(order)) {
        while (enlarge(d, 2 * sizes[d])) {
        }
        enlarge(d, whole[d]);
        // As even as can be.
        if (sizes[d] < whole[d])
          sizes[d] = makeEven(d, sizes[d]);
      }
    };
    fill();
    // Dims were cut in vain where only a later one made room. A convolution of whole images into 56 channels in front of a
    // pool of 29x29 pixels fits with 32 channels: then the pool has tiles of many pixels again.
    if (shrink(sizes, isWhole, once))
      fill();
    keepBlocks(sizes);
    return sizes;
  }

  /// The dims in the order in which they are cut: those that memory or vectors run along last.
  SmallVector<int64_t> getCutOrder() const {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    auto getRank = [&](int64_t d) { return d == columns ? 3 : d == rank - 1 ? 2 : isLine(d); };
    llvm::stable_sort(order, [&](int64_t a, int64_t b) { return getRank(a) < getRank(b); });
    return order;
  }

  /// Tiles have whole blocks of columns.
  void keepBlocks(MutableArrayRef<int64_t> sizes) const {
    for (auto [dim, block] : facts.columnBlocks)
      if (sizes[dim] < whole[dim])
        sizes[dim] = std::max<int64_t>(1, sizes[dim] / block) * block;
  }

  /// A size that cuts dim `d` into as many tiles, or up to twice as many, that do not differ, or
  /// less; vectors stay whole.
  int64_t makeEven(int64_t d, int64_t size) const {
    int64_t even = llvm::divideCeil(whole[d], llvm::divideCeil(whole[d], size));
    if (!hasVectors(d)) {
      // Code for tiles of one size knows all its bounds. (Of 2^45 + 1 elements no divisor may be near.)
      constexpr int64_t kTries = 1 << 16;
      int64_t least = std::max<int64_t>({1, (even + 1) / 2, even - kTries});
      for (int64_t divisor = even; divisor >= least && !ShapedType::isDynamic(facts.extents[d]); --divisor)
        if (whole[d] % divisor == 0)
          return divisor;
      return even;
    }
    even = llvm::alignTo(even, lanes);
    return whole[d] % even == 0 ? even : size;
  }

  /// Rows and columns of tiles whose weights lie packed. What is read again for each tile of rows
  /// are the weights, so a tile has all of them where they stay near the core, else many rows. Dims that
  /// only other members have (the elements of an attention's result, behind the projection of its queries)
  /// are neither.
  void growPacked(ArrayRef<int64_t> sizes,
                  llvm::function_ref<bool(int64_t, int64_t)> enlarge) const {
    SmallVector<int64_t> rows, columns;
    for (int64_t d = rank; d-- > 0;) {
      if (llvm::is_contained(facts.packed->dims, d))
        columns.push_back(d);
      else if (llvm::is_contained(facts.packed->rows, d))
        rows.push_back(d);
    }
    auto grow = [&](ArrayRef<int64_t> dims, int64_t most) {
      for (int64_t d : dims) {
        int64_t others = 1;
        for (int64_t other : dims)
          others = mulCounts(others, other == d ? 1 : sizes[other]);
        while (mulCounts(others, sizes[d]) < most && enlarge(d, 2 * sizes[d])) {
        }
        if (mulCounts(others, whole[d]) <= most)
          enlarge(d, whole[d]);
      }
    };
    if (facts.packed->bytes <= scratchLimit)
      grow(columns, kCountLimit);
    grow(rows, kProductRows);
    grow(columns, kProductColumns);
    grow(rows, 2 * kProductRows);
  }

  /// Rows of a tile whose weights lie packed.
  int64_t countRows(ArrayRef<int64_t> sizes) const {
    int64_t rows = 1;
    for (unsigned d : facts.packed->rows)
      rows = mulCounts(rows, sizes[d]);
    return rows;
  }

  /// How many there are at most. A few more than stay near the core are not cut in two.
  int64_t getMostRows() const {
    if (!facts.packed || facts.packed->rowBytes <= 0)
      return std::numeric_limits<int64_t>::max();
    int64_t most = 2 * scratchLimit / kRowsPart / facts.packed->rowBytes;
    most = std::max(kLeastRows, most);
    return countRows(whole) <= 2 * most ? 2 * most : most;
  }

  /// Granules give way to enough blocks, and to scratch that fits. Whether several dims were cut for that.
  bool shrink(SmallVectorImpl<int64_t> &sizes, ArrayRef<bool> isWhole, int64_t once) const {
    unsigned numCut = 0;
    for (int64_t d : getCutOrder()) {
      bool isContiguous = hasVectors(d);
      // A dim shorter than a vector may be cut once.
      int64_t half = llvm::divideCeil(whole[d], 2);
      int64_t least = !isContiguous ? 1 : whole[d] <= lanes ? half : lanes;
      if (facts.isStep && facts.reuseDim == d)
        least = 2 * kStepRows - 1;
      int64_t before = sizes[d];
      while (sizes[d] > least && !isWhole[d]) {
        KernelWork work = computeWork(facts, sizes, ranges);
        // Where rows of far memory are folded into one, runs along it stay long rather than many.
        bool isLong = isContiguous && facts.hasReductions && numContractions == 0 &&
                      work.scratchBytes == 0 &&
                      mulCounts(once, facts.elementBytes) > 2 * scratchLimit;
        int64_t enough = isLong ? std::min(wantedBlocks, kLongRunBlocks * ranges) : wantedBlocks;
        bool hasBlocks = isSerial(once) || work.blocks >= enough;
        if (hasBlocks && fitsScratch(work))
          return numCut > 1;
        numCut += before == sizes[d];
        sizes[d] = llvm::divideCeil(sizes[d], 2);
        if (isContiguous && whole[d] > lanes)
          sizes[d] = llvm::alignTo(sizes[d], lanes);
      }
    }
    return numCut > 1;
  }

};

} // namespace

SmallVector<int64_t> mlir::fuse::computeTileSizes(const KernelFacts &facts, TargetAttr target,
                                                  bool streams) {
  // With extents that are numbers, vectors of sums stay in registers until they are rounded.
  KernelFacts withSums = facts;
  if (!llvm::is_contained(facts.extents, ShapedType::kDynamic))
    return TileSizes(facts, target, streams).compute();
  for (KernelFacts::Member &member : withSums.members) {
    member.scratchBytes = addCounts(member.scratchBytes, member.sumBytes);
    member.largestBytes = addCounts(member.largestBytes, member.sumBytes);
  }
  return TileSizes(withSums, target, streams).compute();
}

void mlir::fuse::enlargeOpenRows(const KernelFacts &facts, TargetAttr target, MutableArrayRef<int64_t> sizes) {
  TileSizes(facts, target, /*streams=*/false).enlargeOpenRows(sizes);
}

double mlir::fuse::getNarrowPart(const KernelFacts &facts, ArrayRef<int64_t> sizes,
                                 TargetAttr target) {
  return facts.extents.empty() ? 0 : TileCost(facts, target, /*streams=*/false).getNarrowPart(sizes);
}

bool mlir::fuse::rowsFit(const KernelFacts &facts, TargetAttr target) {
  return TileSizes(facts, target, /*streams=*/false).rowsFit();
}
