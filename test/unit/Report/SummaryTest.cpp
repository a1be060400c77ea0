//===- SummaryTest.cpp - The summary line and its figures -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Report.h"

#include <gtest/gtest.h>

using namespace mlir::fuse;

namespace {

FunctionReport makeReport(int64_t original, int64_t fused, int64_t saved) {
  FunctionReport report;
  report.originalKernels = original;
  report.fusedKernels = fused;
  report.memorySavedBytes = saved;
  return report;
}

TEST(SummaryTest, Summary) {
  EXPECT_EQ(makeReport(10, 4, 65536).getSummary(),
            "Fusion: 10 → 4 kernels (60% reduction), 64.0KB memory saved");
  EXPECT_EQ(makeReport(0, 0, 0).getSummary(),
            "Fusion: 0 → 0 kernels (0% reduction), 0.0KB memory saved");
  EXPECT_EQ(makeReport(3, 1, 8192).getSummary(),
            "Fusion: 3 → 1 kernels (67% reduction), 8.0KB memory saved");
  EXPECT_EQ(makeReport(1000, 1001, 100).getSummary(),
            "Fusion: 1000 → 1001 kernels (1 kernel more than ops), 0.1KB memory saved");
  EXPECT_EQ(makeReport(2, 3, 0).getSummary(),
            "Fusion: 2 → 3 kernels (1 kernel more than ops), 0.0KB memory saved");
  EXPECT_EQ(makeReport(75, 78, 0).getSummary(),
            "Fusion: 75 → 78 kernels (3 kernels more than ops), 0.0KB memory saved");
}

TEST(SummaryTest, KernelReduction) {
  EXPECT_EQ(makeReport(0, 0, 0).getKernelReduction(), 0.0);
  EXPECT_EQ(makeReport(4, 3, 0).getKernelReduction(), 0.25);
  EXPECT_DOUBLE_EQ(makeReport(5, 3, 0).getKernelReduction(), 0.4);
  EXPECT_EQ(makeReport(2, 3, 0).getKernelReduction(), -0.5);
}

} // namespace
