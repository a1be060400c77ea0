//===- TensorTilesTest.cpp - How warpgroups share a tile of a product ---------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/TensorTiles.h"

#include "gtest/gtest.h"

using namespace mlir::fuse;

namespace {

void expectShare(const FragmentShare &share, int64_t takersM, int64_t takersN, int64_t tileM, int64_t tileN) {
  EXPECT_EQ(share.takersM, takersM);
  EXPECT_EQ(share.takersN, takersN);
  EXPECT_EQ(share.tileM, tileM);
  EXPECT_EQ(share.tileN, tileN);
}

TEST(TensorTiles, WarpgroupsShareRowsFirst) {
  expectShare(shareWarpgroups(128, 128, 1), 1, 1, 128, 128);
  expectShare(shareWarpgroups(128, 256, 2), 2, 1, 64, 256);
  // Of one block of 64 rows each has half of the columns, which begin where a line of shared memory does if they have to.
  expectShare(shareWarpgroups(64, 200, 2), 1, 2, 64, 104);
  expectShare(shareWarpgroups(64, 200, 2, 64), 1, 2, 64, 128);
  expectShare(shareWarpgroups(100, 41, 1), 1, 1, 128, 48);
}

TEST(TensorTiles, WarpgroupsAreWhole) {
  EXPECT_TRUE(fitsWarpgroups(128, 128, 128));
  EXPECT_FALSE(fitsWarpgroups(128, 128, 64)) << "no warpgroup";
  EXPECT_FALSE(fitsWarpgroups(128, 128, 192)) << "one and a half";
}

TEST(TensorTiles, WarpgroupsHaveRoomForSums) {
  EXPECT_TRUE(fitsWarpgroups(64, 256, 128));
  EXPECT_FALSE(fitsWarpgroups(64, 264, 128)) << "more columns than a product has";
  EXPECT_FALSE(fitsWarpgroups(128, 256, 128)) << "256 sums of a thread";
  EXPECT_TRUE(fitsWarpgroups(128, 256, 256));
}

TEST(TensorTiles, WarpgroupsAreFaster) {
  EXPECT_TRUE(fitsWarpgroups(48, 64, 128)) << "a quarter of 64 rows fills up";
  EXPECT_FALSE(fitsWarpgroups(32, 64, 128)) << "half of them";
  EXPECT_TRUE(fitsWarpgroups(72, 64, 128)) << "80 rows of 128";
}

} // namespace
