//===- Dequantized.h - Tensors that are computed from bytes, a zero point and scales -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A dequantized tensor is (bytes − zero point) · scale, however that is written: the bytes are cast to f32 before or after
// the zero point is taken off, scales stand on either side, are several, or are divided by, and views lie in between.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_DEQUANTIZED_H
#define FUSE_ANALYSIS_DEQUANTIZED_H

#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// The one number that all elements of `value` are, seen through views and casts of constants.
std::optional<double> getKnownNumber(Value value);

/// A scale or a zero point: one number, or one for each position along some dimensions of a tensor.
struct QuantizationFactor {
  Value value;
  /// For each dimension of `value` the tensor's dimension that it goes along; −1 for an extent of 1.
  SmallVector<int64_t> dims;
  /// The number, where it is one that is known. Then `value` may be of any shape.
  std::optional<double> number;
  /// Of a scale: it is divided by. Of a zero point: it is added.
  bool isInverse = false;

  bool isOne() const {
    return number || llvm::all_of(dims, [](int64_t dim) { return dim < 0; });
  }
  bool goesAlong(int64_t dim) const { return !number && llvm::is_contained(dims, dim); }
};

struct Dequantized {
  /// Of i8 or ui8.
  Value bytes;
  /// What lies between the bytes and the value, in order from the bytes: transposes, reshapes, slices, broadcasts, copies,
  /// and pads whose border is the zero point.
  SmallVector<Operation *> views;
  /// None: 0. An integer, of any type.
  std::optional<QuantizationFactor> zero;
  SmallVector<QuantizationFactor> scales;

  bool isUnsigned() const { return getElementTypeOrSelf(bytes).isUnsignedInteger(); }
  /// The largest |byte − zero point| that there can be.
  int64_t getLargest() const;
};

/// Whether an element type is i8 or ui8.
bool isByte(Type element);

/// How `value`, of f32 or i32, is computed from bytes; nothing where it is not. Integers have no scales.
std::optional<Dequantized> matchDequantized(Value value);

/// Numbers that are divided by a scale, rounded to integers, half to even, moved by a zero point, and cut to bytes.
struct Quantization {
  Value input;
  /// Positive; in a range in which no quantized value of f32 is denormal or infinite.
  double scale;
  int64_t zero;
  BinaryOp division;
  UnaryOp rounding;
  /// Adds the zero point; null: there is none.
  BinaryOp offset;
};

/// What `cast`, from f32 to i8 or ui8, quantizes, by numbers that are known; nothing for other casts. A byte that is
/// dequantized and quantized by the same numbers is the same byte.
std::optional<Quantization> matchQuantization(CastOp cast);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_DEQUANTIZED_H
