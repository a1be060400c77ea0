//===- VectorBody.h - A member's body on vectors -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_VECTORBODY_H
#define FUSE_LIB_CODEGEN_CPU_VECTORBODY_H

#include "VectorPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class IRMapping;
}

namespace mlir::fuse {

/// What all loop nests over vectors are made of: loops of a member on buffers, and its body on
/// vectors of `lanes` elements along `vectorLoop` at the position that `ivs` says. `mask`: null
/// where all lanes count.
class VectorBody {
public:
  virtual ~VectorBody() = default;

protected:
  /// `hasFma`: products are added with one rounding.
  VectorBody(RewriterBase &b, linalg::GenericOp op, unsigned vectorLoop, bool hasFma);

  /// What the body takes for an input.
  virtual Value read(OpOperand &operand, int64_t lanes, Value mask) = 0;

  Value index(int64_t value);
  /// The last multiple of `step` in the loop's extent.
  Value wholeSteps(unsigned loop, int64_t step);
  bool hasRemainder(unsigned loop, int64_t step);
  /// A loop, with the builder inside.
  scf::ForOp makeFor(Value from, Value to, int64_t step, ValueRange carried = {});
  VectorType maskType(int64_t lanes);
  SmallVector<Value> indices(OpOperand &operand);
  Value load(OpOperand &operand, int64_t lanes, Value mask);
  /// Of an operand that the vectors' loop goes through in steps, or across: lane by lane.
  Value loadLanes(OpOperand &operand, int64_t lanes, Value mask);
  Value loadAt(Value buffer, ValueRange at, Access access, int64_t lanes, Value mask);
  /// What a load in the body has along the vectors.
  Value loadInBody(memref::LoadOp load, int64_t lanes, Value mask);
  /// A uniform value of the body, as a scalar; `known`: those at hand.
  Value getScalar(Value value, IRMapping &known);
  void store(Value value, OpOperand &init, Value mask);
  Value spread(Value value, int64_t lanes);
  /// What sums of the types of `values` start from.
  SmallVector<Value> emptySums(ArrayRef<Value> values);
  SmallVector<Value> addSums(ArrayRef<Value> totals, ArrayRef<Value> sums);
  /// What `emit` makes of iterations `begin` to `end` of a reduction loop; `sums` before them.
  using PartCode =
      llvm::function_ref<SmallVector<Value>(Value begin, Value end, ArrayRef<Value> sums)>;
  /// Reduction loop `loop` from `from` to `to`, each `steps` iterations of it with sums of their own
  /// that are added to `totals`: in `totalsBuffer` if there is one, else in registers. `isOutermost`: no
  /// loop goes through it several times.
  SmallVector<Value> addPartialSums(unsigned loop, Value from, Value to, int64_t steps,
                                    bool isOutermost, ArrayRef<Value> totals, PartCode emit);
  /// Moves what computes a scalar in front of the vectors' loop, where none of its results changes
  /// that. LLVM leaves a load, because it does not know that.
  void hoistFromVectors(Value value);
  /// What a division of the body by what all lanes have in common gives; null if `inner` is none.
  Value divideByCommon(Operation &inner, IRMapping &mapping, int64_t lanes);
  /// The body at the current position; `accumulators` are its init arguments, null if unused.
  SmallVector<Value> body(ArrayRef<Value> accumulators, int64_t lanes, Value mask);

  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  unsigned vectorLoop;
  bool hasFma;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<int64_t> ranges;
  SmallVector<Value> extents, ivs; ///< of each loop
  /// An op of the body that stands for its operand `standIn` (see ScaledSums.h); null if there is none.
  Operation *leftOut = nullptr;
  Value standIn;
  Value totalsBuffer;              ///< [2, vectors of results computed together, lanes]; see addPartialSums
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_VECTORBODY_H
