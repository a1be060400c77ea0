//===- ScalarBodyGates.cpp - silu and gelu in f32 ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A gate g(x) between 0 and 1 with g(-x) = 1 - g(x) gives x g(x) = max(x, 0) - a g(-a), a = |x|:
// one tail for either sign, nothing cancels, and whatever the tail is wrong by counts less where x
// is positive. The tails are an exponential times a ratio. The power of two of the exponential
// comes last, so that denormals are rounded once; what rounding takes from the ratio and from the
// exponent is made good to first order, which keeps the whole within two units in the last place.
// CPUs with tables (Codegen/MathExpansion/Gates.cpp) compute with these what is far from 0.
//
//===----------------------------------------------------------------------------------------===//

#include "ScalarBodyActivations.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// An exponential (high + low) 2^n, with n a whole number as a float.
struct Decay {
  Value high, low, n;
};
} // namespace

static Value exp2(ElementBuilder &e, Value n) { return math::Exp2Op::create(e.getBuilder(), n); }

/// e^x, x in [-512, 0]; x.low may be absent.
static Decay buildDecay(ElementBuilder &e, ValuePair x) {
  constexpr double log2OfE = 0x1.71547652b82fep+0;
  // ln 2 in two parts: the upper times any n is exact.
  constexpr double ln2High = 0x1.62e4p-1, ln2Low = 0x1.7f7d1cf79abcap-20;
  Value n = math::RoundEvenOp::create(e.getBuilder(), e.fmul(x.high, log2OfE));
  Value r = e.fma(n, -ln2Low, e.fma(n, -ln2High, x.high));
  Value series =
      e.polynomial(r, {0x1.6cee66p-10, 0x1.123efap-7, 0x1.55552ap-5, 0x1.55548ap-3, 0.5});
  Value above = e.fma(e.fmul(r, r), series, r);
  Value high = e.fadd(above, 1.0);
  Value low = e.fsub(above, e.fsub(high, 1.0));
  return {high, x.low ? e.fma(x.low, high, low) : low, n};
}

/// numerator / (denominator.high + denominator.low) as a pair.
static ValuePair divide(ElementBuilder &e, Value numerator, ValuePair denominator) {
  Value inverse = e.fdiv(1.0, denominator.high);
  Value ratio = e.fmul(numerator, inverse);
  Value negated = e.fneg(ratio);
  Value remainder = e.fma(negated, denominator.high, numerator);
  remainder = e.fma(negated, denominator.low, remainder);
  return {ratio, e.fmul(remainder, inverse)};
}

/// max(x, 0) - ratio * decay, for a ratio of less than 2^extraBits. Minus infinity gives NaN, as it
/// does times a gate of 0, and a zero keeps its sign.
static Value subtractTail(ElementBuilder &e, Value x, ValuePair ratio, const Decay &decay,
                          int extraBits) {
  Value low = e.fma(ratio.low, decay.high, e.fmul(ratio.high, decay.low));
  Value tail = e.fma(ratio.high, decay.high, low);
  // A power of two too small for a float times a large ratio may be a float.
  if (extraBits == 0)
    tail = e.fmul(tail, exp2(e, decay.n));
  else
    tail = e.fmul(e.fmul(tail, exp2(e, e.fadd(decay.n, extraBits))), std::exp2(-extraBits));
  Value isNegative = e.fcmp(arith::CmpFPredicate::OLT, x, 0.0);
  return e.fsub(e.select(isNegative, e.fmul(x, 0.0), x), tail);
}

/// x / (1 + e^-z), where `decay` is e^-|z| and a is |x| or, from there on where the tail is 0,
/// less; below 2^8.
static Value timesSigmoid(ElementBuilder &e, Value x, Value a, const Decay &decay) {
  Value power = exp2(e, decay.n);
  Value whole = e.fmul(decay.high, power);
  Value sum = e.fadd(whole, 1.0);
  Value sumLow = e.fma(decay.low, power, e.fsub(whole, e.fsub(sum, 1.0)));
  return subtractTail(e, x, divide(e, a, {sum, sumLow}), decay, 8);
}

Value fuse::buildSiluF32(ElementBuilder &e, Value x) {
  // Further out the result is 0 or x.
  Value a = e.atMost(e.fabs(x), 112.0);
  return timesSigmoid(e, x, a, buildDecay(e, {e.fneg(a), Value()}));
}

/// 0.5 (1 + tanh(u)) = sigmoid(2u), 2u = x (slope + cubic x^2), slope = 2 sqrt(2 / pi), cubic =
/// 0.044715 slope. An error of 2u is an error of the result 2u times as large: it is computed in
/// two parts. The upper part of the slope ends early enough to be subtracted from the sum exactly.
Value fuse::buildGeluTanhF32(ElementBuilder &e, Value x) {
  constexpr double slope = 0x1.98844p+0, slopeLow = 0x1.33d436508d0fdp-20;
  constexpr double cubic = 0x1.2444f2p-4, cubicLow = 0x1.49b1695e937bcp-29;
  Value a = e.atMost(e.fabs(x), 12.0);
  Value square = e.fmul(a, a);
  Value squareLow = e.fma(a, a, e.fneg(square));
  Value sum = e.fma(square, cubic, slope);
  Value sumLow = e.fma(square, cubic, e.fsub(slope, sum));
  sumLow = e.fadd(sumLow, e.fma(squareLow, cubic, e.fma(square, cubicLow, slopeLow)));
  Value negated = e.fneg(a);
  Value z = e.fmul(negated, sum);
  Value zLow = e.fma(negated, sumLow, e.fma(negated, sum, e.fneg(z)));
  return timesSigmoid(e, x, a, buildDecay(e, {z, zLow}));
}

/// Phi(-a) = e^(-a^2 / 2) / (2 + a (k + P(a) / Q(a))), Phi the normal distribution, k = sqrt(2 pi)
/// nearly: the denominator grows by k where a is large. The quotient makes it right to 2^-27 and
/// is least there.
Value fuse::buildGeluErfF32(ElementBuilder &e, Value x) {
  constexpr double k = 0x1.40d836p+1;
  Value a = e.atMost(e.fabs(x), 14.5);
  Value half = e.fmul(a, -0.5);
  Value exponent = e.fmul(half, a);
  Decay decay = buildDecay(e, {exponent, e.fma(half, a, e.fneg(exponent))});

  Value p = e.polynomial(a, {-0x1.0b6af2p-6, -0x1.21e69ap-3, -0x1.0c3756p-1, -0x1.d2581ep-1});
  Value q = e.polynomial(a, {0x1.0bac64p-7, 0x1.4b3bbap-4, 0x1.7619ecp-2, 0x1.c010cp-1, 1.0});
  Value rest = e.fma(a, e.fdiv(p, q), 2.0);
  Value denominator = e.fma(a, k, rest);
  Value denominatorLow = e.fadd(e.fma(a, k, e.fneg(denominator)), rest);
  return subtractTail(e, x, divide(e, a, {denominator, denominatorLow}), decay, 0);
}
