//===- VectorNest.h - Loops around vectors -----------------------*- C++ -*----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_VECTORNEST_H
#define FUSE_LIB_CODEGEN_CPU_VECTORNEST_H

#include "VectorBody.h"

namespace mlir::fuse {

/// The loops of a member around what its mode does with vectors: the parallel ones, outermost first, and, where the mode asks
/// for it, the vectors'. A derived class says what stands inside.
class VectorNest : protected VectorBody {
protected:
  /// `apart`: a parallel loop that the mode takes care of itself.
  VectorNest(RewriterBase &b, linalg::GenericOp op, const VectorPlan &plan, std::optional<unsigned> apart = {});

  /// The parallel loops from the `depth`-th on, and what stands inside.
  void emitOuter(unsigned depth = 0);
  /// Before the `depth`-th of the parallel loops begins, or what stands inside.
  virtual void enter(unsigned depth) {}
  virtual void emitInside() = 0;

  /// Vectors from element `first` on, or all if it is null: as many of `plan.lanes` as there are, then of `middleLanes` (0:
  /// none) and `plan.tailLanes`, and at last one with a mask.
  void emitVectors(Value first = {}, int64_t middleLanes = 0);
  /// One vector with a mask at a time.
  void emitMasked(Value from, Value to);
  /// `lanes` elements from `ivs[plan.loop]` on; `mask`: null where all of them count.
  virtual void emitVector(int64_t lanes, Value mask) {}

  Value read(OpOperand &operand, int64_t lanes, Value mask) override;

  const VectorPlan &plan;
  SmallVector<unsigned> outer, inner; ///< parallel loops, and reductions, beside the vectors'

private:
  Value roundedSteps(Value first, int64_t step);
  void emitWhole(Value from, Value to, int64_t lanes, bool isSingle);
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_VECTORNEST_H
