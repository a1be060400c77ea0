//===- BuffersTest.cpp - Element types and strided copies ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestUtils.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

using namespace fusetest;

namespace {

/// An array with dimensions in a random order in memory, gaps, and some of them backwards.
struct RandomLayout {
  std::vector<int64_t> strides;
  int64_t first = 0, span = 1;

  RandomLayout(const std::vector<int64_t> &sizes, std::mt19937 &random) : strides(sizes.size()) {
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    // Half of the layouts are row-major, so that the paths for whole rows are taken as well.
    if (random() % 2)
      std::shuffle(order.begin(), order.end(), random);
    bool gaps = random() % 2, backwards = random() % 2;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      strides[*it] = span;
      if (sizes[*it] > 0)
        span *= sizes[*it];
      if (gaps)
        span += random() % 3;
    }
    for (size_t d = 0; d < sizes.size(); ++d)
      if (backwards && random() % 2 && sizes[d] > 0) {
        first += strides[d] * (sizes[d] - 1);
        strides[d] = -strides[d];
      }
  }
};

} // namespace

TEST(Buffers, DTypes) {
  int64_t sizes[] = {2, 2, 4, 8, 1, 1, 2, 4, 8, 1, 2, 4, 8};
  for (int32_t dtype = 0; dtype < FUSE_NUM_DTYPES; ++dtype)
    EXPECT_EQ(fuse_dtype_size(dtype), sizes[dtype]);
  EXPECT_EQ(fuse_dtype_size(-1), 0);
  EXPECT_EQ(fuse_dtype_size(FUSE_NUM_DTYPES), 0);
  EXPECT_STREQ(fuse_dtype_name(FUSE_BF16), "bf16");
  EXPECT_STREQ(fuse_dtype_name(FUSE_U8), "ui8");
  EXPECT_STREQ(fuse_dtype_name(99), "unknown");
}

TEST(Copy, RandomStrides) {
  std::mt19937 random(7);
  Context context = makeContext(1);
  int64_t copies = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> sizes(random() % 7);
    for (int64_t &size : sizes)
      size = random() % 20 == 0 ? 0 : 1 + random() % 4;
    int32_t dtype = random() % FUSE_NUM_DTYPES;
    int64_t width = fuse_dtype_size(dtype);
    RandomLayout from(sizes, random), to(sizes, random);
    // A source dimension may be a broadcast.
    if (!sizes.empty() && random() % 4 == 0)
      from.strides[random() % sizes.size()] = 0;
    std::vector<unsigned char> source(from.span * width), target(to.span * width, 0xee);
    for (unsigned char &byte : source)
      byte = random();
    std::vector<unsigned char> want = target;
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, fromAt = from.first, toAt = to.first;
      for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) {
        fromAt += rest % sizes[d] * from.strides[d];
        toAt += rest % sizes[d] * to.strides[d];
      }
      std::memcpy(&want[toAt * width], &source[fromAt * width], width);
    }
    auto rank = static_cast<int32_t>(sizes.size());
    fuse_buffer a = {&source[from.first * width], sizes.data(), from.strides.data(), rank, dtype};
    fuse_buffer b = {&target[to.first * width], sizes.data(), to.strides.data(), rank, dtype};
    ASSERT_EQ(fuse_copy(context.get(), &a, &b), 0) << fuse_context_error(context.get());
    ASSERT_EQ(target, want) << "round " << round;
    EXPECT_EQ(context->counters.copies, ++copies);
  }
}

TEST(Copy, ManyUnitDimensions) {
  std::vector<int64_t> sizes(200, 1), strides(200, 5);
  sizes[3] = 2, sizes[150] = 3;
  strides[3] = 3, strides[150] = 1;
  std::vector<int32_t> from = {1, 2, 3, 4, 5, 6}, to(6);
  fuse_buffer a = {from.data(), sizes.data(), strides.data(), 200, FUSE_I32};
  fuse_buffer b = {to.data(), sizes.data(), strides.data(), 200, FUSE_I32};
  Context context = makeContext(1);
  ASSERT_EQ(fuse_copy(context.get(), &a, &b), 0);
  EXPECT_EQ(from, to);
  ASSERT_EQ(fuse_copy(context.get(), &b, &b), 0);
  EXPECT_EQ(from, to);
  std::fill(sizes.begin(), sizes.end(), 2);
  EXPECT_NE(fuse_copy(context.get(), &a, &b), 0);
  EXPECT_TRUE(std::strstr(fuse_context_error(context.get()), "has too many elements"));
}

TEST(Copy, RejectsOtherTypesAndShapes) {
  Context context = makeContext(1);
  Array<float> a(FUSE_F32, {2, 3}), b(FUSE_F32, {3, 2}), c(FUSE_I32, {2, 3}), d(FUSE_F32, {6}),
      e(77, {2, 3});
  fuse_buffer from = a.buffer(), other = b.buffer(), type = c.buffer(), rank = d.buffer(),
              unknown = e.buffer();
  EXPECT_NE(fuse_copy(context.get(), &from, &other), 0);
  EXPECT_STREQ(fuse_context_error(context.get()), "copy: expected shape [3, 2], found [2, 3]");
  EXPECT_NE(fuse_copy(context.get(), &from, &rank), 0);
  EXPECT_NE(fuse_copy(context.get(), &from, &type), 0);
  EXPECT_STREQ(fuse_context_error(context.get()), "copy: expected element type i32, found f32");
  EXPECT_NE(fuse_copy(context.get(), &from, &unknown), 0);
  EXPECT_STREQ(fuse_context_error(context.get()), "copy: unknown element type 77");
  EXPECT_EQ(context->counters.copies, 0);
}
