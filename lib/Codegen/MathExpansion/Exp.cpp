//===- Exp.cpp - exp, exp2, expm1 -------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Expansions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// The bits of 1.0.
static constexpr int64_t oneBits = 0x3F800000;

namespace {
/// x = n ln 2 + r, |r| <= ln 2 / 2.
struct Reduced {
  Value r, n;
  /// Its low bits are n in two's complement; shifted left by 23 nothing else is left.
  Value bits;
};
} // namespace

static Reduced reduceExponent(ExpansionBuilder &e, Value x) {
  Value shifted = e.fma(x, log2OfE, roundingMagic);
  Value n = e.fsub(shifted, roundingMagic);
  return {e.fma(n, -ln2Low, e.fma(n, -ln2High, x)), n, e.toBits(shifted)};
}

/// 2^n; `bits` as in Reduced, n a normal exponent.
static Value powerOfTwo(ExpansionBuilder &e, Value bits) {
  return e.bitcast(e.add(e.shl(bits, 23), oneBits), e.getBuilder().getF32Type());
}

/// One instruction of AVX-512 for a whole register of f32, which takes n as a float; null for other
/// lengths. (llvm.ldexp would convert n to an integer and back.) Lanes where `isKept` is not set, if there is one, become
/// 0 without being scaled.
static Value scaleRegister(ExpansionBuilder &e, Value y, Value n, Value isKept) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  auto type = cast<VectorType>(y.getType());
  int64_t lanes = type.getNumElements();
  if (lanes != 16 && lanes != 8 && lanes != 4)
    return Value();
  // All lanes, rounded as everything else is.
  Type bits = b.getIntegerType(lanes == 16 ? 16 : 8);
  Value all = arith::ConstantOp::create(b, b.getIntegerAttr(bits, -1));
  if (lanes == 4 && isKept)
    return e.select(isKept, scaleRegister(e, y, n, Value()), e.constant(0.0, y));
  Value mask = isKept ? Value(LLVM::BitcastOp::create(b, bits, isKept)) : all;
  SmallVector<Value> operands = {y, n, isKept ? e.constant(0.0, y) : y, mask};
  if (lanes == 16)
    operands.push_back(arith::ConstantOp::create(b, b.getI32IntegerAttr(4)));
  std::string name = "llvm.x86.avx512.mask.scalef.ps." + std::to_string(32 * lanes);
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands).getResult(0);
}

/// The same, a register at a time; null for lengths that make no registers.
static Value scaleRegisters(ExpansionBuilder &e, Value y, Value n, Value isKept = Value()) {
  constexpr int64_t kLanes = 16;
  ImplicitLocOpBuilder &b = e.getBuilder();
  auto type = dyn_cast<VectorType>(y.getType());
  if (!type || type.getRank() != 1)
    return Value();
  int64_t lanes = type.getNumElements();
  if (lanes <= kLanes)
    return scaleRegister(e, y, n, isKept);
  if (lanes % kLanes != 0)
    return Value();
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t at = 0; at < lanes; at += kLanes) {
    auto part = [&](Value whole) -> Value {
      return whole ? vector::ExtractStridedSliceOp::create(b, whole, at, kLanes, 1) : Value();
    };
    // Compared register by register: LLVM joins the masks of a longer comparison, and takes them
    // apart again.
    Value mask = part(isKept);
    if (auto compare = isKept ? isKept.getDefiningOp<arith::CmpFOp>() : arith::CmpFOp())
      mask = arith::CmpFOp::create(b, compare.getPredicate(), part(compare.getLhs()),
                                   part(compare.getRhs()));
    result = vector::InsertStridedSliceOp::create(
        b, scaleRegister(e, part(y), part(n), mask), result, at, 1);
  }
  return result;
}

/// y 2^n, |n| <= 151, rounded once where it is denormal; 0 where `isKept`, if there is one, is not set.
static Value scale(ExpansionBuilder &e, Value y, const Reduced &reduced, Value isKept = Value()) {
  if (e.options.hasScaling)
    if (Value scaled = scaleRegisters(e, y, reduced.n, isKept))
      return scaled;
  // In two steps, the first of which is exact.
  Value half = e.ashr(reduced.bits, 1);
  Value rest = e.sub(reduced.bits, half);
  Value scaled = e.fmul(e.fmul(y, powerOfTwo(e, half)), powerOfTwo(e, rest));
  return isKept ? e.select(isKept, scaled, e.constant(0.0, y)) : scaled;
}

/// e^r, |r| <= ln 2 / 2.
static Value expOfReduced(ExpansionBuilder &e, Value r) {
  if (e.isShort) // to 2^-18
    return e.polynomial(r, {0x1.54b546p-5, 0x1.57df5p-3, 0x1.0002e8p-1, 0x1.fffb3cp-1, 1.0});
  return e.polynomial(r, {0x1.6cee66p-10, 0x1.123efap-7, 0x1.55552ap-5, 0x1.55548ap-3, 0.5, 1.0, 1.0});
}

/// The same as 1 + (r + r^2 (1/2 + ...)), in two halves that do not wait for each other: sooner
/// there, and up to a tenth of an ULP worse.
static Value soonExpOfReduced(ExpansionBuilder &e, Value r) {
  Value square = e.fmul(r, r);
  Value low = e.fma(r, 0x1.55548ap-3, 0.5);
  Value high = e.fma(square, 0x1.6cee66p-10, e.fma(r, 0x1.123efap-7, 0x1.55552ap-5));
  return e.fadd(e.fma(square, e.fma(square, high, low), r), 1.0);
}

Value fuse::expandNormalExp(ExpansionBuilder &e, Value x) {
  Reduced reduced = reduceExponent(e, x);
  return e.fmul(soonExpOfReduced(e, reduced.r), powerOfTwo(e, reduced.bits));
}

/// Whether x is -|y|, as it is in all activations.
static bool isNeverPositive(Value x) {
  auto negation = x.getDefiningOp<arith::NegFOp>();
  return negation && negation.getOperand().getDefiningOp<math::AbsFOp>();
}

Value fuse::expandExp(ExpansionBuilder &e, Value x) {
  // Beyond these the result is 0 or infinite anyway, or, with flushesExp, below the least normal number. What is so small is
  // never computed: cores of Intel take 150 cycles for each denormal result, or one rounded to 0, and an attention's masked
  // scores all are. Exp of 4096 x 64 elements, a third of them -infinity, on a core of Granite Rapids: 0.93 ms, so 0.04.
  constexpr double lnOfLeastNormal = -0x1.5d589ep+6, lnOfHalfLeast = -0x1.9fe368p+6;
  Value least = e.constant(e.options.flushesExp ? lnOfLeastNormal : lnOfHalfLeast, x);
  Value isKept = e.fcmp(arith::CmpFPredicate::UGE, x, least);
  Value bounded = isNeverPositive(x) ? x : e.atMost(x, 89.0);
  Reduced reduced = reduceExponent(e, e.select(isKept, bounded, e.constant(0.0, x)));
  return scale(e, expOfReduced(e, reduced.r), reduced, isKept);
}

/// Whether x is known to be a whole number: rounded, and perhaps a whole number added.
static bool isWhole(Value x) {
  APFloat added(0.0f);
  if (auto sum = x.getDefiningOp<arith::AddFOp>())
    return matchPattern(sum.getRhs(), m_ConstantFloat(&added)) && added.isInteger() &&
           isWhole(sum.getLhs());
  return x.getDefiningOp<math::RoundEvenOp>() != nullptr;
}

/// 2^n of a whole number: nothing to approximate.
static Value expandWholeExp2(ExpansionBuilder &e, Value n) {
  Value one = e.constant(1.0, n);
  if (e.options.hasScaling)
    if (Value scaled = scaleRegisters(e, one, n))
      return scaled;
  Value bounded = e.atLeast(e.atMost(n, 129.0), -151.0);
  return scale(e, one, {Value(), bounded, e.toBits(e.fadd(bounded, roundingMagic))});
}

Value fuse::expandExp2(ExpansionBuilder &e, Value x) {
  if (isWhole(x))
    return expandWholeExp2(e, x);
  Value bounded = e.atLeast(e.atMost(x, 129.0), -151.0);
  Value shifted = e.fadd(bounded, roundingMagic);
  Value n = e.fsub(shifted, roundingMagic);
  Value r = e.fsub(bounded, n);
  Value tail = e.polynomial(r, {0x1.4bdfeap-13, 0x1.5fbcbp-10, 0x1.3b21cap-7, 0x1.c6ada8p-5,
                                0x1.ebfbe6p-3, 0x1.62e432p-1});
  return scale(e, e.fma(r, tail, 1.0), {r, n, e.toBits(shifted)});
}

Value fuse::expandExpM1(ExpansionBuilder &e, Value x) {
  // Below -18 the result is -1.
  Value bounded = e.atLeast(e.atMost(x, 89.0), -18.0);
  Reduced reduced = reduceExponent(e, bounded);
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
