//===- CudaLaunchTest.cpp - Kernels on GPUs --------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaFixture.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <thread>

using namespace fusetest;
using testing::ElementsAre;

namespace {
class CudaLaunch : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    ASSERT_EQ(open(), "");
  }

  /// The error of launching one kernel on an array.
  std::string getLaunchError(const fuse_device_kernel &code, const char *name = "k") {
    kernel = makeKernel(name, &code);
    makeContext(&kernel, 1);
    DeviceArray values(context.get(), {1, 2, 3});
    fuse_buffer args[] = {values.buffer(), values.buffer(), values.buffer()};
    EXPECT_EQ(fuse_launch(context.get(), 0, args, 3), 1);
    std::string error = fuse_context_error(context.get());
    // Whatever happened, the context goes on.
    EXPECT_EQ(values.read(), (std::vector<float>{1, 2, 3}));
    return error;
  }

  fuse_kernel kernel;
};
} // namespace

TEST_F(CudaLaunch, ComputesOnTheDevice) {
  fuse_context *at = makeContext(kKernels, kNumKernels);
  DeviceArray a(at, {1, 2, 3}), b(at, {10, 20, 30}), sum(at, {0, 0, 0}), twice(at, {0, 0, 0});
  fuse_buffer add[] = {a.buffer(), b.buffer(), sum.buffer()};
  fuse_buffer twofold[] = {sum.buffer(), twice.buffer()};
  ASSERT_EQ(fuse_launch(at, kAdd, add, 3), 0) << fuse_context_error(at);
  ASSERT_EQ(fuse_launch(at, kDouble, twofold, 2), 0);
  ASSERT_EQ(fuse_wait(at), 0);
  EXPECT_THAT(twice.read(), ElementsAre(22, 44, 66));
  EXPECT_EQ(at->counters.launches, 2);
  EXPECT_EQ(at->counters.waits, 1);
  EXPECT_EQ(at->counters.copies, 0);
}

TEST_F(CudaLaunch, NoBlocksAreALaunchThatIsNotMade) {
  fuse_context *at = makeContext(kKernels, kNumKernels);
  DeviceArray none(at, {});
  fuse_buffer args[] = {none.buffer(), none.buffer()};
  EXPECT_EQ(fuse_launch(at, kDouble, args, 2), 0);
  EXPECT_EQ(at->counters.launches, 1);
  EXPECT_EQ(fake_cuda_calls("cuLaunchKernel"), 0);
}

TEST_F(CudaLaunch, LoadsAndLooksUpOnce) {
  fuse_context *at = makeContext(kKernels, kNumKernels);
  DeviceArray a(at, {1}), b(at, {2});
  fuse_buffer args[] = {a.buffer(), b.buffer(), b.buffer()};
  EXPECT_EQ(fake_cuda_calls("cuModuleLoadDataEx"), 0);
  for (int round = 0; round < 3; ++round)
    for (int64_t kernel : {kAdd, kDouble})
      ASSERT_EQ(fuse_launch(at, kernel, args, 3), 0);
  EXPECT_EQ(fake_cuda_calls("cuModuleLoadDataEx"), 1);
  EXPECT_EQ(fake_cuda_calls("cuModuleGetFunction"), 2);
  // Another context shares what is loaded; so does another table with the same image elsewhere.
  std::string image(kImage, sizeof(kImage));
  fuse_device_kernel code = kDoubleCode;
  code.image = image.data();
  fuse_kernel kernel = makeKernel("double", &code);
  Context other = fusetest::makeContext(1);
  ASSERT_EQ(fuse_context_set_device(other.get(), device), 0);
  ASSERT_EQ(fuse_context_set_kernels(other.get(), &kernel, 1), 0);
  ASSERT_EQ(fuse_launch(other.get(), 0, args, 2), 0);
  EXPECT_EQ(fake_cuda_calls("cuModuleLoadDataEx"), 1);
  EXPECT_EQ(fake_cuda_calls("cuModuleUnload"), 0);
  ASSERT_EQ(fuse_wait(at), 0);
}

TEST_F(CudaLaunch, ATableInTheSamePlaceIsAnother) {
  fuse_device_kernel code = kDoubleCode;
  fuse_kernel kernel = makeKernel("k", &code);
  fuse_context *at = makeContext(&kernel, 1);
  DeviceArray a(at, {1}), b(at, {5});
  fuse_buffer args[] = {a.buffer(), b.buffer(), b.buffer()};
  ASSERT_EQ(fuse_launch(at, 0, args, 3), 0);
  EXPECT_THAT(b.read(), ElementsAre(2));
  code = kAddCode;
  ASSERT_EQ(fuse_context_set_kernels(at, &kernel, 1), 0);
  ASSERT_EQ(fuse_launch(at, 0, args, 3), 0);
  EXPECT_THAT(b.read(), ElementsAre(3));
}

TEST_F(CudaLaunch, ScratchGrowsWithTheGridAndStays) {
  fuse_context *at = makeContext(kKernels, kNumKernels);
  DeviceArray few(at, {0, 0}), many(at, std::vector<float>(100));
  fuse_buffer args[] = {few.buffer()}, more[] = {many.buffer()};
  ASSERT_EQ(fuse_launch(at, kScratch, args, 1), 0) << fuse_context_error(at);
  ASSERT_EQ(fuse_launch(at, kScratch, more, 1), 0);
  int64_t calls = fake_cuda_calls("cuMemAlloc_v2");
  ASSERT_EQ(fuse_launch(at, kScratch, more, 1), 0);
  EXPECT_EQ(fake_cuda_calls("cuMemAlloc_v2"), calls);
  EXPECT_THAT(few.read(), ElementsAre(2, 3));
  std::vector<float> values = many.read();
  EXPECT_EQ(values[0], 100);
  EXPECT_EQ(values[99], 199); // by a grid of 3
}

TEST_F(CudaLaunch, HonoursTheCallersStream) {
  context = fusetest::makeContext(1);
  void *stream = fake_cuda_make_stream();
  int64_t streams = fake_cuda_calls("cuStreamCreate");
  context->stream = stream;
  ASSERT_EQ(fuse_context_set_device(context.get(), device), 0);
  ASSERT_EQ(fuse_context_set_kernels(context.get(), kKernels, kNumKernels), 0);
  {
    DeviceArray a(context.get(), {1}), b(context.get(), {0});
    fuse_buffer args[] = {a.buffer(), b.buffer()};
    ASSERT_EQ(fuse_launch(context.get(), kDouble, args, 2), 0);
    EXPECT_THAT(b.read(), ElementsAre(2));
  }
  EXPECT_EQ(context->stream, stream);
  EXPECT_EQ(fake_cuda_calls("cuStreamCreate"), streams);
  ASSERT_EQ(fuse_context_set_device(context.get(), nullptr), 0);
  EXPECT_EQ(context->stream, stream);
  EXPECT_EQ(fake_cuda_calls("cuStreamDestroy_v2"), 0);
  fake_cuda_destroy_stream(stream);
}

TEST_F(CudaLaunch, FromSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<float> found(4);
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([this, thread, &found] {
      Context mine = fusetest::makeContext(1);
      if (fuse_context_set_device(mine.get(), device) ||
          fuse_context_set_kernels(mine.get(), kKernels, kNumKernels))
        return;
      DeviceArray a(mine.get(), {float(thread)}), b(mine.get(), {0});
      fuse_buffer args[] = {a.buffer(), b.buffer()};
      for (int round = 0; round < 20; ++round)
        if (fuse_launch(mine.get(), kDouble, args, 2) || fuse_wait(mine.get()))
          return;
      found[thread] = b.read()[0];
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(found, ElementsAre(0, 2, 4, 6));
}

TEST_F(CudaLaunch, AFaultShowsAtTheWait) {
  fuse_context *at = makeContext(kKernels, kNumKernels);
  DeviceArray a(at, {1});
  fuse_buffer args[] = {a.buffer()};
  ASSERT_EQ(fuse_launch(at, kFault, args, 1), 0);
  EXPECT_EQ(fuse_wait(at), 1);
  EXPECT_STREQ(fuse_context_error(at),
               "waiting for Fake GPU 0: CUDA_ERROR_ILLEGAL_ADDRESS (as the fake says); the last "
               "kernel launched was 'fault'");
}

// A driver reads PTX up to the 0 at its end, which the image's bytes are counted without.
TEST_F(CudaLaunch, TextEndsWhereItsBytesDo) {
  fuse_device_kernel code = kAddCode;
  code.image = "FAKE        sm_80000";
  code.image_bytes = 17;
  // What is allocated next was full of other bytes, and is full of them behind the image.
  void *used[64];
  for (void *&block : used)
    std::memset(block = std::malloc(24), '1', 24);
  for (void *block : used)
    std::free(block);
  // It is loaded, and has no functions.
  EXPECT_THAT(getLaunchError(code), testing::StartsWith("kernel 'k': function 'add'"));
}

TEST_F(CudaLaunch, CodeForAnotherChip) {
  // The flags of a cubin for sm_90, as ptxas of CUDA 12 and of CUDA 13 writes them.
  for (bool isNew : {false, true}) {
    std::vector<char> cubin(64);
    std::memcpy(cubin.data(),
                "\x7f"
                "ELF",
                4);
    cubin[8] = isNew ? 8 : 7;
    uint32_t flags = isNew ? 0x6005a04 : 0x50055a;
    std::memcpy(&cubin[48], &flags, 4);
    fuse_device_kernel code = kAddCode;
    code.image = cubin.data();
    code.image_bytes = 64;
    EXPECT_EQ(getLaunchError(code),
              "kernel 'k': loading a cubin for sm_90, on Fake GPU 0 (sm_80, driver of CUDA 12.2): "
              "CUDA_ERROR_NO_BINARY_FOR_GPU (as the fake says); PTX of --chip compute_80 runs on "
              "this GPU");
  }
}

TEST_F(CudaLaunch, PtxThatTheDriverDoesNotTake) {
  fuse_device_kernel code = kAddCode;
  const char newer[] = ".version 8.8\n.target sm_100\n", wrong[] = ".version 8.0\n.target sm_80\n";
  code.image = newer;
  code.image_bytes = sizeof(newer);
  EXPECT_EQ(getLaunchError(code),
            "kernel 'k': loading PTX 8.8 for sm_100, on Fake GPU 0 (sm_80, driver of CUDA 12.2): "
            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (as the fake says)");
  code.image = wrong;
  code.image_bytes = sizeof(wrong);
  EXPECT_EQ(getLaunchError(code),
            "kernel 'k': loading PTX 8.0 for sm_80, on Fake GPU 0 (sm_80, driver of CUDA 12.2): "
            "CUDA_ERROR_INVALID_PTX (as the fake says): ptxas fatal   : the fake has no assembler");
}

TEST_F(CudaLaunch, WhatTheDeviceDoesNotHave) {
  fuse_device_kernel code = kAddCode;
  code.entry = "missing";
  EXPECT_EQ(getLaunchError(code), "kernel 'k': function 'missing' with 0 bytes of shared memory: "
                                  "CUDA_ERROR_NOT_FOUND (as the fake says)");
  code = kAddCode;
  code.shared_bytes = 200000;
  EXPECT_EQ(getLaunchError(code), "kernel 'k': expected at most 166912 bytes of shared memory per "
                                  "block on Fake GPU 0, found 200000");
  code = kAddCode;
  code.threads = 2048;
  EXPECT_EQ(getLaunchError(code),
            "kernel 'k': launching 3 blocks of 2048 threads with 0 bytes of shared memory: "
            "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (as the fake says)");
  code = kAddCode;
  code.image = nullptr;
  EXPECT_EQ(getLaunchError(code), "kernel 'k' has no code for device 'cuda'");
  code = kAddCode;
  code.num_params = 513;
  EXPECT_EQ(getLaunchError(code), "kernel 'k': expected at most 512 parameters, found 513");
}

TEST_F(CudaLaunch, MuchSharedMemoryIsAskedForOnce) {
  fuse_device_kernel code = kDoubleCode;
  code.shared_bytes = 100000;
  fuse_kernel kernel = makeKernel("k", &code);
  fuse_context *at = makeContext(&kernel, 1);
  DeviceArray a(at, {1}), b(at, {0});
  fuse_buffer args[] = {a.buffer(), b.buffer()};
  for (int round = 0; round < 2; ++round)
    ASSERT_EQ(fuse_launch(at, 0, args, 2), 0) << fuse_context_error(at);
  EXPECT_EQ(fake_cuda_calls("cuFuncSetAttribute"), 1);
  EXPECT_THAT(b.read(), ElementsAre(2));
}

TEST_F(CudaLaunch, KernelsOfTheCpuStayThere) {
  fuse_kernel kernel = makeKernel("cpu", nullptr);
  fuse_context *at = makeContext(&kernel, 1);
  DeviceArray a(at, {1});
  fuse_buffer args[] = {a.buffer()};
  EXPECT_EQ(fuse_launch(at, 0, args, 1), 1);
  EXPECT_STREQ(fuse_context_error(at), "kernel 'cpu' has no code for device 'cuda'");
  EXPECT_EQ(at->counters.launches, 0);
}

TEST_F(CudaLaunch, CopiesArraysOfAnyOrder) {
  fuse_context *at = makeContext(kKernels, kNumKernels);
  DeviceArray a(at, {1, 2}), b(at, {0, 0});
  fuse_buffer from = a.buffer(), to = b.buffer();
  ASSERT_EQ(fuse_copy(at, &from, &to), 0);
  EXPECT_THAT(b.read(), ElementsAre(1, 2));
  EXPECT_EQ(at->counters.copies, 1);
  EXPECT_EQ(fake_cuda_calls("cuMemcpyDtoDAsync_v2"), 1);
  // Every other element of c, from the last to the first; those between stay.
  DeviceArray c(at, {1, 2, 3, 4, 5, 6});
  int64_t size = 2, step = -2;
  fuse_buffer gaps = {static_cast<float *>(c.buffer().data) + 5, &size, &step, 1, FUSE_F32};
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(fuse_copy(at, &from, &gaps), 0) << fuse_context_error(at);
    EXPECT_THAT(c.read(), ElementsAre(1, 2, 3, 2, 5, 1));
  }
  ASSERT_EQ(fuse_copy(at, &gaps, &from), 0);
  EXPECT_THAT(a.read(), ElementsAre(1, 2));
  EXPECT_EQ(at->counters.copies, 4);
  EXPECT_EQ(at->counters.waits, 0);
}
