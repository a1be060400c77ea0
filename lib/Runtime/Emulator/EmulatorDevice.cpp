//===- EmulatorDevice.cpp - The emulator as a device --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorDevice.h"

#include "../Internal.h"

#include <cstdlib>
#include <new>

using namespace mlir::fuse::emulator;
using mlir::fuse::runtime::failWith;

namespace {

int32_t open(fuse_device *, fuse_context *context) {
  context->stream = new (std::nothrow) Queue();
  return context->stream ? 0 : failWith(context, "out of memory: the emulator's queue");
}

void close(fuse_device *, fuse_context *context) {
  delete static_cast<Queue *>(context->stream);
  context->stream = nullptr;
}

int32_t allocateHost(fuse_device *, fuse_context *context, int64_t bytes, void **memory) {
  *memory = nullptr;
  if (bytes >= 0 && bytes <= INT64_MAX - kAlignment)
    *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment) / kAlignment * kAlignment);
  if (!*memory)
    return failWith(context, "out of memory: %lld bytes of the host's memory",
                    static_cast<long long>(bytes));
  return 0;
}

void releaseHost(fuse_device *, fuse_context *, void *memory) { std::free(memory); }

} // namespace

extern "C" {

fuse_device *fuse_emulator_create(int32_t checks) {
  auto *device = new (std::nothrow) EmulatorDevice();
  if (!device)
    return nullptr;
  device->name = "emulator";
  device->open = open;
  device->close = close;
  device->allocate = allocateEmulated;
  device->release = releaseEmulated;
  device->allocate_host = allocateHost;
  device->release_host = releaseHost;
  device->to_device = device->to_host = device->copy = copyEmulated;
  device->fill = fillEmulated;
  device->launch = launchEmulated;
  device->wait = waitEmulated;
  device->checks = checks;
  return device;
}

void fuse_emulator_destroy(fuse_device *device) {
  if (!device)
    return;
  for (const auto &entry : deviceOf(device).allocations)
    freeAllocation(entry.second);
  delete &deviceOf(device);
}

void fuse_emulator_set_seed(fuse_device *device, uint64_t seed) {
  static_cast<EmulatorDevice *>(device)->seed = seed;
}

int64_t fuse_emulator_requests(fuse_device *device, fuse_emulator_request_count *counts,
                               int64_t capacity) {
  std::lock_guard<std::mutex> lock(deviceOf(device).mutex);
  int64_t found = 0;
  for (const auto &[kernel, sites] : deviceOf(device).requests)
    for (const auto &[site, sums] : sites) {
      if (found < capacity)
        counts[found] = {kernel.c_str(), site.second.c_str(), sums.writes, sums.requests,
                         sums.sectors,   sums.idealSectors,   sums.bytes,  sums.rounds,
                         sums.idealRounds};
      ++found;
    }
  return found;
}

void fuse_emulator_forget_requests(fuse_device *device) {
  std::lock_guard<std::mutex> lock(deviceOf(device).mutex);
  deviceOf(device).requests.clear();
}

} // extern "C"
