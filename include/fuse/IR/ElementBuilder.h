//===- ElementBuilder.h - Arithmetic on scalars and vectors alike ---------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A thin layer over arith and math for code that must not care whether its values are scalars or
// vectors: constants take the shape of a value they stand beside, and conversions keep the shape.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_ELEMENTBUILDER_H
#define FUSE_IR_ELEMENTBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::fuse {

namespace attr {
/// On an `arith.truncf`: it rounds the result of an op of f16 or bf16, which was computed in f32, rather than what a program
/// casts. `fuse-round-once` may leave it out in front of another op.
constexpr llvm::StringLiteral kRounding = "fuse.rounding";
/// On an op of f32 that computes a function (`math.exp`, `math.tanh`, `fuse.gate`): what it gives is the result of an op of f16
/// or bf16, before that is rounded. Set by `fuse-round-once`, read by `fuse-expand-math`.
constexpr llvm::StringLiteral kShortResult = "fuse.short_result";
} // namespace attr

class ElementBuilder {
public:
  explicit ElementBuilder(ImplicitLocOpBuilder &b) : b(b) {}

  ImplicitLocOpBuilder &getBuilder() { return b; }

  /// `element` in the shape of `like`: itself for a scalar, a vector of it for a vector.
  static Type shapedAs(Type element, Value like);
  static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

  /// A constant of `like`'s type. Floats are rounded to it to nearest.
  Value constant(double value, Value like);
  Value constant(int64_t value, Value like);
  Value constant(int value, Value like) { return constant(int64_t(value), like); }
  /// A constant of element type `element` and `like`'s shape.
  Value constant(double value, Type element, Value like);
  Value constant(int64_t value, Type element, Value like);
  Value infinity(Value like, bool negative = false);
  Value nan(Value like);

  // Floats.
  Value fadd(Value l, Value r) { return arith::AddFOp::create(b, l, r); }
  Value fadd(Value l, double r) { return fadd(l, constant(r, l)); }
  Value fsub(Value l, Value r) { return arith::SubFOp::create(b, l, r); }
  Value fsub(Value l, double r) { return fsub(l, constant(r, l)); }
  Value fsub(double l, Value r) { return fsub(constant(l, r), r); }
  Value fmul(Value l, Value r) { return arith::MulFOp::create(b, l, r); }
  Value fmul(Value l, double r) { return fmul(l, constant(r, l)); }
  Value fdiv(Value l, Value r) { return arith::DivFOp::create(b, l, r); }
  Value fdiv(double l, Value r) { return fdiv(constant(l, r), r); }
  Value fneg(Value x) { return arith::NegFOp::create(b, x); }
  Value fabs(Value x) { return math::AbsFOp::create(b, x); }
  /// x * y + z, rounded once.
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  Value fma(Value x, Value y, double z) { return fma(x, y, constant(z, x)); }
  Value fma(Value x, double y, Value z) { return fma(x, constant(y, x), z); }
  Value fma(Value x, double y, double z) { return fma(x, constant(y, x), constant(z, x)); }
  /// Coefficients from the highest power down; Horner with fma.
  Value polynomial(Value x, ArrayRef<double> coefficients);
  /// |magnitude| with the sign of `sign`.
  Value copySign(Value magnitude, Value sign) {
    return math::CopySignOp::create(b, magnitude, sign);
  }

  // Integers, wrapping.
  Value add(Value l, Value r) { return arith::AddIOp::create(b, l, r); }
  Value add(Value l, int64_t r) { return add(l, constant(r, l)); }
  Value sub(Value l, Value r) { return arith::SubIOp::create(b, l, r); }
  Value sub(int64_t l, Value r) { return sub(constant(l, r), r); }
  Value mul(Value l, Value r) { return arith::MulIOp::create(b, l, r); }
  Value shl(Value l, Value r) { return arith::ShLIOp::create(b, l, r); }
  Value shl(Value l, int64_t r) { return shl(l, constant(r, l)); }
  Value lshr(Value l, Value r) { return arith::ShRUIOp::create(b, l, r); }
  Value lshr(Value l, int64_t r) { return lshr(l, constant(r, l)); }
  Value ashr(Value l, int64_t r) { return arith::ShRSIOp::create(b, l, constant(r, l)); }
  Value bitAnd(Value l, Value r) { return arith::AndIOp::create(b, l, r); }
  Value bitAnd(Value l, int64_t r) { return bitAnd(l, constant(r, l)); }
  Value bitOr(Value l, Value r) { return arith::OrIOp::create(b, l, r); }
  Value bitOr(Value l, int64_t r) { return bitOr(l, constant(r, l)); }
  Value bitXor(Value l, Value r) { return arith::XOrIOp::create(b, l, r); }
  Value bitXor(Value l, int64_t r) { return bitXor(l, constant(r, l)); }

  // Choices.
  Value fcmp(arith::CmpFPredicate p, Value l, Value r) {
    return arith::CmpFOp::create(b, p, l, r);
  }
  Value fcmp(arith::CmpFPredicate p, Value l, double r) { return fcmp(p, l, constant(r, l)); }
  Value icmp(arith::CmpIPredicate p, Value l, Value r) {
    return arith::CmpIOp::create(b, p, l, r);
  }
  Value icmp(arith::CmpIPredicate p, Value l, int64_t r) { return icmp(p, l, constant(r, l)); }
  Value isNan(Value x) { return fcmp(arith::CmpFPredicate::UNO, x, x); }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
  /// The lesser or greater of x and a constant that is not NaN; a NaN in x passes. One instruction
  /// on most machines, unlike arith.minimumf. Zeros of both signs count as equal (x is returned).
  Value atMost(Value x, double bound);
  Value atLeast(Value x, double bound);

  // Conversions; `element` is the element type of the result.
  Value bitcast(Value x, Type element);
  /// Reinterprets a float as the signless integer of its width.
  Value toBits(Value x);
  Value extend(Value x, Type element);
  Value truncate(Value x, Type element);
  /// The same of an op's result, marked `fuse.rounding`.
  Value roundResult(Value x, Type element);
  /// f64 -> f32, rounded to odd: of the two neighbours of an inexact value the one whose last bit
  /// is set. A second rounding to at most 22 bits then equals one rounding of the f64.
  Value truncateToOdd(Value x);

private:
  ImplicitLocOpBuilder &b;
};

} // namespace mlir::fuse

#endif // FUSE_IR_ELEMENTBUILDER_H
