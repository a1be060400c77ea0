//===- Scalar.cpp - One element of a tensor, and its casts ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/Scalar.h"
#include "fuse/Support/ScalarFunctions.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// Truncates toward zero and saturates; NaN gives 0.
static int64_t saturate(ElementType type, double value) {
  if (std::isnan(value))
    return 0;
  // Both bounds are powers of two, hence exact: [-2^(bits-1), 2^(bits-1)) or [0, 2^bits).
  unsigned bits = getElementBits(type);
  bool isSigned = isSignedElement(type);
  double above = std::ldexp(1.0, isSigned ? bits - 1 : bits);
  double truncated = std::trunc(value);
  if (truncated >= above)
    return getHighestInteger(type);
  if (truncated <= (isSigned ? -above : 0.0))
    return getLowestInteger(type);
  return isSigned ? static_cast<int64_t>(truncated)
                  : static_cast<int64_t>(static_cast<uint64_t>(truncated));
}

/// An integer's magnitude as a double that rounds to every shorter float as the integer does: what
/// does not fit is or-ed into the last bit (round to odd), so that rounding again is innocuous.
static double toOddDouble(uint64_t magnitude) {
  int excess = 11 - llvm::countl_zero(magnitude | 1);
  if (excess <= 0)
    return static_cast<double>(magnitude);
  uint64_t kept = magnitude >> excess;
  kept |= (magnitude & ((uint64_t(1) << excess) - 1)) != 0;
  return std::ldexp(static_cast<double>(kept), excess);
}

static double integerToFloat(ElementType from, int64_t value, ElementType to) {
  bool negative = from != ElementType::U64 && value < 0;
  uint64_t magnitude = negative ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  double result = to == ElementType::F64 ? static_cast<double>(magnitude)
                                         : roundToFloat(to, toOddDouble(magnitude));
  return negative ? -result : result;
}

Scalar Scalar::fromFloat(ElementType type, double value) {
  if (isFloatElement(type))
    return Scalar(type, roundToFloat(type, value));
  if (type == ElementType::I1)
    return fromBool(value != 0.0);
  return Scalar(type, saturate(type, value));
}

Scalar Scalar::fromInt(ElementType type, int64_t value) {
  if (isFloatElement(type))
    return Scalar(type, integerToFloat(ElementType::I64, value, type));
  return Scalar(type, wrapInteger(type, static_cast<uint64_t>(value)));
}

double Scalar::toDouble() const {
  return isFloat() ? f : integerToFloat(type, i, ElementType::F64);
}

bool Scalar::isIdentical(Scalar other) const {
  if (type != other.type)
    return false;
  if (!isFloat())
    return i == other.i;
  if (std::isnan(f) || std::isnan(other.f))
    return std::isnan(f) && std::isnan(other.f);
  return llvm::bit_cast<uint64_t>(f) == llvm::bit_cast<uint64_t>(other.f);
}

Scalar mlir::fuse::evaluateCast(Scalar x, ElementType type) {
  if (x.isFloat())
    return Scalar::fromFloat(type, x.getFloat());
  if (type == ElementType::I1)
    return Scalar::fromBool(x.getInt() != 0);
  if (isFloatElement(type))
    return Scalar::fromFloat(type, integerToFloat(x.getType(), x.getInt(), type));
  return Scalar::fromInt(type, x.getInt());
}
