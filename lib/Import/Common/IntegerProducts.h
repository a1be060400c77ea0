//===- IntegerProducts.h - Products of quantized tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A quantized tensor holds bytes that stand for (byte − zero point) · scale. The sum of products of two of them,
//
//   Σ (x − a) · (w − b) = Σ x · w − a · Σ w − b · (Σ x − K · a)
//
// is built as one product of bytes, whose sums are of i32, and what the zero points add to it: the column sums Σ w are
// those of a parameter as a rule, and most weights have the zero point 0. All of it is exact, as long as the sum fits
// into i32; beyond that it wraps, as it does in other runtimes.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_INTEGERPRODUCTS_H
#define FUSE_IMPORT_COMMON_INTEGERPRODUCTS_H

#include "Windows.h"

namespace mlir::fuse::importer {

/// Rounds numbers, which were divided by the scale before, adds the zero point, which may be null, and saturates.
Value quantize(FuseBuilder &b, Value x, Value zero, Type element);
/// (x − zero) · scale in f32.
Value dequantize(FuseBuilder &b, Value x, Value zero, Value scale);
/// A sum of products as i32 times `factor` as f32, quantized.
Value requantize(FuseBuilder &b, Value sum, Value factor, Value zero, Type element);

/// What ONNX's DynamicQuantizeLinear gives of all of x: ui8, its scale (f32) and zero point (ui8), of rank 0.
struct DynamicallyQuantized {
  Value value, scale, zero;
};
DynamicallyQuantized quantizeDynamically(FuseBuilder &b, Value x);

/// Bytes (i8 or ui8) and their zero point.
struct QuantizedOperand {
  Value value;
  /// Of the same type, of rank 0 or of a shape that the product says; null for 0.
  Value zero;
  /// The zero point where it is one number that is known.
  std::optional<int64_t> knownZero;
  /// Of weights [..., K, N], where they are computed already: their sums along K, [..., 1, N] of i32.
  Value sums = {};

  bool hasZero() const { return zero && knownZero != 0; }
};

/// The sums of weights [..., K, N] along K, [..., 1, N] of i32.
Value sumColumns(FuseBuilder &b, Value weights);

/// x [..., M, K] times w [..., K, N] as i32. Zero points broadcast: those of x against [..., M, 1], those of w against
/// [..., 1, N].
Value multiplyIntegers(OpContext &n, const QuantizedOperand &x, const QuantizedOperand &w);

/// The same of a convolution, whose padding stands for 0. The zero point of x is of rank 0, that of w of rank 0 or a
/// list with one element for each filter.
FailureOr<Value> convolveIntegers(OpContext &n, const QuantizedOperand &x, const QuantizedOperand &w,
                                  const Window &window, int64_t groups);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_INTEGERPRODUCTS_H
