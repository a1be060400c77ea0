//===- TensorTiles.h - Tiles of products on tensor cores -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What schedules, which choose a block's tile, and code, which shares it among subgroups, have to know alike.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_TENSORTILES_H
#define FUSE_ANALYSIS_TENSORTILES_H

#include "fuse/Analysis/ProductSide.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace mlir::fuse {

/// Threads in lockstep, and what they multiply at once on tensor cores (mma.sync.m16n8).
inline constexpr int64_t kSubgroupThreads = 32, kFragmentRows = 16, kFragmentColumns = 8;

/// Threads that multiply together where operands are read from shared memory (wgmma), and the rows of one such product.
/// The most columns, and how many bytes of an operand one part of a product has at least along its steps.
inline constexpr int64_t kWarpgroupThreads = 128, kWarpgroupRows = 64, kMostWarpgroupColumns = 256, kWarpgroupStepBytes = 128;

/// What an asynchronous copy of an operand moves where warpgroups read it from shared memory, and the bytes of its elements.
inline constexpr int64_t kWarpgroupAccessBytes = 16, kWarpgroupElementBytes = 2;

/// The part of warpgroups' speed that subgroups have, whose operands pass registers (docs/gpu.md).
inline constexpr double kSubgroupSpeed = 0.62;

/// Sums that a thread keeps in registers.
inline constexpr int64_t kMostTensorSums = 128;

/// Registers of elements on their way to shared memory, above which a part has half as many steps if it has more than the
/// fewest: those of two instructions of 8 steps of TF32, of one of 16 of f16, and of one of 32 bytes.
inline constexpr int64_t kMostCarried = 32;
constexpr int64_t getFewestTensorSteps(int64_t elementBytes) { return elementBytes == 1 ? 32 : 16; }

/// How subgroups share a tile, and how many rows and columns one of them has.
struct FragmentShare {
  int64_t takersM = 1, takersN = 1, tileM = 1, tileN = 1;

  int64_t countSums() const { return tileM * tileN / kSubgroupThreads; }
  /// Registers of a thread for the operands of one step of instructions.
  int64_t countOperands() const { return tileM / kFragmentRows * 4 + tileN / kFragmentColumns * 2; }
};

/// Shares a tile so that a subgroup has about as many rows as columns, which are multiples of `width`.
inline FragmentShare shareFragments(int64_t rows, int64_t columns, int64_t subgroups, int64_t width = kFragmentColumns) {
  rows = llvm::divideCeil(rows, kFragmentRows);
  columns = llvm::divideCeil(columns, width);
  FragmentShare share{1, subgroups};
  while (share.takersN > 1 &&
         (share.takersN > columns ||
          (share.takersM < rows && columns / share.takersN * width < rows / share.takersM * kFragmentRows))) {
    share.takersN /= 2;
    share.takersM *= 2;
  }
  share.tileM = llvm::divideCeil(rows, share.takersM) * kFragmentRows;
  share.tileN = llvm::divideCeil(columns, share.takersN) * width;
  return share;
}

/// How warpgroups share a tile, and how many rows and columns one of them has. The columns of each are multiples of `width`.
inline FragmentShare shareWarpgroups(int64_t rows, int64_t columns, int64_t groups, int64_t width = kFragmentColumns) {
  FragmentShare share;
  share.takersM = std::min<int64_t>(groups, llvm::PowerOf2Ceil(llvm::divideCeil(rows, kWarpgroupRows)));
  share.takersN = groups / share.takersM;
  share.tileM = llvm::alignTo(llvm::divideCeil(rows, share.takersM), kWarpgroupRows);
  share.tileN = llvm::alignTo(llvm::divideCeil(columns, share.takersN), width);
  return share;
}

/// How many of a tile's columns subgroups multiply at a time: all, or panels of them where all are too many sums for the
/// threads; 0 where those of the narrowest panel are.
inline int64_t getPanelColumns(int64_t rows, int64_t columns, int64_t threads, int64_t width = kFragmentColumns) {
  while (shareFragments(rows, columns, threads / kSubgroupThreads, width).countSums() > kMostTensorSums) {
    if (columns <= kLeastProductSide)
      return 0;
    columns = static_cast<int64_t>(llvm::PowerOf2Ceil(columns)) / 2;
  }
  return columns;
}

/// The columns of each of several warpgroups begin where a line of shared memory does, unless lines run along the steps.
inline int64_t getWarpgroupWidth(int64_t threads, bool rhsRunsAlongSteps) {
  return threads > kWarpgroupThreads && !rhsRunsAlongSteps ? kWarpgroupStepBytes / kWarpgroupElementBytes : kFragmentColumns;
}

/// Whether so many threads' warpgroups have room for the sums of such a tile, and are faster than subgroups, which are slower
/// (kSubgroupSpeed) and multiply less that only fills up.
inline bool fitsWarpgroups(int64_t rows, int64_t columns, int64_t threads, int64_t width = kFragmentColumns) {
  if (threads < kWarpgroupThreads || threads % kWarpgroupThreads != 0)
    return false;
  FragmentShare share = shareWarpgroups(rows, columns, threads / kWarpgroupThreads, width);
  auto computed = static_cast<double>(share.takersM * share.tileM * share.takersN * share.tileN);
  auto otherwise = static_cast<double>(llvm::alignTo(rows, kFragmentRows) * llvm::alignTo(columns, kFragmentColumns));
  return share.tileN <= kMostWarpgroupColumns && share.tileM * share.tileN <= kMostTensorSums * kWarpgroupThreads &&
         computed * kSubgroupSpeed <= otherwise;
}

/// What decides whether warpgroups can read an operand from shared memory. Planning knows it of
/// members (WarpgroupTile.h), code of buffers (StagedOperands in lib/Codegen/Gpu).
struct WarpgroupOperand {
  bool isStored = false; ///< in memory of the device, in the type that it is multiplied in: nothing
                         ///< is computed on its way
  int64_t elementBytes = 0;
  int64_t pieceBytes = 0; ///< that lie in one piece both there and in shared memory
};

inline bool canReadStaged(const WarpgroupOperand &operand) {
  return operand.isStored && operand.elementBytes == kWarpgroupElementBytes &&
         operand.pieceBytes == kWarpgroupAccessBytes;
}

/// And whether there are steps for more than one part: while one is multiplied, another is under
/// way. None: not known.
inline bool haveWarpgroupParts(std::optional<int64_t> steps) {
  return !steps || *steps > kWarpgroupStepBytes / kWarpgroupElementBytes;
}

/// Whether a thread has registers for its part of a tile: sums, operands, and what is loaded for the next part while this one
/// is multiplied, in accesses of `accessBytes`. An access of less than a register takes one. `elementBytes`: of an operand.
inline bool fitsRegisters(int64_t rows, int64_t columns, int64_t threads, int64_t elementBytes, int64_t accessBytes) {
  // The others of 255 hold addresses, counters, and what instructions that are under way have read.
  constexpr int64_t kMost = 208;
  FragmentShare share = shareFragments(rows, columns, threads / kSubgroupThreads);
  int64_t bytes = (rows + columns) * getFewestTensorSteps(elementBytes) * elementBytes;
  int64_t carried = llvm::divideCeil(bytes, threads * std::min<int64_t>(4, std::max(accessBytes, elementBytes)));
  return share.countSums() <= kMostTensorSums && share.countSums() + share.countOperands() + carried <= kMost;
}

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_TENSORTILES_H
