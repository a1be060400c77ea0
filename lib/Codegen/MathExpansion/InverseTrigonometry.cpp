//===- InverseTrigonometry.cpp - atan, asin, acos ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// In f64, so that the only rounding that counts is the last one. The polynomials are good to 2^-33.
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr double halfPi = 0x1.921fb54442d18p+0;
static constexpr double pi = 0x1.921fb54442d18p+1;

Value fuse::expandAtan(ExpansionBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value magnitude = e.extend(e.fabs(x), b.getF64Type());
  // atan(a) = pi/2 - atan(1/a); the reciprocal of infinity is 0.
  Value isLarge = e.fcmp(arith::CmpFPredicate::OGT, magnitude, 1.0);
  Value reduced = e.select(isLarge, e.fdiv(1.0, magnitude), magnitude);
  Value series = e.polynomial(e.fmul(reduced, reduced),
                              {-0x1.67074c846614cp-11, 0x1.3de92c04a4edbp-8, -0x1.07f94be4ddd14p-6,
                               0x1.183ec28881a88p-5, -0x1.bca78da21f7eep-5, 0x1.28c8de611e572p-4,
                               -0x1.6fd4a264a9d53p-4, 0x1.c66110e9fdc0ep-4, -0x1.24893273fc189p-3,
                               0x1.9999238ed4271p-3, -0x1.555554269a792p-2, 0x1.ffffffff7ec6ap-1});
  Value angle = e.fmul(reduced, series);
  Value result = e.select(isLarge, e.fsub(halfPi, angle), angle);
  return e.copySign(e.truncate(result, b.getF32Type()), x);
}

namespace {
/// asin(|x|), or pi/2 - asin(|x|) where |x| > 1/2. |x| > 1 gives NaN, from the square root.
struct ReducedAsin {
  Value angle;
  Value isLarge;
};
} // namespace

static ReducedAsin reduceAsin(ExpansionBuilder &e, Value x) {
  Value magnitude = e.extend(e.fabs(x), e.getBuilder().getF64Type());
  // asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)); 1 - a is exact.
  Value isLarge = e.fcmp(arith::CmpFPredicate::OGT, magnitude, 0.5);
  Value half = e.fmul(e.fsub(1.0, magnitude), 0.5);
  Value root = math::SqrtOp::create(e.getBuilder(), half);
  Value reduced = e.select(isLarge, root, magnitude);
  Value series = e.polynomial(e.fmul(reduced, reduced),
                              {0x1.1eb70a075f362p-5, 0x1.d6ac18201c549p-8, 0x1.951c52b4b32e2p-6,
                               0x1.ecfd84de1cf42p-6, 0x1.6ddf880d767dep-5, 0x1.33328adf84c36p-4,
                               0x1.5555565da23d5p-3, 0x1.ffffffffde000p-1});
  Value angle = e.fmul(reduced, series);
  return {e.select(isLarge, e.fadd(angle, angle), angle), isLarge};
}

Value fuse::expandAsin(ExpansionBuilder &e, Value x) {
  auto [angle, isLarge] = reduceAsin(e, x);
  Value result = e.select(isLarge, e.fsub(halfPi, angle), angle);
  return e.copySign(e.truncate(result, e.getBuilder().getF32Type()), x);
}

Value fuse::expandAcos(ExpansionBuilder &e, Value x) {
  auto [angle, isLarge] = reduceAsin(e, x);
  Value isNegative = e.fcmp(arith::CmpFPredicate::OLT, x, 0.0);
  Value ofLarge = e.select(isNegative, e.fsub(pi, angle), angle);
  Value ofSmall = e.fsub(halfPi, e.select(isNegative, e.fneg(angle), angle));
  return e.truncate(e.select(isLarge, ofLarge, ofSmall), e.getBuilder().getF32Type());
}
