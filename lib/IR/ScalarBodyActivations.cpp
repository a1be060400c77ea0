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

Value fuse::buildSigmoid(ElementBuilder &e, Value x) {
  Value decay = exp(e, e.fneg(e.fabs(x)));
  Value one = e.constant(1.0, x);
  Value numerator = e.select(e.fcmp(arith::CmpFPredicate::OGE, x, 0.0), one, decay);
  return e.fdiv(numerator, e.fadd(decay, one));
}

/// x * sigmoid(z + zLow), z of x's sign. Where sigmoid alone would be denormal, the exponential is
/// scaled up and the product scaled down, so that the digits are not lost before x multiplies.
static Value timesSigmoid(ElementBuilder &e, Value x, Value z) {
  bool isDouble = e.elementOf(x).isF64();
  double threshold = isDouble ? 700.0 : 80.0;
  // Subtracted without rounding from anything up to twice as large.
  double shift = isDouble ? 640.0 : 64.0;
  Value one = e.constant(1.0, x);
  Value magnitude = e.fabs(z);
  Value isFar = e.fcmp(arith::CmpFPredicate::OLT, z, -threshold);
  Value reduced = e.select(isFar, e.fsub(magnitude, shift), magnitude);
  Value decay = exp(e, e.fneg(reduced));
  Value scale = e.select(isFar, e.constant(std::exp(-shift), x), one);
  Value numerator = e.select(e.fcmp(arith::CmpFPredicate::OGE, z, 0.0), one, decay);
  return e.fmul(e.fdiv(e.fmul(x, numerator), e.fadd(decay, one)), scale);
}

Value fuse::buildSilu(ElementBuilder &e, Value x) { return timesSigmoid(e, x, x); }

Value fuse::buildSoftplus(ElementBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value decay = exp(e, e.fneg(e.fabs(x)));
  Value positive = arith::MaximumFOp::create(b, x, e.constant(0.0, x));
  return e.fadd(positive, math::Log1pOp::create(b, decay));
}

/// 0.5 (1 + tanh(u)) = sigmoid(2u).
Value fuse::buildGeluTanh(ElementBuilder &e, Value x) {
  constexpr double slope = 1.5957691216057308; // 2 sqrt(2 / pi)
  Value square = e.fmul(x, x);
  Value z = e.fmul(x, e.fma(square, slope * 0.044715, slope));
  return timesSigmoid(e, x, z);
}

/// 0.5 (1 + erf(x / sqrt 2)) = 0.5 erfc(-x / sqrt 2).
Value fuse::buildGeluErf(ElementBuilder &e, Value x) {
  Value tail = math::ErfcOp::create(e.getBuilder(), e.fmul(x, -0.70710678118654752));
  return e.fmul(e.fmul(x, 0.5), tail);
}
