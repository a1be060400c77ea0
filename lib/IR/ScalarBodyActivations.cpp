//===- ScalarBodyActivations.cpp - Smooth activations without cancellation -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The textbook forms lose digits where 1 + exp(x) or 1 + tanh(x) cancels or overflows. Here every
// exponential has an argument of at most zero, and the small tail is computed as itself instead of
// as one minus something.
//
//===----------------------------------------------------------------------------------------===//

#include "ScalarBodyActivations.h"

using namespace mlir;
using namespace mlir::fuse;

static Value exp(ElementBuilder &e, Value x) { return math::ExpOp::create(e.getBuilder(), x); }

namespace {
/// An unevaluated sum, the second part of the order of the first one's last place.
struct Pair {
  Value high, low;
};
} // namespace

/// 1 / (1 + decay), or decay / (1 + decay) where `isNegative`; decay = high + low in [0, 1], low
/// may be absent. The quotient is corrected by its residual, which makes good for the rounding of
/// 1 + decay, too.
static Pair sigmoidOfDecay(ElementBuilder &e, Value isNegative, Value decay, Value decayLow) {
  Value one = e.constant(1.0, decay);
  Value sum = e.fadd(decay, one);
  Value sumLow = e.fsub(decay, e.fsub(sum, one));
  Value numerator = e.select(isNegative, decay, one);
  Value inverse = e.fdiv(one, sum);
  Value quotient = e.fmul(numerator, inverse);
  Value residual = e.fma(e.fneg(quotient), sum, numerator);
  if (decayLow) {
    sumLow = e.fadd(sumLow, decayLow);
    residual = e.fadd(residual, e.select(isNegative, decayLow, e.constant(0.0, decay)));
  }
  residual = e.fma(e.fneg(quotient), sumLow, residual);
  return {quotient, e.fmul(residual, inverse)};
}

/// 1 / (1 + decay), or decay / (1 + decay) where x is negative. There the rounding of the sum would
/// cost a unit in the last place: what it lost, relative to the sum, is taken off the quotient q;
/// 1 / (1 + decay) is 1 - q there.
Value fuse::buildSigmoid(ElementBuilder &e, Value x) {
  Value decay = exp(e, e.fneg(e.fabs(x)));
  Value isNegative = e.fcmp(arith::CmpFPredicate::OLT, x, 0.0);
  Value one = e.constant(1.0, x);
  Value sum = e.fadd(decay, one);
  Value lost = e.fsub(decay, e.fsub(sum, one));
  Value quotient = e.fdiv(e.select(isNegative, decay, one), sum);
  return e.fma(e.fmul(quotient, lost), e.fsub(quotient, one), quotient);
}

namespace {
/// An exponential so small that it must be computed larger: exp(-z) = exp(shift - z) * scale. The
/// scale is a power of two and shift + shiftLow its negated logarithm. From the threshold to twice
/// the shift the difference is exact, and 1 + exp(shift - z) is still 1.
struct FarTail {
  double threshold, shift, shiftLow, scale;
};
} // namespace

static FarTail getFarTail(ElementBuilder &e, Value x) {
  if (e.elementOf(x).isF64())
    return {700.0, 0x1.45c77800fb32fp+9, -0x1.a7a6d5fd11ba3p-45, 0x1p-940};
  return {80.0, 0x1.dce2ap+5, 0x1.a80f765bf6ba5p-21, 0x1p-86};
}

/// x * sigmoid(z), z of x's sign and given by its magnitude. Where the sigmoid alone would be
/// denormal it is scaled up and the product down, so that no digits are lost before x multiplies.
static Value timesSigmoid(ElementBuilder &e, Value x, Pair magnitude) {
  FarTail far = getFarTail(e, x);
  Value zero = e.constant(0.0, x);
  Value isNegative = e.fcmp(arith::CmpFPredicate::OLT, x, zero);
  Value isFar =
      e.bitAnd(isNegative, e.fcmp(arith::CmpFPredicate::OGT, magnitude.high, far.threshold));
  Value reduced = e.select(isFar, e.fsub(magnitude.high, far.shift), magnitude.high);
  Value reducedLow = e.select(isFar, e.constant(-far.shiftLow, x), zero);
  if (magnitude.low)
    reducedLow = e.fadd(reducedLow, magnitude.low);
  Value decay = exp(e, e.fneg(reduced));
  Value decayLow = e.fneg(e.fmul(decay, reducedLow));
  Pair quotient = sigmoidOfDecay(e, isNegative, decay, decayLow);
  // A finite factor for the low part, which is 0 where x is infinite.
  Value low = e.fmul(e.atMost(x, 0x1p100), quotient.low);
  Value product = e.fma(x, quotient.high, low);
  return e.fmul(product, e.select(isFar, e.constant(far.scale, x), e.constant(1.0, x)));
}

Value fuse::buildSilu(ElementBuilder &e, Value x) {
  return timesSigmoid(e, x, {e.fabs(x), Value()});
}

Value fuse::buildSoftplus(ElementBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value decay = exp(e, e.fneg(e.fabs(x)));
  Value positive = arith::MaximumFOp::create(b, x, e.constant(0.0, x));
  return e.fadd(positive, math::Log1pOp::create(b, decay));
}

namespace {
/// 2u = slope x + cubic x^3, slope = 2 sqrt(2 / pi), cubic = 0.044715 slope, each in two parts;
/// from `limit` on exp(-2u) is 0, scaled or not, so that even the largest x times it is.
struct GeluTanhConstants {
  double slope, slopeLow, cubic, cubicLow, limit;
};
} // namespace

static constexpr GeluTanhConstants geluTanhF32 = {0x1.988454p+0, -0x1.857935ee5e06ap-25,
                                                  0x1.2444f2p-4, 0x1.49b1695e937bcp-29, 16.0};
static constexpr GeluTanhConstants geluTanhF64 = {0x1.9884533d43651p+0, -0x1.cbc0d30ebfd15p-54,
                                                  0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c70p-61,
                                                  28.0};

/// 0.5 (1 + tanh(u)) = sigmoid(2u). An error of 2u is an error of the result 2u times as large:
/// it is computed in two parts.
Value fuse::buildGeluTanh(ElementBuilder &e, Value x) {
  const GeluTanhConstants &c = e.elementOf(x).isF64() ? geluTanhF64 : geluTanhF32;
  Value a = e.atMost(e.fabs(x), c.limit);
  Value square = e.fmul(a, a);
  Value squareLow = e.fma(a, a, e.fneg(square));
  Value product = e.fmul(square, c.cubic);
  Value productLow = e.fma(square, c.cubic, e.fneg(product));
  productLow = e.fma(squareLow, c.cubic, productLow);
  productLow = e.fma(square, c.cubicLow, productLow);
  // The exact error of the sum, whichever summand is larger.
  Value sum = e.fadd(product, c.slope);
  Value part = e.fsub(sum, product);
  Value sumLow = e.fadd(e.fsub(c.slope, part), e.fsub(product, e.fsub(sum, part)));
  sumLow = e.fadd(e.fadd(sumLow, c.slopeLow), productLow);
  Value z = e.fmul(a, sum);
  Value zLow = e.fma(a, sumLow, e.fma(a, sum, e.fneg(z)));
  return timesSigmoid(e, x, {z, zLow});
}

/// x / 2 erfc(t), t = -x / sqrt 2, with erfc's derivative times what rounding t took away.
static Value buildGeluErfF64(ElementBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  constexpr double rootHalf = 0x1.6a09e667f3bcdp-1, rootHalfLow = -0x1.bdd3413b26456p-55;
  constexpr double twoOverRootPi = 0x1.20dd750429b6dp+0;
  // Further out erfc is 0 or 2.
  Value bounded = e.atMost(e.atLeast(x, -40.0), 40.0);
  Value t = e.fmul(bounded, -rootHalf);
  Value lost = e.fma(bounded, -rootHalfLow, e.fma(bounded, -rootHalf, e.fneg(t)));
  Value slope = e.fmul(exp(e, e.fneg(e.fmul(t, t))), twoOverRootPi);
  Value tail = e.fma(e.fneg(slope), lost, math::ErfcOp::create(b, t));
  return e.fmul(e.fmul(x, 0.5), tail);
}

/// x Phi(x), in f32 from two approximations of Phi(x) = erfc(-x / sqrt 2) / 2:
/// near 0 it is 1/2 + x P(x^2); for the tail Phi(-a) = exp(-a^2 / 2) P(u) / (a + k),
/// u = 1 - 2k / (a + k), with the rounding errors of a^2, of the quotient and of the products made
/// good to first order. k was chosen so that P's constant term is nearly a float.
Value fuse::buildGeluErf(ElementBuilder &e, Value x) {
  if (e.elementOf(x).isF64())
    return buildGeluErfF64(e, x);
  FarTail far = getFarTail(e, x);
  Value zero = e.constant(0.0, x), one = e.constant(1.0, x);
  // Further out the result is 0 or x.
  constexpr double limit = 14.5;
  Value a = e.atMost(e.fabs(x), limit);
  Value square = e.fmul(a, a);
  Value squareLow = e.fma(a, a, e.fneg(square));
  Value halfSquare = e.fmul(square, 0.5);
  Value isNegative = e.fcmp(arith::CmpFPredicate::OLT, x, 0.0);
  Value isFar = e.bitAnd(isNegative, e.fcmp(arith::CmpFPredicate::OGT, halfSquare, far.threshold));
  Value reduced = e.select(isFar, e.fsub(halfSquare, far.shift), halfSquare);
  Value decay = exp(e, e.fneg(reduced));

  constexpr double k = 2.92578125;
  Value sum = e.fadd(a, k);
  Value inverse = e.fdiv(one, sum);
  Value larger = e.atLeast(a, k), smaller = e.atMost(a, k);
  Value sumLow = e.fsub(smaller, e.fsub(sum, larger));
  Value inverseLow = e.fma(e.fneg(inverse), sum, 1.0);
  inverseLow = e.fma(e.fneg(inverse), sumLow, inverseLow);
  Value u = e.fma(inverse, -2.0 * k, 1.0);
  Value rest = e.polynomial(u, {0x1.059eb8p-13, -0x1.29e954p-12, -0x1.da5c8cp-11, 0x1.996758p-10,
                                0x1.8d7598p-8, -0x1.a51128p-7, -0x1.35595ap-5, 0x1.babe12p-3,
                                -0x1.ff79c2p-2});
  constexpr double first = 0x1.73dbeap-1;
  Value series = e.fma(u, rest, first);
  Value seriesLow = e.fma(u, rest, e.fsub(first, series));
  Value ratio = e.fmul(inverse, series);
  Value ratioLow = e.fma(inverse, seriesLow, e.fma(inverse, series, e.fneg(ratio)));
  Value tail = e.fmul(decay, ratio);
  Value tailLow = e.fma(decay, ratioLow, e.fma(decay, ratio, e.fneg(tail)));
  // The quotient's error acts through u as well: its whole effect, within a quarter.
  Value effect = e.fma(inverse, 4.2, 1.0);
  Value error = e.fma(inverseLow, effect, e.fmul(squareLow, -0.5));
  error = e.fadd(error, e.select(isFar, e.constant(far.shiftLow, x), zero));
  tailLow = e.fma(tail, error, tailLow);
  Value isBeyond = e.fcmp(arith::CmpFPredicate::OLT, x, -limit);
  tail = e.select(isBeyond, zero, tail);
  tailLow = e.select(isBeyond, zero, tailLow);

  Value nearSeries = e.polynomial(
      square, {0x1.e3cf94p-14, -0x1.397f8ep-10, 0x1.46f37ap-7, -0x1.1058cep-4, 0x1.988454p-2});
  Value near = e.fma(x, nearSeries, 0.5);
  Value isNear = e.fcmp(arith::CmpFPredicate::OLT, a, 0.75);
  Value above = e.select(isNear, near, e.fsub(one, e.fadd(tail, tailLow)));
  Value isTail = e.bitAnd(isNegative, e.bitXor(isNear, -1));
  Value phi = e.select(isTail, tail, above);
  Value phiLow = e.select(isTail, tailLow, zero);
  // A finite factor for the low part, which is 0 where x is infinite.
  Value product = e.fma(x, phi, e.fmul(e.atMost(x, 0x1p100), phiLow));
  return e.fmul(product, e.select(isFar, e.constant(far.scale, x), one));
}
