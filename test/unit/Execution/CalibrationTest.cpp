//===- CalibrationTest.cpp - What is read off measured curves -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Calibration.h"
#include "fuse/Execution/HostTarget.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"

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

// What is known of a clock: the highest one if the system tells it; the nominal one, in a virtual
// machine, lies below what it reaches; else what a CPU has at the moment, which tells nothing.
TEST(HostTargetTest, Clock) {
  EXPECT_DOUBLE_EQ(findGigahertz(4000000, 1200, false), 4.0);
  EXPECT_DOUBLE_EQ(findGigahertz(4000000, 2600, true), 4.0);
  double reached = findGigahertz(0, 2600, true);
  EXPECT_GT(reached, 2.6);
  EXPECT_LT(reached, 2.6 * 2);
  EXPECT_EQ(findGigahertz(0, 1200, false), 0);
  EXPECT_EQ(findGigahertz(0, 0, true), 0);
}

TEST(HostTargetTest, FiguresFollowFacts) {
  MLIRContext context;
  context.loadDialect<FuseDialect>();
  CpuFacts facts;
  facts.vectors.bytes = 64;
  facts.gigahertz = 3.5;
  facts.caches = {49152, 2097152, 0};
  facts.threads = 4;
  TargetAttr wide = makeHostTarget(&context, facts);
  EXPECT_EQ(wide, makeHostTarget(&context, facts));
  EXPECT_EQ(wide.getFigure("max_threads"), 4);
  EXPECT_EQ(wide.getFigure("l2_bytes"), 2097152);
  // What is not told has the default.
  EXPECT_EQ(wide.getFigure("l3_bytes"), 33554432);
  // Two units, 16 floats each, a multiplication and an addition: at most 224.
  EXPECT_GT(wide.getFigure("matmul_flops_per_ns"), 150);
  EXPECT_LE(wide.getFigure("matmul_flops_per_ns"), 224);

  EXPECT_EQ(wide.getFigure("int8_flops_per_ns"), 0);
  facts.vectors.hasInt8Dot = true;
  EXPECT_NEAR(makeHostTarget(&context, facts).getFigure("int8_flops_per_ns"), 4 * wide.getFigure("matmul_flops_per_ns"), 1e-6);
  facts.vectors.hasInt8Tiles = true;
  EXPECT_GT(makeHostTarget(&context, facts).getFigure("int8_flops_per_ns"), 8 * wide.getFigure("matmul_flops_per_ns"));

  facts.vectors.bytes = 32;
  TargetAttr half = makeHostTarget(&context, facts);
  EXPECT_NEAR(wide.getFigure("matmul_flops_per_ns"), 2 * half.getFigure("matmul_flops_per_ns"),
              1e-6);
  facts.vectors.hasFma = false;
  EXPECT_NEAR(half.getFigure("matmul_flops_per_ns"),
              2 * makeHostTarget(&context, facts).getFigure("matmul_flops_per_ns"), 1e-6);
  facts.threads = 1;
  facts.gigahertz = 0;
  TargetAttr least = makeHostTarget(&context, facts);
  EXPECT_EQ(least.getFigure("fork_ns"), 0);
  EXPECT_LT(least.getFigure("memory_bw"), half.getFigure("memory_bw"));
  EXPECT_GT(least.getFigure("matmul_flops_per_ns"), 0);
}

// Nothing is measured: figures are the same whenever they are asked for.
TEST(HostTargetTest, HostIsTheSame) {
  MLIRContext context;
  context.loadDialect<FuseDialect>();
  EXPECT_EQ(makeHostTarget(&context, getCpuFacts(2)), makeHostTarget(&context, getCpuFacts(2)));
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
