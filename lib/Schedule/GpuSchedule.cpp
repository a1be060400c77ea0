//===- GpuSchedule.cpp - Tiles and threads of a kernel on a GPU ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TileSizes.h"
#include "fuse/Schedule/GpuSchedule.h"
#include "fuse/Analysis/SerialCutoff.h"
#include "fuse/Analysis/TensorTiles.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Threads of a block whose tile has points, and the least where it has rows.
static constexpr int64_t kPointThreads = 256, kLeastThreads = 128;
/// The most lanes of a row. Beyond a subgroup, each has so many elements
/// of the row at least; short rows have a lane for each access of so many bytes.
static constexpr int64_t kSubgroup = kSubgroupThreads, kMostLanes = 512, kElementsPerLane = 16, kAccessBytes = 16;
/// Points of a tile: four for each thread, and twice as many of short types. Sides of a product's
/// tile: with the most, a thread sums up 64 points; with the least, it reads two elements for each
/// product.
static constexpr int64_t kPoints = 4 * kPointThreads, kMostSide = 128, kLeastSide = 16,
                         kPointsOfThread = 8;
/// How much faster a smaller tile on tensor cores has to be.
static constexpr double kSmallerTile = 0.95;
/// What keeps a multiprocessor busy.
static constexpr int64_t kThreadsOfProcessor = 1024;
/// Columns that a subgroup reads at once, 16 bytes a lane, the fewest of a vector times a matrix,
/// so that memory hands over whole sectors of any type, and the sides of a tile that is turned.
static constexpr int64_t kColumns = 128, kLeastColumns = 32, kCrossedSide = 32;
/// The least tile of a streamed dim.
static constexpr int64_t kLeastDeviceStreamTile = 64;
/// The multiprocessors of an unknown GPU.
static constexpr int64_t kUnknownProcessors = 108;

namespace {

class GpuTiles {
public:
  GpuTiles(const KernelFacts &kernel, TargetAttr target)
      : facts(kernel), rank(kernel.extents.size()),
        sharedBytes(static_cast<int64_t>(target.getFigure("shared_memory_bytes"))),
        processors(static_cast<int64_t>(target.getFigure("max_threads"))),
        tensorFlopsPerNs(target.getFigure("tensor_flops_per_ns")), cacheBw(target.getFigure("l3_bw")),
        hasWarpgroups(target.getFigure("warpgroup_size") == kWarpgroupThreads && facts.suitsWarpgroups) {
    if (processors <= 1)
      processors = kUnknownProcessors;
    for (const KernelFacts::Member &member : facts.members)
      hasContraction |= member.isContraction && !member.thin;
    if (!hasContraction)
      for (const KernelFacts::Member &member : kernel.members)
        if (member.isContraction)
          addThin(member);
    hasRows = facts.rowDims && !facts.rowDims->empty() && getKnown(facts.rowElements) > 1;
  }

  void compute() {
    sizes.assign(rank, 1);
    threads = kPointThreads;
    if (hasRows)
      lanes = kSubgroup;
    if (rank > 0 && hasContraction)
      computeProduct();
    else if (hasRows)
      computeRows();
    else if (columns)
      computeColumns();
    else
      computePoints();
    isShrunk = !fits();
    shrink();
    cut();
    mergeBlocks();
  }

  /// Whether the temporaries of the tile fit.
  bool fits() const { return fits(sizes); }

  /// The dims that tell rows apart, if there are lanes.
  ArrayRef<unsigned> rowDims() const { return *facts.rowDims; }

  SmallVector<int64_t> sizes;
  int64_t threads = 0, lanes = 0;
  /// Whether larger tiles were wanted than temporaries have room for.
  bool isShrunk = false;

private:
  void addThin(const KernelFacts::Member &member) {
    facts.addRow(member.privateElements);
    hasThinRows |= member.thin->order == ThinProduct::Order::Rows;
    if (member.thin->order == ThinProduct::Order::Rows)
      facts.addRowDims(member.dims);
    else if (member.thin->order == ThinProduct::Order::Columns &&
             !isShortFold(member.privateElements))
      columns = member.thin->columns;
    for (unsigned dim : member.thin->rereadDims)
      rereadDims.insert(dim);
  }

  /// Of a vector times a matrix: a block has few columns, and its threads share what is folded.
  void computeColumns() {
    growReread();
    for (int64_t points = kColumns; points >= kLeastColumns; points /= 2) {
      grow(*columns, points);
      if (countBlocks() >= processors)
        return;
    }
  }

  /// A block has all points that read the same.
  int64_t growReread() {
    int64_t points = 1;
    for (unsigned dim : rereadDims) {
      grow(dim, facts.getLikely(dim));
      points *= sizes[dim];
    }
    return points;
  }

  void computeRows() {
    lanes = countLanes();
    threads = std::max(lanes, kLeastThreads);
    growRows();
    // Shorter blocks keep more multiprocessors busy; longer ones begin less often.
    if ((lanes < kSubgroup || hasThinRows) && threads < kPointThreads &&
        countBlocks() >= 4 * processors) {
      threads = kPointThreads;
      growRows();
    }
  }

  /// A row for each group of lanes.
  void growRows() {
    SmallVector<unsigned> others;
    for (unsigned dim : *facts.rowDims)
      if (!rereadDims.contains(dim))
        others.push_back(dim);
    growAll(others, std::max<int64_t>(1, threads / lanes / growReread()));
  }

  int64_t countLanes() const {
    int64_t row = getKnown(facts.rowElements);
    int64_t wanted = llvm::PowerOf2Ceil(llvm::divideCeil(row, kElementsPerLane));
    if (wanted >= kSubgroup) {
      wanted = std::min(wanted, kMostLanes);
      // Rows of a product are as many as a subgroup each keeps busy, which waits for no other.
      while (hasThinRows && wanted > kSubgroup &&
             countAll() * wanted > kThreadsOfProcessor * processors)
        wanted /= 2;
      return wanted;
    }
    int64_t chunk = std::max<int64_t>(1, kAccessBytes / std::max<int64_t>(1, facts.elementBytes));
    return std::min<int64_t>(llvm::PowerOf2Ceil(row / std::gcd(row, chunk)), kSubgroup);
  }

  void computePoints() {
    if (rank == 0)
      return;
    if (facts.isTurned()) {
      for (unsigned dim : facts.lineDims)
        grow(dim, kCrossedSide);
      return;
    }
    int64_t points = facts.narrowBytes > 0 && facts.narrowBytes <= 2 ? 2 * kPoints : kPoints;
    int64_t all = countAll();
    while (points > kPointThreads && all / points < 2 * processors)
      points /= 2;
    // Sums down columns: a thread has a chunk of them.
    bool foldsColumns =
        facts.hasReductions && !facts.hasWindows && !isShortFold(getKnown(facts.rowElements));
    if (foldsColumns) {
      points = std::min(points, kColumns);
      threads = kSubgroup;
    }
    growAll(llvm::to_vector(llvm::seq<unsigned>(0, rank)), points);
  }

  void computeProduct() {
    unsigned columns = rank - 1, rows = facts.reuseDim.value_or(columns);
    // What computes rows beside products has less of its time in these than in what all threads share.
    if (tensorFlopsPerNs > 0 && facts.areTensorProducts && !hasRows && rows != columns)
      return computeTensorProduct(rows, columns);
    if (hasRows && llvm::is_contained(*facts.rowDims, columns))
      columns = rows; // what a product has beside its rows is private
    // Square tiles, as large as leaves most processors one.
    for (int64_t side = kMostSide; side >= kLeastSide; side /= 2) {
      grow(columns, side);
      grow(rows, side);
      threads = std::clamp(side * side / kPointsOfThread, kLeastThreads / 2, kPointThreads);
      if (countBlocks() >= processors / 2)
        return;
    }
  }

  /// The tile that all processors together are done with first, the largest of those that are as good.
  void computeTensorProduct(unsigned rows, unsigned columns) {
    std::optional<double> least;
    SmallVector<int64_t> best;
    for (int64_t width = hasWarpgroups ? kMostWarpgroupColumns : kMostSide; width >= kLeastSide; width /= 2)
      for (int64_t height = kMostSide; height >= kLeastSide; height /= 2) {
        grow(columns, width);
        grow(rows, height);
        if (!takesWarpgroups(sizes[rows], sizes[columns]) &&
            !fitsRegisters(sizes[rows], sizes[columns], countTensorThreads(sizes[rows], sizes[columns]), facts.tensorBytes,
                           facts.tensorAccessBytes))
          continue;
        auto rounds = static_cast<double>(llvm::divideCeil(countBlocks(), processors));
        double time = rounds * getTensorTime(sizes[rows], sizes[columns]);
        // What is read again for each tile comes from a cache that all share.
        if (least && time >= kSmallerTile * *least)
          continue;
        least = time;
        best = sizes;
      }
    sizes = best;
    threads = countTensorThreads(sizes[rows], sizes[columns]);
  }

  /// Whether warpgroups multiply a tile.
  bool takesWarpgroups(int64_t rows, int64_t columns) const {
    return hasWarpgroups && fitsWarpgroups(rows, columns, countTensorThreads(rows, columns));
  }

  /// Four subgroups, if there is a fragment for each. A warpgroup has room for the sums of 128 x 128.
  int64_t countTensorThreads(int64_t rows, int64_t columns) const {
    if (hasWarpgroups && rows * columns > kMostTensorSums * kWarpgroupThreads)
      return kPointThreads;
    int64_t fragments = llvm::divideCeil(rows, kFragmentRows) * llvm::divideCeil(columns, kFragmentColumns);
    return std::clamp<int64_t>(llvm::PowerOf2Ceil(fragments) * kSubgroup, kLeastThreads / 2, kLeastThreads);
  }

  /// What a processor needs for one step of a tile on tensor cores, in ns: for products and shared memory, where each element
  /// is stored once and loaded by all subgroups that multiply it, and at once for what is read from the cache that all share.
  /// Of four subgroups with 128 x 128 each has 64 x 64; 32 x 64, of eight, would need half as much again of shared memory,
  /// and of instructions that load from there.
  double getTensorTime(int64_t rows, int64_t columns) const {
    // Of f16. Shared memory hands over an element while tensor cores multiply and add up 16.
    constexpr double kElementBytes = 2, kFlopsOfElement = 32;
    // As prices have it.
    constexpr double kRereadPart = 0.5, kOverlap = 4;
    int64_t threads = countTensorThreads(rows, columns), subgroups = threads / kSubgroup;
    bool isOfWarpgroups = takesWarpgroups(rows, columns);
    rows = llvm::alignTo(rows, kFragmentRows);
    columns = llvm::alignTo(columns, kFragmentColumns);
    auto read = static_cast<double>(rows + columns);
    double reading = cacheBw > 0 ? kElementBytes * read / (kRereadPart * cacheBw) : 0;
    auto overlap = [&](double computing) {
      return std::pow(std::pow(computing, kOverlap) + std::pow(reading, kOverlap), 1 / kOverlap);
    };
    if (isOfWarpgroups)
      return overlap(countWarpgroupFlops(shareWarpgroups(rows, columns, threads / kWarpgroupThreads)) / tensorFlopsPerNs);
    int64_t loaded = subgroups * (rows + columns);
    for (int64_t down = 1; down <= subgroups; down *= 2)
      if (down * kFragmentRows <= rows && subgroups / down * kFragmentColumns <= columns)
        loaded = std::min(loaded, columns * down + rows * (subgroups / down));
    // Where warpgroups set the rate, subgroups have a part of it.
    double rate = hasWarpgroups ? kSubgroupSpeed * tensorFlopsPerNs : tensorFlopsPerNs;
    return overlap((2.0 * static_cast<double>(rows * columns) + kFlopsOfElement * (static_cast<double>(loaded) + read)) / rate);
  }

  /// The products of one step by warpgroups, or, if that takes longer, as many as are done while shared memory hands over what
  /// they read: 64 rows at a time, all of a warpgroup's columns again, and what is stored there once.
  static double countWarpgroupFlops(const FragmentShare &share) {
    // Shared memory has 128 bytes a cycle, in which tensor cores multiply and add up 2048 times.
    constexpr double kFlopsOfElement = 64;
    int64_t groups = share.takersM * share.takersN, rows = share.takersM * share.tileM, columns = share.takersN * share.tileN;
    int64_t read = groups * (share.tileM / kWarpgroupRows) * (kWarpgroupRows + share.tileN) + rows + columns;
    return std::max(2.0 * static_cast<double>(rows * columns), kFlopsOfElement * static_cast<double>(read));
  }

  int64_t countAll() const {
    int64_t all = 1;
    for (unsigned dim = 0; dim < facts.extents.size(); ++dim)
      all = std::min<int64_t>(all * facts.getLikely(dim), int64_t(1) << 40);
    return all;
  }

  int64_t countBlocks() const {
    int64_t blocks = 1;
    for (auto [dim, size] : llvm::enumerate(sizes))
      blocks = std::min<int64_t>(blocks * llvm::divideCeil(facts.getLikely(dim), size), int64_t(1) << 40);
    return blocks;
  }

  void grow(unsigned dim, int64_t size) {
    if (dim < rank)
      sizes[dim] = std::min(facts.getLikely(dim), size);
  }

  /// `points` in all along `dims`, along the last ones first.
  void growAll(ArrayRef<unsigned> dims, int64_t points) {
    for (unsigned dim : llvm::reverse(dims)) {
      grow(dim, points);
      points = std::max<int64_t>(1, points / sizes[dim]);
    }
  }

  bool fits(ArrayRef<int64_t> tile) const {
    return sharedBytes == 0 || computeWork(facts, tile).scratchBytes <= sharedBytes;
  }

  /// Where no tile fits, temporaries go to memory of the device.
  void shrink() {
    if (!fits(SmallVector<int64_t>(rank, 1)))
      return;
    while (!fits()) {
      int64_t *largest = llvm::max_element(sizes);
      *largest = llvm::divideCeil(*largest, 2);
    }
  }

  /// Smaller tiles, while there are so few blocks that the planner would refuse the kernel.
  void cut() {
    if (computeWork(facts, getWhole()).perBlock <= kSerialPoints)
      return;
    while (countBlocks() < kWantedBlocks) {
      int64_t *largest = llvm::max_element(sizes);
      if (largest == sizes.end() || *largest == 1)
        return;
      *largest = llvm::divideCeil(*largest, 2);
    }
  }

  SmallVector<int64_t> getWhole() const {
    return llvm::map_to_vector(llvm::seq<unsigned>(0, facts.extents.size()),
                               [&](unsigned dim) { return facts.getLikely(dim); });
  }

  /// What one processor does, what blocks compute again included.
  int64_t getTime(ArrayRef<int64_t> tile) const {
    KernelWork work = computeWork(facts, tile, std::numeric_limits<int64_t>::max());
    return work.total / std::min(work.blocks, processors);
  }

  /// Larger tiles, while that saves a tenth: blocks compute again what all of them need.
  void mergeBlocks() {
    for (bool grows = true; grows;) {
      grows = false;
      for (unsigned dim = rank; dim-- > 0;) {
        SmallVector<int64_t> larger(sizes);
        larger[dim] = std::min(facts.getLikely(dim), 2 * sizes[dim]);
        if (larger[dim] == sizes[dim] || (fits() && !fits(larger)) ||
            computeWork(facts, larger).blocks < std::min(kWantedBlocks, countBlocks()) ||
            getTime(larger) >= getTime(sizes) / 10 * 9)
          continue;
        sizes = larger;
        grows = true;
      }
    }
  }

  KernelFacts facts;
  unsigned rank;
  int64_t sharedBytes, processors;
  double tensorFlopsPerNs, cacheBw; ///< of a processor; 0: no tensor cores, not known
  bool hasWarpgroups;               ///< whether these multiply the kernel's products, in tiles that they fit
  bool hasContraction = false, hasRows = false, hasThinRows = false;
  /// Of products with few rows or columns: see ThinProduct.
  std::optional<unsigned> columns;
  llvm::SmallSetVector<unsigned, 4> rereadDims;
};

} // namespace

/// The facts of the kernel with its streamed dim in tiles: scratch and rows hold one tile.
static KernelFacts streamOnDevice(const KernelFacts &facts, int64_t tile) {
  KernelFacts streamed = facts;
  int64_t extent = getKnown(*facts.streamExtent);
  for (KernelFacts::Member &member : streamed.members)
    if (member.isStreamed)
      for (int64_t *bytes : {&member.scratchBytes, &member.largestBytes})
        *bytes = llvm::divideCeil(*bytes, extent) * tile;
  streamed.rowElements =
      std::max(tile, static_cast<int64_t>(llvm::divideCeil(getKnown(facts.rowElements), extent)));
  return streamed;
}

/// The longest tile of the streamed dim that fits beside tiles along the shared dims, while there
/// are more threads than points.
static int64_t findStreamTile(const KernelFacts &facts, TargetAttr target) {
  int64_t tile = kLeastDeviceStreamTile;
  for (; 2 * tile <= getKnown(*facts.streamExtent); tile *= 2) {
    KernelFacts longer = streamOnDevice(facts, 2 * tile);
    GpuTiles tiles(longer, target);
    tiles.compute();
    int64_t points = 2 * tile;
    for (int64_t size : tiles.sizes)
      points *= size;
    if (tiles.isShrunk || points > kPoints * 4)
      break;
  }
  return tile;
}

ScheduleAttr mlir::fuse::computeGpuSchedule(MLIRContext *context, const KernelFacts &facts,
                                            TargetAttr target) {
  int64_t rank = facts.extents.size();
  GpuTiles tiles(facts, target);
  tiles.compute();
  SmallVector<LevelAttr> levels;
  std::optional<int64_t> streamTile;
  KernelFacts streamed;
  if (facts.streamExtent && getKnown(*facts.streamExtent) > kLeastDeviceStreamTile && tiles.isShrunk) {
    streamTile = findStreamTile(facts, target);
    streamed = streamOnDevice(facts, *streamTile);
    tiles = GpuTiles(streamed, target);
    tiles.compute();
  }
  if (rank > 0)
    levels.push_back(LevelAttr::get(context, LevelMapping::Block,
                                    llvm::to_vector(llvm::seq<int64_t>(0, rank)), tiles.sizes));
  if (streamTile)
    levels.push_back(LevelAttr::get(context, LevelMapping::Sequential, {rank}, {*streamTile}));
  if (tiles.lanes > 0)
    levels.push_back(
        LevelAttr::get(context, LevelMapping::Subgroup,
                       SmallVector<int64_t>(tiles.rowDims().begin(), tiles.rowDims().end()),
                       SmallVector<int64_t>(tiles.rowDims().size(), 1)));
  return ScheduleAttr::get(context, levels, /*reductionLanes=*/0, tiles.threads, tiles.lanes);
}
