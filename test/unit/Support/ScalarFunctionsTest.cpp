//===- ScalarFunctionsTest.cpp - Element-wise functions: rules and check values -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/ScalarFunctions.h"
#include "fuse/Support/KindTypes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

static constexpr double inf = std::numeric_limits<double>::infinity();
static constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

static Scalar f32(double value) { return Scalar::fromFloat(ElementType::F32, value); }
static Scalar f64(double value) { return Scalar::fromFloat(ElementType::F64, value); }

static double unary(UnaryKind kind, double x, ElementType type = ElementType::F32) {
  return evaluateUnary(kind, Scalar::fromFloat(type, x)).getFloat();
}
static double binary(BinaryKind kind, double x, double y) {
  return evaluateBinary(kind, f32(x), f32(y)).getFloat();
}
static int64_t integer(BinaryKind kind, ElementType type, int64_t x, int64_t y) {
  return evaluateBinary(kind, Scalar::fromInt(type, x), Scalar::fromInt(type, y)).getInt();
}

/// Each of `inputs` through `kind`, as f32.
static std::vector<double> map(UnaryKind kind, std::vector<double> inputs,
                               GeluForm form = GeluForm::None) {
  UnaryParams params = getDefaultParams(kind);
  params.form = form;
  for (double &value : inputs)
    value = evaluateUnary(kind, f32(value), params).getFloat();
  return inputs;
}

TEST(ScalarFunctions, CheckValues) {
  EXPECT_EQ(map(UnaryKind::Relu, {-1, 0, 1, 2}), (std::vector<double>{0, 0, 1, 2}));
  EXPECT_EQ(map(UnaryKind::Neg, {-1, 0, 1, 2}), (std::vector<double>{1, -0.0, -1, -2}));
  EXPECT_TRUE(std::signbit(unary(UnaryKind::Neg, 0.0)));
  EXPECT_EQ(map(UnaryKind::Abs, {-1, 0, 1, 2}), (std::vector<double>{1, 0, 1, 2}));
  std::vector<double> gelu = map(UnaryKind::Gelu, {-2, -1, 0, 1, 2}, GeluForm::Tanh);
  std::vector<double> wantGelu = {-0.0454023, -0.158808, 0, 0.841192, 1.954598};
  std::vector<double> sigmoid = map(UnaryKind::Sigmoid, {-2, -1, 0, 1, 2});
  std::vector<double> wantSigmoid = {0.119203, 0.268941, 0.5, 0.731059, 0.880797};
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(gelu[i], wantGelu[i], 5e-7) << i;
    EXPECT_NEAR(sigmoid[i], wantSigmoid[i], 5e-7) << i;
  }
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(binary(BinaryKind::Add, i, i + 3), 2 * i + 3);   // 5, 7, 9
    EXPECT_EQ(binary(BinaryKind::Mul, i, i + 3), i * (i + 3)); // 4, 10, 18
  }
}

TEST(ScalarFunctions, NaNPropagates) {
  EXPECT_TRUE(std::isnan(unary(UnaryKind::Relu, nan_)));
  EXPECT_TRUE(std::isnan(unary(UnaryKind::HardSigmoid, nan_)));
  EXPECT_TRUE(std::isnan(unary(UnaryKind::LeakyRelu, nan_)));
  for (BinaryKind kind : {BinaryKind::Max, BinaryKind::Min}) {
    EXPECT_TRUE(std::isnan(binary(kind, nan_, 1)));
    EXPECT_TRUE(std::isnan(binary(kind, 1, nan_)));
  }
  EXPECT_TRUE(std::isnan(evaluateClamp(f32(nan_), f32(0), f32(1)).getFloat()));
  EXPECT_TRUE(std::isnan(evaluateClamp(f32(0), f32(nan_), f32(1)).getFloat()));
}

TEST(ScalarFunctions, SignedZeros) {
  EXPECT_FALSE(std::signbit(unary(UnaryKind::Relu, -0.0)));
  EXPECT_FALSE(std::signbit(binary(BinaryKind::Max, -0.0, 0.0)));
  EXPECT_FALSE(std::signbit(binary(BinaryKind::Max, 0.0, -0.0)));
  EXPECT_TRUE(std::signbit(binary(BinaryKind::Min, 0.0, -0.0)));
  EXPECT_EQ(unary(UnaryKind::Rsqrt, -0.0), -inf);
  EXPECT_EQ(unary(UnaryKind::Rsqrt, 0.0), inf);
}

TEST(ScalarFunctions, ParametersAndForms) {
  UnaryParams params;
  params.alpha = 0.5;
  EXPECT_EQ(evaluateUnary(UnaryKind::LeakyRelu, f32(-3), params).getFloat(), -1.5);
  EXPECT_EQ(evaluateUnary(UnaryKind::Elu, f32(-inf), params).getFloat(), -0.5);
  params.beta = 0.25;
  EXPECT_EQ(evaluateUnary(UnaryKind::HardSigmoid, f32(0.5), params).getFloat(), 0.5);
  EXPECT_EQ(evaluateUnary(UnaryKind::HardSigmoid, f32(9), params).getFloat(), 1);
  EXPECT_NE(map(UnaryKind::Gelu, {1}, GeluForm::None), map(UnaryKind::Gelu, {1}, GeluForm::Tanh));
}

TEST(ScalarFunctions, ShortFloatsComputeInF32) {
  EXPECT_EQ(unary(UnaryKind::Exp, 1.0, ElementType::F16), 2.71875);
  EXPECT_EQ(unary(UnaryKind::Exp, 1.0, ElementType::BF16), 2.71875);
  EXPECT_EQ(unary(UnaryKind::Exp, 12.0, ElementType::F16), inf);
}

TEST(ScalarFunctions, ArithmeticOfF32IsTheHardware) {
  EXPECT_TRUE(rc::check([](uint32_t a, uint32_t b) {
    float x = llvm::bit_cast<float>(a), y = llvm::bit_cast<float>(b);
    auto same = [&](BinaryKind kind, float want) {
      RC_ASSERT(evaluateBinary(kind, f32(x), f32(y)).isIdentical(f32(want)));
    };
    same(BinaryKind::Add, x + y);
    same(BinaryKind::Sub, x - y);
    same(BinaryKind::Mul, x * y);
    same(BinaryKind::Div, x / y);
    same(BinaryKind::Rem, std::fmod(x, y));
    RC_ASSERT(evaluateUnary(UnaryKind::Sqrt, f32(x)).isIdentical(f32(std::sqrt(x))));
  }));
}

TEST(ScalarFunctions, IntegersWrapAndNeverTrap) {
  for (ElementType type : {ElementType::I8, ElementType::I16, ElementType::I32, ElementType::I64}) {
    int64_t low = getLowestInteger(type), high = getHighestInteger(type);
    EXPECT_EQ(integer(BinaryKind::Add, type, high, 1), low);
    EXPECT_EQ(integer(BinaryKind::Sub, type, low, 1), high);
    EXPECT_EQ(integer(BinaryKind::Mul, type, low, -1), low);
    EXPECT_EQ(integer(BinaryKind::Div, type, low, -1), low);
    EXPECT_EQ(integer(BinaryKind::Rem, type, low, -1), 0);
    EXPECT_EQ(integer(BinaryKind::Div, type, 5, 0), -1);
    EXPECT_EQ(integer(BinaryKind::Rem, type, 5, 0), 5);
    EXPECT_EQ(integer(BinaryKind::Rem, type, -7, 2), -1);
    EXPECT_EQ(integer(BinaryKind::Rem, type, 7, -2), 1);
    EXPECT_EQ(evaluateUnary(UnaryKind::Abs, Scalar::fromInt(type, low)).getInt(), low);
    EXPECT_EQ(evaluateUnary(UnaryKind::Neg, Scalar::fromInt(type, low)).getInt(), low);
  }
  EXPECT_EQ(integer(BinaryKind::Div, ElementType::U8, 5, 0), 255);
  EXPECT_EQ(integer(BinaryKind::Max, ElementType::U64, -1, 1), -1);
  EXPECT_EQ(integer(BinaryKind::Div, ElementType::U64, -1, 2), INT64_MAX);
}

TEST(ScalarFunctions, IntegerPower) {
  auto pow = [](int64_t x, int64_t y) { return integer(BinaryKind::Pow, ElementType::I32, x, y); };
  EXPECT_EQ(pow(3, 4), 81);
  EXPECT_EQ(pow(0, 0), 1);
  EXPECT_EQ(pow(2, 31), INT32_MIN);
  EXPECT_EQ(pow(2, 32), 0);
  EXPECT_EQ(pow(-2, 3), -8);
  EXPECT_EQ(pow(2, -1), 0);
  EXPECT_EQ(pow(0, -1), 0);
  EXPECT_EQ(pow(1, -5), 1);
  EXPECT_EQ(pow(-1, -5), -1);
  EXPECT_EQ(pow(-1, -4), 1);
}

TEST(ScalarFunctions, FloatPower) {
  EXPECT_EQ(binary(BinaryKind::Pow, nan_, 0), 1);
  EXPECT_TRUE(std::isnan(binary(BinaryKind::Pow, -8, 1.0 / 3)));
  EXPECT_EQ(binary(BinaryKind::Pow, -2, 3), -8);
  EXPECT_EQ(binary(BinaryKind::Pow, 0, -1), inf);
}

TEST(ScalarFunctions, CastsFromFloatsSaturate) {
  auto cast = [](double x, ElementType to) { return evaluateCast(f64(x), to).getInt(); };
  for (ElementType type : getElementTypes()) {
    if (!isIntegerElement(type))
      continue;
    EXPECT_EQ(cast(nan_, type), 0);
    EXPECT_EQ(cast(inf, type), getHighestInteger(type)) << getElementTypeName(type).str();
    EXPECT_EQ(cast(-inf, type), getLowestInteger(type));
    EXPECT_EQ(cast(1e300, type), getHighestInteger(type));
    EXPECT_EQ(cast(2.9, type), 2);
    EXPECT_EQ(cast(-0.9, type), 0);
    EXPECT_EQ(cast(-2.9, type), isSignedElement(type) ? -2 : 0);
  }
  EXPECT_EQ(cast(127.9, ElementType::I8), 127);
  EXPECT_EQ(cast(-128.9, ElementType::I8), -128);
  EXPECT_EQ(cast(9223372036854774784.0, ElementType::I64), 9223372036854774784);
  EXPECT_EQ(uint64_t(cast(18446744073709549568.0, ElementType::U64)), 18446744073709549568u);
  EXPECT_EQ(cast(nan_, ElementType::I1), 1);
  EXPECT_EQ(cast(-0.0, ElementType::I1), 0);
  EXPECT_EQ(cast(0.25, ElementType::I1), 1);
}

TEST(ScalarFunctions, CastsFromIntegersWrapOrRoundOnce) {
  auto from = [](ElementType type, int64_t x, ElementType to) {
    return evaluateCast(Scalar::fromInt(type, x), to);
  };
  EXPECT_EQ(from(ElementType::I32, 300, ElementType::I8).getInt(), 44);
  EXPECT_EQ(from(ElementType::I8, -1, ElementType::U32).getInt(), int64_t(UINT32_MAX));
  EXPECT_EQ(from(ElementType::U8, 255, ElementType::I32).getInt(), 255);
  EXPECT_EQ(from(ElementType::I32, 256, ElementType::I1).getInt(), 1);
  EXPECT_EQ(from(ElementType::I1, 1, ElementType::I8).getInt(), 1);
  EXPECT_EQ(from(ElementType::I1, 1, ElementType::F16).getFloat(), 1.0);
  EXPECT_EQ(from(ElementType::U64, -1, ElementType::F64).getFloat(), 18446744073709551616.0);
  // A tie broken by its last bit: by way of double, f32 and bf16 would round down.
  int64_t tie = (int64_t(1) << 62) + (int64_t(1) << 38) + 1;
  EXPECT_EQ(from(ElementType::I64, tie, ElementType::F32).getFloat(),
            std::ldexp(1.0, 62) + std::ldexp(1.0, 39));
  tie = (int64_t(1) << 62) + (int64_t(1) << 54) + 1;
  EXPECT_EQ(from(ElementType::I64, -tie, ElementType::BF16).getFloat(),
            -std::ldexp(1.0, 62) - std::ldexp(1.0, 55));
  EXPECT_TRUE(rc::check([&](int64_t x) {
    RC_ASSERT(from(ElementType::I64, x, ElementType::F32).getFloat() == double(float(x)));
    RC_ASSERT(from(ElementType::U64, x, ElementType::F32).getFloat() == double(float(uint64_t(x))));
  }));
}

TEST(ScalarFunctions, CastsBetweenFloatsRoundOnce) {
  // By way of f32 this would round to the tie and then down.
  double value = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(evaluateCast(f64(value), ElementType::F16).getFloat(), 1.0 + std::ldexp(1.0, -10));
  EXPECT_EQ(evaluateCast(f32(65520), ElementType::F16).getFloat(), inf);
}

TEST(ScalarFunctions, ComparesWithNaN) {
  for (uint32_t i = 0; i <= getMaxEnumValForComparePredicate(); ++i) {
    auto predicate = static_cast<ComparePredicate>(i);
    bool want = predicate == ComparePredicate::Ne;
    EXPECT_EQ(evaluateCompare(predicate, f32(nan_), f32(1)).getBool(), want);
    EXPECT_EQ(evaluateCompare(predicate, f32(nan_), f32(nan_)).getBool(), want);
  }
}

/// No combination of kind, type and extreme operands traps; sanitizers watch.
TEST(ScalarFunctions, EveryLegalCellIsDefined) {
  for (ElementType type : getElementTypes()) {
    SmallVector<Scalar> values;
    if (isFloatElement(type)) {
      for (double v : {0.0, -0.0, 1.0, -1.0, inf, -inf, nan_, 1e-310, 1e300, -1e300, 0.3})
        values.push_back(Scalar::fromFloat(type, v));
    } else {
      for (int64_t v :
           {int64_t(0), int64_t(1), int64_t(-1), getLowestInteger(type), getHighestInteger(type)})
        values.push_back(Scalar::fromInt(type, v));
    }
    for (Scalar x : values) {
      for (uint32_t i = 0; i <= getMaxEnumValForUnaryKind(); ++i) {
        auto kind = static_cast<UnaryKind>(i);
        Scalar y = evaluateUnary(kind, x);
        if (isLegal(kind, type))
          EXPECT_EQ(y.getType(), getResultElementType(kind, type));
      }
      for (Scalar y : values)
        for (uint32_t i = 0; i <= getMaxEnumValForBinaryKind(); ++i)
          EXPECT_EQ(evaluateBinary(static_cast<BinaryKind>(i), x, y).getType(), type);
      for (ElementType to : getElementTypes())
        EXPECT_EQ(evaluateCast(x, to).getType(), to);
    }
  }
}
