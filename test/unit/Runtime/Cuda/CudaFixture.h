//===- CudaFixture.h - The runtime over a driver without a GPU -----------------------*- C++
//-*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_RUNTIME_CUDA_CUDAFIXTURE_H
#define FUSE_TEST_UNIT_RUNTIME_CUDA_CUDAFIXTURE_H

#include "../TestUtils.h"
#include "FakeCuda.h"
#include "fuse/Runtime/Cuda.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace fusetest {

/// Sets up the fake's environment anew for each test, and asks at the end whether everything has
/// been given back.
class CudaTest : public testing::Test {
protected:
  void SetUp() override {
    for (const char *name : {"FAKE_CUDA_DEVICES", "FAKE_CUDA_VERSION", "FAKE_CUDA_CHIP",
                             "FAKE_CUDA_MEMORY", "FAKE_CUDA_REAL_IMAGES", "FAKE_CUDA_FAIL"})
      unsetenv(name);
    setenv("FUSE_CUDA_DRIVER", FUSE_FAKE_DRIVER, 1);
    fake_cuda_reset();
  }

  void TearDown() override {
    context.reset();
    unsetenv("FAKE_CUDA_FAIL");
    fuse_cuda_close(device);
    EXPECT_EQ(fake_cuda_live(), 0);
    EXPECT_STREQ(fake_cuda_violations(), "");
  }

  /// What fuse_cuda_open says; empty after success, with the device in place.
  std::string open(int32_t ordinal = 0) {
    char error[512] = "";
    int32_t status = fuse_cuda_open(ordinal, &device, error, sizeof(error));
    EXPECT_EQ(status != 0, device == nullptr);
    EXPECT_EQ(status != 0, error[0] != '\0') << error;
    return error;
  }

  /// A context with the device and this table.
  fuse_context *makeContext(const fuse_kernel *kernels, int64_t count) {
    context = fusetest::makeContext(1);
    EXPECT_EQ(fuse_context_set_device(context.get(), device), 0)
        << fuse_context_error(context.get());
    EXPECT_EQ(fuse_context_set_kernels(context.get(), kernels, count), 0)
        << fuse_context_error(context.get());
    return context.get();
  }

  void failCall(const char *entry, int64_t number, int code) {
    setenv("FAKE_CUDA_FAIL",
           (std::string(entry) + ":" + std::to_string(number) + ":" + std::to_string(code)).c_str(),
           1);
  }

  fuse_device *device = nullptr;
  Context context;
};

/// An array on the device, given back when it goes.
class DeviceArray {
public:
  DeviceArray(fuse_context *context, std::vector<float> values)
      : context(context), count(static_cast<int64_t>(values.size())), host(std::move(values)) {
    fuse_device *device = context->device;
    EXPECT_EQ(device->allocate(device, context, count * 4, &data), 0)
        << fuse_context_error(context);
    EXPECT_EQ(device->to_device(device, context, data, host.data(), count * 4), 0);
  }
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() {
    // Copies from the host's values may be under way.
    context->device->wait(context->device, context);
    context->device->release(context->device, context, data);
  }

  fuse_buffer buffer() { return {data, &count, &stride, 1, FUSE_F32}; }

  /// Waits, and reads the values there.
  std::vector<float> read() {
    fuse_device *device = context->device;
    std::vector<float> values(count, -1);
    EXPECT_EQ(device->to_host(device, context, values.data(), data, count * 4), 0);
    EXPECT_EQ(device->wait(device, context), 0) << fuse_context_error(context);
    return values;
  }

private:
  fuse_context *context;
  int64_t count, stride = 1;
  std::vector<float> host;
  void *data = nullptr;
};

// A table for the fake's kernels; one block per element.
inline int64_t countElements(const fuse_buffer *args) { return args[0].sizes[0]; }

inline const char kImage[] = "FAKE sm_80\nadd add_f32\ndouble double_f32\nscratch scratch_f32\n"
                             "fault fault\n";

inline const fuse_device_param kAddParams[] = {{0, -1}, {1, -1}, {2, -1}, {-1, FUSE_DEVICE_BLOCKS}};
inline const fuse_device_param kDoubleParams[] = {{0, -1}, {1, -1}, {-1, FUSE_DEVICE_BLOCKS}};
inline const fuse_device_param kScratchParams[] = {
    {0, -1}, {0, 0}, {-1, FUSE_DEVICE_BLOCKS}, {-1, FUSE_DEVICE_SCRATCH}};

inline fuse_device_kernel makeCode(const char *entry, const fuse_device_param *params,
                                   int64_t numParams) {
  return {entry, kImage, sizeof(kImage), nullptr, 128, 0, 0, params, numParams};
}

inline const fuse_device_kernel kAddCode = makeCode("add", kAddParams, 4);
inline const fuse_device_kernel kDoubleCode = makeCode("double", kDoubleParams, 3);
inline const fuse_device_kernel kScratchCode = {"scratch", kImage, sizeof(kImage), nullptr, 128,
                                                0,         3,      kScratchParams, 4};
inline const fuse_device_kernel kFaultCode = makeCode("fault", nullptr, 0);

inline fuse_kernel makeKernel(const char *name, const fuse_device_kernel *code,
                              int64_t scratchBytes = 0) {
  // Contexts want a function of the CPU as well, which no device calls.
  fuse_blocks_fn never = [](const fuse_buffer *, int64_t, int64_t, void *) { std::abort(); };
  return {name, never, countElements, scratchBytes, nullptr, code};
}

enum { kAdd, kDouble, kScratch, kFault, kNumKernels };
inline const fuse_kernel kKernels[kNumKernels] = {
    makeKernel("add", &kAddCode), makeKernel("double", &kDoubleCode),
    makeKernel("scratch", &kScratchCode, 64), makeKernel("fault", &kFaultCode)};

} // namespace fusetest

#endif // FUSE_TEST_UNIT_RUNTIME_CUDA_CUDAFIXTURE_H
