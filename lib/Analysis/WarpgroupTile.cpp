//===- WarpgroupTile.cpp - Which products are those of warpgroups -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/WarpgroupTile.h"
#include "fuse/Analysis/TensorTiles.h"
#include "fuse/Support/Saturating.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Elements that a copy of one piece has.
static constexpr int64_t kPiece = kWarpgroupAccessBytes / kWarpgroupElementBytes;
/// Counts of elements stop here.
static constexpr int64_t kMostCounted = int64_t(1) << 60;

int64_t mlir::fuse::getAccessBytes(const MemberRead &read) {
  int64_t elements = 1;
  if (!read.positions.empty() && !read.positions.back().isStrided)
    for (const LoopDigit &digit : read.positions.back().digits)
      elements *= ShapedType::isDynamic(digit.extent) ? 1 : std::gcd(digit.extent, kWarpgroupAccessBytes);
  return std::gcd(elements * read.elementBytes, kWarpgroupAccessBytes);
}

bool mlir::fuse::suitsWarpgroups(const MemberTable &table, const GroupDomain &domain, unsigned m) {
  const Member &member = table[domain.nodes[m]];
  if (member.tensors.element != TensorElement::Short)
    return false;
  for (const MemberRead &read : member.reads) {
    bool isComputed = read.producer != FusionGraph::kNone && domain.contains(read.producer);
    if (!canReadStaged({!isComputed, read.elementBytes, getAccessBytes(read)}))
      return false;
  }
  std::optional<int64_t> steps = 1;
  for (auto [iterator, extent] : llvm::zip_equal(member.iterators, member.extents)) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    steps = ShapedType::isDynamic(extent) || !steps ? std::nullopt
                                                    : std::optional(mulCounts(*steps, extent));
  }
  return haveWarpgroupParts(steps);
}

bool mlir::fuse::takesWarpgroups(const MemberTable &table, const GroupDomain &domain, unsigned m, ArrayRef<int64_t> tileSizes,
                                 int64_t threads) {
  if (!suitsWarpgroups(table, domain, m))
    return false;
  const Member &member = table[domain.nodes[m]];
  // Of a loop's part, kDynamic where it is whole and not known.
  auto getSize = [&](unsigned atom) {
    int64_t extent = domain.atoms[m][atom].extent;
    int dim = domain.shared.loops[m][atom];
    if (dim == SharedDomain::kPrivate)
      return extent;
    return ShapedType::isDynamic(extent) ? tileSizes[dim] : std::min(extent, tileSizes[dim]);
  };
  auto count = [&](ArrayRef<unsigned> loops) {
    int64_t product = 1;
    for (auto [i, atom] : llvm::enumerate(domain.atoms[m]))
      if (llvm::is_contained(loops, atom.loop)) {
        if (ShapedType::isDynamic(getSize(i)))
          return int64_t(0);
        product = mulCounts(product, getSize(i));
      }
    return product;
  };
  // Pieces end where tiles do, too.
  bool areWhole = llvm::all_of(member.reads, [&](const MemberRead &read) {
    const LoopDigit &last = read.positions.back().digits.back();
    for (auto [i, atom] : llvm::enumerate(domain.atoms[m]))
      if (atom.loop == last.loop && atom.divisor == last.divisor)
        return getSize(i) % kPiece == 0;
    return true;
  });
  // The result lies along the columns.
  bool isTurned = !member.writes.empty() && member.writes.back() >= 0 &&
                  llvm::is_contained(member.tensors.rows, static_cast<unsigned>(member.writes.back()));
  int64_t rows = count(isTurned ? member.tensors.columns : member.tensors.rows);
  int64_t columns = count(isTurned ? member.tensors.rows : member.tensors.columns);
  if (!areWhole || rows < kLeastProductSide || columns < kLeastProductSide || threads < kWarpgroupThreads)
    return false;
  const MemberRead &right = member.reads[isTurned ? 0 : 1];
  unsigned along = right.positions.back().digits.back().loop;
  bool runsAlongSteps = member.iterators[along] == utils::IteratorType::reduction;
  return fitsWarpgroups(rows, getPanelColumns(rows, columns, threads), threads, getWarpgroupWidth(threads, runsAlongSteps));
}
