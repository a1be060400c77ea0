//===- ScalarBody.h - What each kind computes on one element --------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Emits the arith and math ops of a kind at the builder's insertion point. Values are scalars or
// vectors of any shape, all operands of one shape, in *signless* form: ui8 is held as i8, i1 as
// i1. `logicalType` is the element type of the tensor (f16 bf16 f32 f64 i1 iN uiN) and says how to
// read the bits. The caller has checked KindTypes.h; an illegal pair is a programming error.
//
// f16 and bf16 compute in f32 and are rounded by each call. Nothing traps and nothing is poison,
// whatever the lanes hold, so that masked tails may hold garbage. The only contraction is the
// math.fma written here, within one kind.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_SCALARBODY_H
#define FUSE_IR_SCALARBODY_H

#include "fuse/Support/KindTypes.h"
#include "fuse/Support/UnaryParams.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fuse {

/// The type in which values of an element type are held: signless integers, else the type itself.
Type getSignlessType(Type logicalType);

/// Float -> float of the same type, integer -> the same integer; is_nan and is_inf give i1.
/// Choices where libraries differ: sign keeps -0.0 and NaN; x * sigmoid(x) and gelu of -inf are
/// NaN (-inf * 0); abs and neg of the least integer wrap.
Value buildUnary(ImplicitLocOpBuilder &b, UnaryKind kind, const UnaryParams &parameters,
                 Type logicalType, Value x);

/// max and min propagate NaN and order -0.0 below +0.0; on i1 they are or and and. Integers wrap;
/// x / 0 = -1 (all bits set if unsigned), x rem 0 = x, MIN / -1 = MIN, MIN rem -1 = 0, and a shift by the width or more
/// gives 0, or copies of the sign.
Value buildBinary(ImplicitLocOpBuilder &b, BinaryKind kind, Type logicalType, Value l, Value r);

/// i1; with a NaN only ne is true.
Value buildCompare(ImplicitLocOpBuilder &b, ComparePredicate predicate, Type logicalType, Value l,
                   Value r);

/// Rounds once, also from i64 or f64 to bf16. Float -> integer truncates toward zero, saturates,
/// and takes NaN to 0; integers wrap; to i1 is x != 0.
Value buildCast(ImplicitLocOpBuilder &b, Type from, Type to, Value x);

/// The same bits as another type of the same width; neither is i1.
Value buildBitcast(ImplicitLocOpBuilder &b, Type from, Type to, Value x);

/// min(max(x, lo), hi); a NaN in any of the three gives NaN.
Value buildClamp(ImplicitLocOpBuilder &b, Type logicalType, Value x, Value lo, Value hi);

/// f32 for f16 and bf16, i32 for integers of 8 and 16 bits in sum and prod, else `elementType` itself.
Type getAccumulatorType(ReduceKind kind, Type elementType);

/// What combines two results of a reduction; mean is combined like sum.
BinaryKind getCombiner(ReduceKind kind);

/// `accType` is logical, and both values are held in it.
Value buildReduceCombine(ImplicitLocOpBuilder &b, ReduceKind kind, Type accType, Value acc,
                         Value x);

/// The value of an empty reduction, of the signless form of `accType` (mean: that of sum).
TypedAttr getReduceNeutral(ReduceKind kind, Type accType);
Value buildReduceNeutral(ImplicitLocOpBuilder &b, ReduceKind kind, Type accType);

/// What follows the last combine: mean divides by `count` (of index type, a scalar; no elements
/// give NaN), the other kinds return `acc`.
Value buildReduceFinish(ImplicitLocOpBuilder &b, ReduceKind kind, Type accType, Value acc,
                        Value count);

/// A candidate of argmax or argmin: an element in the signless form of the element type and its
/// index, an i64 of the same shape.
struct ArgValue {
  Value element;
  Value index;
};

/// The better of two candidates in any order: the first NaN, else the extreme element, else the
/// lesser index.
ArgValue buildArgCombine(ImplicitLocOpBuilder &b, ArgReduceKind kind, Type logicalType,
                         ArgValue l, ArgValue r);

} // namespace mlir::fuse

#endif // FUSE_IR_SCALARBODY_H
