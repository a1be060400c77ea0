//===- OccupancyTest.cpp - How full a kernel keeps a GPU -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Occupancy.h"

#include <gtest/gtest.h>

using namespace mlir::fuse;

namespace {
struct Case {
  const char *chip;
  int64_t threads, registers, sharedBytes;
  int64_t blocks, warps;
  const char *limit;
};
} // namespace

TEST(Occupancy, FollowsTheScarcestResource) {
  const Case cases[] = {
      // 64 warps in blocks of 8.
      {"sm_80", 256, 32, 0, 8, 64, "threads"},
      // 33 registers take 5 units of 256: 12 warps per scheduler, 48 in all.
      {"sm_80", 256, 33, 0, 6, 48, "registers"},
      {"sm_80", 256, 255, 0, 1, 8, "registers"},
      {"sm_80", 1024, 65, 0, 0, 0, "registers"},
      // 32 blocks of one warp each.
      {"sm_80", 32, 16, 0, 32, 32, "blocks"},
      {"sm_80", 1, 16, 0, 32, 32, "blocks"},
      // 48 KiB and the system's KiB, three times in 164 KiB.
      {"sm_80", 128, 32, 48 * 1024, 3, 12, "shared memory"},
      {"sm_80", 128, 32, 163 * 1024, 1, 4, "shared memory"},
      {"sm_80", 128, 32, 163 * 1024 + 1, 0, 0, "shared memory"},
      {"sm_90", 128, 32, 163 * 1024 + 1, 1, 4, "shared memory"},
      {"sm_90a", 128, 168, 227 * 1024, 1, 4, "shared memory"},
      {"sm_86", 256, 32, 0, 6, 48, "threads"},
      {"sm_86", 32, 32, 0, 16, 16, "blocks"},
      {"sm_89", 32, 32, 0, 24, 24, "blocks"},
      {"sm_89", 128, 32, 99 * 1024, 1, 4, "shared memory"},
      {"sm_75", 256, 64, 0, 4, 32, "threads"},
      {"sm_75", 256, 64, 64 * 1024, 1, 8, "shared memory"},
      {"sm_80", 1025, 16, 0, 0, 0, "threads"},
      {"sm_80", 256, 256, 0, 0, 0, "registers"},
  };
  for (const Case &test : cases) {
    auto limits = getMultiprocessorLimits(test.chip);
    ASSERT_TRUE(limits) << test.chip;
    Occupancy found = computeOccupancy(*limits, test.threads, test.registers, test.sharedBytes);
    std::string what = std::string(test.chip) + ", " + std::to_string(test.threads) + " threads, " +
                       std::to_string(test.registers) + " registers, " +
                       std::to_string(test.sharedBytes) + " bytes";
    EXPECT_EQ(found.blocks, test.blocks) << what;
    EXPECT_EQ(found.warps, test.warps) << what;
    EXPECT_EQ(found.limit.str(), test.limit) << what;
    EXPECT_DOUBLE_EQ(found.getRatio(), double(test.warps) / limits->warps) << what;
  }
}

TEST(Occupancy, NothingIsSaidOfChipsItDoesNotKnow) {
  EXPECT_FALSE(getMultiprocessorLimits("sm_70"));
  EXPECT_FALSE(getMultiprocessorLimits("gfx90a"));
  EXPECT_FALSE(getMultiprocessorLimits(""));
}
