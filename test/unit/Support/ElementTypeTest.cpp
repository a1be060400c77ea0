//===- ElementTypeTest.cpp - Names, limits and encodings of element types -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/ElementType.h"
#include "fuse/Support/Scalar.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

TEST(ElementType, ConvertsToAndFromMLIR) {
  MLIRContext context;
  for (ElementType type : getElementTypes()) {
    Type mlirType = toMLIRType(type, &context);
    EXPECT_EQ(toElementType(mlirType), type);
    std::string text;
    llvm::raw_string_ostream(text) << mlirType;
    EXPECT_EQ(text, getElementTypeName(type));
  }
  EXPECT_EQ(toElementType(IndexType::get(&context)), std::nullopt);
  EXPECT_EQ(toElementType(IntegerType::get(&context, 4)), std::nullopt);
  EXPECT_EQ(toElementType(IntegerType::get(&context, 8, IntegerType::Signed)), std::nullopt);
}

TEST(ElementType, IntegerLimits) {
  EXPECT_EQ(getLowestInteger(ElementType::I8), -128);
  EXPECT_EQ(getHighestInteger(ElementType::I8), 127);
  EXPECT_EQ(getLowestInteger(ElementType::I64), INT64_MIN);
  EXPECT_EQ(getHighestInteger(ElementType::I64), INT64_MAX);
  EXPECT_EQ(getLowestInteger(ElementType::U32), 0);
  EXPECT_EQ(getHighestInteger(ElementType::U32), int64_t(UINT32_MAX));
  EXPECT_EQ(uint64_t(getHighestInteger(ElementType::U64)), UINT64_MAX);
  EXPECT_EQ(getHighestInteger(ElementType::I1), 1);
  EXPECT_EQ(wrapInteger(ElementType::I8, 200), -56);
  EXPECT_EQ(wrapInteger(ElementType::U8, uint64_t(-1)), 255);
  EXPECT_EQ(wrapInteger(ElementType::I1, 3), 1);
}

static uint16_t encodeByAPFloat(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

TEST(ShortFloats, EveryValueSurvivesARoundTrip) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    double half = decodeF16(bits), brain = decodeBF16(bits);
    if (std::isnan(half))
      EXPECT_EQ(encodeF16(half), bits | 0x200); // quieted
    else
      EXPECT_EQ(encodeF16(half), bits);
    if (std::isnan(brain))
      EXPECT_EQ(encodeBF16(brain), bits | 0x40);
    else
      EXPECT_EQ(encodeBF16(brain), bits);
  }
}

TEST(ShortFloats, NeighboursAndTiesRoundAsAPFloatDoes) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    double low = decodeF16(bits);
    double high = bits + 1 == 0x7c00 ? 65536.0 : decodeF16(bits + 1);
    double tie = (low + high) / 2;
    for (double value : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e9), -tie})
      ASSERT_EQ(encodeF16(value), encodeByAPFloat(llvm::APFloat::IEEEhalf(), value)) << value;
  }
  for (uint32_t bits = 0; bits < 0x7f80; ++bits) {
    double low = decodeBF16(bits);
    double high = bits + 1 == 0x7f80 ? std::ldexp(1.0, 128) : decodeBF16(bits + 1);
    double tie = (low + high) / 2;
    for (double value : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e300), -tie})
      ASSERT_EQ(encodeBF16(value), encodeByAPFloat(llvm::APFloat::BFloat(), value)) << value;
  }
}

TEST(ShortFloats, AnyDoubleRoundsAsAPFloatDoes) {
  EXPECT_TRUE(rc::check([](uint64_t bits) {
    double value = llvm::bit_cast<double>(bits);
    if (std::isnan(value)) {
      RC_ASSERT(std::isnan(decodeF16(encodeF16(value))));
      RC_ASSERT(std::isnan(decodeBF16(encodeBF16(value))));
      return;
    }
    RC_ASSERT(encodeF16(value) == encodeByAPFloat(llvm::APFloat::IEEEhalf(), value));
    RC_ASSERT(encodeBF16(value) == encodeByAPFloat(llvm::APFloat::BFloat(), value));
  }));
}

TEST(ShortFloats, ComputedValuesRoundToF32First) {
  // Just above a tie of f16; f32 rounds it to the tie, and the tie goes to even.
  double value = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(roundToFloat(ElementType::F16, value), 1.0 + std::ldexp(1.0, -10));
  EXPECT_EQ(roundComputed(ElementType::F16, value), 1.0);
}
