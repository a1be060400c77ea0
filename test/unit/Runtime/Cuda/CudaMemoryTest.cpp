//===- CudaMemoryTest.cpp - Memory of GPUs ---------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaFixture.h"

#include <gmock/gmock.h>

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

namespace {
/// A buffer of one dimension in memory of the device, read back.
template <typename T>
std::vector<T> fillAndRead(fuse_context *context, int32_t dtype, T value, int64_t count,
                           int64_t stride = 1) {
  fuse_device *device = context->device;
  int64_t bytes = count * stride * static_cast<int64_t>(sizeof(T));
  void *memory = nullptr;
  EXPECT_EQ(device->allocate(device, context, bytes, &memory), 0);
  uint8_t zero = 0;
  EXPECT_EQ(device->fill(device, context, memory, &zero, 1, bytes), 0);
  fuse_buffer buffer = {memory, &count, &stride, 1, dtype};
  EXPECT_EQ(fuse_fill(context, &buffer, &value), 0) << fuse_context_error(context);
  std::vector<T> read(count * stride);
  EXPECT_EQ(device->to_host(device, context, read.data(), memory, bytes), 0);
  EXPECT_EQ(device->wait(device, context), 0);
  device->release(device, context, memory);
  return read;
}
} // namespace

TEST_F(CudaMemory, IsFilledWithElementsOfAnySize) {
  fuse_context *c = context.get();
  EXPECT_EQ(fillAndRead<uint8_t>(c, FUSE_U8, 7, 5), std::vector<uint8_t>(5, 7));
  EXPECT_EQ(fillAndRead<uint16_t>(c, FUSE_U16, 0x1234, 5), std::vector<uint16_t>(5, 0x1234));
  EXPECT_EQ(fillAndRead<float>(c, FUSE_F32, 1.5f, 5), std::vector<float>(5, 1.5f));
  EXPECT_EQ(fake_cuda_calls("cuMemsetD2D32Async"), 0);
  EXPECT_EQ(fillAndRead<double>(c, FUSE_F64, 0.1, 5), std::vector<double>(5, 0.1));
  EXPECT_EQ(fake_cuda_calls("cuMemsetD2D32Async"), 2);
  // Halves that are equal need one fill.
  EXPECT_EQ(fillAndRead<int64_t>(c, FUSE_I64, -1, 5), std::vector<int64_t>(5, -1));
  EXPECT_EQ(fake_cuda_calls("cuMemsetD2D32Async"), 2);
  EXPECT_EQ(fillAndRead<int32_t>(c, FUSE_I32, 3, 3, 2), (std::vector<int32_t>{3, 0, 3, 0, 3, 0}));
}

TEST_F(CudaMemory, ConstantsAreUploadedOncePerKernelTable) {
  fuse_context *c = context.get();
  std::vector<int32_t> constants(100);
  std::set<void *> places;
  for (int round = 0; round < 2; ++round)
    for (int32_t &value : constants) {
      void *place = nullptr;
      ASSERT_EQ(fuse_constant(c, &value, 4, &place), 0) << fuse_context_error(c);
      places.insert(place);
    }
  EXPECT_EQ(places.size(), 100u);
  EXPECT_EQ(fake_cuda_calls("cuMemcpyHtoDAsync_v2"), 100);
  EXPECT_EQ(c->counters.copies, 0);
  EXPECT_EQ(c->counters.uploads, 0);
  // Another program may have other bytes at the address.
  ASSERT_EQ(fuse_context_set_kernels(c, nullptr, 0), 0);
  void *place = nullptr;
  constants[3] = 77;
  ASSERT_EQ(fuse_constant(c, &constants[3], 4, &place), 0);
  int32_t read = 0;
  ASSERT_EQ(fuse_read_element(c, place, FUSE_I32, &read), 0);
  EXPECT_EQ(read, 77);
  EXPECT_EQ(c->counters.waits, 0);
}

TEST_F(CudaMemory, ConstantsThatDoNotFitAreAnError) {
  setenv("FAKE_CUDA_MEMORY", "4096", 1);
  std::vector<char> large(1 << 16);
  void *place = nullptr;
  EXPECT_EQ(fuse_constant(context.get(), large.data(), 1 << 16, &place), 1);
  EXPECT_THAT(fuse_context_error(context.get()), testing::HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
  setenv("FAKE_CUDA_MEMORY", "1048576", 1);
  EXPECT_EQ(fuse_constant(context.get(), large.data(), 1 << 16, &place), 0);
}
