//===- ScalarFunctions.cpp - Element-wise functions of floats and integers ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/ScalarFunctions.h"
#include "fuse/Support/KindTypes.h"

#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

UnaryParams mlir::fuse::getDefaultParams(UnaryKind kind) {
  UnaryTraits traits = getTraits(kind);
  UnaryParams params;
  params.alpha = traits.alpha.value_or(0.0);
  params.beta = traits.beta.value_or(0.0);
  return params;
}

//===- Unary ---------------------------------------------------------------------------------===//

/// 1 / (1 + exp(-x)) without overflow, relative error of a few ulp at either end.
static long double sigmoid(long double x) {
  if (x >= 0)
    return 1.0L / (1.0L + std::exp(-x));
  long double e = std::exp(x);
  return e / (1.0L + e);
}

/// x · sigmoid(2u), u = √(2/π) · (x + 0.044715·x³), which is x · (1 + tanh u) / 2. The exponential
/// multiplies 2u's relative error by 2u, up to 745: 2u is carried in two numbers.
static long double geluTanh(long double x) {
  constexpr long double root = 0xcc42299ea1b28468p-63L,
                        rootRest = 0xfcb3c500bab8e2ffp-128L; // 2·√(2/π)
  constexpr long double cubic = 0xb727136a400fba88p-68L, cubicRest = 0x9aaa3ad18d25edd0p-134L;
  long double square = x * x;
  long double squareRest = std::fma(x, x, -square);
  long double term = square * cubic;
  long double termRest = std::fma(square, cubic, -term) + square * cubicRest + squareRest * cubic;
  long double factor = 1 + term;
  long double kept = factor - 1;
  long double factorRest = (1 - (factor - kept)) + (term - kept) + termRest;
  long double line = x * root;
  long double lineRest = std::fma(x, root, -line) + x * rootRest;
  long double twiceU = line * factor;
  long double s = sigmoid(twiceU);
  if (s != 0 && s != 1) {
    long double rest = std::fma(line, factor, -twiceU) + line * factorRest + lineRest * factor;
    s += s * (1 - s) * rest; // the derivative of sigmoid
  }
  return x * s;
}

/// x · Φ(x), Φ the normal distribution function or its tanh approximation. Both are written so
/// that the left tail is a small number itself and not 1 minus something near 1.
static long double gelu(long double x, GeluForm form) {
  if (form == GeluForm::Tanh)
    return geluTanh(x);
  // erfc's relative error grows with the square of its argument's: carry what -x/√2 loses.
  // 1/√2 to 64 bits, and its next digits.
  constexpr long double rootHalf = 0xb504f333f9de6484p-64L;
  constexpr long double rootHalfRest = 0x597d89b3754abe9fp-128L;
  long double z = -x * rootHalf;
  long double tail = std::erfc(z);
  if (z > 1 && std::isfinite(z)) {
    long double rest = std::fma(-x, rootHalf, -z) - x * rootHalfRest;
    constexpr long double twoOverRootPi = 1.12837916709551257389615890312154517L;
    tail -= twoOverRootPi * std::exp(-z * z) * rest;
  }
  return 0.5L * x * tail;
}

static double maximum(double lhs, double rhs) {
  if (std::isnan(lhs) || std::isnan(rhs))
    return lhs + rhs;
  if (lhs == rhs)
    return std::signbit(lhs) ? rhs : lhs;
  return lhs > rhs ? lhs : rhs;
}

static double minimum(double lhs, double rhs) {
  if (std::isnan(lhs) || std::isnan(rhs))
    return lhs + rhs;
  if (lhs == rhs)
    return std::signbit(lhs) ? lhs : rhs;
  return lhs < rhs ? lhs : rhs;
}

/// The caller rounds. Exact, or rounded once to double, which is the result of f64 and precise
/// enough to round on; transcendental functions in long double.
static long double evaluateFloatUnary(UnaryKind kind, double x, const UnaryParams &params) {
  long double wide = x;
  switch (kind) {
  case UnaryKind::Relu:
    // Not `x < 0 ? 0 : x`: relu(-0.0) is +0.0.
    return x > 0 || std::isnan(x) ? x : 0.0;
  case UnaryKind::Neg:
    return -x;
  case UnaryKind::Abs:
    return std::fabs(x);
  case UnaryKind::Sign:
    return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
  case UnaryKind::Sqrt:
    return std::sqrt(x);
  case UnaryKind::Reciprocal:
    return 1.0 / x;
  case UnaryKind::Floor:
    return std::floor(x);
  case UnaryKind::Ceil:
    return std::ceil(x);
  case UnaryKind::RoundEven:
    return __builtin_roundeven(x);
  case UnaryKind::LeakyRelu:
    return x >= 0 ? x : params.alpha * x;
  case UnaryKind::HardSigmoid: {
    double line = std::fma(params.alpha, x, params.beta);
    return minimum(maximum(line, 0.0), 1.0);
  }
  case UnaryKind::Sigmoid:
    return sigmoid(wide);
  case UnaryKind::Tanh:
    return std::tanh(wide);
  case UnaryKind::Gelu:
    return gelu(wide, params.form);
  case UnaryKind::Rsqrt:
    return 1.0L / std::sqrt(wide);
  case UnaryKind::Exp:
    return std::exp(wide);
  case UnaryKind::Log:
    return std::log(wide);
  case UnaryKind::Erf:
    return std::erf(wide);
  case UnaryKind::Silu:
    return wide * sigmoid(wide);
  case UnaryKind::Softplus:
    // log(1 + exp(x)) = x + log(1 + exp(-x)) does not overflow for large x.
    return wide > 0 ? wide + std::log1p(std::exp(-wide)) : std::log1p(std::exp(wide));
  case UnaryKind::HardSwish:
    // x · hard_sigmoid(x) with alpha 1/6 and beta 1/2.
    return wide * (wide <= -3 ? 0.0L : wide >= 3 ? 1.0L : (wide + 3) / 6);
  case UnaryKind::Elu:
    return wide >= 0 ? wide : params.alpha * std::expm1(wide);
  case UnaryKind::Sin:
    return std::sin(wide);
  case UnaryKind::Cos:
    return std::cos(wide);
  case UnaryKind::Tan:
    return std::tan(wide);
  case UnaryKind::Log1p:
    return std::log1p(wide);
  case UnaryKind::Expm1:
    return std::expm1(wide);
  case UnaryKind::Atan:
    return std::atan(wide);
  case UnaryKind::Asin:
    return std::asin(wide);
  case UnaryKind::Acos:
    return std::acos(wide);
  case UnaryKind::Sinh:
    return std::sinh(wide);
  case UnaryKind::Cosh:
    return std::cosh(wide);
  case UnaryKind::Asinh:
    return std::asinh(wide);
  case UnaryKind::Acosh:
    return std::acosh(wide);
  case UnaryKind::Atanh:
    return std::atanh(wide);
  case UnaryKind::IsNan:
  case UnaryKind::IsInf:
  case UnaryKind::LogicalNot:
  case UnaryKind::BitwiseNot:
    break;
  }
  llvm_unreachable("no function of floats to floats");
}

static Scalar evaluateIntegerUnary(UnaryKind kind, Scalar x) {
  ElementType type = x.getType();
  bool negative = isSignedElement(type) && x.getInt() < 0;
  switch (kind) {
  case UnaryKind::Relu:
    return negative ? Scalar::fromInt(type, 0) : x;
  case UnaryKind::Neg:
    return Scalar::fromInt(type, -x.getUInt());
  case UnaryKind::Abs:
    return negative ? Scalar::fromInt(type, -x.getUInt()) : x;
  case UnaryKind::Sign:
    return Scalar::fromInt(type, negative ? -1 : x.getInt() != 0);
  case UnaryKind::LogicalNot:
    return Scalar::fromBool(!x.getBool());
  case UnaryKind::BitwiseNot:
    return Scalar::fromInt(type, ~x.getInt());
  default: // kinds of floats alone
    return x;
  }
}

Scalar mlir::fuse::evaluateUnary(UnaryKind kind, Scalar x, const UnaryParams &params) {
  ElementType type = x.getType();
  if (!isFloatElement(type))
    return evaluateIntegerUnary(kind, x);
  double value = x.getFloat();
  switch (kind) {
  case UnaryKind::IsNan:
    return Scalar::fromBool(std::isnan(value));
  case UnaryKind::IsInf:
    return Scalar::fromBool(std::isinf(value));
  case UnaryKind::LogicalNot:
  case UnaryKind::BitwiseNot:
    return x;
  default:
    return Scalar::fromFloat(type, roundComputed(type, evaluateFloatUnary(kind, value, params)));
  }
}

Scalar mlir::fuse::evaluateUnary(UnaryKind kind, Scalar x) {
  return evaluateUnary(kind, x, getDefaultParams(kind));
}

//===- Binary --------------------------------------------------------------------------------===//

/// The sum, difference, product and quotient of f32 values, rounded to double and then to f32, are
/// those rounded once: double has more than twice the digits.
static long double evaluateFloatBinary(BinaryKind kind, double lhs, double rhs) {
  switch (kind) {
  case BinaryKind::Add:
    return lhs + rhs;
  case BinaryKind::Sub:
    return lhs - rhs;
  case BinaryKind::Mul:
    return lhs * rhs;
  case BinaryKind::Div:
    return lhs / rhs;
  case BinaryKind::Max:
    return maximum(lhs, rhs);
  case BinaryKind::Min:
    return minimum(lhs, rhs);
  case BinaryKind::Pow:
    return std::pow(static_cast<long double>(lhs), static_cast<long double>(rhs));
  case BinaryKind::Rem:
    return std::fmod(lhs, rhs);
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight: // of integers alone
    return lhs;
  }
  llvm_unreachable("unknown binary kind");
}

/// By repeated squaring, modulo 2^64.
static uint64_t powerModulo(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

static uint64_t evaluateSignedBinary(BinaryKind kind, int64_t lhs, int64_t rhs) {
  switch (kind) {
  case BinaryKind::Div:
    // A divisor of -1 is a negation, which wraps and cannot trap.
    return rhs == 0 ? uint64_t(-1) : rhs == -1 ? -uint64_t(lhs) : uint64_t(lhs / rhs);
  case BinaryKind::Rem:
    return rhs == 0 ? lhs : rhs == -1 ? 0 : lhs % rhs;
  case BinaryKind::Max:
    return std::max(lhs, rhs);
  case BinaryKind::Min:
    return std::min(lhs, rhs);
  default: // Pow
    if (rhs >= 0)
      return powerModulo(lhs, rhs);
    return lhs == 1 ? 1 : lhs != -1 ? 0 : (rhs & 1) ? -1 : 1;
  }
}

/// A count is read as unsigned: what is not below the width leaves no bit of the operand but its sign.
static uint64_t evaluateShift(BinaryKind kind, ElementType type, uint64_t lhs, uint64_t rhs) {
  if (kind == BinaryKind::ShiftRight && isSignedElement(type))
    return static_cast<uint64_t>(static_cast<int64_t>(lhs) >> std::min<uint64_t>(rhs, 63));
  if (rhs >= getElementBits(type))
    return 0;
  return kind == BinaryKind::ShiftLeft ? lhs << rhs : lhs >> rhs;
}

static uint64_t evaluateIntegerBinary(BinaryKind kind, ElementType type, uint64_t lhs,
                                      uint64_t rhs) {
  switch (kind) {
  case BinaryKind::Add:
    return lhs + rhs;
  case BinaryKind::Sub:
    return lhs - rhs;
  case BinaryKind::Mul:
    return lhs * rhs;
  case BinaryKind::And:
    return lhs & rhs;
  case BinaryKind::Or:
    return lhs | rhs;
  case BinaryKind::Xor:
    return lhs ^ rhs;
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight:
    return evaluateShift(kind, type, lhs, rhs);
  default:
    break;
  }
  if (isSignedElement(type))
    return evaluateSignedBinary(kind, lhs, rhs);
  switch (kind) {
  case BinaryKind::Div:
    return rhs == 0 ? uint64_t(-1) : lhs / rhs;
  case BinaryKind::Rem:
    return rhs == 0 ? lhs : lhs % rhs;
  case BinaryKind::Max:
    return std::max(lhs, rhs);
  case BinaryKind::Min:
    return std::min(lhs, rhs);
  default: // Pow
    return powerModulo(lhs, rhs);
  }
}

Scalar mlir::fuse::evaluateBinary(BinaryKind kind, Scalar lhs, Scalar rhs) {
  ElementType type = lhs.getType();
  if (isFloatElement(type))
    return Scalar::fromFloat(
        type, roundComputed(type, evaluateFloatBinary(kind, lhs.getFloat(), rhs.getFloat())));
  return Scalar::fromInt(type, evaluateIntegerBinary(kind, type, lhs.getUInt(), rhs.getUInt()));
}

//===- Compare, clamp ------------------------------------------------------------------------===//

template <typename T>
static bool compare(ComparePredicate predicate, T lhs, T rhs) {
  switch (predicate) {
  case ComparePredicate::Lt:
    return lhs < rhs;
  case ComparePredicate::Le:
    return lhs <= rhs;
  case ComparePredicate::Gt:
    return lhs > rhs;
  case ComparePredicate::Ge:
    return lhs >= rhs;
  case ComparePredicate::Eq:
    return lhs == rhs;
  case ComparePredicate::Ne:
    return lhs != rhs;
  }
  llvm_unreachable("unknown predicate");
}

Scalar mlir::fuse::evaluateCompare(ComparePredicate predicate, Scalar lhs, Scalar rhs) {
  if (lhs.isFloat())
    return Scalar::fromBool(compare(predicate, lhs.getFloat(), rhs.getFloat()));
  if (isSignedElement(lhs.getType()))
    return Scalar::fromBool(compare(predicate, lhs.getInt(), rhs.getInt()));
  return Scalar::fromBool(compare(predicate, lhs.getUInt(), rhs.getUInt()));
}

Scalar mlir::fuse::evaluateClamp(Scalar x, Scalar low, Scalar high) {
  return evaluateBinary(BinaryKind::Min, evaluateBinary(BinaryKind::Max, x, low), high);
}
