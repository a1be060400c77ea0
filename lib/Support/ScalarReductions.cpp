//===- ScalarReductions.cpp - Reductions of scalars -----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/ScalarFunctions.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

ElementType mlir::fuse::getAccumulatorType(ElementType type) {
  switch (type) {
  case ElementType::F16:
  case ElementType::BF16:
    return ElementType::F32;
  case ElementType::I8:
  case ElementType::I16:
    return ElementType::I32;
  default:
    return type;
  }
}

static Scalar getLowest(ElementType type) {
  return isFloatElement(type) ? Scalar::fromFloat(type, -std::numeric_limits<double>::infinity())
                              : Scalar::fromInt(type, getLowestInteger(type));
}

static Scalar getHighest(ElementType type) {
  return isFloatElement(type) ? Scalar::fromFloat(type, std::numeric_limits<double>::infinity())
                              : Scalar::fromInt(type, getHighestInteger(type));
}

ScalarReducer::ScalarReducer(ReduceKind kind, ElementType type)
    : kind(kind), type(type), bits(kind == ReduceKind::Prod || kind == ReduceKind::All ? 1 : 0),
      extreme(kind == ReduceKind::Min ? getHighest(type) : getLowest(type)) {}

void ScalarReducer::add(Scalar value) {
  ++count;
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean: {
    if (!value.isFloat()) {
      bits += value.getUInt();
      return;
    }
    // Neumaier: what the addition loses of the smaller operand is collected apart.
    long double x = value.getFloat(), total = sum + x;
    if (std::isfinite(total))
      compensation += std::fabs(sum) >= std::fabs(x) ? (sum - total) + x : (x - total) + sum;
    sum = total;
    return;
  }
  case ReduceKind::Prod:
    if (value.isFloat())
      product *= value.getFloat();
    else
      bits *= value.getUInt();
    return;
  case ReduceKind::Max:
    extreme = evaluateBinary(BinaryKind::Max, extreme, value);
    return;
  case ReduceKind::Min:
    extreme = evaluateBinary(BinaryKind::Min, extreme, value);
    return;
  case ReduceKind::Any:
    bits |= value.getInt() != 0;
    return;
  case ReduceKind::All:
    bits &= value.getInt() != 0;
    return;
  }
}

Scalar ScalarReducer::getResult() const {
  switch (kind) {
  case ReduceKind::Max:
  case ReduceKind::Min:
    return extreme;
  case ReduceKind::Any:
  case ReduceKind::All:
    return Scalar::fromInt(type, bits);
  default:
    break;
  }
  if (!isFloatElement(type))
    return Scalar::fromInt(type, bits);
  long double result = product;
  if (kind != ReduceKind::Prod)
    result = std::isfinite(sum) ? sum + compensation : sum;
  if (kind == ReduceKind::Mean)
    result /= count;
  return Scalar::fromFloat(type, roundComputed(type, result));
}

void ScalarArgReducer::add(Scalar value) {
  int64_t index = count++;
  if (best < 0) {
    best = index;
    extreme = value;
    return;
  }
  if (extreme.isFloat() && std::isnan(extreme.getFloat()))
    return;
  bool isNan = value.isFloat() && std::isnan(value.getFloat());
  ComparePredicate beats =
      kind == ArgReduceKind::Argmax ? ComparePredicate::Gt : ComparePredicate::Lt;
  if (isNan || evaluateCompare(beats, value, extreme).getBool()) {
    best = index;
    extreme = value;
  }
}
