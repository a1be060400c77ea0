//===- Hyperbolic.cpp - sinh, cosh, tanh, asinh, acosh, atanh ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// All but tanh in f64, whose range holds e^x wherever the result is finite in f32, and whose digits
// are enough for what the differences cancel. Near 0 they are polynomials, so that the relative
// error stays.
//
//===----------------------------------------------------------------------------------------===//

#include "PiecewiseTable.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr double ln2 = 0x1.62e42fefa39efp-1;
/// Below it three terms of the series of asinh and atanh are right to 2^-38.
static constexpr double seriesLimit = 0x1p-6;

static Value widenMagnitude(ExpansionBuilder &e, Value x) {
  return e.extend(e.fabs(x), e.getBuilder().getF64Type());
}

static Value narrow(ExpansionBuilder &e, Value x) {
  return e.truncate(x, e.getBuilder().getF32Type());
}

/// e^a for a >= 0; what f32 cannot hold is cut off at 2^200.
static Value expOfMagnitude(ExpansionBuilder &e, Value a) {
  return expandWideExp2(e, e.atMost(e.fmul(a, log2OfE), 200.0));
}

/// a (c0 + a^2 (c1 + a^2 c2)).
static Value series(ExpansionBuilder &e, Value a, ArrayRef<double> coefficients) {
  return e.fmul(a, e.polynomial(e.fmul(a, a), coefficients));
}

Value fuse::expandSinh(ExpansionBuilder &e, Value x) {
  Value a = widenMagnitude(e, x);
  Value small = series(e, a,
                       {0x1.7a5d6f4ba7eefp-19, 0x1.9ffc280caafbcp-13, 0x1.11113bcbcb59ep-7,
                        0x1.555554ffc0175p-3, 0x1.0000000036d7ep+0});
  Value power = expOfMagnitude(e, a);
  Value large = e.fmul(e.fsub(power, e.fdiv(1.0, power)), 0.5);
  Value isSmall = e.fcmp(arith::CmpFPredicate::OLT, a, 1.0);
  return e.copySign(narrow(e, e.select(isSmall, small, large)), x);
}

Value fuse::expandCosh(ExpansionBuilder &e, Value x) {
  Value power = expOfMagnitude(e, widenMagnitude(e, x));
  return narrow(e, e.fmul(e.fadd(power, e.fdiv(1.0, power)), 0.5));
}

/// x (tanh(a) / a), a = |x|, the quotient read off a table; where that ends tanh is 1 in f32.
static Value expandShortTanh(ExpansionBuilder &e, Value x) {
  Value padded = padToRegisters(e, x);
  Value magnitude = e.atMost(e.fabs(padded), kShortTanhQuotient.limit);
  Value quotient = readPiecewise(e, PiecewiseTable(kShortTanhQuotient), magnitude);
  return cutTo(e, x.getType(), e.copySign(e.atMost(e.fmul(magnitude, quotient), 1.0), padded));
}

Value fuse::expandTanh(ExpansionBuilder &e, Value x) {
  if (e.isShort && canReadTables(e, x.getType()))
    return expandShortTanh(e, x);
  // From 10 on the result is 1.
  Value magnitude = e.atMost(e.fabs(x), 10.0);
  Value square = e.fmul(magnitude, magnitude);
  Value tail = e.polynomial(square, {0x1.1ac75ap-9, -0x1.0c87f2p-7, 0x1.63ace8p-6, -0x1.b9f21ep-5,
                                     0x1.11107cp-3, -0x1.555554p-2});
  Value small = e.fma(e.fmul(magnitude, square), tail, magnitude);
  // 1 - 2 / (exp(2 |x|) + 1), which cancels little above 0.6.
  Value power = expandNormalExp(e, e.fadd(magnitude, magnitude));
  Value large = e.fsub(1.0, e.fdiv(2.0, e.fadd(power, 1.0)));
  Value isSmall = e.fcmp(arith::CmpFPredicate::OLT, magnitude, 0.625);
  return e.copySign(e.select(isSmall, small, large), x);
}

Value fuse::expandAsinh(ExpansionBuilder &e, Value x) {
  Value a = widenMagnitude(e, x);
  Value root = math::SqrtOp::create(e.getBuilder(), e.fma(a, a, 1.0));
  Value large = e.fmul(expandWideLog2(e, e.fadd(a, root)), ln2);
  Value small = series(e, a, {3.0 / 40.0, -1.0 / 6.0, 1.0});
  Value isSmall = e.fcmp(arith::CmpFPredicate::OLT, a, seriesLimit);
  Value isFinite = e.fcmp(arith::CmpFPredicate::OLT, a, e.infinity(a));
  Value result = e.select(isFinite, e.select(isSmall, small, large), a);
  return e.copySign(narrow(e, result), x);
}

Value fuse::expandAcosh(ExpansionBuilder &e, Value x) {
  Value wide = e.extend(x, e.getBuilder().getF64Type());
  // Squares of f32 are exact in f64, and near 1 so is the difference.
  Value root = math::SqrtOp::create(e.getBuilder(), e.fsub(e.fmul(wide, wide), 1.0));
  Value logarithm = e.fmul(expandWideLog2(e, e.fadd(wide, root)), ln2);
  Value isFinite = e.fcmp(arith::CmpFPredicate::OLT, x, e.infinity(x));
  Value result = e.select(isFinite, narrow(e, logarithm), x);
  return e.select(e.fcmp(arith::CmpFPredicate::OLT, x, 1.0), e.nan(x), result);
}

Value fuse::expandAtanh(ExpansionBuilder &e, Value x) {
  Value a = widenMagnitude(e, x);
  Value quotient = e.fdiv(e.fadd(a, 1.0), e.fsub(1.0, a));
  Value large = e.fmul(expandWideLog2(e, quotient), ln2 / 2);
  Value small = series(e, a, {1.0 / 5.0, 1.0 / 3.0, 1.0});
  Value isSmall = e.fcmp(arith::CmpFPredicate::OLT, a, seriesLimit);
  Value inside = narrow(e, e.select(isSmall, small, large));
  Value magnitude = e.fabs(x);
  Value isOne = e.fcmp(arith::CmpFPredicate::OEQ, magnitude, 1.0);
  Value outside = e.select(isOne, e.infinity(x), e.nan(x));
  Value isInside = e.fcmp(arith::CmpFPredicate::OLT, magnitude, 1.0);
  return e.copySign(e.select(isInside, inside, outside), x);
}
