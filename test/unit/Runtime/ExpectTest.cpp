//===- ExpectTest.cpp - What programs check when they are called -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestUtils.h"

#include <gtest/gtest.h>

using namespace fusetest;

namespace {

fuse_buffer makeBuffer(void *data, const std::vector<int64_t> &sizes,
                       const std::vector<int64_t> &strides, int32_t dtype) {
  return {data, sizes.data(), strides.data(), static_cast<int32_t>(sizes.size()), dtype};
}

TEST(Expect, RowMajor) {
  Context context = makeContext(1);
  auto status = [&](const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides) {
    fuse_buffer buffer = makeBuffer(nullptr, sizes, strides, FUSE_F32);
    return fuse_expect_row_major(context.get(), "x", &buffer, 1);
  };
  EXPECT_EQ(status({}, {}), 0);
  EXPECT_EQ(status({2, 3}, {3, 1}), 0);
  EXPECT_EQ(status({1, 3}, {77, 1}), 0) << "nobody steps along an extent of 1";
  EXPECT_EQ(status({0, 3}, {5, 5}), 0);
  EXPECT_EQ(status({2, 3}, {1, 2}), 1);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "x: expected row-major order, stride 1 in dimension 1, found 2");
  EXPECT_EQ(status({2, 3}, {4, 1}), 1) << "a gap behind each row";
  EXPECT_EQ(status({2, 3}, {0, 1}), 1) << "a broadcast";
}

TEST(Expect, AtMost) {
  Context context = makeContext(1);
  EXPECT_EQ(fuse_expect_at_most(context.get(), "n", 3, 3), 0);
  EXPECT_EQ(fuse_expect_at_most(context.get(), "n", 0, 3), 0);
  EXPECT_EQ(fuse_expect_at_most(context.get(), "dimension 0 is {}, above {}", 4, 3), 1);
  EXPECT_STREQ(fuse_context_error(context.get()), "dimension 0 is 4, above 3");
  EXPECT_EQ(fuse_expect_at_most(context.get(), "n", 4, 3), 1);
  EXPECT_STREQ(fuse_context_error(context.get()), "n: expected at most 3, found 4");
}

TEST(Expect, Indices) {
  Context context = makeContext(1);
  std::vector<int64_t> values = {0, 3, -4, 2, 99, 99};
  auto status = [&](const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides) {
    fuse_buffer buffer = makeBuffer(values.data(), sizes, strides, FUSE_I64);
    return fuse_expect_indices(context.get(), "ids", &buffer, 4);
  };
  EXPECT_EQ(status({2, 2}, {2, 1}), 0);
  EXPECT_EQ(status({0}, {1}), 0);
  EXPECT_EQ(status({}, {}), 0);
  EXPECT_EQ(status({2, 3}, {3, 1}), 1);
  EXPECT_STREQ(fuse_context_error(context.get()), "ids: index 99 (element 4) is outside [-4, 4)");
  values[1] = -5;
  EXPECT_EQ(status({2, 2}, {2, 1}), 1);
  EXPECT_EQ(status({2}, {2}), 0) << "steps over it";
  fuse_buffer floats = makeBuffer(values.data(), {}, {}, FUSE_F32);
  EXPECT_EQ(fuse_expect_indices(context.get(), "ids", &floats, 4), 1);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "ids: expected signed integers as indices, found f32");
}

} // namespace
