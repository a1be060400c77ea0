//===- ContractionPlan.h - Products of a block through shared memory -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A contraction is a member that adds up products of two operands. Its loops are those of the left
// operand alone (m), of the right one alone (n), of both (batch), and reductions (k). A block stages
// parts of `steps` iterations of k of both operands in shared memory, as matrices, whatever the
// operands' own maps are (a convolution's windows become rows), and its threads multiply them:
//
//   FMA            a thread has a tile of tileM x tileN points; left is staged [k][m], right [k][n]
//   tensor cores   a subgroup has one of fragments of 16 x 8; staged as the operands' memory runs
//   warpgroups     four subgroups have one of fragments of 64 x 8 to 64 x 256; staged so, too
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_CONTRACTIONPLAN_H
#define FUSE_LIB_CODEGEN_GPU_CONTRACTIONPLAN_H

#include "ThreadMapping.h"

namespace mlir::fuse {

struct ContractionPlan {
  /// Loops; the numbers of all reductions count as one, the last fastest: one that memory runs
  /// along, where the order is free.
  SmallVector<unsigned> batch, m, n, k;
  /// Operand numbers.
  unsigned lhs = 0, rhs = 1;
  /// The largest extents of the block's tile, and how many of the columns are computed at once.
  int64_t rows = 0, allColumns = 0, columns = 0;
  int64_t steps = 16;
  /// The product, and the sum that the member's value is.
  Operation *multiply = nullptr, *add = nullptr;
  /// What the operands are multiplied as: casts are done while staging.
  Type stagedLhs, stagedRhs;

  bool usesTensorCores = false;
  /// Those read the operands from shared memory: products of warpgroups (wgmma).
  bool usesWarpgroups = false;
  /// Those take f32 rounded to TF32.
  bool roundsToTf32 = false;
  /// They take integers of 8 bits, and add up as i32; which of the operands are signed.
  bool takesBytes = false, isLhsSigned = false, isRhsSigned = false;
  /// Whether the product may be one of warpgroups.
  bool mayUseWarpgroups = false;
  /// How many parts of both operands a block holds at a time. Of several, those that follow the one that is multiplied are
  /// under way, copied asynchronously; with one, they pass the threads' registers.
  int64_t stages = 1;
  /// Parts that are multiplied at a time: with two, products of one part go on while those of the next begin.
  int64_t multiplied = 1;
  /// How threads, or with tensor cores subgroups or warpgroups, share the tile, and what one of them has of it.
  int64_t takersM = 1, takersN = 1, tileM = 1, tileN = 1;

  /// Rows and columns that are computed, with those that only fill up.
  int64_t paddedRows() const { return takersM * tileM; }
  int64_t paddedColumns() const { return takersN * tileN; }
  /// At most so many bytes of shared memory hold one part of both operands.
  int64_t boundStageBytes() const;

  /// Chooses how many stages there are of `countBytes()` each, for `allSteps` steps, which kDynamic may be. On tensor cores
  /// parts become longer where `mayBeLonger` is set and as much is under way then: what a part costs beside its products,
  /// addresses and waits, is paid less often.
  void chooseStages(llvm::function_ref<int64_t()> countBytes, int64_t allSteps, bool mayBeLonger,
                    const struct StagingRoom &room);
};

/// What products may do for speed.
struct ProductFreedom {
  bool reassociates = false; ///< products are added up in the order that they lie in memory
  bool tensorCores = false;  ///< do those of f16 and bf16, in an order of their own
  bool tf32 = false;         ///< and of f32, whose operands are rounded
  bool warpgroups = false;   ///< by wgmma where that is possible
  bool bytes = false;        ///< and of integers of 8 bits, whose sums have no rounding and so no order
};

/// The plan for `op`; none where its operands are not read several times over by the block, or
/// bounds are unknown.
std::optional<ContractionPlan> planContraction(linalg::GenericOp op, ArrayRef<int64_t> bounds,
                                               int64_t threads, ProductFreedom freedom);

/// The same product by warpgroups; none where these would multiply much that only fills up, or where the sums are too many.
/// `rhsRunsAlongSteps`: whether the right operand's memory runs along k.
std::optional<ContractionPlan> planWarpgroups(const ContractionPlan &plan, int64_t threads, bool rhsRunsAlongSteps);

/// How many iterations loops have together, at most; kDynamic where that is not known.
int64_t countPoints(ArrayRef<unsigned> loops, ArrayRef<int64_t> bounds);

/// Shared memory that products may hold parts of their operands in.
struct StagingRoom {
  int64_t mostStages = 1; ///< 1: no asynchronous copies
  int64_t bytes = 0;      ///< that the block has left
  int64_t freeBytes = 0;  ///< of these, so many that two blocks still find room beside each other
};

/// How many stages of `stageBytes` there are for `parts` parts, which kDynamic may be: as many as leave room for a second
/// block, and two where there is none anyway.
int64_t countStages(int64_t stageBytes, int64_t parts, const StagingRoom &room);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_CONTRACTIONPLAN_H
