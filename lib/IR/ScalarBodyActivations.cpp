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

/// 1 / (1 + decay), or decay / (1 + decay) where `isNegative`; decay = high + low in [0, 1], low
/// may be absent. The quotient is corrected by its residual, which makes good for the rounding of
/// 1 + decay, too.
static ValuePair sigmoidOfDecay(ElementBuilder &e, Value isNegative, Value decay, Value decayLow) {
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

/// x * sigmoid(z) in f64, z of x's sign and given by its magnitude. Where the sigmoid alone would
/// be denormal it is scaled up and the product down, so that no digits are lost before x
/// multiplies.
static Value timesSigmoidF64(ElementBuilder &e, Value x, ValuePair magnitude) {
  // Beyond the threshold exp(-z) = exp(shift - z) * scale, a power of two whose negated logarithm is
  // shift + shiftLow. Up to twice the shift the difference is exact, and 1 + exp(shift - z) is 1.
  constexpr double threshold = 700.0, shift = 0x1.45c77800fb32fp+9;
  constexpr double shiftLow = -0x1.a7a6d5fd11ba3p-45, scale = 0x1p-940;
  Value zero = e.constant(0.0, x);
  Value isNegative = e.fcmp(arith::CmpFPredicate::OLT, x, zero);
  Value isFar = e.bitAnd(isNegative, e.fcmp(arith::CmpFPredicate::OGT, magnitude.high, threshold));
  Value reduced = e.select(isFar, e.fsub(magnitude.high, shift), magnitude.high);
  Value reducedLow = e.select(isFar, e.constant(-shiftLow, x), zero);
  if (magnitude.low)
    reducedLow = e.fadd(reducedLow, magnitude.low);
  Value decay = exp(e, e.fneg(reduced));
  Value decayLow = e.fneg(e.fmul(decay, reducedLow));
  ValuePair quotient = sigmoidOfDecay(e, isNegative, decay, decayLow);
  // A finite factor for the low part, which is 0 where x is infinite.
  Value low = e.fmul(e.atMost(x, 0x1p100), quotient.low);
  Value product = e.fma(x, quotient.high, low);
  return e.fmul(product, e.select(isFar, e.constant(scale, x), e.constant(1.0, x)));
}

Value fuse::buildSilu(ElementBuilder &e, Value x) {
  if (!e.elementOf(x).isF64())
    return buildSiluF32(e, x);
  return timesSigmoidF64(e, x, {e.fabs(x), Value()});
}

Value fuse::buildSoftplus(ElementBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value decay = exp(e, e.fneg(e.fabs(x)));
  Value positive = arith::MaximumFOp::create(b, x, e.constant(0.0, x));
  return e.fadd(positive, math::Log1pOp::create(b, decay));
}

/// 0.5 (1 + tanh(u)) = sigmoid(2u), 2u = slope x + cubic x^3, slope = 2 sqrt(2 / pi), cubic =
/// 0.044715 slope. An error of 2u is an error of the result 2u times as large: it is computed in
/// two parts.
Value fuse::buildGeluTanh(ElementBuilder &e, Value x) {
  if (!e.elementOf(x).isF64())
    return buildGeluTanhF32(e, x);
  constexpr double slope = 0x1.9884533d43651p+0, slopeLow = -0x1.cbc0d30ebfd15p-54;
  constexpr double cubic = 0x1.2444f2a4d8b4bp-4, cubicLow = -0x1.6c843a29d1c70p-61;
  // From there on exp(-2u) is 0, scaled or not, so that even the largest x times it is.
  Value a = e.atMost(e.fabs(x), 28.0);
  Value square = e.fmul(a, a);
  Value squareLow = e.fma(a, a, e.fneg(square));
  Value product = e.fmul(square, cubic);
  Value productLow = e.fma(square, cubic, e.fneg(product));
  productLow = e.fma(squareLow, cubic, productLow);
  productLow = e.fma(square, cubicLow, productLow);
  // The exact error of the sum, whichever summand is larger.
  Value sum = e.fadd(product, slope);
  Value part = e.fsub(sum, product);
  Value sumLow = e.fadd(e.fsub(slope, part), e.fsub(product, e.fsub(sum, part)));
  sumLow = e.fadd(e.fadd(sumLow, slopeLow), productLow);
  Value z = e.fmul(a, sum);
  Value zLow = e.fma(a, sumLow, e.fma(a, sum, e.fneg(z)));
  return timesSigmoidF64(e, x, {z, zLow});
}

/// x Phi(x) = x / 2 erfc(t), t = -x / sqrt 2, with erfc's derivative times what rounding t took
/// away.
Value fuse::buildGeluErf(ElementBuilder &e, Value x) {
  if (!e.elementOf(x).isF64())
    return buildGeluErfF32(e, x);
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
