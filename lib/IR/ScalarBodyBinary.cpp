//===- ScalarBodyBinary.cpp - Functions of two elements ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/ScalarBody.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::fuse;

static Value buildFloatBinary(ElementBuilder &e, BinaryKind kind, Value l, Value r) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  switch (kind) {
  case BinaryKind::Add:
    return e.fadd(l, r);
  case BinaryKind::Sub:
    return e.fsub(l, r);
  case BinaryKind::Mul:
    return e.fmul(l, r);
  case BinaryKind::Div:
    return e.fdiv(l, r);
  case BinaryKind::Max:
    return arith::MaximumFOp::create(b, l, r);
  case BinaryKind::Min:
    return arith::MinimumFOp::create(b, l, r);
  case BinaryKind::Pow:
    return math::PowFOp::create(b, l, r);
  case BinaryKind::Rem:
    return arith::RemFOp::create(b, l, r);
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight:
    break;
  }
  llvm_unreachable("kind does not take floats");
}

/// The machine's division traps on a zero divisor and on MIN / -1, in garbage lanes too: it sees a
/// divisor of 1 there, and the result is put right afterwards.
static Value buildIntegerDivision(ElementBuilder &e, bool isRemainder, bool isUnsigned, Value l,
                                  Value r) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value isZero = e.icmp(arith::CmpIPredicate::eq, r, 0);
  Value one = e.constant(1, r);
  if (isUnsigned) {
    Value divisor = e.select(isZero, one, r);
    if (isRemainder)
      return e.select(isZero, l, arith::RemUIOp::create(b, l, divisor));
    return e.select(isZero, e.constant(-1, l), arith::DivUIOp::create(b, l, divisor));
  }
  Value isMinusOne = e.icmp(arith::CmpIPredicate::eq, r, -1);
  Value divisor = e.select(e.bitOr(isZero, isMinusOne), one, r);
  if (isRemainder)
    return e.select(isZero, l, arith::RemSIOp::create(b, l, divisor));
  Value quotient = arith::DivSIOp::create(b, l, divisor);
  quotient = e.select(isMinusOne, e.sub(0, l), quotient);
  return e.select(isZero, e.constant(-1, l), quotient);
}

/// Square and multiply over all bits of the exponent, without a loop.
static Value buildIntegerPower(ElementBuilder &e, IntegerType type, Value base, Value exponent) {
  unsigned width = type.getWidth();
  unsigned bits = type.isUnsigned() ? width : width - 1;
  Value one = e.constant(1, base);
  Value result = one;
  Value square = base;
  for (unsigned i = 0; i < bits; ++i) {
    Value isSet = e.icmp(arith::CmpIPredicate::ne, e.bitAnd(exponent, int64_t(1) << i), 0);
    result = e.mul(result, e.select(isSet, square, one));
    if (i + 1 < bits)
      square = e.mul(square, square);
  }
  if (type.isUnsigned())
    return result;
  // A negative exponent: 1 for base 1, +-1 for base -1, else 0 (1 / 0 included).
  Value isOdd = e.icmp(arith::CmpIPredicate::ne, e.bitAnd(exponent, 1), 0);
  Value alternating = e.select(isOdd, base, one);
  Value isUnit = e.bitOr(e.icmp(arith::CmpIPredicate::eq, base, 1),
                         e.icmp(arith::CmpIPredicate::eq, base, -1));
  Value inverse = e.select(isUnit, alternating, e.constant(0, base));
  return e.select(e.icmp(arith::CmpIPredicate::slt, exponent, 0), inverse, result);
}

/// The machine takes counts modulo the width, or is free to: they are bounded, as unsigned numbers.
static Value buildShift(ElementBuilder &e, BinaryKind kind, bool isUnsigned, Value l, Value r) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  int64_t width = e.elementOf(l).getIntOrFloatBitWidth();
  Value count = arith::MinUIOp::create(b, r, e.constant(width - 1, r));
  if (kind == BinaryKind::ShiftRight && !isUnsigned)
    return arith::ShRSIOp::create(b, l, count);
  Value shifted = kind == BinaryKind::ShiftLeft ? e.shl(l, count) : e.lshr(l, count);
  Value isInside = e.icmp(arith::CmpIPredicate::ult, r, width);
  return e.select(isInside, shifted, e.constant(0, l));
}

static Value buildIntegerBinary(ElementBuilder &e, BinaryKind kind, IntegerType type, Value l, Value r) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
  switch (kind) {
  case BinaryKind::Add:
    return e.add(l, r);
  case BinaryKind::Sub:
    return e.sub(l, r);
  case BinaryKind::Mul:
    return e.mul(l, r);
  case BinaryKind::Div:
    return buildIntegerDivision(e, /*isRemainder=*/false, isUnsigned, l, r);
  case BinaryKind::Rem:
    return buildIntegerDivision(e, /*isRemainder=*/true, isUnsigned, l, r);
  case BinaryKind::Max:
    return isUnsigned ? arith::MaxUIOp::create(b, l, r).getResult()
                      : arith::MaxSIOp::create(b, l, r).getResult();
  case BinaryKind::Min:
    return isUnsigned ? arith::MinUIOp::create(b, l, r).getResult()
                      : arith::MinSIOp::create(b, l, r).getResult();
  case BinaryKind::Pow:
    return buildIntegerPower(e, type, l, r);
  case BinaryKind::And:
    return e.bitAnd(l, r);
  case BinaryKind::Or:
    return e.bitOr(l, r);
  case BinaryKind::Xor:
    return e.bitXor(l, r);
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight:
    return buildShift(e, kind, isUnsigned, l, r);
  }
  llvm_unreachable("unknown binary kind");
}

Value fuse::buildBinary(ImplicitLocOpBuilder &b, BinaryKind kind, Type logicalType, Value l,
                        Value r) {
  ElementBuilder e(b);
  if (auto integer = dyn_cast<IntegerType>(logicalType))
    return buildIntegerBinary(e, kind, integer, l, r);
  if (logicalType.getIntOrFloatBitWidth() > 16)
    return buildFloatBinary(e, kind, l, r);
  Type f32 = b.getF32Type();
  return e.roundResult(buildFloatBinary(e, kind, e.extend(l, f32), e.extend(r, f32)), logicalType);
}

namespace {
/// The predicates of arith that compare floats, signed and unsigned integers.
struct Predicates {
  arith::CmpFPredicate ofFloats;
  arith::CmpIPredicate ofSigned, ofUnsigned;
};
} // namespace

static Predicates getPredicates(ComparePredicate predicate) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  switch (predicate) {
  case ComparePredicate::Lt:
    return {F::OLT, I::slt, I::ult};
  case ComparePredicate::Le:
    return {F::OLE, I::sle, I::ule};
  case ComparePredicate::Gt:
    return {F::OGT, I::sgt, I::ugt};
  case ComparePredicate::Ge:
    return {F::OGE, I::sge, I::uge};
  case ComparePredicate::Eq:
    return {F::OEQ, I::eq, I::eq};
  case ComparePredicate::Ne:
    return {F::UNE, I::ne, I::ne};
  }
  llvm_unreachable("unknown predicate");
}

Value fuse::buildCompare(ImplicitLocOpBuilder &b, ComparePredicate predicate, Type logicalType,
                         Value l, Value r) {
  ElementBuilder e(b);
  Predicates predicates = getPredicates(predicate);
  if (auto integer = dyn_cast<IntegerType>(logicalType)) {
    bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
    return e.icmp(isUnsigned ? predicates.ofUnsigned : predicates.ofSigned, l, r);
  }
  if (logicalType.getIntOrFloatBitWidth() == 16) {
    l = e.extend(l, b.getF32Type());
    r = e.extend(r, b.getF32Type());
  }
  return e.fcmp(predicates.ofFloats, l, r);
}

Value fuse::buildClamp(ImplicitLocOpBuilder &b, Type logicalType, Value x, Value lo, Value hi) {
  Value atLeast = buildBinary(b, BinaryKind::Max, logicalType, x, lo);
  return buildBinary(b, BinaryKind::Min, logicalType, atLeast, hi);
}
