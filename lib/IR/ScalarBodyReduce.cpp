//===- ScalarBodyReduce.cpp - Steps of reductions ------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/ScalarBody.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::fuse;

Type fuse::getAccumulatorType(ReduceKind kind, Type elementType) {
  MLIRContext *context = elementType.getContext();
  if (elementType.isF16() || elementType.isBF16())
    return Float32Type::get(context);
  // A norm subtracts the mean from elements that may all be close to it.
  if (elementType.isF32() && kind == ReduceKind::Mean)
    return Float64Type::get(context);
  auto integer = dyn_cast<IntegerType>(elementType);
  bool isShort = integer && (integer.getWidth() == 8 || integer.getWidth() == 16);
  if (isShort && (kind == ReduceKind::Sum || kind == ReduceKind::Prod))
    return IntegerType::get(context, 32);
  return elementType;
}

BinaryKind fuse::getCombiner(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return BinaryKind::Add;
  case ReduceKind::Max:
    return BinaryKind::Max;
  case ReduceKind::Min:
    return BinaryKind::Min;
  case ReduceKind::Prod:
    return BinaryKind::Mul;
  case ReduceKind::Any:
    return BinaryKind::Or;
  case ReduceKind::All:
    return BinaryKind::And;
  }
  llvm_unreachable("unknown reduce kind");
}

Value fuse::buildReduceCombine(ImplicitLocOpBuilder &b, ReduceKind kind, Type accType, Value acc,
                               Value x) {
  return buildBinary(b, getCombiner(kind), accType, acc, x);
}

static APInt getIntegerNeutral(ReduceKind kind, IntegerType type) {
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned() || width == 1;
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
  case ReduceKind::Any:
    return APInt::getZero(width);
  case ReduceKind::Prod:
  case ReduceKind::All:
    return APInt(width, 1);
  case ReduceKind::Max:
    return isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  case ReduceKind::Min:
    return isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  }
  llvm_unreachable("unknown reduce kind");
}

TypedAttr fuse::getReduceNeutral(ReduceKind kind, Type accType) {
  if (auto integer = dyn_cast<IntegerType>(accType))
    return IntegerAttr::get(getSignlessType(accType), getIntegerNeutral(kind, integer));
  const llvm::fltSemantics &semantics = cast<FloatType>(accType).getFloatSemantics();
  switch (kind) {
  case ReduceKind::Max:
  case ReduceKind::Min:
    return FloatAttr::get(accType, APFloat::getInf(semantics, kind == ReduceKind::Max));
  case ReduceKind::Prod:
    return FloatAttr::get(accType, 1.0);
  default:
    return FloatAttr::get(accType, 0.0);
  }
}

Value fuse::buildReduceNeutral(ImplicitLocOpBuilder &b, ReduceKind kind, Type accType) {
  return arith::ConstantOp::create(b, getReduceNeutral(kind, accType));
}

Value fuse::buildReduceFinish(ImplicitLocOpBuilder &b, ReduceKind kind, Type accType, Value acc,
                              Value count) {
  if (kind != ReduceKind::Mean)
    return acc;
  ElementBuilder e(b);
  Value integer = arith::IndexCastOp::create(b, b.getI64Type(), count);
  Value divisor = arith::SIToFPOp::create(b, accType, integer);
  if (auto vector = dyn_cast<VectorType>(acc.getType()))
    divisor = vector::BroadcastOp::create(b, vector, divisor);
  return e.fdiv(acc, divisor);
}

ArgValue fuse::buildArgCombine(ImplicitLocOpBuilder &b, ArgReduceKind kind, Type logicalType,
                               ArgValue l, ArgValue r) {
  ElementBuilder e(b);
  ComparePredicate better =
      kind == ArgReduceKind::Argmax ? ComparePredicate::Gt : ComparePredicate::Lt;
  Value takeRight = buildCompare(b, better, logicalType, r.element, l.element);
  Value isTie = buildCompare(b, ComparePredicate::Eq, logicalType, r.element, l.element);
  if (isa<FloatType>(logicalType)) {
    Value leftIsNan = buildCompare(b, ComparePredicate::Ne, logicalType, l.element, l.element);
    Value rightIsNan = buildCompare(b, ComparePredicate::Ne, logicalType, r.element, r.element);
    Value onlyRight = e.bitAnd(rightIsNan, e.bitXor(leftIsNan, -1));
    takeRight = e.bitOr(takeRight, onlyRight);
    isTie = e.bitOr(isTie, e.bitAnd(leftIsNan, rightIsNan));
  }
  Value isEarlier = e.icmp(arith::CmpIPredicate::slt, r.index, l.index);
  takeRight = e.bitOr(takeRight, e.bitAnd(isTie, isEarlier));
  return {e.select(takeRight, r.element, l.element), e.select(takeRight, r.index, l.index)};
}
