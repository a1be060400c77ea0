//===- ScalarFunctions.h - What every op kind means on one element ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The one table of scalar functions, behind the folds of the dialect and the interpreter. Floats
// give the exact result rounded once to the element type (f16 and bf16: to f32, then to the type);
// transcendental functions reach that but for ties closer than long double resolves. Integers wrap
// and never trap. Each kind takes the types that KindTypes.h names; for others the result is
// unspecified, though defined behaviour.
//
// Choices where PyTorch, ONNX and XLA leave room:
//  - sign(±0) is that zero, and sign(NaN) is NaN.
//  - max(-0, +0) is +0 and min(-0, +0) is -0, in either order.
//  - silu, gelu and hard_swish of -inf are NaN (-inf times 0), as all three frameworks compute.
//  - clamp is min(max(x, low), high): where low > high, high wins.
//  - float rem is C's fmod: exact, with the dividend's sign.
//  - a shift's count is read as unsigned; by the width or more nothing is left but copies of the sign
//    of a signed operand shifted right.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_SCALARFUNCTIONS_H
#define FUSE_SUPPORT_SCALARFUNCTIONS_H

#include "fuse/Support/OpKinds.h"
#include "fuse/Support/Scalar.h"
#include "fuse/Support/UnaryParams.h"

namespace mlir::fuse {

//===----------------------------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------------------------===//

Scalar evaluateUnary(UnaryKind kind, Scalar x, const UnaryParams &params);
/// With the kind's default parameters.
Scalar evaluateUnary(UnaryKind kind, Scalar x);

/// Both operands must be of one type.
Scalar evaluateBinary(BinaryKind kind, Scalar lhs, Scalar rhs);

/// i1. With a NaN only `ne` is true.
Scalar evaluateCompare(ComparePredicate predicate, Scalar lhs, Scalar rhs);

/// min(max(x, low), high); a NaN among the three gives NaN.
Scalar evaluateClamp(Scalar x, Scalar low, Scalar high);

/// Float to integer truncates toward zero and saturates, NaN gives 0; integers wrap; floats round
/// to nearest even, in one step; to i1 is x != 0.
Scalar evaluateCast(Scalar x, ElementType type);

//===----------------------------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------------------------===//

/// In which a reduction accumulates: f32 for f16 and bf16, i32 for i8 and i16, else the type.
ElementType getAccumulatorType(ElementType type);

/// Reduces elements of one type, in any order; float sums and products are carried in long double
/// (sums compensated) and rounded once to the accumulator's type, then to the element type, so
/// that the result stands for any order of accumulation.
class ScalarReducer {
public:
  ScalarReducer(ReduceKind kind, ElementType type);

  void add(Scalar value);
  /// Of the element type. Over no elements: sum 0, prod 1, max -inf or the lowest integer, min
  /// +inf or the highest, mean NaN, any false, all true.
  Scalar getResult() const;

private:
  ReduceKind kind;
  ElementType type;
  int64_t count = 0;
  long double sum = 0.0L, compensation = 0.0L, product = 1.0L;
  uint64_t bits;
  Scalar extreme;
};

/// Finds the first index of the greatest (least) element; the first NaN wins over all.
class ScalarArgReducer {
public:
  explicit ScalarArgReducer(ArgReduceKind kind) : kind(kind) {}

  /// Elements come in the order of their indices.
  void add(Scalar value);
  /// -1 over no elements.
  int64_t getResult() const { return best; }

private:
  ArgReduceKind kind;
  int64_t count = 0;
  int64_t best = -1;
  Scalar extreme;
};

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_SCALARFUNCTIONS_H
