//===- Bounds.cpp - How far native code may be from the interpreter ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Bounds.h"

#include "fuse/Execution/Compare.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

namespace {
struct FunctionBound {
  const char *kind;
  double f32, f64;
  double denormalsF64 = 0;
};
} // namespace

// Both results are roundings of the true value: native code's error is bounded by check_math.py and
// check_f64.py, the interpreter's is half an ULP (f64: 1). Functions that are not here are exact.
static constexpr FunctionBound functionBounds[] = {
    {"exp", 1, 2},          {"expm1", 2, 3},     {"log", 1, 2},
    {"log1p", 1, 3},        {"tanh", 2, 3},      {"erf", 1, 2},
    {"sin", 2, 2},          {"cos", 2, 2},       {"tan", 1, 2},
    {"atan", 1, 2},         {"asin", 1, 2},      {"acos", 1, 2},
    {"sinh", 1, 3},         {"cosh", 1, 2},      {"asinh", 1, 3},
    {"acosh", 1, 3},        {"atanh", 1, 3},
    {"rsqrt", 2, 2},        {"sigmoid", 2, 3},   {"silu", 2, 3},
    {"softplus", 2, 3},     {"elu", 1, 3},       {"gelu_none", 2, 5, 20},
    {"gelu_tanh", 2, 3},    {"hard_sigmoid", 1, 2}, {"hard_swish", 2, 3},
    {"pow", 1, 2},          {"leaky_relu", 1, 0},
};

Bound differential::getElementwiseBound(StringRef kind, ElementType type) {
  Bound bound;
  if (!isFloatElement(type))
    return bound;
  for (const FunctionBound &entry : functionBounds)
    if (kind == entry.kind) {
      bound.ulps = type == ElementType::F64   ? entry.f64
                   : type == ElementType::F32 ? entry.f32
                                              : 1;
      bound.denormals = type == ElementType::F64 ? entry.denormalsF64 : 0;
    }
  return bound;
}

void differential::printBounds(llvm::raw_ostream &os) {
  os << "| function | f16, bf16 | f32 | f64 |\n|---|---|---|---|\n";
  for (const FunctionBound &entry : functionBounds)
    os << llvm::formatv("| `{0}` | 1 | {1} | {2}{3} |\n", entry.kind, entry.f32, entry.f64,
                        entry.denormalsF64 ? llvm::formatv(" + {0} · 2⁻¹⁰⁷⁴", entry.denormalsF64)
                                                 .str()
                                           : "");
  os << "| every other kind | 0 | 0 | 0 |\n";
}

static int getMantissaBits(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 10;
  case ElementType::BF16:
    return 7;
  case ElementType::F32:
    return 23;
  default:
    return 52;
  }
}

/// The bits of a float, as an integer that counts floats from zero.
static int64_t countFromZero(const HostArray &array, int64_t i) {
  uint64_t bits = 0;
  switch (array.getElementType()) {
  case ElementType::F32:
    bits = array.data<uint32_t>()[i];
    break;
  case ElementType::F64:
    bits = array.data<uint64_t>()[i];
    break;
  default:
    bits = array.data<uint16_t>()[i];
  }
  unsigned width = getElementBits(array.getElementType());
  uint64_t sign = uint64_t(1) << (width - 1);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

static std::string describeError(const HostArray &got, const HostArray &want, int64_t i,
                                 const llvm::Twine &what) {
  auto show = [](const HostArray &array, int64_t i) {
    if (isFloatElement(array.getElementType()))
      return llvm::formatv("{0} ({1})", llvm::format("%a", array.getFloat(i)),
                           llvm::format("%.9g", array.getFloat(i)))
          .str();
    return array.getElementType() == ElementType::U64 ? std::to_string(array.getUInt(i))
                                                      : std::to_string(array.getInt(i));
  };
  return "element " + formatIndex(i, want.getShape()) + " of " + want.describe() + ": got " +
         show(got, i) + ", want " + show(want, i) + what.str();
}

static bool isNaNAt(const HostArray &array, int64_t i) {
  return isFloatElement(array.getElementType()) && std::isnan(array.getFloat(i));
}

bool differential::isIdentical(const HostArray &a, const HostArray &b, int64_t &where) {
  unsigned bytes = getElementBytes(a.getElementType());
  for (where = 0; where < a.getNumElements(); ++where)
    if (std::memcmp(a.getBytes() + where * bytes, b.getBytes() + where * bytes, bytes) != 0 &&
        !(isNaNAt(a, where) && isNaNAt(b, where)))
      return false;
  return true;
}

static double getMeanSquareRoot(const HostArray &array) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    if (double value = array.getFloat(i); std::isfinite(value)) {
      sum += value * value;
      ++count;
    }
  return count ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

std::string differential::findError(const HostArray &got, const HostArray &want,
                                    const HostArray &magnitudes, const Bound &bound,
                                    double &worst) {
  if (got.getShape() != want.getShape() || got.getElementType() != want.getElementType())
    return "got " + got.describe() + ", want " + want.describe();
  int64_t at;
  if (isIdentical(got, want, at))
    return "";
  ElementType type = want.getElementType();
  if (!isFloatElement(type))
    return describeError(got, want, at, "");
  double rms = bound.magnitude == Bound::OfArray ? getMeanSquareRoot(want) : 0;
  double epsilon = std::ldexp(1.0, -getMantissaBits(bound.epsilonType));
  for (int64_t i = at; i < want.getNumElements(); ++i) {
    double g = got.getFloat(i), w = want.getFloat(i);
    if (std::isnan(g) && std::isnan(w))
      continue;
    if (std::isnan(g) || std::isnan(w))
      return describeError(got, want, i, "");
    auto distance = static_cast<double>(std::abs(countFromZero(got, i) - countFromZero(want, i)));
    bool isSameSign = std::signbit(g) == std::signbit(w);
    // Below the normal numbers, floats are one least denormal apart.
    double room = bound.ulps + (std::fabs(w) < 0x1p-1021 ? bound.denormals : 0);
    if (distance <= room && (isSameSign || bound.magnitude != Bound::None)) {
      worst = std::max(worst, distance);
      continue;
    }
    double magnitude = bound.magnitude == Bound::OfResult  ? std::fabs(w)
                       : bound.magnitude == Bound::OfTerms ? std::fabs(magnitudes.getFloat(i))
                       : bound.magnitude == Bound::OfArray ? std::max(std::fabs(w), rms)
                                                           : 0;
    double ulp = std::ldexp(1.0, std::max(std::ilogb(w == 0 ? 1e-320 : w), -1000) -
                                     getMantissaBits(type));
    double least = bound.epsilonType == ElementType::F64 ? 0x1p-1074 : 0x1p-149;
    double allowed =
        bound.factor * epsilon * magnitude + bound.ulps * ulp + bound.denormals * least;
    if (bound.magnitude != Bound::None && std::isfinite(g) && std::isfinite(w) &&
        std::fabs(g - w) <= allowed)
      continue;
    return describeError(
        got, want, i,
        bound.magnitude == Bound::None
            ? llvm::formatv(": {0} ULP, bound {1}{2}", distance, bound.ulps,
                            isSameSign ? "" : ", other sign")
                  .str()
            : llvm::formatv(": error {0}, bound {1}", llvm::format("%.3g", std::fabs(g - w)),
                            llvm::format("%.3g", allowed))
                  .str());
  }
  return "";
}
