//===- Trigonometry.cpp - sin, cos, tan -------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// |x| = (q + f) pi/2, q an integer, |f| <= 1/2. The remainder must be right for all floats, up to
// 2^128, so the product with 2/pi is taken in integers: a float is m 2^E with m < 2^24; of 2/pi
// only a window of 96 bits counts, for what is higher gives whole turns, and what is lower is too
// small. The window starts at a bit that depends on E alone. The product modulo 2^64, two integer
// bits (the quadrant) and 62 fraction bits, comes from one wrapping multiplication of 64 bits.
// No float is nearer to a multiple of pi/2 than about 2^-30 of it, which leaves 30 good bits.
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::fuse;

/// 2/pi in words of 32 bits after a word of zeros.
static constexpr uint32_t twoOverPi[] = {0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                         0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};
static constexpr double quarterPi = 0x1.921fb54442d18p-1;

namespace {
struct Remainder {
  /// f64, |r| <= pi/4, of |x|.
  Value r;
  /// i64, 0 to 3.
  Value quadrant;
};
} // namespace

static int64_t twoWords(unsigned index) {
  return static_cast<int64_t>(uint64_t(twoOverPi[index]) << 32 | twoOverPi[index + 1]);
}

static Remainder reduceAngle(ExpansionBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Type i64 = e.shapedAs(b.getI64Type(), x);
  Type f64 = e.shapedAs(b.getF64Type(), x);
  Value magnitude = e.fabs(x);
  Value bits = arith::ExtUIOp::create(b, i64, e.toBits(magnitude));
  // The window starts at E + 30 = biased exponent - 120. Arguments below pi/4 need none, and would
  // start before the table.
  Value exponent = e.lshr(bits, 23);
  Value start = arith::MaxSIOp::create(b, e.add(exponent, -120), e.constant(0, bits));
  Value mantissa = e.bitOr(e.bitAnd(bits, 0x7FFFFF), 0x800000);
  Value high = e.constant(twoWords(0), bits);
  Value low = e.constant(twoWords(2), bits);
  for (unsigned word = 1; word <= 4; ++word) {
    Value isAtLeast = e.icmp(arith::CmpIPredicate::uge, start, 32 * word);
    high = e.select(isAtLeast, e.constant(twoWords(word), bits), high);
    low = e.select(isAtLeast, e.constant(twoWords(word + 2), bits), low);
  }
  Value shift = e.bitAnd(start, 31);
  // In two steps, since a shift by 64 is poison.
  Value carried = e.lshr(e.lshr(low, 1), e.sub(63, shift));
  Value windowHigh = e.bitOr(e.shl(high, shift), carried);
  Value windowLow = e.lshr(e.shl(low, shift), 32);
  Value product = e.add(e.mul(mantissa, windowHigh), e.lshr(e.mul(mantissa, windowLow), 32));
  Value quadrant = e.lshr(e.add(product, int64_t(1) << 61), 62);
  Value fraction = e.sub(product, e.shl(quadrant, 62));
  Value r = e.fmul(arith::SIToFPOp::create(b, f64, fraction), 0x1.921fb54442d18p-62);
  Value isReduced = e.fcmp(arith::CmpFPredicate::OLE, magnitude, quarterPi);
  r = e.select(isReduced, e.extend(magnitude, b.getF64Type()), r);
  return {r, e.select(isReduced, e.constant(0, quadrant), quadrant)};
}

/// |r| <= pi/4, f32.
static Value sinOfReduced(ExpansionBuilder &e, Value r, Value square) {
  Value tail = e.polynomial(square, {0x1.7cd428p-19, -0x1.a05bb2p-13, 0x1.111176p-7,
                                     -0x1.555556p-3});
  return e.fma(e.fmul(r, square), tail, r);
}

static Value cosOfReduced(ExpansionBuilder &e, Value square) {
  return e.polynomial(square, {-0x1.37205ep-22, 0x1.a075ep-16, -0x1.6c1762p-10, 0x1.555556p-5,
                               -0.5, 1.0});
}

/// sin(r + quadrant pi/2), or NaN where x is not finite.
static Value sinOfQuadrant(ExpansionBuilder &e, Value x, Value r, Value quadrant) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value single = e.truncate(r, b.getF32Type());
  Value square = e.fmul(single, single);
  Value isOdd = e.icmp(arith::CmpIPredicate::ne, e.bitAnd(quadrant, 1), 0);
  Value result = e.select(isOdd, cosOfReduced(e, square), sinOfReduced(e, single, square));
  Value isNegative = e.icmp(arith::CmpIPredicate::ne, e.bitAnd(quadrant, 2), 0);
  result = e.select(isNegative, e.fneg(result), result);
  Value isFinite = e.fcmp(arith::CmpFPredicate::OLT, e.fabs(x), e.infinity(x));
  return e.select(isFinite, result, e.nan(x));
}

/// `y` with its sign turned where x is negative (-0.0 too).
static Value turnWithSign(ExpansionBuilder &e, Value y, Value x) {
  Value sign = e.bitAnd(e.toBits(x), int64_t(0x80000000));
  return e.bitcast(e.bitXor(e.toBits(y), sign), e.getBuilder().getF32Type());
}

Value fuse::expandSin(ExpansionBuilder &e, Value x) {
  Remainder remainder = reduceAngle(e, x);
  return turnWithSign(e, sinOfQuadrant(e, x, remainder.r, remainder.quadrant), x);
}

Value fuse::expandCos(ExpansionBuilder &e, Value x) {
  Remainder remainder = reduceAngle(e, x);
  return sinOfQuadrant(e, x, remainder.r, e.add(remainder.quadrant, 1));
}

Value fuse::expandTan(ExpansionBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Remainder remainder = reduceAngle(e, x);
  Value r = remainder.r;
  Value square = e.fmul(r, r);
  Value sinTail = e.polynomial(square, {-0x1.a965cf36d6414p-26, 0x1.71d77a189b508p-19,
                                        -0x1.a019f955566d6p-13, 0x1.1111110c9edb4p-7,
                                        -0x1.55555555523c9p-3});
  Value sin = e.fma(e.fmul(r, square), sinTail, r);
  Value cos = e.polynomial(square, {0x1.1bc1ddf3fedf1p-29, -0x1.27e01762f4e46p-22,
                                    0x1.a019fa7dd3e6dp-16, -0x1.6c16c1673ebb8p-10,
                                    0x1.5555555552eaep-5, -0x1.ffffffffffffdp-2, 1.0});
  Value isOdd = e.icmp(arith::CmpIPredicate::ne, e.bitAnd(remainder.quadrant, 1), 0);
  Value quotient = e.fdiv(e.select(isOdd, e.fneg(cos), sin), e.select(isOdd, sin, cos));
  Value result = e.truncate(quotient, b.getF32Type());
  Value isFinite = e.fcmp(arith::CmpFPredicate::OLT, e.fabs(x), e.infinity(x));
  return turnWithSign(e, e.select(isFinite, result, e.nan(x)), x);
}
