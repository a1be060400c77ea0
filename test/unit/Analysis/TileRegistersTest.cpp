//===- TileRegistersTest.cpp - What a CPU's tile registers hold -----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/TileRegisters.h"

#include "gtest/gtest.h"

using namespace mlir::fuse;

namespace {

TEST(TileRegisters, PartsFillLines) {
  EXPECT_EQ(getTileSteps(160, 4), 40);
  EXPECT_EQ(getTileSteps(768, 4), 64);
  EXPECT_EQ(getTileSteps(768, 2), 32);
  EXPECT_EQ(getTileSteps(48, 4), 48);
  EXPECT_EQ(getTileSteps(16, 4), 16);
  EXPECT_EQ(getTileSteps(12, 4), std::nullopt) << "12 bytes are too few";
  EXPECT_EQ(getTileSteps(67, 4), std::nullopt) << "no whole groups";
  EXPECT_EQ(getTileSteps(4 * 67, 4), std::nullopt) << "parts of one group each";
}

// Of any number of steps: equal parts of whole groups, none longer than a line or, of several, shorter than half of one.
TEST(TileRegisters, PartsAreEqual) {
  for (int64_t group : {2, 4})
    for (int64_t steps = 0; steps <= 600; ++steps)
      if (std::optional<int64_t> part = getTileSteps(steps, group)) {
        int64_t bytes = *part * 4 / group;
        EXPECT_EQ(steps % *part, 0) << steps;
        EXPECT_EQ(*part % group, 0) << steps;
        EXPECT_LE(bytes, kTileLineBytes) << steps;
        EXPECT_GE(bytes, *part == steps ? 16 : kTileLineBytes / 2) << steps;
      }
}

} // namespace
