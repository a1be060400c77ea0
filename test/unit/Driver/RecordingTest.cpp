//===- RecordingTest.cpp - Events of runs and the kernels they belong to --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Recording.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Kernels with these labels.
FunctionReport makeReport(ArrayRef<StringRef> labels) {
  FunctionReport report;
  for (StringRef label : labels) {
    KernelReport &kernel = report.kernels.emplace_back();
    kernel.id = static_cast<int64_t>(report.kernels.size()) - 1;
    kernel.label = label.str();
  }
  return report;
}

std::vector<LaunchedKernel> makeLaunches(ArrayRef<int64_t> kernels) {
  std::vector<LaunchedKernel> launches;
  for (int64_t kernel : kernels)
    launches.emplace_back().kernel = kernel;
  return launches;
}

fuse_event launch(int32_t kernel, int64_t begin, int64_t end) {
  return {begin, end, "kernel", 0, kernel, FUSE_EVENT_LAUNCH};
}
fuse_event hostCall(int64_t begin, int64_t end) {
  return {begin, end, "host", 0, -1, FUSE_EVENT_HOST_CALL};
}
fuse_event copy(int64_t begin, int64_t end) { return {begin, end, "copy", 8, -1, FUSE_EVENT_COPY}; }

using Places = std::vector<SmallVector<size_t, 1>>;

} // namespace

TEST(Recording, EqualKernelsHaveTimesOfTheirOwn) {
  FunctionReport report = makeReport({"chain", "host", "chain", "contraction"});
  std::vector<LaunchedKernel> launches = makeLaunches({0, 0, 1});
  RecordedRun run;
  run.events = {launch(0, 0, 1000000), hostCall(1000000, 5000000), copy(2000000, 3000000),
                launch(0, 6000000, 8000000), launch(1, 9000000, 12000000)};
  EXPECT_EQ(matchEvents(report, launches, run.events), (Places{{0}, {1}, {}, {2}, {3}}));

  RecordedRun slower = run;
  slower.events[3].end_ns += 10000000;
  RecordedRun faster = run;
  faster.events[3].end_ns -= 1000000;
  addTimes(report, launches, {slower, run, faster});
  EXPECT_DOUBLE_EQ(*report.kernels[0].ms, 1);
  EXPECT_DOUBLE_EQ(*report.kernels[1].ms, 4);
  EXPECT_DOUBLE_EQ(*report.kernels[2].ms, 2);
  EXPECT_DOUBLE_EQ(*report.kernels[2].leastMs, 1);
  EXPECT_DOUBLE_EQ(*report.kernels[3].ms, 3);
}

TEST(Recording, ControlFlowLeavesWhatIsCertain) {
  FunctionReport report = makeReport({"chain", "chain", "contraction", "host"});
  std::vector<LaunchedKernel> launches = makeLaunches({0, 0, 1});
  // A loop that runs the third kernel twice, one branch of two that share a kernel, no host call.
  RecordedRun run;
  run.events = {launch(1, 0, 1000000), launch(0, 2000000, 4000000), launch(1, 5000000, 8000000)};
  EXPECT_EQ(matchEvents(report, launches, run.events), (Places{{2}, {0, 1}, {2}}));
  addTimes(report, launches, {run});
  EXPECT_DOUBLE_EQ(*report.kernels[0].ms, 2);
  EXPECT_DOUBLE_EQ(*report.kernels[1].ms, 2);
  EXPECT_DOUBLE_EQ(*report.kernels[2].ms, 2);
  EXPECT_DOUBLE_EQ(*report.kernels[2].leastMs, 1);
  EXPECT_FALSE(report.kernels[3].ms);
}

TEST(Recording, Median) {
  EXPECT_DOUBLE_EQ(getMedian({3}), 3);
  EXPECT_DOUBLE_EQ(getMedian({9, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(getMedian({9, 1, 2, 4}), 3);
}
