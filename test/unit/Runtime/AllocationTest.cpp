//===- AllocationTest.cpp - A second run allocates nothing ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../MallocCount.h"
#include "TestUtils.h"

#include <gtest/gtest.h>

using namespace fusetest;

namespace {

int64_t countBlocks(const fuse_buffer *args) { return args[0].sizes[0]; }
void addOne(const fuse_buffer *args, int64_t begin, int64_t end, void *scratch) {
  auto *values = static_cast<float *>(args[0].data);
  for (int64_t b = begin; b < end; ++b)
    values[b] += 1;
}
int64_t wantMore(const fuse_buffer *args) { return 16 * args[0].sizes[0]; }

} // namespace

TEST(Allocation, SecondRunAllocatesNothing) {
  const fuse_kernel kernels[] = {{"a", addOne, countBlocks, 4096, nullptr, nullptr},
                                 {"b", addOne, countBlocks, 64, wantMore, nullptr},
                                 {"c", addOne, countBlocks, 0, nullptr, nullptr}};
  int64_t before = allocations;
  Context context = makeContext(2);
  ASSERT_GT(allocations, before) << "the replaced malloc is not in use";
  ASSERT_EQ(fuse_context_set_kernels(context.get(), kernels, 3), 0);
  ASSERT_EQ(fuse_context_set_recording(context.get(), 1000), 0);
  Array<float> x(FUSE_F32, {500}), y(FUSE_F32, {500}), spectrum(FUSE_F32, {4, 32}),
      filters(FUSE_F32, {5, 9}), mel(FUSE_F32, {4, 5}), peaks(FUSE_F32, {2, 6});
  fuse_buffer a = x.buffer(), b = y.buffer();
  fuse_buffer melArgs[] = {spectrum.buffer(), filters.buffer(), mel.buffer()};
  fuse_buffer peakArgs[] = {spectrum.buffer(), peaks.buffer()};
  int64_t attrs[] = {3, 2};
  auto run = [&] {
    int32_t status = 0;
    for (int64_t kernel = 0; kernel < 3; ++kernel)
      status |= fuse_launch(context.get(), kernel, &a, 1);
    status |= fuse_copy(context.get(), &a, &b);
    status |= fuse_host_call(context.get(), "log_mel", melArgs, 2, 1, nullptr, 0);
    status |= fuse_host_call(context.get(), "welch_peaks", peakArgs, 1, 1, attrs, 2);
    return status;
  };
  ASSERT_EQ(run(), 0) << fuse_context_error(context.get());
  int64_t after = allocations;
  int32_t status = 0;
  for (int i = 0; i < 100; ++i)
    status |= run();
  EXPECT_EQ(allocations, after);
  EXPECT_EQ(status, 0);
}
