//===- RowFold.cpp - What a reduction along vectors carries --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowFold.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t signBit = -0x80000000LL, magnitudeBits = 0x7FFFFFFF,
                         infinityBits = 0x7F800000, shortMagnitudeBits = 0x7FFF;

/// A first element of a greater magnitude (or none: an infinity, a NaN) is no origin: differences to
/// it could overflow where the elements do not.
static constexpr float kGreatestOrigin = 1e30F;

static arith::ExtFOp getWidening(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  bool isWidened = extension && getElementTypeOrSelf(extension.getIn()).isF32() &&
                   getElementTypeOrSelf(value).isF64();
  return isWidened ? extension : arith::ExtFOp();
}

/// The type of 16 bits that one operand of an extremum of f32 had; null where it had none.
static FloatType getShortType(Operation *combiner) {
  if (!isa<arith::MaximumFOp, arith::MinimumFOp>(combiner) || !combiner->getResult(0).getType().isF32())
    return {};
  for (Value operand : combiner->getOperands())
    if (auto extension = operand.getDefiningOp<arith::ExtFOp>())
      if (auto type = dyn_cast<FloatType>(extension.getIn().getType()); type && type.getWidth() == 16)
        return type;
  return {};
}

/// Whether an op adds an f32 to an f64.
static bool addsWidened(Operation *combiner) {
  return isa<arith::AddFOp>(combiner) && llvm::any_of(combiner->getOperands(), [](Value operand) {
           return static_cast<bool>(getWidening(operand));
         });
}

RowFold::RowFold(OpBuilder &builder, Location loc, Operation *combiner)
    : b(builder), loc(loc), combiner(combiner), isMaximum(isa<arith::MaximumFOp>(combiner)),
      extremum(isa<arith::MaximumFOp, arith::MinimumFOp>(combiner) &&
               combiner->getResult(0).getType().isF32()),
      widened(addsWidened(combiner)), shortType(getShortType(combiner)) {}

Value RowFold::getNeutral(int64_t lanes) {
  TypedAttr neutral = *arith::getNeutralElement(combiner);
  auto type = VectorType::get({lanes}, neutral.getType());
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, ArrayRef<Attribute>(neutral)));
}

Value RowFold::integers(int64_t value, Value like) {
  auto vector = cast<VectorType>(like.getType());
  unsigned width = vector.getElementTypeBitWidth();
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(vector.clone(b.getIntegerType(width)), APInt(width, value, /*isSigned=*/true)));
}

Value RowFold::toBits(Value x) {
  auto type = cast<VectorType>(x.getType());
  return arith::BitcastOp::create(b, loc, type.clone(b.getIntegerType(type.getElementTypeBitWidth())), x);
}

Value RowFold::toOrdered(Value bits) {
  Value sign = arith::ShRSIOp::create(b, loc, bits, integers(15, bits));
  Value lower = arith::AndIOp::create(b, loc, sign, integers(shortMagnitudeBits, bits));
  return arith::XOrIOp::create(b, loc, bits, lower);
}

RowFold::State RowFold::begin(int64_t lanes) {
  if (widened)
    return {arith::ConstantOp::create(b, loc, b.getZeroAttr(VectorType::get({lanes}, b.getF32Type())))};
  Value neutral = getNeutral(lanes);
  if (!extremum)
    return {neutral};
  if (shortType) {
    auto like = VectorType::get({lanes}, shortType);
    Value infinity = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(like, APFloat::getInf(shortType.getFloatSemantics(), /*Negative=*/isMaximum)));
    return {toOrdered(toBits(infinity)), integers(0, infinity)};
  }
  return {neutral, integers(0, neutral), integers(isMaximum ? -1 : 0, neutral)};
}

/// One instruction: the second where they are equal or one is a NaN.
Value RowFold::pick(Value l, Value r) {
  auto wins = isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  return arith::SelectOp::create(b, loc, arith::CmpFOp::create(b, loc, wins, l, r), l, r);
}

RowFold::State RowFold::combine(const State &l, const State &r) {
  if (!extremum)
    return {combine(l[0], r[0])};
  if (shortType) {
    Value extreme = isMaximum ? Value(arith::MaxSIOp::create(b, loc, l[0], r[0]))
                              : Value(arith::MinSIOp::create(b, loc, l[0], r[0]));
    return {extreme, arith::MaxUIOp::create(b, loc, l[1], r[1])};
  }
  // Of zeros the greater is positive if one of them is, the lesser negative if one of them is.
  Value signs = isMaximum ? Value(arith::AndIOp::create(b, loc, l[2], r[2]))
                          : Value(arith::OrIOp::create(b, loc, l[2], r[2]));
  return {pick(l[0], r[0]), arith::MaxUIOp::create(b, loc, l[1], r[1]), signs};
}

/// The elements before they were widened.
Value RowFold::getNarrow(Value values) {
  if (auto widening = getWidening(values))
    return widening.getIn();
  auto type = cast<VectorType>(values.getType()).clone(b.getF32Type());
  return arith::TruncFOp::create(b, loc, type, values); // constants, which were folded
}

void RowFold::setFirst(Value first, Value count) {
  Type f32 = b.getF32Type(), f64 = b.getF64Type();
  Value element = vector::ExtractOp::create(b, loc, getNarrow(first), ArrayRef<int64_t>{0});
  auto constant = [&](double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(f32, value));
  };
  Value magnitude = math::AbsFOp::create(b, loc, element);
  Value isOrigin = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, magnitude,
                                         constant(kGreatestOrigin));
  origin = arith::SelectOp::create(b, loc, isOrigin, element, constant(0));
  Value times = arith::SIToFPOp::create(
      b, loc, f64, arith::IndexCastOp::create(b, loc, b.getI64Type(), count));
  offset = arith::MulFOp::create(b, loc, times, arith::ExtFOp::create(b, loc, f64, origin));
}

RowFold::State RowFold::addToOrdered(const State &state, Value values, Value mask) {
  auto extension = values.getDefiningOp<arith::ExtFOp>();
  auto type = cast<VectorType>(values.getType()).clone(shortType);
  Value narrow = extension && extension.getIn().getType() == type
                     ? extension.getIn()
                     : arith::TruncFOp::create(b, loc, type, values).getResult(); // constants, which were folded
  Value bits = toBits(narrow);
  State added = {toOrdered(bits), arith::AndIOp::create(b, loc, bits, integers(shortMagnitudeBits, bits))};
  if (mask)
    for (auto [value, none] : llvm::zip(added, begin(type.getNumElements())))
      value = arith::SelectOp::create(b, loc, mask, value, none);
  return combine(state, added);
}

/// A vector of one lane: the short float of the state, widened.
Value RowFold::finishOrdered(const State &state) {
  auto type = VectorType::get({1}, shortType);
  Value result = arith::BitcastOp::create(b, loc, type, toOrdered(state[0]));
  int64_t infinity = static_cast<int64_t>(APFloat::getInf(shortType.getFloatSemantics()).bitcastToAPInt().getZExtValue());
  Value isNan = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, state[1], integers(infinity, result));
  Value nans = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, APFloat::getQNaN(shortType.getFloatSemantics())));
  result = arith::SelectOp::create(b, loc, isNan, nans, result);
  return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), result);
}

RowFold::State RowFold::add(const State &state, Value values, Value mask) {
  if (shortType)
    return addToOrdered(state, values, mask);
  if (!widened) {
    if (mask)
      values = arith::SelectOp::create(
          b, loc, mask, values, getNeutral(cast<VectorType>(values.getType()).getNumElements()));
    return addToExtremum(state, values);
  }
  Value narrow = getNarrow(values);
  Value origins = vector::BroadcastOp::create(b, loc, narrow.getType(), origin);
  Value sum = combine(state[0], arith::SubFOp::create(b, loc, narrow, origins));
  return {mask ? Value(arith::SelectOp::create(b, loc, mask, sum, state[0])) : sum};
}

RowFold::State RowFold::addToExtremum(const State &state, Value values) {
  Value bits = toBits(values);
  Value magnitude = arith::AndIOp::create(b, loc, bits, integers(magnitudeBits, values));
  return combine(state, {values, magnitude, bits});
}

Value RowFold::finish(State state) {
  int64_t lanes = cast<VectorType>(state[0].getType()).getNumElements();
  // LLVM 22 makes one vpdpbusd of halves of products of bytes that are added up, but then takes a single lane of it.
  if (isa<arith::AddIOp>(combiner))
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, state[0]);
  for (; lanes > 1; lanes /= 2) {
    State low, high;
    for (Value value : state)
      for (auto [side, from] : {std::pair(&low, int64_t(0)), {&high, lanes / 2}})
        side->push_back(vector::ExtractStridedSliceOp::create(
            b, loc, value, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{lanes / 2},
            ArrayRef<int64_t>{1}));
    state = combine(low, high);
  }
  Value result = state[0];
  if (shortType) {
    result = finishOrdered(state);
  } else if (extremum) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(result.getType()));
    Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, result, zero);
    Value sign = arith::AndIOp::create(b, loc, state[2], integers(signBit, result));
    result = arith::SelectOp::create(
        b, loc, isZero, arith::BitcastOp::create(b, loc, result.getType(), sign), result);
    Value isNan = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, state[1],
                                        integers(infinityBits, result));
    auto nan = APFloat::getQNaN(APFloat::IEEEsingle());
    Value nans = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(cast<VectorType>(result.getType()), nan));
    result = arith::SelectOp::create(b, loc, isNan, nans, result);
  }
  result = vector::ExtractOp::create(b, loc, result, ArrayRef<int64_t>{0});
  if (!widened)
    return result;
  return combine(arith::ExtFOp::create(b, loc, b.getF64Type(), result), offset);
}
