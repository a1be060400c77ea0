//===- Exp.cpp - exp, exp2, expm1 -------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::fuse;

/// Added to a float of at most 2^22 it leaves the nearest integer in the low bits.
static constexpr double roundingMagic = 12582912.0; // 1.5 * 2^23
static constexpr double log2OfE = 0x1.71547652b82fep+0;
/// ln 2 in two parts: the upper times any exponent is exact.
static constexpr double ln2High = 0x1.62e4p-1;
static constexpr double ln2Low = 0x1.7f7d1cf79abcap-20;
/// The bits of 1.0.
static constexpr int64_t oneBits = 0x3F800000;

namespace {
/// x = n ln 2 + r, |r| <= ln 2 / 2.
struct Reduced {
  /// r in two parts: x less n times the upper part of ln 2, which is exact, and the rest.
  Value high, low;
  /// Its low bits are n in two's complement; shifted left by 23 nothing else is left.
  Value bits;
};
} // namespace

static Reduced reduce(ElementBuilder &e, Value x) {
  Value shifted = e.fma(x, log2OfE, roundingMagic);
  Value n = e.fsub(shifted, roundingMagic);
  return {e.fma(n, -ln2High, x), e.fmul(n, -ln2Low), e.toBits(shifted)};
}

/// 2^n; `bits` as in Reduced, n a normal exponent.
static Value powerOfTwo(ElementBuilder &e, Value bits) {
  return e.bitcast(e.add(e.shl(bits, 23), oneBits), e.getBuilder().getF32Type());
}

/// y 2^n in two steps, the second of which alone rounds, to a denormal.
static Value scale(ElementBuilder &e, Value y, Value bits) {
  Value half = e.ashr(bits, 1);
  Value rest = e.sub(bits, half);
  return e.fmul(e.fmul(y, powerOfTwo(e, half)), powerOfTwo(e, rest));
}

/// exp(r), to little more than half a unit: what 1 + r loses is added to the small terms.
static Value expOfReduced(ElementBuilder &e, const Reduced &reduced) {
  Value r = e.fadd(reduced.high, reduced.low);
  Value tail = e.polynomial(r, {0x1.6cee66p-10, 0x1.123efap-7, 0x1.55552ap-5, 0x1.55548ap-3, 0.5});
  Value small = e.fma(e.fmul(r, r), tail, reduced.low);
  Value sum = e.fadd(reduced.high, 1.0);
  Value lost = e.fsub(reduced.high, e.fsub(sum, 1.0));
  return e.fadd(sum, e.fadd(lost, small));
}

Value fuse::expandNormalExp(ElementBuilder &e, Value x) {
  Reduced reduced = reduce(e, x);
  return e.fmul(expOfReduced(e, reduced), powerOfTwo(e, reduced.bits));
}

Value fuse::expandExp(ElementBuilder &e, Value x) {
  // Beyond these the result is 0 or infinite anyway.
  Reduced reduced = reduce(e, e.atLeast(e.atMost(x, 89.0), -104.5));
  return scale(e, expOfReduced(e, reduced), reduced.bits);
}

Value fuse::expandExp2(ElementBuilder &e, Value x) {
  Value bounded = e.atLeast(e.atMost(x, 129.0), -151.0);
  Value shifted = e.fadd(bounded, roundingMagic);
  Value r = e.fsub(bounded, e.fsub(shifted, roundingMagic));
  Value tail = e.polynomial(r, {0x1.4bdfeap-13, 0x1.5fbcbp-10, 0x1.3b21cap-7, 0x1.c6ada8p-5,
                                0x1.ebfbe6p-3, 0x1.62e432p-1});
  return scale(e, e.fma(r, tail, 1.0), e.toBits(shifted));
}

Value fuse::expandExpM1(ElementBuilder &e, Value x) {
  // Below -18 the result is -1.
  Value bounded = e.atLeast(e.atMost(x, 89.0), -18.0);
  Reduced reduced = reduce(e, bounded);
  Value r = e.fadd(reduced.high, reduced.low);
  Value tail = e.polynomial(r, {0x1.a3c1aap-13, 0x1.6d48fp-10, 0x1.110f66p-7, 0x1.5554ecp-5,
                                0x1.555556p-3, 0.5});
  Value ofReduced = e.fma(e.fmul(r, r), tail, r);
  // 2^n expm1(r) + (2^n - 1). Near the overflow with half of 2^n, doubled in the end.
  Value isLarge = e.fcmp(arith::CmpFPredicate::OGT, bounded, 88.0);
  Value bits = e.select(isLarge, e.add(reduced.bits, -1), reduced.bits);
  Value power = powerOfTwo(e, bits);
  Value result = e.fma(power, ofReduced, e.fsub(power, 1.0));
  Value factor = e.select(isLarge, e.constant(2.0, x), e.constant(1.0, x));
  // For -0.0.
  return e.copySign(e.fmul(result, factor), x);
}
