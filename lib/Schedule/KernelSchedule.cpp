//===- KernelSchedule.cpp - Tile sizes of a kernel from facts and a target ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/KernelSchedule.h"
#include "fuse/Analysis/SerialCutoff.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Blocks are cut so that a block's work is worth a hand-over between threads (about ten
/// microseconds), and its data stays near the core.
static constexpr int64_t kBlockWork = 32768;
/// So many loads of a contraction cost as much as one point.
static constexpr int64_t kLoadsPerElement = 4;
/// Blocks of contractions may be so much larger, for they read less then.
static constexpr int64_t kContractionBlocks = 16;
/// And those with a streamed dim so much once more: its tiles are laid out anew in every block.
static constexpr int64_t kStreamBlocks = 4;
/// Contiguous bytes along the innermost dim below which a strided walk down the rows wastes
/// bandwidth: column sums reach a read's speed from 256 floats on.
static constexpr int64_t kContiguousBytes = 1024;
/// What memory hands over at once.
static constexpr int64_t kLineBytes = 64;
/// Tiles of dims that memory runs along both: a line along the result's, so long a run along the
/// operand's. Turning 2048 by 2048 f32, 1.8 ms; with squares of 32 or 64, or long along the
/// result's, 3 to 5.
static constexpr int64_t kCrossedRun = 256;
/// Rows and columns of a product's tile. 2048x2048x2048 f32 on a core of Zen 5, 1 MB of L2: with 32
/// by 64 122 GFLOPS, 256 by 256 205, 1024 by 256 217.
static constexpr int64_t kProductRows = 512, kProductColumns = 256;
/// Rows of a contraction that are computed together (see VectorPlan.h).
static constexpr int64_t kReusedRows = 8;
/// How much faster a kernel with fewer must be than one with enough.
static constexpr int64_t kFewBlocksFactor = 2;
/// A machine with this many threads feels what is computed again.
static constexpr int64_t kFewThreads = 8;
/// The least tile of a streamed dim, and the most: vectors are whole, and rows of scores short.
static constexpr int64_t kLeastStreamTile = 64;
static constexpr int64_t kStreamTile = 256;
/// From so many elements on, several lanes fold a window.
static constexpr int64_t kLongWindow = 256;
/// What an unknown extent counts as.
static constexpr int64_t kUnknownElements = 1024;

static int64_t multiply(int64_t a, int64_t b) {
  return std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(a, b), int64_t(1) << 60);
}

static int64_t add(int64_t a, int64_t b) {
  return std::min<uint64_t>(llvm::SaturatingAdd<uint64_t>(a, b), int64_t(1) << 60);
}

static int64_t known(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUnknownElements : std::max<int64_t>(extent, 1);
}

void KernelFacts::add(Member member) {
  for (Member &other : members) {
    bool isKnown = !ShapedType::isDynamic(member.privateElements) &&
                   !ShapedType::isDynamic(other.privateElements);
    if (!isKnown || member.isContraction || other.isContraction || other.dims != member.dims ||
        other.isStreamed != member.isStreamed)
      continue;
    other.privateElements = ::add(other.privateElements, member.privateElements);
    other.scratchBytes = ::add(other.scratchBytes, member.scratchBytes);
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
  for (auto [extent, size] : llvm::zip_equal(facts.extents, sizes)) {
    tiles.push_back(llvm::divideCeil(known(extent), size));
    work.blocks = multiply(work.blocks, tiles.back());
    points = multiply(points, size);
  }
  for (const KernelFacts::Member &member : facts.members) {
    int64_t elements = 1;
    SmallVector<bool> has(tiles.size(), false);
    for (unsigned dim : member.dims) {
      elements = multiply(elements, sizes[dim]);
      has[dim] = true;
    }
    work.scratchBytes += multiply(elements, member.scratchBytes);
    int64_t computing = countComputing(inBlockOrder(facts, ArrayRef(tiles)),
                                       inBlockOrder(facts, ArrayRef(has)), ranges);
    work.nearBytes = add(work.nearBytes,
                         multiply(elements, computing < work.blocks ? member.largestBytes
                                                                    : member.scratchBytes));
    int64_t steps = multiply(elements, known(member.privateElements));
    if (!member.isContraction) {
      work.total = add(work.total, multiply(steps, computing));
      continue;
    }
    // What the rows of a tile share is loaded once for all of them.
    bool sharesLoads = facts.reuseDim && llvm::is_contained(member.dims, *facts.reuseDim);
    int64_t loads = steps / (sharesLoads ? sizes[*facts.reuseDim] : 1);
    work.total = add(work.total, multiply(llvm::divideCeil(steps, kContractionSteps) +
                                              loads / kLoadsPerElement,
                                          computing));
  }
  if (facts.members.empty())
    work.total = multiply(points, work.blocks);
  work.perBlock = llvm::divideCeil(work.total, work.blocks);
  return work;
}

namespace {

class TileSizes {
public:
  TileSizes(const KernelFacts &facts, TargetAttr target, bool streams = false)
      : facts(facts), streams(streams), rank(facts.extents.size()),
        lanes(std::max<int64_t>(1, static_cast<int64_t>(target.getFigure("vector_bytes")) /
                                       std::max<int64_t>(1, facts.elementBytes))),
        scratchLimit(static_cast<int64_t>(target.getFigure("l2_bytes")) / 2), blockWork(kBlockWork),
        ranges(getBlockRanges(target)) {
    for (int64_t extent : facts.extents)
      whole.push_back(known(extent));
    for (const KernelFacts::Member &member : facts.members)
      numContractions += member.isContraction;
    // Rows that are folded are gone over again: from the innermost cache, if there are few of them.
    l1Bytes = static_cast<int64_t>(target.getFigure("l1_bytes"));
    if (l1Bytes > 0 && facts.hasReductions && numContractions == 0)
      blockWork = std::min(blockWork, l1Bytes / std::max<int64_t>(1, facts.elementBytes));
  }

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
      int64_t time = work.total / std::min<int64_t>(work.blocks, kWantedBlocks) +
                     work.total / kFewThreads;
      // Too few blocks have to be worth it: the planner refuses such kernels.
      if (once > kSerialPoints && work.blocks < kWantedBlocks)
        time = multiply(time, kFewBlocksFactor);
      if (time < least) {
        least = time;
        best = sizes;
      }
    }
    return best;
  }

  /// Whether the smallest tiles that waste nothing keep their temporaries near the core.
  bool granulesFit() const {
    SmallVector<int64_t> sizes(rank);
    for (int64_t d = 0; d < rank; ++d)
      sizes[d] = std::min(whole[d], granule(d));
    return fitsScratch(computeWork(facts, sizes, ranges));
  }

private:
  /// Half of the cache is left to operands; what most blocks do not need may take a part of that.
  bool fitsScratch(const KernelWork &work) const {
    return work.nearBytes <= scratchLimit && work.scratchBytes <= 2 * scratchLimit;
  }

  /// The least size along a dim that does not waste what was loaded.
  int64_t granule(int64_t d) const {
    if (d == rank - 1 && !isCrossed(d) && facts.lastDimIsContiguous) {
      if (numContractions > 0)
        return std::max(4 * lanes, getWidth());
      return facts.hasReductions ? std::max(lanes, kContiguousBytes / facts.elementBytes)
                                 : 4 * lanes;
    }
    int64_t line = llvm::is_contained(facts.lineDims, d)
                       ? std::max<int64_t>(1, kLineBytes / std::max<int64_t>(1, facts.elementBytes))
                       : 1;
    if (llvm::is_contained(facts.vectorDims, d))
      line = std::max(line, lanes);
    return std::max(line, facts.reuseDim == d ? kReusedRows : 1);
  }

  /// Whether memory runs along this dim and along another one: what is read along one of them
  /// touches a line, and a page, for each element.
  bool isCrossed(int64_t d) const {
    return numContractions == 0 && facts.lineDims.size() > 1 &&
           llvm::is_contained(facts.lineDims, d);
  }

  /// A product whose blocks may be as large as leaves enough of them: what they read again for each
  /// other decides, not what handing one over costs.
  bool isProduct() const {
    return numContractions > 0 && facts.reuseDim && facts.lastDimIsContiguous && rank > 1 &&
           !streams && *facts.reuseDim != static_cast<unsigned>(rank - 1);
  }

  SmallVector<int64_t> grow(ArrayRef<bool> isWhole) const {
    SmallVector<int64_t> sizes(rank);
    for (int64_t d = 0; d < rank; ++d)
      sizes[d] = isWhole[d] ? whole[d] : std::min(whole[d], granule(d));
    int64_t once = computeWork(facts, whole, ranges).perBlock;
    int64_t most = blockWork * std::max<int64_t>(1, kContractionBlocks * numContractions) *
                   (streams ? kStreamBlocks : 1);
    // Twice a fair share: fits() counts the blocks.
    int64_t wanted = once <= kSerialPoints ? once : 2 * once / kWantedBlocks;
    if (!isProduct())
      wanted = std::min(most, wanted);
    bool isHigh = false; // what is laid out anew stays in the innermost cache
    auto fits = [&](ArrayRef<int64_t> tile) {
      KernelWork work = computeWork(facts, tile, ranges);
      if (isHigh && work.nearBytes > l1Bytes)
        return false;
      return work.perBlock <= wanted && fitsScratch(work) &&
             (once <= kSerialPoints || work.blocks >= kWantedBlocks);
    };
    auto enlarge = [&](int64_t d, int64_t size) {
      SmallVector<int64_t> larger(sizes);
      bool isCut = isCrossed(d) && once > kSerialPoints;
      int64_t cut = d == rank - 1 ? granule(d) : kCrossedRun;
      if (isProduct() && facts.packed)
        ; // see growPacked
      else if (isProduct() && d == *facts.reuseDim)
        size = std::min(size, 2 * kProductRows);
      else if (isProduct() && d == rank - 1)
        size = std::min(size, kProductColumns);
      larger[d] = std::min(whole[d], isCut ? std::min(size, cut) : size);
      if (larger[d] == sizes[d] || !fits(larger))
        return false;
      sizes = larger;
      return true;
    };
    if (isProduct() && facts.packed) {
      growPacked(sizes, enlarge);
    } else if (facts.hasBorders && facts.lastDimIsContiguous && rank > 2) {
      sizes[rank - 1] = std::min(whole[rank - 1], lanes);
      isHigh = l1Bytes > 0 && computeWork(facts, sizes, ranges).nearBytes <= l1Bytes;
      for (int64_t d = rank - 1; d-- > 0;)
        while (sizes[d] < whole[d] && enlarge(d, 2 * sizes[d])) {
        }
      // Tiles are high: columns are packed once for all rows of them.
    } else if (isProduct()) {
      for (auto [dim, most] : {std::pair(int64_t(*facts.reuseDim), kProductRows),
                               {rank - 1, kProductColumns},
                               {int64_t(*facts.reuseDim), 2 * kProductRows}})
        while (sizes[dim] < most && enlarge(dim, std::min(most, 2 * sizes[dim]))) {
        }
      // A contraction reads least for a square tile.
    } else if (numContractions > 0 && facts.reuseDim && facts.lastDimIsContiguous && rank > 0) {
      int64_t rows = *facts.reuseDim, columns = rank - 1;
      for (bool grows = true; grows;) {
        bool rowsFirst = sizes[rows] <= sizes[columns];
        grows = enlarge(rowsFirst ? rows : columns, 2 * sizes[rowsFirst ? rows : columns]) ||
                enlarge(rowsFirst ? columns : rows, 2 * sizes[rowsFirst ? columns : rows]);
      }
    }
    // The dims that memory runs along first.
    for (int64_t d = rank - 1; d >= 0; --d) {
      while (enlarge(d, 2 * sizes[d])) {
      }
      enlarge(d, whole[d]);
      // As even as can be.
      if (sizes[d] < whole[d])
        sizes[d] = makeEven(d, sizes[d]);
    }
    shrink(sizes, isWhole, once);
    return sizes;
  }

  /// What tiles along the last dim are multiples of, if they are not short.
  int64_t getWidth() const { return facts.packed ? std::max(lanes, facts.packed->block) : lanes; }

  /// A size that cuts dim `d` into as many tiles, which differ less; vectors stay whole.
  int64_t makeEven(int64_t d, int64_t size) const {
    int64_t even = llvm::divideCeil(whole[d], llvm::divideCeil(whole[d], size));
    if (d != rank - 1 || !facts.lastDimIsContiguous)
      return even;
    even = llvm::alignTo(even, getWidth());
    return whole[d] % even == 0 ? even : size;
  }

  /// Rows and columns of tiles whose weights lie packed. What is read again for each tile of rows
  /// are the weights, so a tile has all of them where they stay near the core, else many rows.
  void growPacked(ArrayRef<int64_t> sizes,
                  llvm::function_ref<bool(int64_t, int64_t)> enlarge) const {
    SmallVector<int64_t> rows, columns;
    for (int64_t d = rank; d-- > 0;)
      (llvm::is_contained(facts.packed->dims, d) ? columns : rows).push_back(d);
    auto grow = [&](ArrayRef<int64_t> dims, int64_t most) {
      for (int64_t d : dims) {
        int64_t others = 1;
        for (int64_t other : dims)
          others = multiply(others, other == d ? 1 : sizes[other]);
        while (multiply(others, sizes[d]) < most && enlarge(d, 2 * sizes[d])) {
        }
        if (multiply(others, whole[d]) <= most)
          enlarge(d, whole[d]);
      }
    };
    constexpr int64_t kAll = int64_t(1) << 60;
    if (facts.packed->bytes <= scratchLimit)
      grow(columns, kAll);
    grow(rows, kProductRows);
    grow(columns, kProductColumns);
    grow(rows, 2 * kProductRows);
  }

  /// Granules give way to enough blocks, and to scratch that fits.
  void shrink(SmallVectorImpl<int64_t> &sizes, ArrayRef<bool> isWhole, int64_t once) const {
    for (int64_t d = 0; d < rank; ++d) {
      bool isContiguous = d == rank - 1 && facts.lastDimIsContiguous;
      // A dim shorter than a vector may be cut once.
      int64_t half = llvm::divideCeil(whole[d], 2);
      int64_t width = getWidth();
      int64_t least = !isContiguous ? 1 : whole[d] <= width ? half : width;
      while (sizes[d] > least && !isWhole[d]) {
        KernelWork work = computeWork(facts, sizes, ranges);
        bool hasBlocks = once <= kSerialPoints || work.blocks >= kWantedBlocks;
        if (hasBlocks && fitsScratch(work))
          return;
        sizes[d] = llvm::divideCeil(sizes[d], 2);
        if (isContiguous && whole[d] > width)
          sizes[d] = llvm::alignTo(sizes[d], width);
      }
    }
  }

  const KernelFacts &facts;
  bool streams;
  int64_t rank, lanes, scratchLimit, blockWork, ranges, l1Bytes = 0;
  SmallVector<int64_t> whole;
  int64_t numContractions = 0;
};

} // namespace

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
  for (KernelFacts::Member &member : streamed.members)
    if (member.isStreamed)
      for (int64_t *bytes : {&member.scratchBytes, &member.largestBytes})
        *bytes = llvm::divideCeil(*bytes, known(*facts.streamExtent)) * tile;
  return streamed;
}

ScheduleAttr mlir::fuse::computeSchedule(MLIRContext *context, const KernelFacts &facts,
                                         TargetAttr target) {
  constexpr int64_t kReductionLanes = 64;
  int64_t rank = facts.extents.size();
  SmallVector<LevelAttr> levels;
  KernelFacts used = facts;
  std::optional<int64_t> streamTile;
  if (facts.streamExtent && known(*facts.streamExtent) > kStreamTile &&
      !TileSizes(facts, target).granulesFit()) {
    int64_t lanes = static_cast<int64_t>(target.getFigure("vector_bytes")) / facts.elementBytes;
    streamTile = getStreamTile(*facts.streamExtent, std::max<int64_t>(1, lanes));
    used = streamIn(facts, *streamTile);
  }
  if (rank > 0) { // else one block; a level has at least one dim
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    SmallVector<int64_t> sizes = TileSizes(used, target, streamTile.has_value()).compute();
    levels.push_back(LevelAttr::get(context, LevelMapping::Block,
                                    inBlockOrder(used, ArrayRef(dims)),
                                    inBlockOrder(used, ArrayRef(sizes))));
  }
  if (streamTile)
    levels.push_back(
        LevelAttr::get(context, LevelMapping::Sequential, {rank}, {*streamTile}));
  return ScheduleAttr::get(context, levels, kReductionLanes, /*threads=*/0, /*lanes=*/0);
}
