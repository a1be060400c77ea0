//===- ElementBuilder.cpp - Arithmetic on scalars and vectors alike ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/ElementBuilder.h"

using namespace mlir;
using namespace mlir::fuse;

static Value splat(ImplicitLocOpBuilder &b, TypedAttr scalar, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, SplatElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(b, scalar);
}

Type ElementBuilder::shapedAs(Type element, Value like) {
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    return vector.clone(element);
  return element;
}

Value ElementBuilder::constant(double value, Type element, Value like) {
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return splat(b, b.getFloatAttr(element, rounded), shapedAs(element, like));
}

Value ElementBuilder::constant(int64_t value, Type element, Value like) {
  unsigned width = element.getIntOrFloatBitWidth();
  APInt bits(64, static_cast<uint64_t>(value));
  return splat(b, b.getIntegerAttr(element, bits.sextOrTrunc(width)), shapedAs(element, like));
}

Value ElementBuilder::constant(double value, Value like) {
  return constant(value, elementOf(like), like);
}

Value ElementBuilder::constant(int64_t value, Value like) {
  return constant(value, elementOf(like), like);
}

Value ElementBuilder::infinity(Value like, bool negative) {
  Type element = elementOf(like);
  APFloat value = APFloat::getInf(cast<FloatType>(element).getFloatSemantics(), negative);
  return splat(b, b.getFloatAttr(element, value), like.getType());
}

Value ElementBuilder::nan(Value like) {
  Type element = elementOf(like);
  APFloat value = APFloat::getQNaN(cast<FloatType>(element).getFloatSemantics());
  return splat(b, b.getFloatAttr(element, value), like.getType());
}

Value ElementBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = constant(coefficients.front(), x);
  for (double coefficient : coefficients.drop_front())
    result = fma(result, x, coefficient);
  return result;
}

Value ElementBuilder::atMost(Value x, double bound) {
  Value limit = constant(bound, x);
  return select(fcmp(arith::CmpFPredicate::OGT, x, limit), limit, x);
}

Value ElementBuilder::atLeast(Value x, double bound) {
  Value limit = constant(bound, x);
  return select(fcmp(arith::CmpFPredicate::OLT, x, limit), limit, x);
}

Value ElementBuilder::bitcast(Value x, Type element) {
  return arith::BitcastOp::create(b, shapedAs(element, x), x);
}

Value ElementBuilder::toBits(Value x) {
  return bitcast(x, b.getIntegerType(elementOf(x).getIntOrFloatBitWidth()));
}

Value ElementBuilder::extend(Value x, Type element) {
  return arith::ExtFOp::create(b, shapedAs(element, x), x);
}

Value ElementBuilder::truncate(Value x, Type element) {
  return arith::TruncFOp::create(b, shapedAs(element, x), x);
}

Value ElementBuilder::roundResult(Value x, Type element) {
  Value rounded = truncate(x, element);
  rounded.getDefiningOp()->setAttr(attr::kRounding, b.getUnitAttr());
  return rounded;
}

Value ElementBuilder::truncateToOdd(Value x) {
  Type f32 = b.getF32Type();
  Value nearest = truncate(x, f32);
  Value back = extend(nearest, elementOf(x));
  Value bits = toBits(nearest);
  Value isInexact = fcmp(arith::CmpFPredicate::ONE, back, x);
  Value isEven = icmp(arith::CmpIPredicate::eq, bitAnd(bits, 1), 0);
  // Bits grow with the magnitude, so the other neighbour is one up or one down.
  Value isTooLarge = fcmp(arith::CmpFPredicate::OGT, fabs(back), fabs(x));
  Value other = add(bits, select(isTooLarge, constant(-1, bits), constant(1, bits)));
  return bitcast(select(bitAnd(isInexact, isEven), other, bits), f32);
}
