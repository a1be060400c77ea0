//===- LaunchFacts.cpp - What a cost model may know of one launch -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/LaunchFacts.h"
#include "fuse/CostModel/Profile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// What an extent counts as that is not known before run time.
static constexpr int64_t kUnknownExtent = 1024;

/// What laying out an element of a padded window takes: its position is checked.
static constexpr int64_t kFlopsPerPaddedElement = 8;

/// Rows of a contraction that one load of the other operand serves.
static constexpr int64_t kRowsTogether = 8;
/// Half of them cost a tenth more, one row 70 %: measured between 0 (attention, where exponentials
/// dominate) and 30 % (two products in one kernel) at four rows.
static constexpr int64_t kFlopsPerLoadShare = 10;
/// Where each block loads an operand anew from behind the cores' own caches, so many rows take as long
/// to load for as to compute: 64 x 768 x 768 in tiles of 4 rows took 1.4 to 1.6 times as long, in tiles of
/// 8 none.
static constexpr int64_t kRowsPerDistantLoad = 6;

static int64_t known(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUnknownExtent : extent;
}

namespace {

/// A value from outside: how much of it is read, how often, and how much of it by one block.
struct Source {
  int64_t bytes = 0, readings = 1, blockBytes = 0;

  /// From behind the core's own cache.
  bool isReadAgain(int64_t nearBytes) const { return readings > 1 && blockBytes > nearBytes; }
};

} // namespace

LaunchFacts mlir::fuse::computeLaunchFacts(const MemberTable &table, const GroupDomain &domain,
                                           ArrayRef<int64_t> tileSizes, int64_t nearBytes,
                                           std::optional<unsigned> reuseDim, int64_t ranges) {
  LaunchFacts facts;
  facts.blocks = 1;
  SmallVector<int64_t, 4> tiles;
  for (auto [extent, size] : llvm::zip(domain.extents, tileSizes)) {
    tiles.push_back(
        std::max<int64_t>(1, llvm::divideCeil(known(extent), std::max<int64_t>(1, size))));
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

  // What neighboring blocks lay out again.
  auto countCopiedAgain = [&](const WindowCopy &copy) {
    SmallVector<bool, 4> along(tiles.size(), false);
    int64_t flops = mulSaturating(copy.elements, kFlopsPerPaddedElement);
    for (unsigned dim : copy.dims) {
      along[dim] = true;
      flops = mulSaturating(flops, known(domain.extents[dim]));
    }
    return countRepeated(flops, along);
  };

  llvm::SmallMapVector<unsigned, Source, 8> sources;
  SmallVector<std::pair<const Member *, int64_t>, 4> contractions; ///< and what they compute
  SmallVector<bool, 4> has(tiles.size());
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    const Member &member = table[node];
    std::fill(has.begin(), has.end(), false);
    for (int dim : domain.shared.loops[m])
      if (dim != SharedDomain::kPrivate)
        has[dim] = true;
    int64_t once = mulSaturating(member.getPoints(kUnknownExtent), member.flopsPerPoint);
    // Moving an element again is work, too; making one up (an iota) is less.
    int64_t moved = mulSaturating(member.getPoints(kUnknownExtent),
                                  std::max<int64_t>(member.reads.empty() ? 0 : 1,
                                                    member.flopsPerPoint));
    int64_t repeated = countRepeated(moved, has);
    facts.flops = addSaturating(facts.flops, addSaturating(once, repeated));
    facts.repeatedFlops = addSaturating(facts.repeatedFlops, repeated);
    if (reuseDim && has[*reuseDim] && member.isContraction())
      contractions.push_back({&member, addSaturating(once, repeated)});
    if (domain.isResult[m])
      facts.trafficBytes = addSaturating(facts.trafficBytes, member.resultBytes);

    for (const MemberRead &read : member.reads) {
      if (auto copy = getWindowCopy(table, domain, m, read, kUnknownExtent)) {
        int64_t copied = countCopiedAgain(*copy);
        facts.flops = addSaturating(facts.flops, copied);
        facts.repeatedFlops = addSaturating(facts.repeatedFlops, copied);
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
      // Blocks that do not compute the member do not read for it either.
      int64_t readings =
          llvm::divideCeil(countComputing(tiles, has, ranges), countTiles(along));
      source.readings = std::max(source.readings, readings);
      source.blockBytes =
          std::max<int64_t>(source.blockBytes, llvm::divideCeil(read.bytes, facts.blocks / readings));
    }
  }
  // A contraction's loads serve all rows of a tile, up to those that are computed together.
  for (auto [member, flops] : contractions) {
    int64_t extent = std::max<int64_t>(1, known(domain.extents[*reuseDim]));
    int64_t rows = std::min(extent, std::max<int64_t>(1, tileSizes[*reuseDim]));
    int64_t lost = flops / (kFlopsPerLoadShare * rows) *
                   std::max<int64_t>(0, std::min(kRowsTogether, extent) - rows);
    bool isDistant = llvm::any_of(member->reads, [&](const MemberRead &read) {
      auto source = sources.find(read.value);
      return source != sources.end() && source->second.isReadAgain(nearBytes);
    });
    if (isDistant && rows < extent)
      lost = std::max(lost, flops / rows * std::max<int64_t>(0, kRowsPerDistantLoad - rows));
    facts.lostFlops = addSaturating(facts.lostFlops, lost);
  }
  for (const auto &[value, source] : sources) {
    facts.trafficBytes = addSaturating(facts.trafficBytes, source.bytes);
    if (!source.isReadAgain(nearBytes))
      continue;
    facts.reusedBytes = addSaturating(facts.reusedBytes, source.bytes);
    facts.rereadBytes =
        addSaturating(facts.rereadBytes, mulSaturating(source.bytes, source.readings - 1));
  }
  return facts;
}
