//===- ScalarBodyCast.cpp - Conversions of one element -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/ScalarBody.h"

using namespace mlir;
using namespace mlir::fuse;

Type fuse::getSignlessType(Type logicalType) {
  if (auto integer = dyn_cast<IntegerType>(logicalType))
    return IntegerType::get(integer.getContext(), integer.getWidth());
  return logicalType;
}

static Value convertFloat(ElementBuilder &e, Type to, Value x) {
  unsigned fromWidth = e.elementOf(x).getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (e.elementOf(x) == to)
    return x;
  Type f32 = e.getBuilder().getF32Type();
  if (fromWidth == 16 && toWidth == 16)
    return e.truncate(e.extend(x, f32), to);
  if (fromWidth < toWidth)
    return e.extend(x, to);
  if (fromWidth == 64 && toWidth == 16)
    return e.truncate(e.truncateToOdd(x), to);
  return e.truncate(x, to);
}

/// Bounds first: arith.fptosi is poison out of range.
static Value convertFloatToInt(ElementBuilder &e, IntegerType to, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  bool isUnsigned = to.isUnsigned();
  unsigned width = to.getWidth();
  if (e.elementOf(x).getIntOrFloatBitWidth() == 16)
    x = e.extend(x, b.getF32Type());
  unsigned precision = cast<FloatType>(e.elementOf(x)).getFPMantissaWidth();
  unsigned valueBits = isUnsigned ? width : width - 1;
  // The least float that is too large, 2^valueBits, is representable; so is the lowest integer.
  double limit = std::ldexp(1.0, valueBits);
  double lowest = isUnsigned ? 0.0 : -limit;
  // The greatest float whose truncation is in range: exact if the type holds all the integer's
  // bits, else the float below the limit.
  double highest = precision >= valueBits ? limit - 1.0
                                          : limit - std::ldexp(1.0, valueBits - precision);
  // NaN becomes 0, which a comparison with 0 gives that is false for it.
  Value zero = e.constant(0.0, x);
  Value positive = isUnsigned ? e.select(e.fcmp(arith::CmpFPredicate::OGT, x, 0.0), x, zero)
                              : e.atLeast(e.select(e.isNan(x), zero, x), lowest);
  Value bounded = e.atMost(positive, highest);
  Type signless = IntegerType::get(b.getContext(), width);
  Type resultType = e.shapedAs(signless, x);
  Value result;
  if (isUnsigned)
    result = arith::FPToUIOp::create(b, resultType, bounded);
  else
    result = arith::FPToSIOp::create(b, resultType, bounded);
  if (precision >= valueBits)
    return result;
  APInt most = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  Value saturated = e.constant(most.getSExtValue(), signless, x);
  return e.select(e.fcmp(arith::CmpFPredicate::OGE, x, limit), saturated, result);
}

static Value convertIntToFloat(ElementBuilder &e, IntegerType from, Type to, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  bool isUnsigned = from.isUnsigned() || from.getWidth() == 1;
  auto convert = [&](Type type, Value value) -> Value {
    if (isUnsigned)
      return arith::UIToFPOp::create(b, e.shapedAs(type, x), value);
    return arith::SIToFPOp::create(b, e.shapedAs(type, x), value);
  };
  if (to.getIntOrFloatBitWidth() >= 32)
    return convert(to, x);
  // By way of f32. That is exact up to 16 bits; for f16 it is right beyond, too, since what f32
  // must round is infinite in f16.
  if (from.getWidth() <= 16 || to.isF16())
    return e.truncate(convert(b.getF32Type(), x), to);
  if (from.getWidth() == 64) {
    // Above 2^53 the low bits are folded into one sticky bit, which makes f64 exact and cannot
    // change a rounding to 8 bits.
    constexpr int64_t lowMask = 0x7FF;
    Value isInexact = e.icmp(arith::CmpIPredicate::ne, e.bitAnd(x, lowMask), 0);
    Value high = e.bitAnd(x, ~lowMask);
    Value folded = e.select(isInexact, e.bitOr(high, lowMask + 1), high);
    Value isLarge;
    if (isUnsigned)
      isLarge = e.icmp(arith::CmpIPredicate::uge, x, int64_t(1) << 53);
    else
      isLarge = e.icmp(arith::CmpIPredicate::uge, e.add(x, int64_t(1) << 53), int64_t(1) << 54);
    x = e.select(isLarge, folded, x);
  }
  return e.truncate(e.truncateToOdd(convert(b.getF64Type(), x)), to);
}

static Value convertInt(ElementBuilder &e, IntegerType from, IntegerType to, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Type resultType = e.shapedAs(getSignlessType(to), x);
  if (from.getWidth() == to.getWidth())
    return x;
  if (from.getWidth() > to.getWidth())
    return arith::TruncIOp::create(b, resultType, x);
  if (from.isUnsigned() || from.getWidth() == 1)
    return arith::ExtUIOp::create(b, resultType, x);
  return arith::ExtSIOp::create(b, resultType, x);
}

Value fuse::buildBitcast(ImplicitLocOpBuilder &b, Type from, Type to, Value x) {
  Type signless = getSignlessType(to);
  return getSignlessType(from) == signless ? x : ElementBuilder(b).bitcast(x, signless);
}

Value fuse::buildCast(ImplicitLocOpBuilder &b, Type from, Type to, Value x) {
  ElementBuilder e(b);
  auto fromInt = dyn_cast<IntegerType>(from);
  auto toInt = dyn_cast<IntegerType>(to);
  if (from == to)
    return x;
  if (toInt && toInt.getWidth() == 1) {
    if (fromInt)
      return e.icmp(arith::CmpIPredicate::ne, x, 0);
    return e.fcmp(arith::CmpFPredicate::UNE, x, 0.0);
  }
  if (fromInt && toInt)
    return convertInt(e, fromInt, toInt, x);
  if (fromInt)
    return convertIntToFloat(e, fromInt, to, x);
  if (toInt)
    return convertFloatToInt(e, toInt, x);
  return convertFloat(e, to, x);
}
