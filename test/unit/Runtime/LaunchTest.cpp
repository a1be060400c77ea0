//===- LaunchTest.cpp - Launches over threads ----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestUtils.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

using namespace fusetest;

namespace {

// args[0] of the kernels below: i64 counts per block; its size is the number of blocks.
int64_t countBlocks(const fuse_buffer *args) { return args[0].sizes[0]; }

void incrementBlocks(const fuse_buffer *args, int64_t begin, int64_t end, void *scratch) {
  auto *counts = static_cast<int64_t *>(args[0].data);
  for (int64_t b = begin; b < end; ++b)
    ++counts[b];
}

/// Fills the whole scratch, then computes from it: wrong if two threads shared it.
void useScratch(const fuse_buffer *args, int64_t begin, int64_t end, void *scratch) {
  auto *counts = static_cast<int64_t *>(args[0].data);
  auto *mine = static_cast<int64_t *>(scratch);
  bool aligned = reinterpret_cast<uintptr_t>(scratch) % 64 == 0;
  for (int64_t b = begin; b < end; ++b) {
    for (int i = 0; i < 512; ++i)
      mine[i] = b + i;
    counts[b] = 0;
    for (int i = 0; i < 512; ++i)
      counts[b] += aligned ? mine[i] - i : -1;
    counts[b] /= 512;
  }
}

/// Block b adds its number to its partial result; the sum goes to args[1].
void partialSum(const fuse_buffer *args, int64_t begin, int64_t end, void *scratch) {
  for (int64_t b = begin; b < end; ++b)
    *reinterpret_cast<int64_t *>(static_cast<char *>(args[2].data) + b * 8) = b;
}

void combineSum(const fuse_buffer *args, int64_t blocks, void *partials) {
  auto *values = static_cast<int64_t *>(partials);
  *static_cast<int64_t *>(args[1].data) = std::accumulate(values, values + blocks, int64_t(0));
}

int64_t negativeCount(const fuse_buffer *) { return -3; }

const fuse_kernel kKernels[] = {
    {"increment", incrementBlocks, countBlocks, nullptr, 0, 0, 0},
    {"scratch", useScratch, countBlocks, nullptr, 4096, 0, 0},
    {"sum", partialSum, countBlocks, combineSum, 0, 8, 0},
    {"serial", incrementBlocks, countBlocks, nullptr, 64, 0, 100},
    {"negative", incrementBlocks, negativeCount, nullptr, 0, 0, 0},
};

Context makeWithKernels(int32_t threads) {
  Context context = makeContext(threads);
  EXPECT_EQ(fuse_context_set_kernels(context.get(), kKernels, std::size(kKernels)), 0);
  return context;
}

} // namespace

TEST(Launch, EveryBlockExactlyOnce) {
  for (int32_t threads : {1, 2, 3, 5, 8}) {
    Context context = makeWithKernels(threads);
    int64_t launches = 0;
    for (int64_t blocks : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 100, 1000, 4099}) {
      Array<int64_t> counts(FUSE_I64, {blocks});
      fuse_buffer args[] = {counts.buffer()};
      ASSERT_EQ(fuse_launch(context.get(), 0, args, 1), 0);
      for (int64_t b = 0; b < blocks; ++b)
        ASSERT_EQ(counts.data[b], 1) << threads << " threads, " << blocks << " blocks, block " << b;
      EXPECT_EQ(counts.data[blocks], 0);
      EXPECT_EQ(context->counters.launches, ++launches);
    }
  }
}

namespace {
struct Range {
  int64_t begin, end;
  std::thread::id thread;
};
/// Each call claims one entry.
std::vector<Range> ranges(64);
std::atomic<int> numRanges;

void recordRange(const fuse_buffer *args, int64_t begin, int64_t end, void *scratch) {
  ranges[numRanges++] = {begin, end, std::this_thread::get_id()};
}
} // namespace

TEST(Launch, RangesAreContiguousAndEven) {
  const fuse_kernel kernel = {"record", recordRange, countBlocks, nullptr, 0, 0, 0};
  for (int32_t threads : {2, 3, 7})
    for (int64_t blocks : {2, 3, 20, 21, 22}) {
      Context context = makeContext(threads);
      numRanges = 0;
      ASSERT_EQ(fuse_parallel_for(context.get(), &kernel, nullptr, blocks), 0);
      int64_t total = 0;
      for (int i = 0; i < numRanges; ++i) {
        int64_t size = ranges[i].end - ranges[i].begin;
        total += size;
        EXPECT_TRUE(size == blocks / threads || size == blocks / threads + 1);
      }
      EXPECT_EQ(total, blocks);
      EXPECT_EQ(numRanges, std::min<int64_t>(threads, blocks));
    }
}

TEST(Launch, FewBlocksStayOnTheCallingThread) {
  fuse_kernel kernel = {"record", recordRange, countBlocks, nullptr, 0, 0, 10};
  Context context = makeContext(4);
  for (int64_t blocks : {1, 9, 10}) {
    numRanges = 0;
    ASSERT_EQ(fuse_parallel_for(context.get(), &kernel, nullptr, blocks), 0);
    EXPECT_EQ(numRanges, blocks < 10 ? 1 : 4);
    if (blocks < 10) {
      EXPECT_EQ(ranges[0].thread, std::this_thread::get_id());
    }
  }
  EXPECT_EQ(context->counters.launches, 3);
}

TEST(Launch, ScratchBelongsToOneThread) {
  for (int32_t threads : {1, 2, 5}) {
    Context context = makeWithKernels(threads);
    Array<int64_t> counts(FUSE_I64, {777});
    fuse_buffer args[] = {counts.buffer()};
    ASSERT_EQ(fuse_launch(context.get(), 1, args, 1), 0);
    for (int64_t b = 0; b < 777; ++b)
      ASSERT_EQ(counts.data[b], b);
  }
}

TEST(Launch, CombinesPartialResultsAlsoOfNoBlocks) {
  for (int32_t threads : {1, 3}) {
    Context context = makeWithKernels(threads);
    for (int64_t blocks : {5, 1000, 0, 3}) {
      Array<int64_t> counts(FUSE_I64, {blocks});
      int64_t sum = -1;
      fuse_buffer args[] = {counts.buffer(), {&sum, nullptr, nullptr, 0, FUSE_I64}};
      ASSERT_EQ(fuse_launch(context.get(), 2, args, 2), 0);
      EXPECT_EQ(sum, blocks * (blocks - 1) / 2);
    }
  }
}

TEST(Launch, FromSeveralThreadsAtOnce) {
  std::vector<std::thread> callers;
  std::vector<int64_t> failures(4);
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([caller, &failures] {
      Context context = makeWithKernels(2);
      Array<int64_t> counts(FUSE_I64, {64});
      int64_t sum = 0;
      fuse_buffer args[] = {counts.buffer(), {&sum, nullptr, nullptr, 0, FUSE_I64}};
      for (int round = 0; round < 50; ++round) {
        std::fill(counts.data.begin(), counts.data.end(), 0);
        failures[caller] += fuse_launch(context.get(), 0, args, 1);
        for (int64_t b = 0; b < 64; ++b)
          failures[caller] += counts.data[b] != 1;
        failures[caller] += fuse_launch(context.get(), 1, args, 1);
        for (int64_t b = 0; b < 64; ++b)
          failures[caller] += counts.data[b] != b;
        failures[caller] += fuse_launch(context.get(), 2, args, 2);
        failures[caller] += sum != 64 * 63 / 2;
      }
      failures[caller] += context->counters.launches != 150;
    });
  for (std::thread &thread : callers)
    thread.join();
  EXPECT_EQ(failures, std::vector<int64_t>(4));
}

TEST(Launch, RejectsWhatDoesNotFitTheTable) {
  Context context = makeWithKernels(2);
  Array<int64_t> counts(FUSE_I64, {4});
  fuse_buffer args[] = {counts.buffer()};
  EXPECT_NE(fuse_launch(context.get(), 5, args, 1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()), "expected a kernel index below 5, found 5");
  EXPECT_NE(fuse_launch(context.get(), -1, args, 1), 0);
  EXPECT_NE(fuse_launch(context.get(), 0, args, -1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 'increment': bad argument list of -1 buffers");
  EXPECT_NE(fuse_launch(context.get(), 0, nullptr, 1), 0);
  EXPECT_NE(fuse_launch(context.get(), 4, args, 1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 'negative': expected at least 0 blocks, found -3");
  const fuse_kernel greedy = {"greedy", incrementBlocks, countBlocks, nullptr, 1 << 20, 0, 0};
  EXPECT_NE(fuse_parallel_for(context.get(), &greedy, args, 4), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 'greedy' needs 1048576 bytes of scratch per thread, found 4096");
  EXPECT_EQ(context->counters.launches, 0);
  EXPECT_EQ(counts.data[0], 0);
}
