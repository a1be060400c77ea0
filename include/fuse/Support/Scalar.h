//===- Scalar.h - One element of a tensor -----------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_SCALAR_H
#define FUSE_SUPPORT_SCALAR_H

#include "fuse/Support/ElementType.h"

namespace mlir::fuse {

/// A value of an element type. Floats are held as the double that equals them; integers and i1 as
/// an int64_t, extended by sign or by zero (ui64: its bits).
class Scalar {
public:
  /// f32 zero.
  Scalar() = default;

  /// `value` rounded to a float type; for an integer type converted as fuse.cast from f64 does.
  static Scalar fromFloat(ElementType type, double value);
  /// `value` wrapped to an integer type; rounded once to a float type.
  static Scalar fromInt(ElementType type, int64_t value);
  static Scalar fromBool(bool value) { return Scalar(ElementType::I1, int64_t(value)); }

  ElementType getType() const { return type; }
  bool isFloat() const { return isFloatElement(type); }

  /// Only for float types.
  double getFloat() const { return f; }
  /// Only for integer types and i1.
  int64_t getInt() const { return i; }
  uint64_t getUInt() const { return static_cast<uint64_t>(i); }
  bool getBool() const { return i != 0; }

  /// As a double, whatever the type; i64 and ui64 are rounded.
  double toDouble() const;

  /// The same type and the same value; a NaN equals a NaN, -0.0 differs from +0.0.
  bool isIdentical(Scalar other) const;

private:
  Scalar(ElementType type, int64_t i) : type(type), i(i) {}
  Scalar(ElementType type, double f) : type(type), f(f) {}

  ElementType type = ElementType::F32;
  union {
    double f = 0.0;
    int64_t i;
  };
};

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_SCALAR_H
