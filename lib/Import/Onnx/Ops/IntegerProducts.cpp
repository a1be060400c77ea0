//===- IntegerProducts.cpp - Products and convolutions of quantized tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Sums are of i32 as in other runtimes, so that results of integers are equal to theirs: the factors that take a sum
// to the result's scale are multiplied and divided in the same order, in f32.
//
//===----------------------------------------------------------------------------------------===//

#include "Quantized.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

//===- Products of matrices -----------------------------------------------------------------===//

/// A parameter of the columns of [..., K, N]: one number is of rank 0.
static Value alongColumns(FuseBuilder &b, Value x) {
  bool isOne = llvm::all_of(b.shapeOf(x), [](int64_t extent) { return extent == 1; });
  return isOne && b.rankOf(x) > 0 ? b.reshape(x, ArrayRef<int64_t>{}) : x;
}

/// The same of the rows of [..., M, K]: a list is one of the rows.
static Value alongRows(FuseBuilder &b, Value x) {
  x = alongColumns(b, x);
  return b.rankOf(x) == 1 ? b.insertUnitDims(x, {1}) : x;
}

namespace {
/// A product whose vectors were made matrices.
struct Product {
  Value sum; ///< i32
  SmallVector<int64_t> dropped;
};
} // namespace

static FailureOr<Product> multiply(Node &n, QuantizedOperand x, QuantizedOperand w) {
  FuseBuilder &b = n.b;
  int64_t lhsRank = b.rankOf(x.value), rhsRank = b.rankOf(w.value);
  if (lhsRank < 1 || rhsRank < 1)
    return n.fail("expected rank 1 or more, found 0");
  Product product;
  if (lhsRank == 1)
    x.value = b.insertUnitDims(x.value, {0});
  if (x.zero)
    x.zero = alongRows(b, x.zero);
  if (rhsRank == 1)
    w.value = b.insertUnitDims(w.value, {1});
  if (w.zero)
    w.zero = alongColumns(b, w.zero);
  product.sum = multiplyIntegers(n, x, w);
  int64_t rank = b.rankOf(product.sum);
  if (lhsRank == 1)
    product.dropped.push_back(rank - 2);
  if (rhsRank == 1)
    product.dropped.push_back(rank - 1);
  return product;
}

/// Of what was made of a product's sum.
static Value dropDims(FuseBuilder &b, Value x, ArrayRef<int64_t> dropped) {
  SmallVector<int64_t> shape(b.shapeOf(x));
  for (int64_t dim : llvm::reverse(dropped))
    shape.erase(shape.begin() + dim);
  return b.reshape(x, shape);
}

static LogicalResult importMatMulInteger(Node &n) {
  FailureOr<QuantizedOperand> x = getQuantized(n, 0, 2, "A"), w = getQuantized(n, 1, 3, "B");
  if (failed(x) || failed(w) || failed(checkOfRows(n, 2, "a_zero_point", n.getShape(0))) ||
      failed(checkOfColumns(n, 3, "b_zero_point", n.getShape(1))))
    return failure();
  FailureOr<Product> product = multiply(n, *x, *w);
  return failed(product) ? failure() : n.setResult(dropDims(n.b, product->sum, product->dropped));
}

/// A scale of all columns, or of each.
static Value getScale(Node &n, size_t i) {
  return alongColumns(n.b, n.b.cast(n.getInput(i), n.b.getBuilder().getF32Type()));
}

/// Fails where operand `i` is there and not a list of one element for each column of [..., K, N].
static LogicalResult checkBias(Node &n, size_t i, ArrayRef<int64_t> matrices) {
  return matrices.size() < 2 ? checkParameter(n, i, "bias", {}) : checkShape(n, i, "bias", {{matrices.back()}});
}

static LogicalResult importQLinearMatMul(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<QuantizedOperand> x = getQuantized(n, 0, 2, "a"), w = getQuantized(n, 3, 5, "b");
  if (failed(x) || failed(w) || failed(checkOfRows(n, 1, "a_scale", n.getShape(0))) ||
      failed(checkOfRows(n, 2, "a_zero_point", n.getShape(0))) || failed(checkOfColumns(n, 4, "b_scale", n.getShape(3))) ||
      failed(checkOfColumns(n, 5, "b_zero_point", n.getShape(3))))
    return failure();
  FailureOr<Product> product = multiply(n, *x, *w);
  if (failed(product) || n.hasFailed() || failed(checkOfRows(n, 6, "y_scale", b.shapeOf(product->sum))) ||
      failed(checkOfRows(n, 7, "y_zero_point", b.shapeOf(product->sum))))
    return failure();
  Value zero = mayDiffer(n, 7) ? alongRows(b, n.getInput(7)) : Value();
  Value factor = b.div(b.mul(alongRows(b, getScale(n, 1)), getScale(n, 4)), alongRows(b, getScale(n, 6)));
  Value result = requantize(b, product->sum, factor, zero, n.getElementType(7));
  return n.setResult(dropDims(b, result, product->dropped));
}

/// A sum as f32 times a factor, and an offset that may be left out, as numbers of `element`.
static LogicalResult setScaled(Node &n, const Product &product, Value factor, size_t bias, Type element) {
  FuseBuilder &b = n.b;
  Type f32 = b.getBuilder().getF32Type();
  Value result = b.mul(b.cast(product.sum, f32), factor);
  result = dropDims(b, result, product.dropped);
  if (n.hasInput(bias))
    result = b.add(result, b.cast(n.getInput(bias), f32));
  return n.setResult(b.cast(result, element));
}

static LogicalResult importMatMulIntegerToFloat(Node &n) {
  FailureOr<QuantizedOperand> x = getQuantized(n, 0, 4, "A"), w = getQuantized(n, 1, 5, "B");
  if (failed(x) || failed(w) || failed(checkOfRows(n, 2, "a_scale", n.getShape(0))) ||
      failed(checkOfColumns(n, 3, "b_scale", n.getShape(1))) || failed(checkOfRows(n, 4, "a_zero_point", n.getShape(0))) ||
      failed(checkOfColumns(n, 5, "b_zero_point", n.getShape(1))) || failed(checkBias(n, 6, n.getShape(1))))
    return failure();
  FailureOr<Product> product = multiply(n, *x, *w);
  Value factor = n.b.mul(alongRows(n.b, getScale(n, 2)), getScale(n, 3));
  return failed(product) ? failure() : setScaled(n, *product, factor, 6, n.getElementType(2));
}

static LogicalResult importDynamicQuantizeMatMul(Node &n) {
  if (!n.getElementType(0).isF32())
    return n.fail("expected FLOAT, found " + n.getElementName(0));
  DynamicallyQuantized made = quantizeDynamically(n.b, n.getInput(0));
  FailureOr<QuantizedOperand> w = getQuantized(n, 1, 3, "B");
  if (failed(w) || failed(checkOfColumns(n, 2, "b_scale", n.getShape(1))) ||
      failed(checkOfColumns(n, 3, "b_zero_point", n.getShape(1))) || failed(checkBias(n, 4, n.getShape(1))))
    return failure();
  FailureOr<Product> product = multiply(n, {made.value, made.zero, {}}, *w);
  return failed(product) ? failure() : setScaled(n, *product, n.b.mul(made.scale, getScale(n, 2)), 4, n.getElementType(0));
}

/// alpha · A · B + C, of matrices; quantized where a scale of the result is given.
static LogicalResult importQGemm(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<QuantizedOperand> x = getQuantized(n, 0, 2, "A"), w = getQuantized(n, 3, 5, "B");
  if (failed(x) || failed(w))
    return failure();
  if (n.getRank(0) != 2 || n.getRank(3) != 2)
    return n.fail("expected two matrices");
  if (n.getInt("transA", 0))
    x->value = b.transpose(x->value, {1, 0});
  if (n.getInt("transB", 0))
    w->value = b.transpose(w->value, {1, 0});
  int64_t rows = b.shapeOf(x->value)[0], columns = b.shapeOf(w->value)[1];
  if (failed(checkParameter(n, 1, "a_scale", {})) || failed(checkParameter(n, 2, "a_zero_point", {})) ||
      failed(checkParameter(n, 4, "b_scale", {{columns}})) || failed(checkParameter(n, 5, "b_zero_point", {{columns}})) ||
      failed(checkParameter(n, 6, "C", {{columns}, {1, columns}, {rows, 1}, {rows, columns}})) ||
      failed(checkParameter(n, 7, "y_scale", {})) || failed(checkParameter(n, 8, "y_zero_point", {})))
    return failure();
  FailureOr<Product> product = multiply(n, *x, *w);
  if (failed(product))
    return failure();
  if (n.hasInput(6))
    product->sum = b.add(product->sum, n.getInput(6));
  Value factor = getScale(n, 1);
  if (double alpha = n.getFloat("alpha", 1); alpha != 1)
    factor = b.mul(b.scalarLike(alpha, factor), factor);
  factor = b.mul(factor, getScale(n, 4));
  if (!n.hasInput(7))
    return setScaled(n, *product, factor, /*bias=*/n.getNumInputs(), b.getBuilder().getF32Type());
  factor = b.div(factor, getOne(n, 7, "y_scale"));
  Type element = n.hasInput(8) ? n.getElementType(8) : n.getElementType(0);
  return n.setResult(requantize(b, product->sum, factor, getZero(n, 8, "y_zero_point"), element));
}

//===- Convolutions -------------------------------------------------------------------------===//

/// Which operands of a convolution are what.
namespace {
struct ConvolutionOperands {
  size_t image, imageZero, filter, filterZero;
};
} // namespace

/// The sums of a convolution, [N, F, ...] of i32, or with channels last if the node says that of its operand.
static FailureOr<Value> convolveQuantized(Node &n, const ConvolutionOperands &at) {
  FuseBuilder &b = n.b;
  FailureOr<QuantizedOperand> x = getQuantized(n, at.image, at.imageZero, "x"),
                              w = getQuantized(n, at.filter, at.filterZero, "w");
  if (failed(x) || failed(w))
    return failure();
  int64_t rank = n.getRank(at.image);
  if (rank < 3 || n.getRank(at.filter) != rank || !n.getType(at.filter).hasStaticShape())
    return n.fail("expected an image and a filter of the same rank of 3 or more, the filter of static shape");
  if (failed(checkParameter(n, at.imageZero, "x_zero_point", {})) ||
      failed(checkParameter(n, at.filterZero, "w_zero_point", {{n.getShape(at.filter)[0]}})))
    return failure();
  if (x->zero)
    x->zero = alongColumns(b, x->zero);
  if (w->zero)
    w->zero = alongColumns(b, w->zero);
  FailureOr<Window> window = getConvolutionWindow(n, at.filter);
  if (failed(window))
    return failure();
  return convolveIntegers(n, *x, *w, *window, n.getInt("group", 1));
}

static LogicalResult importConvInteger(Node &n) {
  FailureOr<Value> sum = convolveQuantized(n, {0, 2, 1, 3});
  return failed(sum) ? failure() : n.setResult(*sum);
}

static LogicalResult importQLinearConv(Node &n) {
  FuseBuilder &b = n.b;
  FailureOr<Value> sum = convolveQuantized(n, {0, 2, 3, 5});
  if (failed(sum) || n.hasFailed())
    return failure();
  int64_t filters = n.getShape(3)[0];
  if (failed(checkParameter(n, 1, "x_scale", {})) || failed(checkParameter(n, 4, "w_scale", {{filters}})) ||
      failed(checkParameter(n, 6, "y_scale", {})) || failed(checkParameter(n, 7, "y_zero_point", {})) ||
      failed(checkShape(n, 8, "B", {{filters}})))
    return failure();
  int64_t rank = b.rankOf(*sum);
  Value result = *sum;
  if (n.hasInput(8))
    result = b.add(result, spreadAlong(b, n.getInput(8), 1, rank));
  Value factor = b.mul(getOne(n, 1, "x_scale"), spreadAlong(b, getScale(n, 4), 1, rank));
  factor = b.div(factor, getOne(n, 6, "y_scale"));
  result = requantize(b, result, factor, getZero(n, 7, "y_zero_point"), n.getElementType(7));
  return n.setResult(result);
}

void mlir::fuse::onnx::addIntegerProductOps(OpTable &table) {
  table.add("MatMulInteger", 2, 4, importMatMulInteger);
  table.add("ConvInteger", 2, 4, importConvInteger);
  table.add("QLinearMatMul", 8, 8, importQLinearMatMul);
  table.add("QLinearConv", 8, 9, importQLinearConv);
  table.add("com.microsoft.QLinearConv", 8, 9, withChannelsLast(importQLinearConv));
  table.add("com.microsoft.MatMulIntegerToFloat", 4, 7, importMatMulIntegerToFloat);
  table.add("com.microsoft.DynamicQuantizeMatMul", 3, 5, importDynamicQuantizeMatMul);
  table.add("com.microsoft.QGemm", 6, 9, importQGemm);
}
