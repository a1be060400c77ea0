//===- CudaDevice.cpp - Opening GPUs -------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

using namespace mlir::fuse::runtime;
using namespace mlir::fuse::runtime::cuda;

/// PTX 8.0, and what ptxas of CUDA 12 makes of it.
static constexpr int kOldestDriver = 12000;

int32_t cuda::makeCurrent(CudaDevice &device, fuse_context *context) {
  return check(device, context, device.api.setCurrent(device.context), "cuCtxSetCurrent");
}

int32_t cuda::check(CudaDevice &device, fuse_context *context, Result result, const char *attempt) {
  if (result == kSuccess)
    return 0;
  return failWith(context, "%s: %s", attempt, ResultText(device.api, result).text);
}

namespace {

int32_t fail(const ErrorText &error, CudaDevice &device, const char *attempt, Result result) {
  return error.fail("%s: %s", attempt, ResultText(device.api, result).text);
}

/// Where one of the device's attributes goes.
struct Attribute {
  int number;
  int32_t *value;
};

int32_t readFacts(CudaDevice &device, const ErrorText &error) {
  DriverApi &api = device.api;
  int major = 0, minor = 0;
  size_t bytes = 0;
  Result result = api.deviceGetName(device.facts.name, sizeof(device.facts.name), device.ordinal);
  if (result == kSuccess)
    result = api.deviceTotalMem(&bytes, device.ordinal);
  for (auto [attribute, value] : {Attribute{kChipMajor, &major},
                                  {kChipMinor, &minor},
                                  {kMultiprocessors, &device.facts.multiprocessors},
                                  {kSharedBytesOptIn, &device.facts.shared_bytes}})
    if (result == kSuccess)
      result = api.deviceGetAttribute(value, attribute, device.ordinal);
  if (result != kSuccess)
    return fail(error, device, "asking the GPU what it is", result);
  device.facts.chip = 10 * major + minor;
  device.facts.memory_bytes = static_cast<int64_t>(bytes);
  return 0;
}

int32_t openGpu(CudaDevice &device, int32_t ordinal, const ErrorText &error) {
  DriverApi &api = device.api;
  if (Result result = api.init(0))
    return fail(error, device, "cuInit", result);
  int version = 0, count = 0;
  if (Result result = api.driverGetVersion(&version))
    return fail(error, device, "cuDriverGetVersion", result);
  if (version < kOldestDriver)
    return error.fail("expected a driver of CUDA %d.%d or later, found one of CUDA %d.%d",
                      kOldestDriver / 1000, kOldestDriver % 1000 / 10, version / 1000,
                      version % 1000 / 10);
  device.facts.driver_version = version;
  if (Result result = api.deviceGetCount(&count))
    return fail(error, device, "cuDeviceGetCount", result);
  if (ordinal < 0 || ordinal >= count)
    return error.fail("expected the number of a GPU below %d, found %d", count, ordinal);
  if (Result result = api.deviceGet(&device.ordinal, ordinal))
    return fail(error, device, "cuDeviceGet", result);
  if (readFacts(device, error))
    return 1;
  if (Result result = api.primaryRetain(&device.context, device.ordinal))
    return fail(error, device, "cuDevicePrimaryCtxRetain", result);
  return 0;
}

void setFunctions(fuse_device &device) {
  device.name = "cuda";
  device.open = openQueue;
  device.close = closeQueue;
  device.allocate = allocate;
  device.release = release;
  device.allocate_host = allocateHost;
  device.release_host = releaseHost;
  device.to_device = cuda::copyToDevice;
  device.to_host = cuda::copyToHost;
  device.copy = copyOnDevice;
  device.fill = cuda::fill;
  device.launch = cuda::launch;
  device.wait = cuda::wait;
  device.begin_time = cuda::beginTime;
  device.end_time = cuda::endTime;
  device.begin_capture = cuda::beginCapture;
  device.end_capture = cuda::endCapture;
  device.replay = replay;
  device.release_graph = releaseGraph;
}

} // namespace

extern "C" {

int32_t fuse_cuda_open(int32_t ordinal, fuse_device **result, char *error, int64_t capacity) {
  *result = nullptr;
  ErrorText text = {error, capacity};
  auto *device = static_cast<CudaDevice *>(std::calloc(1, sizeof(CudaDevice)));
  if (!device)
    return text.fail("out of memory: a device");
  pthread_mutex_init(&device->mutex, nullptr);
  setFunctions(*device);
  if (loadDriver(device->api, text) || openGpu(*device, ordinal, text)) {
    fuse_cuda_close(device);
    return 1;
  }
  *result = device;
  return 0;
}

void fuse_cuda_close(fuse_device *closed) {
  if (!closed)
    return;
  CudaDevice &device = getDevice(closed);
  if (device.context && device.api.setCurrent(device.context) == kSuccess) {
    // Their queues are closed, so that none is in use.
    trimMemory(device);
    device.api.setCurrent(nullptr);
  }
  if (device.context)
    device.api.primaryRelease(device.ordinal);
  // The driver stays loaded: threads of its own may outlive the last context.
  pthread_mutex_destroy(&device.mutex);
  std::free(device.blocks);
  std::free(device.modules);
  std::free(&device);
}

const fuse_cuda_facts *fuse_cuda_get_facts(const fuse_device *device) {
  return &getDevice(device).facts;
}

} // extern "C"
