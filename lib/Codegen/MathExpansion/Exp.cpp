//===- Exp.cpp - exp, exp2, expm1 -------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

/// Added to a float of at most 2^22 it leaves the nearest integer in the low bits.
static constexpr double roundingMagic = 12582912.0; // 1.5 * 2^23
static constexpr double log2OfE = 0x1.71547652b82fep+0;
/// ln 2 in two parts: the upper times any exponent is exact.
static constexpr double ln2High = 0x1.62e4p-1;
static constexpr double ln2Low = 0x1.7f7d1cf79abcap-20;
/// The bits of roundingMagic and of 1.0.
static constexpr int64_t magicBits = 0x4B400000;
static constexpr int64_t oneBits = 0x3F800000;

namespace {
/// x = n ln 2 + r, |r| <= ln 2 / 2.
struct Reduced {
  Value r;
  /// Its low bits are n in two's complement; shifted left by 23 nothing else is left.
  Value bits;
};
} // namespace

static Reduced reduce(ExpansionBuilder &e, Value x) {
  Value shifted = e.fma(x, log2OfE, roundingMagic);
  Value n = e.fsub(shifted, roundingMagic);
  return {e.fma(n, -ln2Low, e.fma(n, -ln2High, x)), e.toBits(shifted)};
}

/// 2^n; `bits` as in Reduced, n a normal exponent.
static Value powerOfTwo(ExpansionBuilder &e, Value bits) {
  return e.bitcast(e.add(e.shl(bits, 23), oneBits), e.getBuilder().getF32Type());
}

/// y 2^n, |n| <= 151, rounded once where it is denormal.
static Value scale(ExpansionBuilder &e, Value y, Value bits) {
  auto vector = dyn_cast<VectorType>(y.getType());
  if (e.options.hasScaling && vector && vector.getRank() == 1) {
    Value n = e.sub(bits, e.constant(magicBits, bits));
    StringAttr name = e.getBuilder().getStringAttr("llvm.ldexp");
    return LLVM::CallIntrinsicOp::create(e.getBuilder(), vector, name, ValueRange{y, n})
        .getResult(0);
  }
  // In two steps, the first of which is exact.
  Value half = e.ashr(bits, 1);
  Value rest = e.sub(bits, half);
  return e.fmul(e.fmul(y, powerOfTwo(e, half)), powerOfTwo(e, rest));
}

static Value expOfReduced(ExpansionBuilder &e, Value r) {
  return e.polynomial(r, {0x1.6cee66p-10, 0x1.123efap-7, 0x1.55552ap-5, 0x1.55548ap-3, 0.5, 1.0, 1.0});
}

Value fuse::expandNormalExp(ExpansionBuilder &e, Value x) {
  Reduced reduced = reduce(e, x);
  return e.fmul(expOfReduced(e, reduced.r), powerOfTwo(e, reduced.bits));
}

/// Whether x is -|y|, as it is in all activations.
static bool isNeverPositive(Value x) {
  auto negation = x.getDefiningOp<arith::NegFOp>();
  return negation && negation.getOperand().getDefiningOp<math::AbsFOp>();
}

Value fuse::expandExp(ExpansionBuilder &e, Value x) {
  // Beyond these the result is 0 or infinite anyway.
  Value bounded = isNeverPositive(x) ? x : e.atMost(x, 89.0);
  Reduced reduced = reduce(e, e.atLeast(bounded, -104.5));
  return scale(e, expOfReduced(e, reduced.r), reduced.bits);
}

Value fuse::expandExp2(ExpansionBuilder &e, Value x) {
  Value bounded = e.atLeast(e.atMost(x, 129.0), -151.0);
  Value shifted = e.fadd(bounded, roundingMagic);
  Value r = e.fsub(bounded, e.fsub(shifted, roundingMagic));
  Value tail = e.polynomial(r, {0x1.4bdfeap-13, 0x1.5fbcbp-10, 0x1.3b21cap-7, 0x1.c6ada8p-5,
                                0x1.ebfbe6p-3, 0x1.62e432p-1});
  return scale(e, e.fma(r, tail, 1.0), e.toBits(shifted));
}

Value fuse::expandExpM1(ExpansionBuilder &e, Value x) {
  // Below -18 the result is -1.
  Value bounded = e.atLeast(e.atMost(x, 89.0), -18.0);
  Reduced reduced = reduce(e, bounded);
  Value r = reduced.r;
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
