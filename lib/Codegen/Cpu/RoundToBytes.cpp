//===- RoundToBytes.cpp - Floats that are rounded and saturated to bytes ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RoundToBytes.h"
#include "LaneConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::fuse;
using arith::CmpFPredicate;

/// The integer that all lanes of a vector are.
static std::optional<double> getInteger(Value value) {
  std::optional<APFloat> number = getLaneConstant(value);
  return number && number->isInteger() ? std::optional(number->convertToDouble()) : std::nullopt;
}

namespace {

/// A choice between a value and a number, by a comparison of the value: of its maximum with the number, say.
struct Choice {
  Value value;
  double number;
};

} // namespace

/// `value` where it is compared so with the number, else the number; `isKept` false: the other way round.
static std::optional<Choice> matchChoice(Value from, CmpFPredicate predicate, bool isKept) {
  auto choice = from.getDefiningOp<arith::SelectOp>();
  auto compared = choice ? choice.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  if (!compared || compared.getPredicate() != predicate)
    return std::nullopt;
  Value value = isKept ? choice.getTrueValue() : choice.getFalseValue();
  Value other = isKept ? choice.getFalseValue() : choice.getTrueValue();
  std::optional<double> number = getInteger(other);
  if (!number || compared.getLhs() != value)
    return std::nullopt;
  bool isNan = predicate == CmpFPredicate::UNO && compared.getRhs() == value;
  if (!isNan && getInteger(compared.getRhs()) != number)
    return std::nullopt;
  return Choice{value, *number};
}

namespace {

/// to byte(min(max(round(x) + zero, low), high)), where NaN becomes 0.
struct Rounded {
  Value x;
  double zero = 0, low = 0, high = 0;
};

} // namespace

static std::optional<Rounded> matchRounded(Operation *toInteger) {
  Rounded rounded;
  bool isUnsigned = isa<arith::FPToUIOp>(toInteger);
  std::optional<Choice> most = matchChoice(toInteger->getOperand(0), CmpFPredicate::OGT, /*isKept=*/false);
  if (!most)
    return std::nullopt;
  rounded.high = most->number;
  std::optional<Choice> least = isUnsigned ? matchChoice(most->value, CmpFPredicate::OGT, /*isKept=*/true)
                                           : matchChoice(most->value, CmpFPredicate::OLT, /*isKept=*/false);
  if (!least)
    return std::nullopt;
  rounded.low = least->number;
  Value sum = least->value;
  if (isUnsigned) { // NaN is not greater
    if (rounded.low != 0)
      return std::nullopt;
  } else {
    std::optional<Choice> ordered = matchChoice(sum, CmpFPredicate::UNO, /*isKept=*/false);
    if (!ordered || ordered->number != 0)
      return std::nullopt;
    sum = ordered->value;
  }
  if (auto add = sum.getDefiningOp<arith::AddFOp>()) {
    std::optional<double> zero = getInteger(add.getRhs());
    if (!zero)
      return std::nullopt;
    rounded.zero = *zero;
    sum = add.getLhs();
  }
  auto round = sum.getDefiningOp<math::RoundEvenOp>();
  if (!round)
    return std::nullopt;
  rounded.x = round.getOperand();
  // A zero point is none of the bytes as a rule; all of these are exact in any case.
  constexpr double kMost = 1 << 16;
  return std::abs(rounded.zero) < kMost && rounded.low <= 0 && rounded.high >= 0 ? std::optional(rounded) : std::nullopt;
}

static void rewrite(RewriterBase &rewriter, Operation *op, const Rounded &rounded) {
  ImplicitLocOpBuilder b(op->getLoc(), rewriter);
  b.setInsertionPoint(op);
  auto floats = cast<VectorType>(rounded.x.getType()), words = floats.clone(b.getI32Type());
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(floats, static_cast<float>(value)));
  };
  bool isUnsigned = isa<arith::FPToUIOp>(op);
  Value x = rounded.x, low = constant(rounded.low - rounded.zero), high = constant(rounded.high - rounded.zero);
  if (!isUnsigned) {
    Value isNan = arith::CmpFOp::create(b, CmpFPredicate::UNO, x, x);
    x = arith::SelectOp::create(b, isNan, constant(-rounded.zero), x);
  }
  x = arith::SelectOp::create(b, arith::CmpFOp::create(b, CmpFPredicate::OGT, x, low), x, low);
  x = arith::SelectOp::create(b, arith::CmpFOp::create(b, CmpFPredicate::OGT, x, high), high, x);
  Value number = LLVM::LrintOp::create(b, words, x);
  if (rounded.zero != 0) {
    Value zero = arith::ConstantOp::create(
        b, DenseElementsAttr::get(words, static_cast<int32_t>(rounded.zero)));
    number = arith::AddIOp::create(b, number, zero);
  }
  auto fits = isUnsigned ? arith::IntegerOverflowFlags::nuw : arith::IntegerOverflowFlags::nsw;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op->getResult(0).getType(), number, fits);
}

void mlir::fuse::roundToBytes(RewriterBase &rewriter, func::FuncOp kernel) {
  SmallVector<Operation *> conversions;
  kernel.walk([&](Operation *op) {
    auto from = isa<arith::FPToUIOp, arith::FPToSIOp>(op) ? dyn_cast<VectorType>(op->getOperand(0).getType())
                                                          : VectorType();
    if (from && from.getElementType().isF32() && getElementTypeOrSelf(op->getResult(0)).isInteger(8))
      conversions.push_back(op);
  });
  for (Operation *op : conversions)
    if (std::optional<Rounded> rounded = matchRounded(op))
      rewrite(rewriter, op, *rounded);
}
