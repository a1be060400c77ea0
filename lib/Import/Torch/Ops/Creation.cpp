//===- Creation.cpp - Tensors that are made, copied and converted -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

static Number makeNumber(int64_t value) {
  Number number;
  number.integer = value;
  number.value = double(value);
  return number;
}

/// The element type of a new tensor: stated, or f32 unless the program says what else.
static Type getNewType(Node &n) { return n.getType("dtype", n.getResultType(0, n.b.getBuilder().getF32Type())); }

static LogicalResult importFull(Node &n, std::optional<int64_t> value) {
  SmallVector<AffineExpr> extents = n.getExprs("size");
  Number number = value ? makeNumber(*value) : n.getNumber("fill_value");
  Type type = getNewType(n);
  return n.hasFailed() ? failure() : n.setResult(n.fill(number, extents, type));
}

static LogicalResult importFullLike(Node &n, std::optional<int64_t> value, bool hasSize = false) {
  Value x = n.tensor("self");
  Number number = value ? makeNumber(*value) : n.getNumber("fill_value");
  SmallVector<AffineExpr> extents = hasSize ? n.getExprs("size") : n.getExtents(x);
  Type type = n.getType("dtype", n.b.elementOf(x));
  return n.hasFailed() ? failure() : n.setResult(n.fill(number, extents, type));
}

/// Numbers of which one has a fraction.
static LogicalResult importFloatRange(Node &n, const Number &start, const Number &end, const Number &step, Type type) {
  FuseBuilder &b = n.b;
  if (!start.value || !end.value || !step.value)
    return n.fail("expected integers with a step that is known before the program runs, or numbers that all are");
  double count = std::ceil((*end.value - *start.value) / *step.value);
  if (!(count >= 0 && count < double(kMostBytes)))
    return n.fail("expected a step other than 0 towards the end");
  Value steps = b.iota({int64_t(count)}, 0, b.getBuilder().getI64Type());
  if (isa<IntegerType>(type)) // each number is made an integer before
    return n.setResult(b.cast(b.add(b.mul(steps, std::trunc(*step.value)), std::trunc(*start.value)), type));
  steps = b.cast(steps, b.getBuilder().getF64Type());
  return n.setResult(b.cast(b.add(b.mul(steps, *step.value), *start.value), type));
}

static LogicalResult importArange(Node &n) {
  FuseBuilder &b = n.b;
  Number start = n.getNumber("start", makeNumber(0)), end = n.getNumber("end"),
         step = n.getNumber("step", makeNumber(1));
  Type type = getNewType(n);
  if (n.hasFailed())
    return failure();
  // A float without a fraction counts as the integer it is: arange(0, length, 1.0).
  auto toExpr = [&](const Number &number) -> AffineExpr {
    if (number.extent)
      return number.extent;
    if (number.kind == Number::Int && number.value)
      return n.getConstant(number.integer);
    bool isWhole = number.value && std::trunc(*number.value) == *number.value && std::abs(*number.value) < 0x1p53;
    return isWhole ? n.getConstant(int64_t(*number.value)) : AffineExpr();
  };
  AffineExpr from = toExpr(start), to = toExpr(end), stride = toExpr(step);
  auto known = dyn_cast_or_null<AffineConstantExpr>(stride);
  if (!from || !to || !known)
    return importFloatRange(n, start, end, step, type);
  int64_t by = known.getValue();
  if (by == 0)
    return n.fail("expected a step other than 0");
  AffineExpr distance = simplifyExtent(by > 0 ? to - from : from - to);
  if (auto number = dyn_cast<AffineConstantExpr>(distance); number && number.getValue() <= 0)
    distance = n.getConstant(0);
  AffineExpr count = simplifyExtent(distance.ceilDiv(std::abs(by)));
  // Short and unsigned integers wrap around at the end: they may not hold the step.
  bool isWide = type.isSignlessInteger(32) || type.isSignlessInteger(64);
  Value places = b.iota(n.getSizes({count}), 0, isWide ? type : Type(b.getBuilder().getI64Type()));
  if (by != 1)
    places = b.mul(places, double(by));
  if (from != n.getConstant(0))
    places = b.add(places, n.getNumber(from, b.elementOf(places)));
  return n.setResult(b.cast(places, type));
}

static LogicalResult importLinspace(Node &n) {
  FuseBuilder &b = n.b;
  double start = n.getFloat("start", 0), end = n.getFloat("end", 0);
  int64_t steps = n.getInt("steps", 0);
  Type type = getNewType(n);
  if (n.hasFailed() || failed(n.takeListed(steps)))
    return failure();
  if (steps < 0 || !isa<FloatType>(type))
    return n.fail("expected floats, and steps of at least 0");
  // From both ends, so that the last one is exact.
  HostArray values(*toElementType(type), {steps});
  double by = steps > 1 ? (end - start) / double(steps - 1) : 0;
  for (int64_t i = 0; i < steps; ++i)
    values.setFloat(i, i < steps / 2 || steps == 1 ? start + by * double(i) : end - by * double(steps - 1 - i));
  return n.setResult(b.constant(values));
}

static LogicalResult importEye(Node &n) {
  FuseBuilder &b = n.b;
  AffineExpr rows = n.getExpr("n", 0), columns = n.has("m") ? n.getExpr("m", 0) : rows;
  Type type = getNewType(n), index = b.getBuilder().getI64Type();
  SmallVector<OpFoldResult> matrix = n.getSizes({rows, columns});
  return n.setResult(b.cast(b.compare(ComparePredicate::Eq, b.iota(matrix, 0, index), b.iota(matrix, 1, index)), type));
}

static LogicalResult importConvert(Node &n, StringRef operand) {
  Value x = n.tensor(operand);
  Type type = n.getType("dtype", n.getResultType(0, n.b.elementOf(x)));
  return n.hasFailed() ? failure() : n.setResult(n.b.cast(x, type));
}

static LogicalResult importCopy(Node &n) {
  Value x = n.tensor("self"), source = n.tensor("src");
  return n.setResult(n.expand(n.b.cast(source, n.b.elementOf(x)), n.getExtents(x)));
}

static LogicalResult importFill(Node &n, bool isZero) {
  Value x = n.tensor("self");
  Type element = n.b.elementOf(x);
  if (!isZero && n.isTensor("value"))
    return n.setResult(n.expand(n.b.cast(n.tensor("value"), element), n.getExtents(x)));
  return n.setResult(n.fill(isZero ? makeNumber(0) : n.getNumber("value"), n.getExtents(x), element));
}

void mlir::fuse::torch::addCreationOps(OpTable &table) {
  table.add("full.default", "", [](Node &n) { return importFull(n, {}); });
  table.add("zeros.default empty.memory_format", "", [](Node &n) { return importFull(n, 0); });
  table.add("ones.default", "", [](Node &n) { return importFull(n, 1); });
  table.add("empty_strided.default empty_permuted.default", "", [](Node &n) { return importFull(n, 0); });
  table.add("full_like.default", "self", [](Node &n) { return importFullLike(n, {}); });
  table.add("zeros_like.default empty_like.default", "self", [](Node &n) { return importFullLike(n, 0); });
  table.add("ones_like.default", "self", [](Node &n) { return importFullLike(n, 1); });
  table.add("new_full.default", "self", [](Node &n) { return importFullLike(n, {}, /*hasSize=*/true); });
  table.add("new_zeros.default new_empty.default new_empty_strided.default", "self",
            [](Node &n) { return importFullLike(n, 0, /*hasSize=*/true); });
  table.add("new_ones.default", "self", [](Node &n) { return importFullLike(n, 1, /*hasSize=*/true); });
  table.add("scalar_tensor.default", "", [](Node &n) {
    Number number = n.getNumber("s");
    Type type = getNewType(n);
    return n.hasFailed() ? failure() : n.setResult(n.fill(number, {}, type));
  });
  table.add("arange.default arange.start arange.start_step", "", importArange);
  table.add("linspace.default", "", importLinspace);
  table.add("eye.default eye.m", "", importEye);
  table.addView("to.dtype to.dtype_layout to.device to.other type_as.default", "self",
                [](Node &n) { return importConvert(n, "self"); });
  table.add("_to_copy.default", "self", [](Node &n) { return importConvert(n, "self"); });
  // What Dynamo makes of a float that is an argument.
  table.add("prims.convert_element_type.default", "a", [](Node &n) { return importConvert(n, "a"); });
  auto pass = [](Node &n) { return n.setResult(n.tensor("self")); };
  table.add("clone.default lift_fresh_copy.default detach_copy.default alias_copy.default", "self", pass);
  table.addView("contiguous.default", "self", pass);
  table.addAlias("detach.default alias.default lift.default lift_fresh.default", "self", pass);
  table.add("copy.default", "self src", importCopy);
  table.add("fill.Scalar fill.Tensor", "self", [](Node &n) { return importFill(n, false); });
  table.add("zero.default", "self", [](Node &n) { return importFill(n, true); });
}
