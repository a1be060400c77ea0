//===- ContextTest.cpp - Contexts, counters, errors ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestUtils.h"

#include "fuse/Runtime/Cpu.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ctime>
#include <string>

using namespace fusetest;

namespace {

int64_t oneBlock(const fuse_buffer *) { return 1; }
void nothing(const fuse_buffer *, int64_t, int64_t, void *) {}
void sleepShortly(const fuse_buffer *, int64_t, int64_t, void *) {
  timespec time = {0, 2000000};
  nanosleep(&time, nullptr);
}

} // namespace

TEST(Context, Starts) {
  Context context = makeContext(3);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->abi_version, FUSE_ABI_VERSION);
  EXPECT_EQ(context->threads, 3);
  EXPECT_STREQ(fuse_context_error(context.get()), "");
  EXPECT_EQ(context->counters.launches, 0);
  EXPECT_GE(makeContext(0)->threads, 1);
  fuse_context_destroy(nullptr);
}

TEST(Context, TimesEachKernelWhileOn) {
  const fuse_kernel kernels[] = {{"a", nothing, oneBlock, nullptr, 0, 0, 0},
                                 {"b", sleepShortly, oneBlock, nullptr, 0, 0, 0}};
  Context context = makeContext(1);
  ASSERT_EQ(fuse_context_set_kernels(context.get(), kernels, 2), 0);
  EXPECT_EQ(context->kernel_ns, nullptr);
  ASSERT_EQ(fuse_context_set_timing(context.get(), 1), 0);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(fuse_launch(context.get(), 1, nullptr, 0), 0);
  EXPECT_EQ(context->kernel_ns[0], 0);
  EXPECT_GE(context->kernel_ns[1], 4000000);
  EXPECT_EQ(context->counters.launches, 2);
  fuse_context_reset_counters(context.get());
  EXPECT_EQ(context->kernel_ns[1], 0);
  EXPECT_EQ(context->counters.launches, 0);
  ASSERT_EQ(fuse_context_set_timing(context.get(), 0), 0);
  EXPECT_EQ(context->kernel_ns, nullptr);
}

TEST(Context, RejectsBadKernelTables) {
  Context context = makeContext(2);
  fuse_kernel kernel = {"k", nothing, oneBlock, nullptr, 100, 0, 0};
  EXPECT_NE(fuse_context_set_kernels(context.get(), &kernel, 1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 'k': expected scratch bytes in multiples of 64, found 100");
  kernel.scratch_bytes = INT64_MAX / 64 * 64;
  EXPECT_NE(fuse_context_set_kernels(context.get(), &kernel, 1), 0);
  EXPECT_TRUE(std::strstr(fuse_context_error(context.get()), "out of memory"));
  kernel.scratch_bytes = 0;
  kernel.partial_bytes = -1;
  EXPECT_NE(fuse_context_set_kernels(context.get(), &kernel, 1), 0);
  kernel.partial_bytes = 0;
  kernel.run = nullptr;
  EXPECT_NE(fuse_context_set_kernels(context.get(), &kernel, 1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 0 'k' lacks its name, function or block count");
  EXPECT_NE(fuse_context_set_kernels(context.get(), nullptr, 1), 0);
  EXPECT_EQ(context->num_kernels, 0);
}

TEST(Context, ErrorTexts) {
  Context context = makeContext(1);
  EXPECT_EQ(fuse_fail(context.get(), "100% wrong"), 1);
  EXPECT_STREQ(fuse_context_error(context.get()), "100% wrong");
  EXPECT_EQ(fuse_fail(context.get(), std::string(5000, 'x').c_str()), 1);
  EXPECT_EQ(std::strlen(fuse_context_error(context.get())), FUSE_ERROR_CAPACITY - 1u);

  EXPECT_EQ(fuse_expect_equal(context.get(), "rows of 'a'", 7, 7), 0);
  EXPECT_EQ(fuse_expect_equal(context.get(), "rows of 'a'", 7, 8), 1);
  EXPECT_STREQ(fuse_context_error(context.get()), "rows of 'a': expected 8, found 7");
  EXPECT_EQ(fuse_expect_equal(
                context.get(),
                "f: expected dimension 0 of 'a' (={}) to equal dimension 1 of 'b' (={})", 3, -4),
            1);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "f: expected dimension 0 of 'a' (=3) to equal dimension 1 of 'b' (=-4)");
  EXPECT_EQ(fuse_expect_equal(context.get(), "a has {} rows", 3, 4), 1);
  EXPECT_STREQ(fuse_context_error(context.get()), "a has 3 rows, expected 4");
}

TEST(Context, NamesTheCpu) {
  EXPECT_GT(std::strlen(fuse_cpu_name()), 3u);
  EXPECT_EQ(fuse_cpu_name(), fuse_cpu_name());
  EXPECT_EQ(std::strchr(fuse_cpu_name(), '\n'), nullptr);
}
