//===- CompareTest.cpp - Tolerances ----------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Compare.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

HostArray f64s(ArrayRef<double> values) {
  return HostArray::fromFloats(ElementType::F64, {static_cast<int64_t>(values.size())}, values);
}

Comparison compare(const HostArray &got, const HostArray &want, double rtol, double atol) {
  return llvm::cantFail(compareArrays(got, want, {rtol, atol}));
}

TEST(CompareTest, AllowsForTheElementAndTheArray) {
  // rms of want = sqrt((100 + 0) / 2) = 7.07: the zero may be off by rtol times that.
  EXPECT_TRUE(compare(f64s({10, 0.07}), f64s({10, 0}), 0.01, 0).fits());
  EXPECT_FALSE(compare(f64s({10, 0.071}), f64s({10, 0}), 0.01, 0).fits());
  EXPECT_TRUE(compare(f64s({10.1, 0}), f64s({10, 0}), 0.0101, 0).fits());
  EXPECT_TRUE(compare(f64s({10, 0.5}), f64s({10, 0}), 0, 0.5).fits());
  Comparison result = compare(f64s({1, 2, 3.5}), f64s({1, 2.25, 3}), 0, 0.3);
  EXPECT_EQ(1, result.wrong);
  EXPECT_EQ(0.5, result.largestError);
  EXPECT_EQ(2, result.worst);
  EXPECT_EQ(3.5, result.got);
  EXPECT_EQ(3, result.want);
}

TEST(CompareTest, WantsSpecialValuesThemselves) {
  EXPECT_TRUE(compare(f64s({NAN, INFINITY}), f64s({NAN, INFINITY}), 0, 0).fits());
  EXPECT_TRUE(compare(f64s({-0.0}), f64s({0.0}), 0, 0).fits());
  for (double wrong : {static_cast<double>(NAN), -static_cast<double>(INFINITY), 1.0})
    EXPECT_FALSE(compare(f64s({wrong}), f64s({INFINITY}), 1, INFINITY).fits()) << wrong;
  EXPECT_FALSE(compare(f64s({NAN}), f64s({1}), 1, 1).fits());
  EXPECT_FALSE(compare(f64s({1}), f64s({NAN}), 1, 1).fits());
  EXPECT_EQ(INFINITY, compare(f64s({NAN}), f64s({1}), 1, 1).largestError);
  // One infinity in want does not make everything else fit.
  EXPECT_FALSE(compare(f64s({INFINITY, 2}), f64s({INFINITY, 1}), 0.1, 0).fits());
}

TEST(CompareTest, WantsIntegersEqual) {
  auto i64s = [](ElementType type, int64_t value) {
    return HostArray::fromInts(type, {1}, {value});
  };
  EXPECT_TRUE(compare(i64s(ElementType::I64, -5), i64s(ElementType::I64, -5), 1, 1).fits());
  // These two are one double.
  EXPECT_FALSE(
      compare(i64s(ElementType::I64, INT64_MAX), i64s(ElementType::I64, INT64_MAX - 1), 1, 9)
          .fits());
  EXPECT_EQ(0x1p64, compare(i64s(ElementType::I64, INT64_MAX), i64s(ElementType::I64, INT64_MIN),
                            0, 0).largestError);
  EXPECT_EQ(0x1p64, compare(i64s(ElementType::U64, -1), i64s(ElementType::U64, 0), 0, 0)
                        .largestError);
}

TEST(CompareTest, RefusesOtherTypesAndShapes) {
  auto text = [](const HostArray &got, const HostArray &want) {
    auto result = compareArrays(got, want, {});
    return result ? "no error" : llvm::toString(result.takeError());
  };
  EXPECT_EQ("expected 2xf32, found 2xf64",
            text(HostArray(ElementType::F64, {2}), HostArray(ElementType::F32, {2})));
  EXPECT_EQ("expected 2x1xf32, found 2xf32",
            text(HostArray(ElementType::F32, {2}), HostArray(ElementType::F32, {2, 1})));
  EXPECT_TRUE(compare(HostArray(ElementType::F32, {0}), HostArray(ElementType::F32, {0}), 0, 0)
                  .fits());
  EXPECT_EQ("[1, 0, 2]", formatIndex(14, {2, 4, 3}));
  EXPECT_EQ("[]", formatIndex(0, {}));
}

} // namespace
