//===- Log.cpp - log, log1p -------------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::fuse;

/// The bits of sqrt(1/2), the least mantissa.
static constexpr int64_t leastMantissa = 0x3F3504F3;

/// ln(x) + k0 ln 2 + correction for a positive normal x, k0 and the correction small.
static Value logOfNormal(ExpansionBuilder &e, Value x, Value exponentOffset, Value correction) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  // x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)).
  Value bits = e.toBits(x);
  Value exponent = e.ashr(e.add(bits, -leastMantissa), 23);
  Value mantissa = e.bitcast(e.sub(bits, e.shl(exponent, 23)), b.getF32Type());
  Value f = e.fsub(mantissa, 1.0);
  Value k = arith::SIToFPOp::create(b, x.getType(), exponent);
  if (exponentOffset)
    k = e.fadd(k, exponentOffset);
  Value square = e.fmul(f, f);
  Value tail = e.polynomial(f, {0x1.84972ep-5, -0x1.b27596p-4, 0x1.f46d52p-4, -0x1.024634p-3,
                                0x1.22dd6ep-3, -0x1.551accp-3, 0x1.99a672p-3, -0x1.0000a2p-2,
                                0x1.555546p-2});
  // k ln2High is exact, and f is: what is small is summed first.
  Value low = e.fmul(k, ln2Low);
  if (correction)
    low = e.fadd(low, correction);
  low = e.fma(e.fmul(f, square), tail, low);
  low = e.fma(square, -0.5, low);
  return e.fma(k, ln2High, e.fadd(f, low));
}

Value fuse::expandLog(ExpansionBuilder &e, Value x) {
  Value isDenormal = e.fcmp(arith::CmpFPredicate::OLT, x, 0x1p-126);
  Value normal = e.select(isDenormal, e.fmul(x, 0x1p23), x);
  Value offset = e.select(isDenormal, e.constant(-23.0, x), e.constant(0.0, x));
  Value result = logOfNormal(e, normal, offset, Value());
  result = e.select(e.fcmp(arith::CmpFPredicate::OLT, x, e.infinity(x)), result, x);
  result = e.select(e.fcmp(arith::CmpFPredicate::OEQ, x, 0.0), e.infinity(x, true), result);
  return e.select(e.fcmp(arith::CmpFPredicate::OLT, x, 0.0), e.nan(x), result);
}

Value fuse::expandLog1p(ExpansionBuilder &e, Value x) {
  // ln(1 + x) = ln(sum) + lost / sum, lost being what rounding 1 + x took away.
  Value sum = e.fadd(x, 1.0);
  Value isSmall = e.fcmp(arith::CmpFPredicate::OLT, x, 1.0);
  Value lost = e.select(isSmall, e.fsub(x, e.fsub(sum, 1.0)), e.fsub(1.0, e.fsub(sum, x)));
  Value result = logOfNormal(e, sum, Value(), e.fdiv(lost, sum));
  result = e.select(e.fcmp(arith::CmpFPredicate::OLT, x, e.infinity(x)), result, x);
  result = e.select(e.fcmp(arith::CmpFPredicate::OEQ, x, -1.0), e.infinity(x), result);
  result = e.select(e.fcmp(arith::CmpFPredicate::OLT, x, -1.0), e.nan(x), result);
  // For -0.0, and for the infinity at -1.
  return e.copySign(result, x);
}
