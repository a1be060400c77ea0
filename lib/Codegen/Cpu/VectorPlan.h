//===- VectorPlan.h - Which loop of a member becomes vectors -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A member on buffers is a loop nest with a scalar body. One loop runs in vectors: a *parallel*
// one along which the result is contiguous (element-wise, column sums, matmul), else a *reduction*
// along which the inputs are (row sums). Every operand is then contiguous along it (a vector load)
// or does not change (a broadcast), or is turned in registers (a transposed operand of an
// element-wise member). Where no loop serves, the nest stays scalar.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_VECTORPLAN_H
#define FUSE_LIB_CODEGEN_CPU_VECTORPLAN_H

#include "../Kernel/BodyAccess.h"
#include "DotPlan.h"
#include "ScaledSums.h"
#include "fuse/Analysis/PartialSums.h"
#include "fuse/IR/FuseAttributes.h"

namespace mlir::fuse {

/// What plans depend on beside the member.
struct VectorFacts {
  int64_t bytes = 64;     ///< of a register
  int64_t registers = 32; ///< how many there are
  bool hasFma = true;     ///< multiplied and added in one instruction
  /// Partial results of a reduction along vectors, see #fuse.schedule.
  int64_t reductionLanes = ScheduleAttr::kReductionLanes;
  DotInstructions dots;
  bool scalesSums = false; ///< instead of their terms (see ScaledSums.h)
};

struct VectorPlan {
  /// The loop that runs in vectors.
  unsigned loop = 0;
  bool isReduction = false;
  /// Elements per iteration of that loop, and of a masked iteration behind the last whole one. A
  /// reduction keeps `lanes` partial results in both, so that its order does not depend on extents.
  int64_t lanes = 1, tailLanes = 1;
  /// Whole iterations between the two, of what `lanes` leaves over; 0: none. Independent elements
  /// hide the latency of long bodies.
  int64_t middleLanes = 0;
  /// A parallel loop along which inputs are contiguous that are not along `loop`: they are turned
  /// in tiles of `lanes` by `lanes` (see CrossedLoops.cpp).
  std::optional<unsigned> crossedLoop;
  /// A parallel loop whose iterations are computed `unroll` at a time, to use a vector once loaded
  /// several times over.
  std::optional<unsigned> unrolledLoop;
  int64_t unroll = 1;
  /// Inputs (their operand numbers) that are copied for each vector of columns, one behind the other
  /// in the order of the reduction loops, because all rows read them so: a column of a matrix lies
  /// scattered over pages, and that of a transposed one is no vector in memory at all.
  SmallVector<unsigned> packed;
  /// A contraction that goes through its reductions in groups of steps (see DotPlan.h). What one
  /// instruction sums has its columns packed, in groups.
  std::optional<DotPlan> dot;
  /// Whether the innermost reduction loop is unrolled: along it and the unrolled loop lie the same vectors, which are
  /// loaded once then. A depthwise convolution's windows overlap so.
  bool unrollsTaps = false;
  /// The only reduction loop runs in parts of this many iterations, with the results so far in
  /// memory in between; 0: in one go. It changes no order.
  int64_t reductionBlock = 0;
  /// How a long sum of floats is made; `loop` is one of the member's loops. Depends on its reduction loops alone, so that the order of a sum does not depend on
  /// tiles; none where sums are short, or of integers.
  std::optional<PartialSums> partialSums;

  /// Whether the totals that those sums are added to lie in memory: beside as many sums registers do
  /// not hold them, and in nests of several reduction loops the compiler spilled them in the innermost.
  bool totalsInMemory = false;

  /// Whether the parts of `reductionBlock` are shorter than what has a sum of its own: that is in
  /// memory between them, beside the results.
  bool keepsPartialSums() const {
    return reductionBlock > 0 && partialSums && reductionBlock < partialSums->steps;
  }
  /// Whether each part's sum, or that of several, is added to what lies in memory at its end.
  bool addsParts() const {
    return reductionBlock > 0 && partialSums && reductionBlock <= partialSums->steps;
  }
  /// What the terms of groups of steps are multiplied by, if their sums are (see ScaledSums.h).
  std::optional<ScaledSums> scaled;
  /// A reduction loop whose iterations lie far apart in memory, so that the hardware does not guess
  /// the next one: its data is fetched so many iterations ahead.
  std::optional<unsigned> prefetchLoop;
  int64_t prefetchDistance = 0;
  /// An input (its operand number) that lies in the order in which it is read, in panels of columns:
  /// the next panel is fetched while rows go through this one (see FetchAhead.h).
  std::optional<unsigned> fetchedAhead;
  /// An input (its operand number) that memory is asked for `kBytesAhead` ahead of where it is read: few rows go through
  /// it faster than the hardware asks for it.
  std::optional<unsigned> fetchedInOrder;
  static constexpr int64_t kBytesAhead = 8192;
  /// What all sums start from, instead of what lies in memory; null if they start from that.
  Value start;
  /// A member that every sum goes through before it is stored, by this member alone: element-wise, or one that adds
  /// up what it makes of the sums along loops around the vectors (see findEpilogue).
  linalg::GenericOp epilogue;
  /// 1: towards the core; 3: to the first cache.
  unsigned prefetchLocality = 1;
  /// The inputs that are fetched ahead; empty: all of them.
  SmallVector<unsigned> prefetched;
  /// Whether products are added with one rounding.
  bool hasFma = true;
  /// Whether whole vectors of the results are stored past the caches, where all results have their
  /// lines at the same elements, and if `isLarge`, a value of the kernel, is true or null.
  bool storesPast = false;
  Value isLarge;
};

/// Whether `epilogue`, with the loops that `plan` was made for, can be computed on its vectors.
bool servesEpilogue(const VectorPlan &plan, linalg::GenericOp epilogue, const VectorFacts &facts);

/// The plan for `op`; none if it stays scalar.
std::optional<VectorPlan> planVectors(linalg::GenericOp op, const VectorFacts &facts);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_VECTORPLAN_H
