//===- RowFold.h - What a reduction along vectors carries -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_ROWFOLD_H
#define FUSE_LIB_CODEGEN_CPU_ROWFOLD_H

#include "../Kernel/LoopCode.h"
#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// Folds vectors lane by lane, and then the lanes, with an op of two operands.
///
/// arith.maximumf and minimumf on f32 are six instructions on x86, each waiting for the one before.
/// There the greatest is found by a comparison alone, which loses a NaN and does not tell zeros
/// apart, and two more values are carried: the greatest magnitude as an integer, which says whether
/// there was a NaN, and the signs of all elements, which say what sign a zero has. The result is
/// the same.
///
/// Elements of f16 and bf16 that are compared as f32 are compared as integers of 16 bits instead, without being widened: with
/// the lower bits of negative ones inverted, integers are in the order of the floats, -0 before +0. The state is the greatest of
/// them and the greatest magnitude. That is a third of the instructions.
///
/// A sum in f64 of elements that are f32 (a mean, see getAccumulatorType) is a sum of f32 as well:
/// of the differences to the row's first element, which is added again at the end, as many times as
/// there are elements. Where a mean has to be good, since all elements lie close to it, differences
/// are exact. Widening each element takes three times as long as adding it.
class RowFold {
public:
  using State = SmallVector<Value>;

  /// `combiner`: an op of scalars that has a neutral element.
  RowFold(OpBuilder &builder, Location loc, Operation *combiner);

  /// Whether the state is more than what the op makes of the elements so far.
  bool hasOwnState() const { return extremum || widened; }
  /// Whether the fold wants to know the first element.
  bool isWidened() const { return widened; }
  /// `first`: what the op has beside its state at the first element, a vector whose lane 0 counts.
  /// `count`: how many elements there are, of index type.
  void setFirst(Value first, Value count);
  /// Of no elements.
  State begin(int64_t lanes);
  /// Where the state is the fold's own: adds what the op has beside the state. `mask` says which of
  /// the lanes count; null for all.
  State add(const State &state, Value values, Value mask);
  /// What a row of lanes has become: a scalar.
  Value finish(State state);
  /// The op itself, on scalars or vectors.
  Value combine(Value l, Value r) { return createCombined(b, loc, combiner, l, r); }
  /// A vector of the neutral element.
  Value getNeutral(int64_t lanes);

private:
  State addToExtremum(const State &state, Value values);
  State addToOrdered(const State &state, Value values, Value mask);
  Value finishOrdered(const State &state);
  /// The bits of short floats as integers in the order of the floats, and back: its own inverse.
  Value toOrdered(Value bits);
  Value getNarrow(Value values);
  State combine(const State &l, const State &r);
  Value pick(Value l, Value r);
  Value toBits(Value x);
  Value integers(int64_t value, Value like);

  OpBuilder &b;
  Location loc;
  Operation *combiner;
  bool isMaximum, extremum, widened;
  FloatType shortType; ///< of an extremum of elements that were f16 or bf16, else null
  Value origin, offset; ///< of a widened sum: what is subtracted, and all of it as f64
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_ROWFOLD_H
