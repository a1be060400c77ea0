//===- LaunchTest.cpp - Launches over threads ----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestUtils.h"

#include <gtest/gtest.h>

#include <atomic>
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

int64_t negativeCount(const fuse_buffer *) { return -3; }

const fuse_kernel kKernels[] = {
    {"increment", incrementBlocks, countBlocks, 0, nullptr, nullptr},
    {"scratch", useScratch, countBlocks, 4096, nullptr, nullptr},
    {"negative", incrementBlocks, negativeCount, 0, nullptr, nullptr},
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
  const fuse_kernel kernel = {"record", recordRange, countBlocks, 0, nullptr, nullptr};
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

TEST(Launch, OneBlockStaysOnTheCallingThread) {
  fuse_kernel kernel = {"record", recordRange, countBlocks, 0, nullptr, nullptr};
  Context context = makeContext(4);
  numRanges = 0;
  ASSERT_EQ(fuse_parallel_for(context.get(), &kernel, nullptr, 1), 0);
  EXPECT_EQ(numRanges, 1);
  EXPECT_EQ(ranges[0].thread, std::this_thread::get_id());
  EXPECT_EQ(context->counters.launches, 1);
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

TEST(Launch, FromSeveralThreadsAtOnce) {
  std::vector<std::thread> callers;
  std::vector<int64_t> failures(4);
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([caller, &failures] {
      Context context = makeWithKernels(2);
      Array<int64_t> counts(FUSE_I64, {64});
      fuse_buffer args[] = {counts.buffer()};
      for (int round = 0; round < 50; ++round) {
        std::fill(counts.data.begin(), counts.data.end(), 0);
        failures[caller] += fuse_launch(context.get(), 0, args, 1);
        for (int64_t b = 0; b < 64; ++b)
          failures[caller] += counts.data[b] != 1;
        failures[caller] += fuse_launch(context.get(), 1, args, 1);
        for (int64_t b = 0; b < 64; ++b)
          failures[caller] += counts.data[b] != b;
      }
      failures[caller] += context->counters.launches != 100;
    });
  for (std::thread &thread : callers)
    thread.join();
  EXPECT_EQ(failures, std::vector<int64_t>(4));
}

TEST(Launch, RejectsWhatDoesNotFitTheTable) {
  Context context = makeWithKernels(2);
  Array<int64_t> counts(FUSE_I64, {4});
  fuse_buffer args[] = {counts.buffer()};
  EXPECT_NE(fuse_launch(context.get(), 3, args, 1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()), "expected a kernel index below 3, found 3");
  EXPECT_NE(fuse_launch(context.get(), -1, args, 1), 0);
  EXPECT_NE(fuse_launch(context.get(), 0, args, -1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 'increment': bad argument list of -1 buffers");
  EXPECT_NE(fuse_launch(context.get(), 0, nullptr, 1), 0);
  EXPECT_NE(fuse_launch(context.get(), 2, args, 1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 'negative': expected at least 0 blocks, found -3");
  const fuse_kernel greedy = {"greedy", incrementBlocks, countBlocks, 1 << 20, nullptr, nullptr};
  EXPECT_NE(fuse_parallel_for(context.get(), &greedy, args, 4), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 'greedy' needs 1048576 bytes of scratch per thread, found 4096");
  EXPECT_EQ(context->counters.launches, 0);
  EXPECT_EQ(counts.data[0], 0);
}
