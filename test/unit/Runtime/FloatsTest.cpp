//===- FloatsTest.cpp - Rounding to 16 bits ------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Floats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "values.inc"

using namespace mlir::fuse::runtime;

TEST(Floats, RoundsToF16AsNumPyDoes) {
  ASSERT_EQ(halfValues.size(), halfBits.size());
  for (size_t i = 0; i < halfValues.size(); ++i)
    EXPECT_EQ(roundToF16(halfValues[i]), halfBits[i]) << halfValues[i];
}

TEST(Floats, EverySmallNumberSurvives) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    if (std::isnan(widenF16(bits)))
      EXPECT_TRUE(std::isnan(widenF16(roundToF16(widenF16(bits)))));
    else
      ASSERT_EQ(roundToF16(widenF16(bits)), bits);
    uint32_t wide = bits << 16;
    float single;
    std::memcpy(&single, &wide, 4);
    if (std::isnan(single)) {
      EXPECT_TRUE(std::isnan(widenBF16(bits)));
      EXPECT_TRUE(std::isnan(widenBF16(roundToBF16(single))));
      continue;
    }
    ASSERT_EQ(widenBF16(bits), single);
    ASSERT_EQ(roundToBF16(single), bits);
  }
}

TEST(Floats, RoundsToTheNearestBF16) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    double value = std::ldexp(1.0 + std::generate_canonical<double, 53>(random),
                              static_cast<int>(random() % 270) - 140);
    uint16_t bits = roundToBF16(value);
    if (widenBF16(bits) == INFINITY) {
      EXPECT_GE(value, std::ldexp(511.0, 119)) << value;
      continue;
    }
    double error = std::fabs(widenBF16(bits) - value);
    EXPECT_LE(error, std::fabs(widenBF16(bits + 1) - value)) << value;
    if (bits > 0) {
      EXPECT_LE(error, std::fabs(widenBF16(bits - 1) - value)) << value;
    }
  }
  // Just above a tie: by way of f32 it would become the tie, then round down to even.
  EXPECT_EQ(roundToBF16(1 + std::ldexp(1, -8) + std::ldexp(1, -40)), 0x3f81);
  EXPECT_EQ(roundToBF16(1 + std::ldexp(1, -8)), 0x3f80);
  EXPECT_EQ(roundToBF16(1 + 3 * std::ldexp(1, -8)), 0x3f82);
  EXPECT_EQ(roundToBF16(-0.0), 0x8000);
}
