//===- CudaMemoryTest.cpp - Memory of GPUs ---------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaFixture.h"

#include <set>

using namespace fusetest;

namespace {
class CudaMemory : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    ASSERT_EQ(open(), "");
    makeContext(nullptr, 0);
  }
  void *allocate(int64_t bytes) {
    void *memory = nullptr;
    status = device->allocate(device, context.get(), bytes, &memory);
    if (memory)
      taken.insert(memory);
    return memory;
  }
  void release(void *memory) {
    device->release(device, context.get(), memory);
    taken.erase(memory);
  }
  void TearDown() override {
    while (!taken.empty())
      release(*taken.begin());
    CudaTest::TearDown();
  }

  std::set<void *> taken;

  int32_t status = 0;
};
} // namespace

TEST_F(CudaMemory, IsReusedByTheBestFit) {
  void *large = allocate(1 << 20), *middle = allocate(600000), *small = allocate(1000);
  int64_t calls = fake_cuda_calls("cuMemAlloc_v2");
  for (void *memory : {large, middle, small})
    release(memory);
  // The smallest that is large enough.
  EXPECT_EQ(allocate(590000), middle);
  EXPECT_EQ(allocate(990), small);
  EXPECT_EQ(allocate(590000), large);
  EXPECT_EQ(fake_cuda_calls("cuMemAlloc_v2"), calls);
  release(small);
  // One that would waste as much again is left alone.
  EXPECT_NE(allocate(256), small);
  EXPECT_EQ(fake_cuda_calls("cuMemAlloc_v2"), calls + 1);
}

TEST_F(CudaMemory, IsAlignedAlsoWhereThereIsNone) {
  void *none = allocate(0), *one = allocate(1);
  EXPECT_NE(none, nullptr);
  EXPECT_NE(none, one);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(none) % 256, 0u);
  EXPECT_EQ(allocate(-1), nullptr);
  EXPECT_STREQ(fuse_context_error(context.get()), "allocating on Fake GPU 0: bad size of -1 bytes");
}

TEST_F(CudaMemory, WhatIsKeptIsGivenBackBeforeItRunsOut) {
  setenv("FAKE_CUDA_MEMORY", "1048576", 1);
  void *first = allocate(600 * 1024);
  release(first);
  EXPECT_NE(allocate(900 * 1024), nullptr);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(fake_cuda_calls("cuMemFree_v2"), 1);
}

TEST_F(CudaMemory, RunningOutLosesNothing) {
  setenv("FAKE_CUDA_MEMORY", "1048576", 1);
  DeviceArray values(context.get(), {1, 2, 3});
  EXPECT_EQ(allocate(2 << 20), nullptr);
  EXPECT_EQ(status, 1);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "allocating 2097152 bytes on Fake GPU 0: CUDA_ERROR_OUT_OF_MEMORY (as the fake "
               "says); 1044480 of 1048576 bytes are free");
  EXPECT_EQ(values.read(), (std::vector<float>{1, 2, 3}));
  EXPECT_NE(allocate(1 << 19), nullptr);
}

TEST_F(CudaMemory, CannotBeTouchedByTheHost) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  DeviceArray values(context.get(), {1, 2, 3});
  EXPECT_DEATH(*static_cast<volatile float *>(values.buffer().data) = 1, "");
}

TEST_F(CudaMemory, CopiesFail) {
  DeviceArray values(context.get(), {1, 2, 3});
  float host[3];
  fuse_context *at = context.get();
  failCall("cuMemcpyHtoDAsync_v2", 2, 1);
  EXPECT_EQ(device->to_device(device, at, values.buffer().data, host, 12), 1);
  EXPECT_STREQ(fuse_context_error(at),
               "copying 12 bytes to the device: CUDA_ERROR_INVALID_VALUE (as the fake says)");
  failCall("cuMemcpyDtoHAsync_v2", 1, 1);
  EXPECT_EQ(device->to_host(device, at, host, values.buffer().data, 12), 1);
  EXPECT_STREQ(fuse_context_error(at),
               "copying 12 bytes to the host: CUDA_ERROR_INVALID_VALUE (as the fake says)");
  failCall("cuMemcpyDtoDAsync_v2", 1, 1);
  EXPECT_EQ(device->copy(device, at, values.buffer().data, values.buffer().data, 12), 1);
  EXPECT_STREQ(fuse_context_error(at),
               "copying 12 bytes on the device: CUDA_ERROR_INVALID_VALUE (as the fake says)");
  failCall("cuMemHostAlloc", 1, 2);
  void *memory = nullptr;
  EXPECT_EQ(device->allocate_host(device, at, 100, &memory), 1);
  EXPECT_STREQ(
      fuse_context_error(at),
      "allocating 100 bytes of pinned memory: CUDA_ERROR_OUT_OF_MEMORY (as the fake says)");
  EXPECT_EQ(values.read(), (std::vector<float>{1, 2, 3}));
}
