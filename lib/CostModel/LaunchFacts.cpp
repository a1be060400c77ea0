//===- LaunchFacts.cpp - What a cost model may know of one launch -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/LaunchFacts.h"
#include "fuse/Analysis/ProductSide.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/Analysis/WarpgroupTile.h"
#include "fuse/CostModel/Profile.h"
#include "fuse/Support/Saturating.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::fuse;

/// What an element takes that is computed, or moved, by itself: measured 0.6 to 4 ns.
static constexpr int64_t kFlopsPerScalar = 64;
/// The same of a contraction's step whose loads serve only once: of a row times a matrix, and of a window (a depthwise
/// convolution). Taps along vectors that are loaded: measured 1.4 to 2.4 on a core of Emerald Rapids, in tiles that stay in the
/// innermost cache; along vectors whose elements lie some steps apart: 3 to 6 on a core of Zen 4.
static constexpr int64_t kFlopsPerLoneStep = 6, kFlopsPerLoneTap = 2, kFlopsPerStridedLoneTap = 4;

/// What a tap of a pool takes for each operation on it, along vectors that are loaded, and along those whose
/// elements lie some steps apart: 4 flops for a sum of 9 taps and 5 to 6 for a maximum, 9 to 11 and 21 to 37.
static constexpr int64_t kFlopsPerPoolTap = 2, kFlopsPerStridedTap = 9;

/// What laying out an element of a window takes, where its image is stored in another order, and where it is
/// copied in order into a padded tile.
static constexpr int64_t kFlopsPerReorderedElement = 8, kFlopsPerPaddedElement = 3;

/// Rows of a contraction that one load of the other operand serves.
static constexpr int64_t kRowsTogether = 8;
/// Half of them cost a tenth more, one row 70 %: measured between 0 (attention, where exponentials
/// dominate) and 30 % (two products in one kernel) at four rows.
static constexpr int64_t kFlopsPerLoadShare = 10;
/// What loading a vector of columns takes whose elements lie some steps apart, in vectors that are multiplied and added: a
/// convolution of stride 2 with the pixels of a line as columns. Rows that are computed together share it.
static constexpr int64_t kStepsPerStridedVector = 5;

namespace {

/// A value from outside: how much of it is read, how often, and how much of it by one block.
struct Source {
  int64_t bytes = 0, touched = 0, readings = 1, blockBytes = 0;
  bool isOutside = false; ///< of the program
  bool isGathered = false;

  /// From behind the core's own cache.
  bool isReadAgain(int64_t nearBytes) const { return readings > 1 && blockBytes > nearBytes; }
};

} // namespace

bool LaunchFacts::operator==(const LaunchFacts &other) const {
  auto all = [](const LaunchFacts &f) {
    return std::tie(f.launches, f.syncPoints, f.trafficBytes, f.nearBytes, f.cachedBytes,
                    f.farBytes, f.farWrittenBytes, f.rereadBytes, f.reusedBytes, f.flops,
                    f.repeatedFlops, f.lostFlops, f.productFlops, f.byteFlops, f.shortTensorFlops,
                    f.warpgroupFlops, f.f32TensorFlops, f.byteTensorFlops, f.cachedRunBytes,
                    f.farRunBytes, f.hasPhases, f.blocks);
  };
  return all(*this) == all(other);
}

static bool isGathered(const MemberRead &read) { return !read.isKnown && read.window.empty(); }

/// A gather touches what it gathers.
static int64_t getTouchedBytes(const Member &member, const MemberRead &read) {
  if (member.scatter) // copies its operand
    return read.bytes;
  return std::min(read.bytes, mulSaturating(member.getPoints(), read.elementBytes));
}

/// Whether what member `m`, a reduction, folds to is needed for more than one point behind each of
/// its own: then a row is folded before the rest of the kernel goes over it.
static bool isFoldedFirst(const MemberTable &table, const GroupDomain &domain, unsigned m,
                          ArrayRef<int64_t> tileSizes) {
  const Member &member = table[domain.nodes[m]];
  for (auto [reader, node] : llvm::enumerate(domain.nodes)) {
    bool reads = llvm::any_of(table[node].reads, [&](const MemberRead &read) {
      return member.hasResult && read.value == member.value;
    });
    if (!reads)
      continue;
    if (domain.getPrivatePoints(reader) != 1)
      return true;
    for (int dim : domain.shared.loops[reader])
      if (dim != SharedDomain::kPrivate && tileSizes[dim] > 1 &&
          !llvm::is_contained(domain.shared.loops[m], dim))
        return true;
  }
  return false;
}

double mlir::fuse::getHeldPart(int64_t size, int64_t distance) {
  constexpr double kUsable = 0.8, kSteepness = 4;
  if (size <= 0)
    return 0;
  return 1 / (1 + std::pow(static_cast<double>(distance) / (kUsable * static_cast<double>(size)),
                           kSteepness));
}

/// Files bytes under the levels of the hierarchy. `betweenBytes`: of values between launches, which
/// pass by as well.
static void addTouched(LaunchFacts &facts, const CacheFacts &caches, int64_t bytes, bool isOutside,
                       bool isWritten, bool isInRuns, int64_t betweenBytes) {
  int64_t distance = isOutside ? addSaturating(std::max(caches.programBytes, bytes), betweenBytes)
                               : mulSaturating(bytes, 2);
  auto hold = [&](int64_t size) {
    return static_cast<int64_t>(getHeldPart(size, distance) * static_cast<double>(bytes));
  };
  int64_t near = hold(caches.ownBytes), held = std::max(near, hold(caches.sharedBytes));
  facts.nearBytes = addSaturating(facts.nearBytes, near);
  facts.cachedBytes = addSaturating(facts.cachedBytes, held - near);
  facts.farBytes = addSaturating(facts.farBytes, bytes - held);
  if (isWritten)
    facts.farWrittenBytes = addSaturating(facts.farWrittenBytes, bytes - held);
  if (isInRuns) {
    facts.cachedRunBytes = addSaturating(facts.cachedRunBytes, held - near);
    facts.farRunBytes = addSaturating(facts.farRunBytes, bytes - held);
  }
}

CacheFacts CacheFacts::get(const MemberTable &table, TargetAttr target) {
  CacheFacts caches;
  caches.ownBytes = static_cast<int64_t>(target.getFigure("l2_bytes"));
  caches.sharedBytes = static_cast<int64_t>(target.getFigure("l3_bytes"));
  llvm::SmallDenseMap<unsigned, int64_t, 32> outside;
  for (unsigned node = 0; node < table.size(); ++node) {
    const Member &member = table[node];
    if (!member.isFusable)
      continue;
    for (const MemberRead &read : member.reads)
      if (read.producer == FusionGraph::kNone) {
        int64_t &bytes = outside[read.value];
        bytes = std::max(bytes, getTouchedBytes(member, read));
      }
    if (member.escapes || !member.hasResult)
      caches.programBytes = addSaturating(caches.programBytes, member.resultBytes);
    for (unsigned copy : member.copies)
      caches.programBytes = addSaturating(caches.programBytes, table[copy].resultBytes);
  }
  for (auto [value, bytes] : outside)
    caches.programBytes = addSaturating(caches.programBytes, bytes);
  return caches;
}

/// Whether vectors of a contraction's columns are loaded from elements that lie some steps apart. What is stored in another
/// order is laid out first.
static bool readsStridedColumns(const Member &member) {
  std::optional<unsigned> columns = getColumns(member);
  return columns && llvm::any_of(member.reads, [&](const MemberRead &read) {
           return !read.window.empty() && !read.isReordered && runsAlong(read, *columns) && !isContiguousAlong(read, *columns);
         });
}

static int64_t getFlopsPerPoint(const Member &member, bool isProduct) {
  bool hasWindow =
      llvm::any_of(member.reads, [](const MemberRead &read) { return !read.window.empty(); });
  if (member.isContraction()) {
    if (!isProduct)
      return !hasWindow ? kFlopsPerLoneStep : readsStridedColumns(member) ? kFlopsPerStridedLoneTap : kFlopsPerLoneTap;
    return member.flopsPerPoint;
  }
  if (member.isReduction() && hasWindow)
    return (member.isVector ? kFlopsPerPoolTap : kFlopsPerStridedTap) * member.flopsPerPoint;
  if (member.isVector)
    return member.flopsPerPoint;
  // Functions are made of operations on vectors of one lane then.
  constexpr int64_t kLanes = 16;
  return kFlopsPerScalar + kLanes * std::max<int64_t>(0, member.flopsPerPoint - 1);
}

/// Whether tensor cores can take contraction `m` in tiles of `tileSizes`: the code asks the same of
/// its tile (ContractionPlan).
static bool fitsTensorCores(const Member &member, const GroupDomain &domain, unsigned m,
                            ArrayRef<int64_t> tileSizes) {
  if (member.tensors.element == TensorElement::None)
    return false;
  auto isLong = [&](ArrayRef<unsigned> loops) {
    int64_t count = 1;
    for (auto [atom, dim] : llvm::zip(domain.atoms[m], domain.shared.loops[m])) {
      if (!llvm::is_contained(loops, atom.loop))
        continue;
      int64_t extent = atom.extent;
      if (dim != SharedDomain::kPrivate)
        extent = ShapedType::isDynamic(extent) ? tileSizes[dim] : std::min(extent, tileSizes[dim]);
      if (ShapedType::isDynamic(extent))
        return false;
      count = mulSaturating(count, extent);
    }
    return count >= kLeastProductSide;
  };
  return isLong(member.tensors.rows) && isLong(member.tensors.columns);
}

LaunchFacts mlir::fuse::computeLaunchFacts(const MemberTable &table, const GroupDomain &domain,
                                           ArrayRef<int64_t> tileSizes, const CacheFacts &caches,
                                           std::optional<unsigned> reuseDim, int64_t ranges,
                                           double narrowPart, int64_t warpgroupThreads) {
  LaunchFacts facts;
  facts.blocks = 1;
  SmallVector<int64_t, 4> tiles;
  for (auto [extent, size] : llvm::zip(domain.likely, tileSizes)) {
    tiles.push_back(std::max<int64_t>(1, llvm::divideCeil(extent, std::max<int64_t>(1, size))));
    facts.blocks = mulSaturating(facts.blocks, tiles.back());
  }
  // The tiles along the dims that are true in `has`.
  auto countTiles = [&](ArrayRef<bool> has) {
    int64_t count = 1;
    for (auto [dim, number] : llvm::enumerate(tiles))
      if (has[dim])
        count = mulSaturating(count, number);
    return count;
  };
  // `amount` is of all tiles; how much more all blocks take that compute it.
  auto countRepeated = [&](int64_t amount, ArrayRef<bool> has) {
    int64_t own = countTiles(has), computing = countComputing(tiles, has, ranges);
    return addSaturating(mulSaturating(amount, computing / own - 1),
                         mulSaturating(llvm::divideCeil(amount, own), computing % own));
  };

  // What is laid out for windows, and what neighboring blocks lay out again.
  auto countCopied = [&](const WindowCopy &copy, bool isReordered) -> std::pair<int64_t, int64_t> {
    SmallVector<bool, 4> along(tiles.size(), false);
    int64_t each = isReordered ? kFlopsPerReorderedElement : kFlopsPerPaddedElement;
    int64_t once = mulSaturating(copy.elements, each), flops = once;
    for (unsigned dim : copy.dims) {
      along[dim] = true;
      int64_t extent = domain.likely[dim], size = llvm::divideCeil(extent, tiles[dim]);
      once = mulSaturating(once, getWindowExtent(copy.windows, dim, extent));
      flops = mulSaturating(flops, mulSaturating(getWindowExtent(copy.windows, dim, size), tiles[dim]));
    }
    return {once, addSaturating(std::max<int64_t>(0, flops - once), countRepeated(flops, along))};
  };

  // A contraction's loads serve all rows of a tile, up to those that are computed together.
  auto countLost = [&](int64_t product, unsigned dim) {
    // Tiles of 2 of 3 rows have 2 rows and 1, half of each other's loads.
    int64_t extent = std::max<int64_t>(1, domain.likely[dim]);
    int64_t missing = mulSaturating(std::min(kRowsTogether, extent), tiles[dim]) - extent;
    return mulSaturating(product / extent, std::max<int64_t>(0, missing)) / kFlopsPerLoadShare;
  };

  // Rows of a tile that are computed together.
  auto countTogether = [&](std::optional<unsigned> dim, ArrayRef<bool> has) -> int64_t {
    if (!dim || !has[*dim])
      return 1;
    return std::max<int64_t>(1, std::min({kRowsTogether, domain.likely[*dim], tileSizes[*dim]}));
  };

  SmallVector<std::pair<int64_t, bool>, 4> results; ///< bytes, and whether they leave the program
  int64_t betweenBytes = 0;
  bool hasContractions = false;
  llvm::SmallMapVector<unsigned, Source, 8> sources;
  SmallVector<bool, 4> has(tiles.size());
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    const Member &member = table[node];
    std::fill(has.begin(), has.end(), false);
    for (int dim : domain.shared.loops[m])
      if (dim != SharedDomain::kPrivate)
        has[dim] = true;
    bool isProduct = member.isContraction() && reusesLoads(member);
    int64_t perPoint = getFlopsPerPoint(member, isProduct);
    int64_t once = mulSaturating(member.getPoints(), perPoint);
    // What is computed element-wise is part of its reader by then, which goes through memory as it
    // does.
    int64_t perRepeated =
        member.pattern == OpPattern::Elementwise ? member.flopsPerPoint : perPoint;
    // Moving an element again is work, too; making one up (an iota) is less.
    int64_t moved = mulSaturating(member.getPoints(),
                                  std::max<int64_t>(member.reads.empty() ? 0 : 1, perRepeated));
    int64_t repeated = countRepeated(moved, has);
    facts.hasPhases |=
        !isProduct && member.isReduction() && isFoldedFirst(table, domain, m, tileSizes);
    facts.flops = addSaturating(facts.flops, addSaturating(once, repeated));
    facts.repeatedFlops = addSaturating(facts.repeatedFlops, repeated);
    hasContractions |= member.isContraction();
    if (isProduct) {
      int64_t product = addSaturating(once, repeated);
      int64_t lost = reuseDim && has[*reuseDim] ? countLost(product, *reuseDim) : 0;
      if (readsStridedColumns(member))
        lost = addSaturating(lost, mulSaturating(product, kStepsPerStridedVector) / countTogether(reuseDim, has));
      lost = addSaturating(lost, static_cast<int64_t>(narrowPart * static_cast<double>(product)));
      facts.lostFlops = addSaturating(facts.lostFlops, lost);
      facts.productFlops = addSaturating(facts.productFlops, addSaturating(product, lost));
      if (member.tensors.element == TensorElement::Byte)
        facts.byteFlops = addSaturating(facts.byteFlops, addSaturating(product, lost));
      if (fitsTensorCores(member, domain, m, tileSizes)) {
        bool isShort = member.tensors.element == TensorElement::Short;
        int64_t &flops = isShort                                         ? facts.shortTensorFlops
                         : member.tensors.element == TensorElement::Byte ? facts.byteTensorFlops
                                                                         : facts.f32TensorFlops;
        flops = addSaturating(flops, product);
        if (isShort && warpgroupThreads > 0 && takesWarpgroups(table, domain, m, tileSizes, warpgroupThreads))
          facts.warpgroupFlops = addSaturating(facts.warpgroupFlops, product);
      }
    }
    if (domain.isResult[m]) {
      facts.trafficBytes = addSaturating(facts.trafficBytes, member.resultBytes);
      bool isOutside = member.escapes || !member.hasResult;
      results.push_back({member.resultBytes, isOutside});
      betweenBytes = addSaturating(betweenBytes, isOutside ? 0 : member.resultBytes);
    }

    for (const MemberRead &read : member.reads) {
      if (auto copy = getWindowCopy(table, domain, m, read)) {
        // Where each result has a window of its own, only windows at the border read a copy (PeelWindow.h).
        bool isPeeled = !isProduct && !read.isReordered && read.isCopied;
        if (domain.contains(read.producer))
          isPeeled &= table[read.producer].pattern != OpPattern::Elementwise;
        auto [once, again] = isPeeled ? std::pair<int64_t, int64_t>(0, 0)
                                      : countCopied(*copy, read.isReordered);
        facts.flops = addSaturating(facts.flops, addSaturating(once, again));
        facts.repeatedFlops = addSaturating(facts.repeatedFlops, again);
      }
      if (read.producer != FusionGraph::kNone && domain.contains(read.producer))
        continue;
      // What is read in another way than along loops moves with all that the member has.
      SmallVector<bool, 4> along(has);
      if (read.isKnown) {
        std::fill(along.begin(), along.end(), false);
        for (const PositionAccess &position : read.positions)
          for (const LoopDigit &digit : position.digits)
            for (auto [atom, dim] : llvm::zip(domain.atoms[m], domain.shared.loops[m]))
              if (atom.loop == digit.loop && dim != SharedDomain::kPrivate)
                along[dim] = true;
      }
      Source &source = sources[read.value];
      source.bytes = std::max(source.bytes, read.bytes);
      source.touched = std::max(source.touched, getTouchedBytes(member, read));
      source.isOutside |= read.producer == FusionGraph::kNone;
      source.isGathered |= isGathered(read);
      // Blocks that do not compute the member do not read for it either.
      int64_t readings =
          llvm::divideCeil(countComputing(tiles, has, ranges), countTiles(along));
      source.readings = std::max(source.readings, readings);
      source.blockBytes =
          std::max<int64_t>(source.blockBytes, llvm::divideCeil(read.bytes, facts.blocks / readings));
    }
  }
  facts.flops = addSaturating(facts.flops, facts.lostFlops);
  facts.hasPhases &= !hasContractions;
  for (const auto &[value, source] : sources)
    if (!source.isOutside)
      betweenBytes = addSaturating(betweenBytes, source.touched);
  for (auto [bytes, isOutside] : results)
    addTouched(facts, caches, bytes, isOutside, /*isWritten=*/true, hasContractions, betweenBytes);
  for (const auto &[value, source] : sources) {
    facts.trafficBytes = addSaturating(facts.trafficBytes, source.bytes);
    addTouched(facts, caches, std::min(source.touched, source.bytes), source.isOutside,
               /*isWritten=*/false, hasContractions || source.isGathered, betweenBytes);
    if (!source.isReadAgain(caches.ownBytes / 2))
      continue;
    facts.reusedBytes = addSaturating(facts.reusedBytes, source.bytes);
    int64_t bytes = mulSaturating(source.bytes, source.readings - 1);
    facts.rereadBytes = addSaturating(facts.rereadBytes, bytes);
  }
  return facts;
}
