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
  AffineExpr result = once("quotient", {x, y}, /*commutes=*/false, [&] {
    Value divisor = number(y), zero = number(0);
    require(either(less(divisor, zero), less(zero, divisor)), "expected a divisor other than 0");
    return arith::FloorDivSIOp::create(builder, loc, number(x), divisor);
  });
  if (n.getLeast(x).value_or(-1) >= 0 && n.getLeast(y).value_or(-1) >= 0)
    n.getExtentValues().leasts[result] = 0;
  return result;
}

AffineExpr ComputedNumbers::once(StringRef op, ArrayRef<AffineExpr> operands, bool commutes,
                                 llvm::function_ref<Value()> compute) {
  ExtentValues &extents = n.getExtentValues();
  for (const ExtentValues::Computed &each : extents.computed)
    if (each.op == op && (commutes ? std::is_permutation(each.operands.begin(), each.operands.end(), operands.begin(), operands.end())
                                   : llvm::equal(each.operands, operands)))
      return each.result;
  AffineExpr result = n.getExtent(compute());
  if (extents.branchDepth == 0) // what a branch computes is not there behind it
    extents.computed.push_back({op, SmallVector<AffineExpr, 2>(operands), result});
  return result;
}

AffineExpr ComputedNumbers::wrapped(AffineExpr at, AffineExpr extent) {
  return once("wrapped", {at, extent}, /*commutes=*/false, [&] {
    Value place = number(at);
    return select(less(place, number(0)), add(place, number(extent)), place);
  });
}

AffineExpr ComputedNumbers::extreme(ArrayRef<AffineExpr> list, bool isGreatest) {
  StringRef op = isGreatest ? "max" : "min";
  ExtentValues &extents = n.getExtentValues();
  // max(max(a, b), c) is max(a, b, c), without those that are never beyond another one.
  SmallVector<AffineExpr> all, left;
  for (AffineExpr each : list) {
    auto inner = llvm::find_if(extents.computed, [&](const auto &known) { return known.op == op && known.result == each; });
    if (inner != extents.computed.end())
      llvm::append_range(all, inner->operands);
    else
      all.push_back(each);
  }
  for (AffineExpr each : all) {
    auto holds = [&](AffineExpr one, AffineExpr other) { // of both, the first is enough
      return n.getLeast(simplifyExtent(isGreatest ? one - other : other - one)).value_or(-1) >= 0;
    };
    if (llvm::any_of(left, [&](AffineExpr other) { return holds(other, each); }))
      continue;
    llvm::erase_if(left, [&](AffineExpr other) { return holds(each, other); });
    left.push_back(each);
  }
  if (left.size() == 1)
    return left.front();
  AffineExpr result = once(op, left, /*commutes=*/true, [&] {
    Value value = number(left.front());
    for (AffineExpr each : ArrayRef(left).drop_front())
      value = isGreatest ? max(value, number(each)) : min(value, number(each));
    return value;
  });
  std::optional<int64_t> least;
  bool isBounded = true;
  for (AffineExpr each : left) {
    std::optional<int64_t> own = n.getLeast(each);
    isBounded &= own.has_value();
    if (own)
      least = !least ? *own : isGreatest ? std::max(*least, *own) : std::min(*least, *own);
  }
  if (least && (isGreatest || isBounded))
    extents.leasts[result] = *least;
  return result;
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
