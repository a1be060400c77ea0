//===- Compare.cpp - What was computed against what was expected -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Compare.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

Tolerance mlir::fuse::getDefaultTolerance(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return {5e-3, 1e-3};
  case ElementType::BF16:
    return {4e-2, 1e-2};
  case ElementType::F32:
    return {1e-4, 1e-5};
  case ElementType::F64:
    return {1e-10, 1e-12};
  default:
    return {0, 0};
  }
}

std::string mlir::fuse::formatIndex(int64_t index, ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : llvm::reverse(shape)) {
    text = std::to_string(index % size) + (text.empty() ? "" : ", ") + text;
    index /= size;
  }
  return "[" + text + "]";
}

/// |got − want| for integers, exact up to double's precision even where the difference overflows.
static double integerError(ElementType type, int64_t got, int64_t want) {
  if (got == want)
    return 0;
  bool gotIsLess = isUnsignedElement(type)
                       ? static_cast<uint64_t>(got) < static_cast<uint64_t>(want)
                       : got < want;
  uint64_t low = static_cast<uint64_t>(gotIsLess ? got : want);
  uint64_t high = static_cast<uint64_t>(gotIsLess ? want : got);
  return static_cast<double>(high - low);
}

static double floatError(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want)))
    return 0;
  double error = std::fabs(got - want);
  return std::isnan(error) ? INFINITY : error;
}

llvm::Expected<Comparison> mlir::fuse::compareArrays(const HostArray &got, const HostArray &want,
                                                     Tolerance tolerance) {
  if (got.getElementType() != want.getElementType() || got.getShape() != want.getShape())
    return llvm::createStringError("expected %s, found %s", want.describe().c_str(),
                                   got.describe().c_str());
  Comparison result;
  result.elements = got.getNumElements();
  ElementType type = got.getElementType();
  bool isFloating = isFloatElement(type);
  double &rms = result.rms;
  if (isFloating) {
    double squares = 0;
    int64_t finite = 0;
    for (int64_t i = 0; i != result.elements; ++i) {
      double value = want.getFloat(i);
      if (!std::isfinite(value))
        continue;
      squares += value * value;
      ++finite;
    }
    rms = finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
    // Squares of huge values overflow; then only the element itself counts.
    rms = std::isfinite(rms) ? rms : 0;
  }
  for (int64_t i = 0; i != result.elements; ++i) {
    double value = want.getFloat(i);
    double error = isFloating ? floatError(got.getFloat(i), value)
                              : integerError(type, got.getInt(i), want.getInt(i));
    double allowed = 0;
    if (isFloating && std::isfinite(value))
      allowed = tolerance.atol + tolerance.rtol * std::max(std::fabs(value), rms);
    // An infinite allowance does not excuse an infinite error.
    result.wrong += !(error <= allowed) || (std::isinf(error) && error > 0);
    if (error > result.largestError) {
      result.largestError = error;
      result.worst = i;
      result.got = got.getFloat(i);
      result.want = value;
    }
  }
  return result;
}
