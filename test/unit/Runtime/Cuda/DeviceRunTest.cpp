//===- DeviceRunTest.cpp - Programs on a device ----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Runtime/DeviceRun.h"
#include "DevicePrograms.h"

#include <gmock/gmock.h>

#include <deque>

using namespace fusetest;
using testing::ElementsAre;

namespace {
class DeviceRun : public CudaTest {
protected:
  void TearDown() override {
    fuse_device_run_destroy(program);
    CudaTest::TearDown();
  }

  /// Everything up to the first run; false with the error in `error`.
  bool prepare(fuse_run_fn function) {
    error = open();
    if (!error.empty())
      return false;
    context = fusetest::makeContext(1);
    return check(fuse_context_set_device(context.get(), device)) &&
           check(fuse_context_set_kernels(context.get(), kKernels, kNumKernels)) &&
           check(fuse_register_host_function(context.get(), "negate", negate, nullptr)) &&
           check(fuse_device_run_create(context.get(), queryLikeX, function, 2, 1, &program));
  }

  bool check(int32_t status) {
    error = status ? fuse_context_error(context.get()) : "";
    EXPECT_EQ(status != 0, !error.empty());
    return status == 0;
  }

  bool upload(int64_t index, const std::vector<float> &given) {
    // Until a run has ended.
    std::vector<float> &values = kept.emplace_back(given);
    int64_t size = static_cast<int64_t>(values.size()), stride = 1;
    fuse_buffer buffer = {values.data(), &size, &stride, 1, FUSE_F32};
    return check(fuse_device_run_upload(program, index, &buffer));
  }

  bool size(Array<float> &result) {
    fuse_buffer buffer = result.buffer();
    return check(fuse_device_run_size(program, &buffer));
  }

  /// One run from these arguments; empty after an error.
  std::vector<float> run(std::vector<float> x, std::vector<float> w) {
    Array<float> y(FUSE_F32, {static_cast<int64_t>(x.size())});
    if (!upload(0, x) || !upload(1, w) || !size(y))
      return {};
    fuse_context_reset_counters(context.get());
    fuse_buffer out = y.buffer();
    if (!check(fuse_device_run_execute(program, &out)))
      return {};
    y.data.resize(x.size());
    return y.data;
  }

  void expectCounts(int64_t launches, int64_t hostCalls, int64_t waits, int64_t copies,
                    int64_t bytes) {
    const fuse_counters &counters = context->counters;
    EXPECT_EQ(counters.launches, launches);
    EXPECT_EQ(counters.host_calls, hostCalls);
    EXPECT_EQ(counters.waits, waits);
    EXPECT_EQ(counters.copies, copies);
    EXPECT_EQ(counters.readback_bytes, bytes);
    EXPECT_EQ(counters.uploads, 0);
  }

  int64_t countAllocations() {
    return fake_cuda_calls("cuMemAlloc_v2") + fake_cuda_calls("cuMemHostAlloc") +
           fake_cuda_calls("cuModuleLoadDataEx");
  }

  fuse_device_run *program = nullptr;
  std::string error;
  std::deque<std::vector<float>> kept;
};
} // namespace

TEST_F(DeviceRun, LeavesResultsWithTheCaller) {
  ASSERT_TRUE(prepare(runPlain)) << error;
  EXPECT_THAT(run({1, 2, 3}, {10, 20, 30}), ElementsAre(12, 24, 36)) << error;
  expectCounts(2, 0, 1, 1, 12);
  int64_t waits = fake_cuda_calls("cuStreamSynchronize"), memory = countAllocations();
  EXPECT_THAT(run({4, 5, 6}, {1, 1, 1}), ElementsAre(9, 11, 13));
  EXPECT_EQ(fake_cuda_calls("cuStreamSynchronize"), waits + 1);
  EXPECT_EQ(countAllocations(), memory);
  // Other sizes.
  EXPECT_THAT(run({1}, {1}), ElementsAre(3));
  EXPECT_EQ(run(std::vector<float>(5000, 1), std::vector<float>(5000, 1)),
            std::vector<float>(5000, 3));
  EXPECT_THAT(run({}, {}), ElementsAre()) << error;
  expectCounts(2, 0, 1, 1, 0);
  EXPECT_EQ(fuse_device_run_arena_bytes(program), 0);
}

TEST_F(DeviceRun, UploadsAreCountedApart) {
  ASSERT_TRUE(prepare(runPlain)) << error;
  std::vector<float> x = {1, 2}, w = {3, 4};
  ASSERT_TRUE(upload(0, x) && upload(1, w) && upload(0, x));
  EXPECT_EQ(context->counters.uploads, 3);
  EXPECT_EQ(context->counters.copies, 0);
}

TEST_F(DeviceRun, HostFunctionsWorkOnCopies) {
  for (fuse_run_fn function : {runHosted, runUnasked}) {
    ASSERT_TRUE(prepare(function)) << error;
    EXPECT_THAT(run({1, 2, 3}, {10, 20, 30}), ElementsAre(8, 16, 24)) << error;
    expectCounts(2, 1, 2, 3, 12);
    int64_t waits = fake_cuda_calls("cuStreamSynchronize");
    // The second run uses the other pinned memory; the third allocates nothing any more.
    EXPECT_THAT(run({4, 5, 6}, {1, 1, 1}), ElementsAre(-7, -9, -11));
    int64_t memory = countAllocations();
    EXPECT_THAT(run({4, 5, 6}, {1, 1, 1}), ElementsAre(-7, -9, -11));
    EXPECT_EQ(countAllocations(), memory);
    // One for the host function, one for the result, and no other where operands are fetched.
    EXPECT_EQ(fake_cuda_calls("cuStreamSynchronize"), waits + (function == runHosted ? 4 : 6));
    TearDown();
    program = nullptr;
    device = nullptr;
    fake_cuda_reset();
  }
}

TEST_F(DeviceRun, HostFunctionsThatFail) {
  ASSERT_TRUE(prepare(runHosted)) << error;
  auto refuse = [](fuse_context *at, const fuse_buffer *, int64_t, int64_t, const int64_t *,
                   int64_t, void *) { return fuse_fail(at, "not today"); };
  ASSERT_EQ(fuse_register_host_function(context.get(), "negate", refuse, nullptr), 0);
  EXPECT_THAT(run({1}, {1}), ElementsAre());
  EXPECT_EQ(error, "not today");
  ASSERT_EQ(fuse_register_host_function(context.get(), "negate", negate, nullptr), 0);
  EXPECT_THAT(run({1}, {1}), ElementsAre(-1));
}

TEST_F(DeviceRun, WhatAHostFunctionReturnsIsNotWaitedFor) {
  ASSERT_TRUE(prepare(runLast)) << error;
  for (int round = 0; round < 3; ++round) {
    int64_t waits = fake_cuda_calls("cuStreamSynchronize");
    EXPECT_THAT(run({1, 2, 3}, {0, 0, 0}), ElementsAre(-2, -4, -6)) << error;
    expectCounts(1, 1, 1, 3, 12);
    // Memory is made in the first.
    EXPECT_TRUE(round == 0 || fake_cuda_calls("cuStreamSynchronize") == waits + 1);
  }
}

TEST_F(DeviceRun, WhatAKernelMakesOfItIs) {
  ASSERT_TRUE(prepare(runInPlace)) << error;
  EXPECT_THAT(run({1, 2, 3}, {10, 10, 10}), ElementsAre(9, 8, 7)) << error;
}

TEST_F(DeviceRun, ResultsThatWereGivenArriveToo) {
  ASSERT_TRUE(prepare(runPassing)) << error;
  EXPECT_THAT(run({1, 2, 3}, {0, 0, 0}), ElementsAre(1, 2, 3)) << error;
  expectCounts(0, 0, 0, 1, 0);
}

TEST_F(DeviceRun, IndicesAreLookedAtWhereTheHostHasThem) {
  ASSERT_TRUE(prepare(runIndexed)) << error;
  fuse_device_run_use_graph(program, 1);
  std::vector<float> x(1), w = {1};
  Array<float> y(FUSE_F32, {1});
  fuse_buffer out = y.buffer();
  // The first run, the recorded one, and those that replay it.
  for (int32_t index : {3, -10, 10, 9, 11}) {
    std::memcpy(x.data(), &index, 4);
    ASSERT_TRUE(upload(0, x) && upload(1, w) && size(y)) << error;
    bool isValid = index >= -10 && index < 10;
    EXPECT_EQ(check(fuse_device_run_execute(program, &out)), isValid) << index;
    EXPECT_EQ(error,
              isValid ? ""
                      : "x: index " + std::to_string(index) + " (element 0) is outside [-10, 10)");
  }
  EXPECT_EQ(context->counters.replays, 2);
}

TEST_F(DeviceRun, IndicesThatOnlyTheDeviceHasAreFetched) {
  ASSERT_EQ(open(), "");
  fuse_context *at = makeContext(kKernels, kNumKernels);
  int32_t numbers[] = {1, 12};
  std::vector<float> bits(2);
  std::memcpy(bits.data(), numbers, 8);
  DeviceArray array(at, bits);
  fuse_buffer indices = array.buffer();
  indices.dtype = FUSE_I32;
  EXPECT_EQ(fuse_expect_indices(at, "x", &indices, 13), 0) << fuse_context_error(at);
  EXPECT_EQ(fuse_expect_indices(at, "x", &indices, 12), 1);
  EXPECT_STREQ(fuse_context_error(at), "x: index 12 (element 1) is outside [-12, 12)");
  int64_t reversed = -1;
  indices.strides = &reversed;
  indices.data = static_cast<char *>(indices.data) + 4;
  EXPECT_EQ(fuse_expect_indices(at, "x", &indices, 12), 1);
  EXPECT_STREQ(fuse_context_error(at), "x: index 12 (element 0) is outside [-12, 12)");
}

TEST_F(DeviceRun, PreparedParametersStayOnTheDevice) {
  ASSERT_TRUE(prepare(runPlain)) << error;
  std::vector<float> x = {1, 2}, w = {10, 20};
  ASSERT_TRUE(upload(0, x) && upload(1, w));
  fuse_buffer *ins = fuse_device_run_ins(program);
  DeviceArray prepared(context.get(), {0, 0});
  fuse_buffer out = prepared.buffer();
  fuse_context_reset_counters(context.get());
  // 2 x + w, which takes the place of w.
  ASSERT_TRUE(check(fuse_prepare(context.get(), queryLikeX, runPlain, ins, &out))) << error;
  EXPECT_THAT(prepared.read(), ElementsAre(12, 24));
  EXPECT_EQ(context->counters.launches, 0);
  ins[1].data = out.data;
  Array<float> y(FUSE_F32, {2});
  ASSERT_TRUE(size(y));
  fuse_buffer result = y.buffer();
  ASSERT_TRUE(check(fuse_device_run_execute(program, &result)));
  EXPECT_EQ(y.data[0], 14);
  EXPECT_EQ(y.data[1], 28);
}

TEST_F(DeviceRun, ArgumentsComeBack) {
  ASSERT_TRUE(prepare(runPlain)) << error;
  std::vector<float> x = {1, 2};
  ASSERT_TRUE(upload(0, x));
  Array<float> back(FUSE_F32, {2}), other(FUSE_F32, {3});
  fuse_buffer buffer = back.buffer(), wrong = other.buffer();
  ASSERT_TRUE(check(fuse_device_run_download(program, 0, &buffer)));
  EXPECT_EQ(back.data[1], 2);
  EXPECT_FALSE(check(fuse_device_run_download(program, 0, &wrong)));
  EXPECT_EQ(error, "argument 0: expected sizes [2] in row-major order, found [3]");
}

TEST_F(DeviceRun, RefusesWhatDoesNotFit) {
  ASSERT_TRUE(prepare(runPlain)) << error;
  Array<float> y(FUSE_F32, {3});
  fuse_buffer out = y.buffer();
  EXPECT_FALSE(check(fuse_device_run_execute(program, &out)));
  EXPECT_EQ(error, "a run on a device begins before its results are sized");
  EXPECT_THAT(run({1, 2}, {1, 1}), ElementsAre(3, 5));
  EXPECT_FALSE(check(fuse_device_run_execute(program, &out)));
  EXPECT_EQ(error, "result 0: expected sizes [2] in row-major order, found [3]");
  EXPECT_FALSE(check(fuse_device_run_upload(program, 2, &out)));
  EXPECT_EQ(error, "expected the number of an argument below 2, found 2");
  int64_t stride = 2;
  out.strides = &stride;
  EXPECT_FALSE(check(fuse_device_run_upload(program, 0, &out)));
  EXPECT_EQ(error, "argument 0: expected row-major order for its upload");
  DeviceArray lost(context.get(), {1});
  out = lost.buffer();
  fuse_mirror mirror = {};
  fuse_context_set_mirrors(context.get(), &mirror, 1);
  EXPECT_FALSE(check(fuse_read_back(context.get(), &out)));
  EXPECT_EQ(error, "a result of 4 bytes on device 'cuda' has no place in the host's memory");
  fuse_context_set_mirrors(context.get(), nullptr, 0);
}

TEST_F(DeviceRun, AGraphIsOneSubmission) {
  ASSERT_TRUE(prepare(runPlain)) << error;
  fuse_device_run_use_graph(program, 1);
  EXPECT_THAT(run({1, 2}, {10, 20}), ElementsAre(12, 24)) << error;
  EXPECT_EQ(fake_cuda_calls("cuGraphLaunch"), 0);
  EXPECT_THAT(run({2, 3}, {10, 20}), ElementsAre(14, 26)) << error;
  int64_t launches = fake_cuda_calls("cuLaunchKernel"), memory = countAllocations();
  int64_t waits = fake_cuda_calls("cuStreamSynchronize");
  for (float round = 0; round < 3; ++round) {
    EXPECT_THAT(run({round, 1}, {5, 6}), ElementsAre(2 * round + 5, 8));
    expectCounts(2, 0, 1, 1, 8);
    EXPECT_EQ(context->counters.replays, 1);
  }
  EXPECT_EQ(fake_cuda_calls("cuLaunchKernel"), launches);
  EXPECT_EQ(fake_cuda_calls("cuGraphLaunch"), 4);
  EXPECT_EQ(fake_cuda_calls("cuStreamSynchronize"), waits + 3);
  EXPECT_EQ(countAllocations(), memory);
  // Other sizes are another graph.
  EXPECT_THAT(run({1, 2, 3}, {1, 1, 1}), ElementsAre(3, 5, 7)) << error;
  EXPECT_THAT(run({1, 2, 4}, {1, 1, 1}), ElementsAre(3, 5, 9)) << error;
  EXPECT_EQ(fake_cuda_calls("cuGraphLaunch"), 5);
}

TEST_F(DeviceRun, ProgramsWithHostFunctionsAreNotRecorded) {
  ASSERT_TRUE(prepare(runHosted)) << error;
  fuse_device_run_use_graph(program, 1);
  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(run({1}, {10}), ElementsAre(8)) << error;
    expectCounts(2, 1, 2, 3, 4);
  }
  EXPECT_EQ(fake_cuda_calls("cuStreamBeginCapture_v2"), 1);
  EXPECT_EQ(fake_cuda_calls("cuGraphLaunch"), 0);
}

TEST_F(DeviceRun, RecordingNeedsADevice) {
  context = fusetest::makeContext(1);
  EXPECT_FALSE(check(fuse_device_capture_begin(context.get())));
  EXPECT_EQ(error, "a context without a device cannot record a run");
  fuse_device_graph *graph = nullptr;
  EXPECT_FALSE(check(fuse_device_capture_end(context.get(), 1, &graph)));
  EXPECT_EQ(error, "no run is being recorded");
  EXPECT_FALSE(check(fuse_device_run_create(context.get(), queryLikeX, runPlain, 2, 1, &program)));
  EXPECT_EQ(error, "a run on a device needs a context with one");
}

// Whatever call fails, whenever: the error is told, nothing leaks, and the next run succeeds.
TEST_F(DeviceRun, EveryFailureIsToldAndLosesNothing) {
  const char *entries[] = {"cuCtxSetCurrent",
                           "cuStreamCreate",
                           "cuStreamSynchronize",
                           "cuMemAlloc_v2",
                           "cuMemHostAlloc",
                           "cuMemcpyHtoDAsync_v2",
                           "cuMemcpyDtoHAsync_v2",
                           "cuModuleLoadDataEx",
                           "cuModuleGetFunction",
                           "cuLaunchKernel",
                           "cuStreamBeginCapture_v2",
                           "cuStreamEndCapture",
                           "cuGraphInstantiateWithFlags",
                           "cuGraphLaunch"};
  int failures = 0;
  for (fuse_run_fn function : {runPlain, runHosted})
    for (const char *entry : entries)
      for (int number = 1;; ++number) {
        SCOPED_TRACE(entry + std::to_string(number));
        unsetenv("FAKE_CUDA_FAIL");
        fake_cuda_reset();
        failCall(entry, number, 1);
        bool isReady = prepare(function);
        if (isReady)
          fuse_device_run_use_graph(program, 1);
        // A recording that fails is done without: no error then.
        for (int round = 0; isReady && error.empty() && round < 3; ++round)
          run({1, 2}, {10, 20});
        bool isHit = fake_cuda_calls(entry) >= number;
        failures += !error.empty();
        unsetenv("FAKE_CUDA_FAIL");
        if (isReady) {
          EXPECT_THAT(run({1, 2}, {10, 20}),
                      function == runPlain ? ElementsAre(12, 24) : ElementsAre(8, 16))
              << error;
        }
        TearDown();
        program = nullptr;
        device = nullptr;
        if (!isHit || HasFailure())
          break;
      }
  EXPECT_GT(failures, 100);
}
