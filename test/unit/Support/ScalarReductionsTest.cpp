//===- ScalarReductionsTest.cpp - Reductions: empty, wrapping, accurate, NaN ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/KindTypes.h"
#include "fuse/Support/ScalarFunctions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace mlir;
using namespace mlir::fuse;

static constexpr double inf = std::numeric_limits<double>::infinity();
static constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

static Scalar reduce(ReduceKind kind, ElementType type, std::vector<double> values) {
  ScalarReducer reducer(kind, type);
  for (double value : values)
    reducer.add(Scalar::fromFloat(type, value));
  return reducer.getResult();
}

static int64_t argReduce(ArgReduceKind kind, std::vector<double> values) {
  ScalarArgReducer reducer(kind);
  for (double value : values)
    reducer.add(Scalar::fromFloat(ElementType::F32, value));
  return reducer.getResult();
}

TEST(ScalarReducer, CheckValues) {
  std::vector<double> x = {1, 2, 3, 4};
  EXPECT_EQ(reduce(ReduceKind::Sum, ElementType::F32, x).getFloat(), 10);
  EXPECT_EQ(reduce(ReduceKind::Max, ElementType::F32, x).getFloat(), 4);
  EXPECT_EQ(reduce(ReduceKind::Min, ElementType::F32, x).getFloat(), 1);
  EXPECT_EQ(reduce(ReduceKind::Mean, ElementType::F32, x).getFloat(), 2.5);
  EXPECT_EQ(reduce(ReduceKind::Prod, ElementType::I32, x).getInt(), 24);
}

TEST(ScalarReducer, OverNoElements) {
  for (ElementType type : getElementTypes()) {
    auto is = [&](ReduceKind kind, double value) {
      if (isLegal(kind, type))
        EXPECT_TRUE(reduce(kind, type, {}).isIdentical(Scalar::fromFloat(type, value)))
            << getElementTypeName(type).str() << " " << stringifyReduceKind(kind).str();
    };
    is(ReduceKind::Sum, 0);
    is(ReduceKind::Prod, 1);
    is(ReduceKind::Mean, nan_);
    is(ReduceKind::Any, 0);
    is(ReduceKind::All, 1);
    // Infinity saturates to the extreme integer.
    if (type == ElementType::I1) {
      EXPECT_EQ(reduce(ReduceKind::Max, type, {}).getInt(), 0);
      EXPECT_EQ(reduce(ReduceKind::Min, type, {}).getInt(), 1);
      continue;
    }
    is(ReduceKind::Max, -inf);
    is(ReduceKind::Min, inf);
  }
}

TEST(ScalarReducer, IntegersWrapToTheOperandsType) {
  EXPECT_EQ(reduce(ReduceKind::Sum, ElementType::I8, {100, 100}).getInt(), -56);
  EXPECT_EQ(reduce(ReduceKind::Prod, ElementType::U8, {16, 17}).getInt(), 16);
}

TEST(ScalarReducer, FloatSumsAreRoundedOnce) {
  EXPECT_EQ(reduce(ReduceKind::Sum, ElementType::F64, {1e300, 1, -1e300}).getFloat(), 1);
  std::vector<double> many(4096, 1.0);
  EXPECT_EQ(reduce(ReduceKind::Sum, ElementType::F16, many).getFloat(), 4096);
  EXPECT_EQ(reduce(ReduceKind::Mean, ElementType::BF16, many).getFloat(), 1);
  many.assign(100, 1000.0);
  EXPECT_EQ(reduce(ReduceKind::Sum, ElementType::F16, many).getFloat(), inf);
  // f32 accumulates: the mean of what overflows f16 does not.
  EXPECT_EQ(reduce(ReduceKind::Mean, ElementType::F16, many).getFloat(), 1000);
}

TEST(ScalarReducer, NaNAndInfinity) {
  for (ReduceKind kind :
       {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min, ReduceKind::Mean, ReduceKind::Prod})
    EXPECT_TRUE(std::isnan(reduce(kind, ElementType::F32, {1, nan_, 2}).getFloat()));
  EXPECT_EQ(reduce(ReduceKind::Sum, ElementType::F32, {inf, 1, 2}).getFloat(), inf);
  EXPECT_TRUE(std::isnan(reduce(ReduceKind::Sum, ElementType::F32, {inf, -inf}).getFloat()));
}

TEST(ScalarReducer, AnyAndAll) {
  EXPECT_EQ(reduce(ReduceKind::Any, ElementType::I1, {0, 1}).getInt(), 1);
  EXPECT_EQ(reduce(ReduceKind::Any, ElementType::I1, {0, 0}).getInt(), 0);
  EXPECT_EQ(reduce(ReduceKind::All, ElementType::I1, {1, 1}).getInt(), 1);
  EXPECT_EQ(reduce(ReduceKind::All, ElementType::I1, {1, 0}).getInt(), 0);
}

TEST(ScalarArgReducer, FirstIndexAndFirstNaN) {
  EXPECT_EQ(argReduce(ArgReduceKind::Argmax, {1, 3, 3, 2}), 1);
  EXPECT_EQ(argReduce(ArgReduceKind::Argmin, {2, 1, 1}), 1);
  EXPECT_EQ(argReduce(ArgReduceKind::Argmax, {-0.0, 0.0}), 0);
  EXPECT_EQ(argReduce(ArgReduceKind::Argmax, {1, nan_, inf, nan_}), 1);
  EXPECT_EQ(argReduce(ArgReduceKind::Argmin, {nan_, -inf}), 0);
  EXPECT_EQ(argReduce(ArgReduceKind::Argmax, {-inf, -inf}), 0);
  EXPECT_EQ(argReduce(ArgReduceKind::Argmax, {}), -1);
}

TEST(Accumulators, Types) {
  EXPECT_EQ(getAccumulatorType(ElementType::F16), ElementType::F32);
  EXPECT_EQ(getAccumulatorType(ElementType::BF16), ElementType::F32);
  EXPECT_EQ(getAccumulatorType(ElementType::I8), ElementType::I32);
  EXPECT_EQ(getAccumulatorType(ElementType::F64), ElementType::F64);
  EXPECT_EQ(getAccumulatorType(ElementType::I16), ElementType::I32);
}
