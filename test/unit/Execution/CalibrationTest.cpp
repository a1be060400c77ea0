//===- CalibrationTest.cpp - What is read off measured curves -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Calibration.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Bandwidths of sets of 1, 2, 4, … bytes.
std::vector<BandwidthPoint> makeCurve(ArrayRef<double> bandwidths) {
  std::vector<BandwidthPoint> curve;
  for (double bandwidth : bandwidths) {
    BandwidthPoint &point = curve.emplace_back();
    point.bytes = int64_t(1) << (curve.size() - 1);
    point.read[0] = bandwidth;
  }
  return curve;
}

} // namespace

TEST(Calibration, FindsPoints) {
  std::vector<BandwidthPoint> curve = makeCurve({1, 2, 3, 4});
  EXPECT_EQ(findPoint(curve, 0).bytes, 1);
  EXPECT_EQ(findPoint(curve, 3).bytes, 2);
  EXPECT_EQ(findPoint(curve, 4).bytes, 4);
  EXPECT_EQ(findPoint(curve, 1000).bytes, 8);
}

TEST(Calibration, FindsWhereACacheEnds) {
  // Two caches, and memory: the second ends at 32, where half of it still comes from it.
  std::vector<BandwidthPoint> curve = makeCurve({100, 100, 95, 52, 50, 50, 20, 10, 10});
  EXPECT_EQ(findCacheEnd(curve, 1, 16), 4);
  EXPECT_EQ(findCacheEnd(curve, 16, 256), 32);
  // One that the system tells of but that others have taken.
  EXPECT_EQ(findCacheEnd(curve, 128, 256), 0);
  // Noise is no cache.
  EXPECT_EQ(findCacheEnd(makeCurve({11, 10, 10.5, 10}), 1, 8), 0);
}

TEST(Calibration, FindsWhereStoresArePastTheCaches) {
  int64_t sizes[] = {1, 2, 4, 8};
  EXPECT_EQ(findCrossing(sizes, {10, 20, 50, 100}, {30, 20, 40, 70}), 4);
  EXPECT_EQ(findCrossing(sizes, {10, 20, 50, 100}, {5, 10, 40, 70}), 1);
  EXPECT_EQ(findCrossing(sizes, {10, 20, 50, 100}, {30, 20, 40, 99}), 0) << "too little";
  // What is faster here and slower there is chance.
  EXPECT_EQ(findCrossing(sizes, {10, 30, 50, 100}, {30, 20, 60, 70}), 8);
}

TEST(Calibration, CachesOfThisMachine) {
  CacheSizes caches = getCacheSizes();
  for (int64_t bytes : {caches.l1, caches.l2, caches.l3})
    EXPECT_TRUE(bytes == 0 || (bytes >= 1024 && bytes <= int64_t(1) << 40)) << bytes;
  if (caches.l2)
    EXPECT_LE(caches.l1, caches.l2);
}
