//===- IntegerProducts.cpp - Products of quantized tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "IntegerProducts.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

//===- Quantizing -------------------------------------------------------------------------===//

Value mlir::fuse::importer::quantize(FuseBuilder &b, Value x, Value zero, Type element) {
  Value rounded = b.unary(UnaryKind::RoundEven, x);
  if (!zero)
    return b.cast(rounded, element);
  // Exact below 2^24; what is beyond saturates either way.
  rounded = b.widen(rounded);
  return b.cast(b.add(rounded, b.cast(zero, b.elementOf(rounded))), element);
}

Value mlir::fuse::importer::dequantize(FuseBuilder &b, Value x, Value zero, Value scale) {
  Type f32 = b.getBuilder().getF32Type();
  // Of 32 bits a float does not hold all.
  if (zero && b.elementOf(x).getIntOrFloatBitWidth() > 16)
    x = b.sub(x, std::exchange(zero, Value()));
  Value number = b.cast(x, f32);
  if (zero)
    number = b.sub(number, b.cast(zero, f32));
  return b.mul(number, b.cast(scale, f32));
}

Value mlir::fuse::importer::requantize(FuseBuilder &b, Value sum, Value factor, Value zero, Type element) {
  return quantize(b, b.mul(b.cast(sum, b.getBuilder().getF32Type()), factor), zero, element);
}

DynamicallyQuantized mlir::fuse::importer::quantizeDynamically(FuseBuilder &b, Value x) {
  Type ui8 = toMLIRType(ElementType::U8, b.getContext());
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, b.rankOf(x)));
  Value none = b.scalarLike(0, x);
  Value most = b.binary(BinaryKind::Max, b.reduce(ReduceKind::Max, x, axes, /*keepDims=*/false), none);
  Value least = b.binary(BinaryKind::Min, b.reduce(ReduceKind::Min, x, axes, /*keepDims=*/false), none);
  Value isFlat = b.compare(ComparePredicate::Eq, most, least);
  Value scale = b.select(isFlat, b.scalarLike(1, x), b.div(b.sub(most, least), 255));
  Value zero = b.cast(b.unary(UnaryKind::RoundEven, b.div(b.unary(UnaryKind::Neg, least), scale)), ui8);
  return {quantize(b, b.div(x, scale), zero, ui8), scale, zero};
}

//===- Products ---------------------------------------------------------------------------===//

/// The sums along an axis, of that axis' extent 1.
static Value sumAlong(FuseBuilder &b, Value bytes, int64_t axis) {
  return b.reduce(ReduceKind::Sum, b.cast(bytes, b.getBuilder().getI32Type()), {axis}, /*keepDims=*/true);
}

Value mlir::fuse::importer::sumColumns(FuseBuilder &b, Value weights) {
  return sumAlong(b, weights, b.rankOf(weights) - 2);
}

Value mlir::fuse::importer::multiplyIntegers(OpContext &n, const QuantizedOperand &x, const QuantizedOperand &w) {
  FuseBuilder &b = n.b;
  Type sum = b.getBuilder().getI32Type();
  Value result = b.matmul(x.value, w.value, false, false, sum);
  Value xZero = x.hasZero() ? b.cast(x.zero, sum) : Value();
  if (xZero)
    result = b.sub(result, b.mul(xZero, w.sums ? w.sums : sumColumns(b, w.value)));
  if (!w.hasZero())
    return result;
  Value rows = sumAlong(b, x.value, b.rankOf(x.value) - 1);
  if (xZero) {
    Value terms = n.getNumber(n.getExtents(x.value).back(), sum);
    rows = b.sub(rows, b.mul(terms, xZero));
  }
  return b.sub(result, b.mul(rows, b.cast(w.zero, sum)));
}

/// A list with one element for each filter, along the filters of an image, or of the filters themselves.
static Value alongFilters(FuseBuilder &b, Value x, int64_t behind) {
  if (b.rankOf(x) == 0)
    return x;
  SmallVector<int64_t> shape(behind + 1, 1);
  shape.front() = b.shapeOf(x)[0];
  return b.reshape(x, shape);
}

FailureOr<Value> mlir::fuse::importer::convolveIntegers(OpContext &n, const QuantizedOperand &x,
                                                        const QuantizedOperand &w, const Window &window,
                                                        int64_t groups) {
  FuseBuilder &b = n.b;
  Type sum = b.getBuilder().getI32Type();
  int64_t spatial = static_cast<int64_t>(window.rank());
  bool isPadded = window.isSame || llvm::any_of(llvm::concat<const int64_t>(window.low, window.high),
                                                [](int64_t pad) { return pad != 0; });
  // Sums of windows are a convolution of their own, and padding by a number that is not known is none of the ops'.
  bool isGeneral = w.hasZero() || (x.hasZero() && isPadded && !x.knownZero);
  Value image = x.value, filter = w.value;
  if (isGeneral) {
    image = b.cast(image, sum);
    filter = b.cast(filter, sum);
    if (x.hasZero())
      image = b.sub(image, b.cast(x.zero, sum));
    if (w.hasZero())
      filter = b.sub(filter, b.cast(alongFilters(b, w.zero, spatial + 1), sum));
  }
  Window v = window;
  v.keepsSums = !isGeneral;
  double padding = isGeneral ? 0 : double(x.knownZero.value_or(0));
  if (v.isSame) {
    FailureOr<Value> padded = padSame(n, image, v, padding);
    if (failed(padded))
      return failure();
    image = *padded;
  } else if (isPadded && padding != 0) {
    SmallVector<int64_t> low(2, 0), high(2, 0);
    low.append(v.low);
    high.append(v.high);
    image = b.pad(image, low, high, padding);
    v.low.assign(spatial, 0);
    v.high.assign(spatial, 0);
  }
  if (n.hasFailed())
    return failure();
  Value result = convolve(n, image, filter, Value(), v, groups);
  if (isGeneral || !x.hasZero())
    return result;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(1, spatial + 2));
  Value sums = b.reduce(ReduceKind::Sum, b.cast(filter, sum), axes, /*keepDims=*/false);
  return b.sub(result, alongFilters(b, b.mul(sums, b.cast(x.zero, sum)), spatial));
}
