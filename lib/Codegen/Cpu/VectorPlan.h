//===- VectorPlan.h - How a member runs in vectors ---------------*- C++ -*----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A member on buffers is a loop nest with a scalar body. One of its loops runs in vectors, in one of four modes:
//
//   mode         | loop                                               | example, with x and w row-major
//   -------------+----------------------------------------------------+---------------------------------------------
//   map          | parallel, results are contiguous along it          | y[i, j] = relu(x[i, j]): vectors along j
//   transpose    | the same, and some input is contiguous along       | y[i, j] = x[j, i]: tiles of 16 by 16
//                | another loop: square tiles, in registers           |
//   contraction  | parallel, with reductions around the vectors:      | y[i, j] = sum of x[i, k] w[k, j]: vectors
//                | each lane has a sum of its own                     | along j, ten rows at a time
//   row reduction| a reduction, along which the inputs are contiguous:| y[i] = sum of x[i, k]: vectors along k
//                | lanes are folded at the end                        |
//
// Each mode has a plan (a class below), a planner (`plan...`, LoopFacts.h) and an emitter. Where no mode serves, the nest stays
// scalar. To add a mode, derive a plan, and try its planner in `planVectors`.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_VECTORPLAN_H
#define FUSE_LIB_CODEGEN_CPU_VECTORPLAN_H

#include "../Kernel/BodyAccess.h"
#include "DotPlan.h"
#include "ScaledSums.h"
#include "fuse/Analysis/PartialSums.h"
#include "fuse/IR/FuseAttributes.h"

#include <memory>

namespace mlir {
class RewriterBase;
}

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

/// A loop whose iterations lie far apart in memory, so that the hardware does not guess the next one: data is fetched so many
/// iterations ahead.
struct Prefetch {
  unsigned loop = 0;
  int64_t distance = 0;
  unsigned locality = 1; ///< 1: towards the core; 3: to the first cache
  /// The operands that are fetched ahead, by their numbers; empty: all of them.
  SmallVector<unsigned> operands = {};
};

/// What the plans of all modes say.
class VectorPlan {
public:
  enum class Mode { Map, Transpose, Contraction, RowReduction };

  virtual ~VectorPlan() = default;
  Mode getMode() const { return mode; }
  /// Emits `op`, the member that was planned, on buffers, as scf loops over vectors, where the builder stands. Erases neither
  /// the member nor what its sums go through.
  virtual void emit(RewriterBase &rewriter, linalg::GenericOp op) const = 0;
  /// Whether operands are read where they lie, each vector once, so that memory may be told ahead what comes.
  virtual bool readsInPlace() const { return true; }

  /// The loop that runs in vectors.
  unsigned loop = 0;
  /// Elements per iteration of that loop, and of a masked iteration behind the last whole one. A row reduction keeps `lanes`
  /// partial results in both, so that its order does not depend on extents.
  int64_t lanes = 1, tailLanes = 1;
  std::optional<Prefetch> prefetch;
  /// Whether products are added with one rounding.
  bool hasFma = true;

protected:
  explicit VectorPlan(Mode mode) : mode(mode) {}

private:
  Mode mode;
};

/// Element by element.
class MapPlan : public VectorPlan {
public:
  MapPlan() : VectorPlan(Mode::Map) {}
  static bool classof(const VectorPlan *plan) { return plan->getMode() == Mode::Map; }
  void emit(RewriterBase &rewriter, linalg::GenericOp op) const override;

  /// Elements of iterations between those of `lanes` and those of `tailLanes`, of what `lanes` leaves over; 0: none. Independent
  /// elements hide the latency of long bodies.
  int64_t middleLanes = 0;
  /// Whether whole vectors of the results are stored past the caches, where all results have their lines at the same elements,
  /// and if `isLarge`, a value of the kernel, is true or null.
  bool storesPast = false;
  Value isLarge;
};

/// Element by element, with inputs that are transposed in tiles of `lanes` by `lanes`.
class TransposePlan : public VectorPlan {
public:
  TransposePlan() : VectorPlan(Mode::Transpose) {}
  static bool classof(const VectorPlan *plan) { return plan->getMode() == Mode::Transpose; }
  void emit(RewriterBase &rewriter, linalg::GenericOp op) const override;
  bool readsInPlace() const override { return false; }

  /// A parallel loop along which those inputs are contiguous.
  unsigned crossedLoop = 0;
  /// Whether tiles follow each other along the result's memory, not along the inputs'. Example: 100 channels of 1024 pixels
  /// stand in scratch with their channels last, and leave the kernel with their channels first, as 100 lines that lie far from
  /// each other. Along a pixel's channels all 100 lines would be written at once, more than a core follows.
  bool followsResult = false;
};

/// Lanes of a row are folded, and then with each other.
class RowReductionPlan : public VectorPlan {
public:
  RowReductionPlan() : VectorPlan(Mode::RowReduction) {}
  static bool classof(const VectorPlan *plan) { return plan->getMode() == Mode::RowReduction; }
  void emit(RewriterBase &rewriter, linalg::GenericOp op) const override;
};

/// Reductions around vectors: products, convolutions, sums down columns.
class ContractionPlan : public VectorPlan {
public:
  ContractionPlan() : VectorPlan(Mode::Contraction) {}
  static bool classof(const VectorPlan *plan) { return plan->getMode() == Mode::Contraction; }
  void emit(RewriterBase &rewriter, linalg::GenericOp op) const override;
  bool readsInPlace() const override { return packed.empty() && !unrolledLoop; }
  /// Whether `epilogue`, with the loops that this plan was made for, can be computed on its vectors.
  bool serves(linalg::GenericOp epilogue, const VectorFacts &facts) const;
  /// Vectors of results that are computed together, in registers of `width` lanes.
  int64_t countSums(int64_t width) const { return unroll * llvm::divideCeil(lanes, width); }

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
  /// Vectors of columns that a group of rows goes through before the next group does; all of them are packed first, if they
  /// are. 1: every group goes through a vector before the next one. Rows that lie pages apart, such as the channels of a large
  /// image, are read and written in runs so, which memory is fast at.
  int64_t columnRun = 1;
  /// Whether the innermost reduction loop is unrolled: along it and the unrolled loop lie the same vectors, which are
  /// loaded once then. A depthwise convolution's windows overlap so.
  bool unrollsTaps = false;
  /// The only reduction loop runs in parts of this many iterations, with the results so far in
  /// memory in between; 0: in one go. It changes no order.
  int64_t reductionBlock = 0;
  /// How a long sum of floats is made; `loop` is one of the member's loops. Depends on its reduction loops alone, so that the
  /// order of a sum does not depend on tiles; none where sums are short, or of integers.
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
};

/// The plan for `op`; null if it stays scalar.
std::unique_ptr<VectorPlan> planVectors(linalg::GenericOp op, const VectorFacts &facts);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_VECTORPLAN_H
