//===- Erf.cpp - erf --------------------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::fuse;

Value fuse::expandErf(ExpansionBuilder &e, Value x) {
  // From 4 on the result is 1.
  Value magnitude = e.atMost(e.fabs(x), 4.0);
  Value square = e.fmul(magnitude, magnitude);
  Value tail = e.polynomial(square, {0x1.4c346p-14, -0x1.a50b1p-11, 0x1.542e1p-8, -0x1.b7fe9p-6,
                                     0x1.ce2d5p-4, -0x1.81274p-2, 0x1.06eba8p-3});
  Value small = e.fma(magnitude, tail, magnitude);
  Value exponent = e.polynomial(magnitude, {0x1.87b43p-13, -0x1.82e92ep-9, 0x1.66184ep-6, -0x1.a67e9cp-4,
                                             -0x1.46b43p-1, -0x1.208b1ap+0, -0x1.5cdadp-12});
  Value large = e.fsub(1.0, expandNormalExp(e, exponent));
  Value isSmall = e.fcmp(arith::CmpFPredicate::OLT, magnitude, 1.0);
  return e.copySign(e.select(isSmall, small, large), x);
}
