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

TEST(Context, CountsWaitsAndWhatIsReadBack) {
  Context context = makeContext(1);
  const int64_t sizes[] = {3, 5}, strides[] = {5, 1};
  fuse_buffer result = {nullptr, sizes, strides, 2, FUSE_F16};
  EXPECT_EQ(fuse_read_back(context.get(), &result), 0);
  fuse_buffer scalar = {nullptr, nullptr, nullptr, 0, FUSE_F64};
  EXPECT_EQ(fuse_read_back(context.get(), &scalar), 0);
  EXPECT_EQ(fuse_wait(context.get()), 0);
  EXPECT_EQ(context->counters.readback_bytes, 38);
  EXPECT_EQ(context->counters.waits, 1);
  fuse_buffer odd = {nullptr, sizes, strides, 2, FUSE_NUM_DTYPES};
  EXPECT_EQ(fuse_read_back(context.get(), &odd), 1);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "a result to be read back needs an element type and sizes");
  EXPECT_EQ(fuse_read_back(context.get(), nullptr), 1);
  fuse_context_reset_counters(context.get());
  EXPECT_EQ(context->counters.waits + context->counters.readback_bytes, 0);
}

TEST(Context, RecordsLaunchesWhileOn) {
  const fuse_kernel kernels[] = {{"a", nothing, oneBlock, 0, nullptr, nullptr},
                                 {"b", sleepShortly, oneBlock, 0, nullptr, nullptr}};
  Context context = makeContext(1);
  ASSERT_EQ(fuse_context_set_kernels(context.get(), kernels, 2), 0);
  ASSERT_EQ(fuse_launch(context.get(), 1, nullptr, 0), 0);
  EXPECT_EQ(context->events, nullptr);
  ASSERT_EQ(fuse_context_set_recording(context.get(), 3), 0);
  EXPECT_EQ(context->num_events, 0);
  for (int64_t kernel : {1, 0, 1, 0})
    ASSERT_EQ(fuse_launch(context.get(), kernel, nullptr, 0), 0);
  ASSERT_EQ(context->num_events, 3);
  EXPECT_EQ(context->events_lost, 1);
  const fuse_event *events = context->events;
  int64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(events[i].kind, FUSE_EVENT_LAUNCH);
    EXPECT_EQ(events[i].kernel, i == 1 ? 0 : 1);
    EXPECT_STREQ(events[i].name, i == 1 ? "a" : "b");
    EXPECT_GE(events[i].begin_ns, last);
    EXPECT_GE(events[i].end_ns - events[i].begin_ns, i == 1 ? 0 : 2000000);
    last = events[i].end_ns;
  }
  EXPECT_EQ(context->counters.launches, 5);
  fuse_context_clear_events(context.get());
  EXPECT_EQ(context->num_events + context->events_lost, 0);
  EXPECT_NE(fuse_context_set_recording(context.get(), -1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()), "expected room for at least 0 events, found -1");
  EXPECT_NE(fuse_context_set_recording(context.get(), INT64_MAX), 0);
  EXPECT_EQ(context->events_capacity, 3);
  ASSERT_EQ(fuse_context_set_recording(context.get(), 0), 0);
  EXPECT_EQ(context->events, nullptr);
}

TEST(Context, RecordsCopiesAndHostCalls) {
  Context context = makeContext(1);
  auto hostFunction = [](fuse_context *inner, const fuse_buffer *args, int64_t, int64_t,
                         const int64_t *, int64_t,
                         void *) { return fuse_copy(inner, &args[0], &args[1]); };
  ASSERT_EQ(fuse_register_host_function(context.get(), "twin", hostFunction, nullptr), 0);
  ASSERT_EQ(fuse_context_set_recording(context.get(), 8), 0);
  Array<float> x(FUSE_F32, {4, 8}), y(FUSE_F32, {4, 8});
  fuse_buffer args[] = {x.buffer(), y.buffer()};
  ASSERT_EQ(fuse_host_call(context.get(), "twin", args, 1, 1, nullptr, 0), 0);
  EXPECT_NE(fuse_host_call(context.get(), "unknown", args, 1, 1, nullptr, 0), 0);
  ASSERT_EQ(context->num_events, 2);
  const fuse_event &call = context->events[0], &copy = context->events[1];
  EXPECT_EQ(call.kind, FUSE_EVENT_HOST_CALL);
  EXPECT_STREQ(call.name, "twin");
  EXPECT_EQ(call.kernel, -1);
  EXPECT_EQ(copy.kind, FUSE_EVENT_COPY);
  EXPECT_EQ(copy.bytes, 128);
  EXPECT_LE(call.begin_ns, copy.begin_ns);
  EXPECT_LE(copy.end_ns, call.end_ns);
}

TEST(Context, RejectsBadKernelTables) {
  Context context = makeContext(2);
  fuse_kernel kernel = {"k", nothing, oneBlock, 100, nullptr, nullptr};
  EXPECT_NE(fuse_context_set_kernels(context.get(), &kernel, 1), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "kernel 'k': expected scratch bytes in multiples of 64, found 100");
  kernel.scratch_bytes = INT64_MAX / 64 * 64;
  EXPECT_NE(fuse_context_set_kernels(context.get(), &kernel, 1), 0);
  EXPECT_TRUE(std::strstr(fuse_context_error(context.get()), "out of memory"));
  kernel.scratch_bytes = 0;
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
