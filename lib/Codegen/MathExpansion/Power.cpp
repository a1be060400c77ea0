//===- Power.cpp - pow ------------------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::fuse;

Value fuse::expandWideLog2(ExpansionBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  constexpr int64_t leastMantissa = 0x3FE6A09E667F3BCD; // sqrt(1/2)
  Value bits = e.toBits(x);
  Value exponent = e.ashr(e.add(bits, -leastMantissa), 52);
  Value mantissa = e.bitcast(e.sub(bits, e.shl(exponent, 52)), b.getF64Type());
  Value k = arith::SIToFPOp::create(b, x.getType(), exponent);
  Value s = e.fdiv(e.fsub(mantissa, 1.0), e.fadd(mantissa, 1.0));
  Value series = e.polynomial(e.fmul(s, s), {0x1.f15d8cec85e0fp-3, 0x1.0bb97aa70a683p-2,
                                             0x1.484f9d05bf9bcp-2, 0x1.a61756b590153p-2,
                                             0x1.2776c5166c69ep-1, 0x1.ec709dc39cd11p-1,
                                             0x1.71547652b82ffp+1});
  return e.fma(s, series, k);
}

Value fuse::expandWideExp2(ExpansionBuilder &e, Value x) {
  constexpr double roundingMagic = 0x1.8p52;
  Value shifted = e.fadd(x, roundingMagic);
  Value r = e.fsub(x, e.fsub(shifted, roundingMagic));
  Value power = e.polynomial(r, {0x1.e2d50ff698bc3p-17, 0x1.446b7443d4db5p-13,
                                 0x1.5da21867d67eep-10, 0x1.3b29daa1e4672p-7,
                                 0x1.c6b073506875fp-5, 0x1.ebfbe0a6495d1p-3, 0x1.62e42ffc8c275p-1,
                                 0x1.ffffffffabbd1p-1});
  Value scale = e.add(e.shl(e.toBits(shifted), 52), 0x3FF0000000000000);
  return e.fmul(power, e.bitcast(scale, e.getBuilder().getF64Type()));
}

Value fuse::expandPow(ExpansionBuilder &e, math::PowFOp op) {
  using P = arith::CmpFPredicate;
  ImplicitLocOpBuilder &b = e.getBuilder();
  Type f64 = b.getF64Type();
  Value x = op.getLhs(), y = op.getRhs();
  Value magnitude = e.fabs(x);
  Value wide = e.extend(magnitude, f64);
  Value logarithm = expandWideLog2(e, wide);
  logarithm = e.select(e.fcmp(P::OEQ, wide, 0.0), e.infinity(wide, true), logarithm);
  logarithm = e.select(e.fcmp(P::OLT, wide, e.infinity(wide)), logarithm, wide);
  Value product = e.fmul(e.extend(y, f64), logarithm);
  // pow(+-1, +-inf) = 1, and not the NaN of inf * 0.
  product = e.select(e.fcmp(P::OEQ, logarithm, 0.0), logarithm, product);
  // f64 holds all of this range, so that the one rounding is that to f32, denormal or not.
  Value bounded = e.atLeast(e.atMost(product, 200.0), -200.0);
  Value result = e.truncate(expandWideExp2(e, bounded), b.getF32Type());

  Value isInteger = e.fcmp(P::OEQ, math::FloorOp::create(b, y), y);
  Value half = e.fmul(y, 0.5);
  Value isEven = e.fcmp(P::OEQ, math::FloorOp::create(b, half), half);
  Value signBit = e.bitAnd(e.toBits(x), int64_t(0x80000000));
  Value isOddInteger = e.bitAnd(isInteger, e.bitXor(isEven, -1));
  Value sign = e.select(isOddInteger, signBit, e.constant(0, signBit));
  result = e.bitcast(e.bitXor(e.toBits(result), sign), b.getF32Type());
  Value isFiniteNegative =
      e.bitAnd(e.fcmp(P::OLT, x, 0.0), e.fcmp(P::OGT, x, e.infinity(x, true)));
  Value isUndefined = e.bitAnd(isFiniteNegative, e.bitXor(isInteger, -1));
  Value isNan = e.bitOr(isUndefined, e.fcmp(P::UNO, x, y));
  result = e.select(isNan, e.nan(x), result);
  Value isOne = e.bitOr(e.fcmp(P::OEQ, x, 1.0), e.fcmp(P::OEQ, y, 0.0));
  return e.select(isOne, e.constant(1.0, x), result);
}
