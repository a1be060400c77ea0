//===- Tanh.cpp - tanh ------------------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"

using namespace mlir;
using namespace mlir::fuse;

Value fuse::expandTanh(ExpansionBuilder &e, Value x) {
  // From 10 on the result is 1.
  Value magnitude = e.atMost(e.fabs(x), 10.0);
  Value square = e.fmul(magnitude, magnitude);
  Value tail = e.polynomial(square, {0x1.1ac75ap-9, -0x1.0c87f2p-7, 0x1.63ace8p-6, -0x1.b9f21ep-5,
                                     0x1.11107cp-3, -0x1.555554p-2});
  Value small = e.fma(e.fmul(magnitude, square), tail, magnitude);
  // 1 - 2 / (exp(2 |x|) + 1), which cancels little above 0.6.
  Value power = expandNormalExp(e, e.fadd(magnitude, magnitude));
  Value large = e.fsub(1.0, e.fdiv(2.0, e.fadd(power, 1.0)));
  Value isSmall = e.fcmp(arith::CmpFPredicate::OLT, magnitude, 0.625);
  return e.copySign(e.select(isSmall, small, large), x);
}
