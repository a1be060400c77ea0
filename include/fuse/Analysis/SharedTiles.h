//===- SharedTiles.h - How often a kernel's blocks compute what they share ----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_SHAREDTILES_H
#define FUSE_ANALYSIS_SHAREDTILES_H

#include "fuse/IR/FuseAttributes.h"
#include "fuse/Support/Saturating.h"

#include <limits>

namespace mlir::fuse {

/// A thread runs a range of neighbouring blocks, and computes what they share once
/// (fuse-keep-tiles). So many are reckoned with where a target does not say how many threads there
/// are.
constexpr int64_t kBlockRanges = 2;
/// The ranges of a target: one for each thread; blocks of a GPU are on their own.
inline int64_t getBlockRanges(TargetAttr target) {
  if (target.getKind() != TargetKind::Cpu)
    return std::numeric_limits<int64_t>::max();
  if (!target.getFigures().contains("max_threads"))
    return kBlockRanges;
  return std::max<int64_t>(1, static_cast<int64_t>(target.getFigure("max_threads")));
}

/// How many blocks compute what has the dims that are true in `has`, of a kernel with `tiles` tiles along
/// each dim, the last fastest: neighbours share it that differ in dims behind the last of those.
/// Saturates.
inline int64_t countComputing(ArrayRef<int64_t> tiles, ArrayRef<bool> has,
                              int64_t ranges = kBlockRanges) {
  int64_t groups = 1, blocks = 1;
  for (auto [dim, number] : llvm::enumerate(tiles)) {
    blocks = mulCounts(blocks, number);
    if (has[dim])
      groups = blocks;
  }
  // A range may begin within a group.
  return ranges - 1 >= blocks - groups ? blocks : groups + ranges - 1;
}

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_SHAREDTILES_H
