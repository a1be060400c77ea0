//===- RowFold.h - What a reduction along vectors carries -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_ROWFOLD_H
#define FUSE_LIB_CODEGEN_CPU_ROWFOLD_H

#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// Folds vectors lane by lane, and then the lanes, with an op of two operands.
///
/// arith.maximumf and minimumf on f32 are six instructions on x86, each waiting for the one before.
/// There the greatest is found by a comparison alone, which loses a NaN and does not tell zeros
/// apart, and two more values are carried: the greatest magnitude as an integer, which says whether
/// there was a NaN, and the signs of all elements, which say what sign a zero has. The result is
/// the same.
class RowFold {
public:
  using State = SmallVector<Value>;

  /// `combiner`: an op of scalars that has a neutral element.
  RowFold(OpBuilder &builder, Location loc, Operation *combiner);

  /// Whether the state is more than what the op makes of the elements so far.
  bool isExtremum() const { return extremum; }
  /// Of no elements.
  State begin(int64_t lanes);
  State addToExtremum(const State &state, Value values);
  /// What a row of lanes has become: a scalar.
  Value finish(State state);
  /// The op itself, on scalars or vectors.
  Value combine(Value l, Value r);
  /// A vector of the neutral element.
  Value getNeutral(int64_t lanes);

private:
  State combine(const State &l, const State &r);
  Value pick(Value l, Value r);
  Value toBits(Value x);
  Value integers(int64_t value, Value like);

  OpBuilder &b;
  Location loc;
  Operation *combiner;
  bool isMaximum, extremum;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_ROWFOLD_H
