//===- ComputedNumbers.cpp - Integers that are known when the model runs -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ComputedNumbers.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

Value ComputedNumbers::number(AffineExpr extent) {
  return getValueOrCreateConstantIndexOp(builder, loc, n.getSize(extent));
}

AffineExpr ComputedNumbers::scaled(AffineExpr extent, Value factors, size_t i) {
  Type wide = builder.getF64Type();
  Value factor = tensor::ExtractOp::create(builder, loc, factors, number(static_cast<int64_t>(i)));
  if (factor.getType() != wide)
    factor = arith::ExtFOp::create(builder, loc, wide, factor);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(0));
  require(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, factor, zero), "expected scales above 0");
  return scaled(extent, factor);
}

AffineExpr ComputedNumbers::scaled(AffineExpr extent, Value factor) {
  // Truncated, which is rounded down of what is not negative.
  return truncate(arith::MulFOp::create(builder, loc, toFloat(extent), factor));
}

Value ComputedNumbers::toFloat(AffineExpr extent) {
  Value whole = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), number(extent));
  return arith::SIToFPOp::create(builder, loc, builder.getF64Type(), whole);
}

AffineExpr ComputedNumbers::truncate(Value number) {
  Value whole = arith::FPToSIOp::create(builder, loc, builder.getI64Type(), number);
  return n.getExtent(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), whole));
}

AffineExpr ComputedNumbers::quotient(AffineExpr x, AffineExpr y) {
  if (auto divisor = dyn_cast<AffineConstantExpr>(y); divisor && divisor.getValue() > 0)
    return simplifyExtent(x.floorDiv(divisor.getValue()));
  if (std::optional<AffineExpr> exact = divideExactly(x, y, n.b.getContext()))
    return *exact;
  Value divisor = number(y), zero = number(0);
  require(either(less(divisor, zero), less(zero, divisor)), "expected a divisor other than 0");
  return n.getExtent(arith::FloorDivSIOp::create(builder, loc, number(x), divisor));
}

Value ComputedNumbers::product(ArrayRef<Value> values) {
  Value all = number(1);
  for (Value value : values)
    all = mul(all, value);
  return all;
}

Value ComputedNumbers::element(ArrayRef<Value> list, Value at) {
  Value found = number(0);
  for (auto [i, value] : llvm::enumerate(list))
    found = select(equal(at, number(static_cast<int64_t>(i))), value, found);
  return found;
}

Value ComputedNumbers::contains(ArrayRef<Value> axes, int64_t axis, int64_t rank) {
  Value found = arith::ConstantIntOp::create(builder, loc, 0, 1);
  for (Value each : axes)
    found = either(found, either(equal(each, number(axis)), equal(each, number(axis - rank))));
  return found;
}

void ComputedNumbers::require(Value condition, const Twine &text) {
  cf::AssertOp::create(builder, loc, condition, n.getDescription() + ": " + text.str());
}

OpFoldResult ComputedNumbers::extent(Value number) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return builder.getIndexAttr(*known);
  return number;
}
