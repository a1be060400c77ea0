//===- EmulatorDevice.cpp - The emulator as a device --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorDevice.h"

#include "../Internal.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace mlir::fuse::emulator;
using mlir::fuse::runtime::failWith;

namespace {

constexpr int64_t kAlignment = 256;
constexpr int64_t kGuard = 1024; // before and behind; a multiple of the alignment
constexpr unsigned char kPattern = 0xfb;

EmulatorDevice &of(fuse_device *device) { return *static_cast<EmulatorDevice *>(device); }

int32_t open(fuse_device *, fuse_context *context) {
  context->stream = new (std::nothrow) Queue();
  return context->stream ? 0 : failWith(context, "out of memory: the emulator's queue");
}

void close(fuse_device *, fuse_context *context) {
  delete static_cast<Queue *>(context->stream);
  context->stream = nullptr;
}

int32_t allocate(fuse_device *device, fuse_context *context, int64_t bytes, void **memory) {
  char *base = nullptr;
  int64_t whole = 0;
  if (bytes >= 0 && !__builtin_add_overflow(bytes, 2 * kGuard + kAlignment, &whole))
    base = static_cast<char *>(std::aligned_alloc(kAlignment, whole / kAlignment * kAlignment));
  if (!base)
    return failWith(context, "out of memory: %lld bytes of the emulator's memory",
                    static_cast<long long>(bytes));
  std::memset(base, kPattern, kGuard);
  std::memset(base + kGuard + bytes, kPattern, kGuard);
  *memory = base + kGuard;
  std::lock_guard<std::mutex> lock(of(device).mutex);
  of(device).allocations[base + kGuard] = {base, bytes};
  return 0;
}

void release(fuse_device *device, fuse_context *, void *memory) {
  if (!memory)
    return;
  std::lock_guard<std::mutex> lock(of(device).mutex);
  auto known = of(device).allocations.find(static_cast<char *>(memory));
  if (known == of(device).allocations.end())
    return;
  std::free(known->second.base);
  of(device).allocations.erase(known);
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

int32_t copy(fuse_device *, fuse_context *, void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    std::memmove(to, from, bytes);
  return 0;
}

/// Where the pattern around an allocation was written over, counted from its first byte; 0:
/// nowhere.
int64_t findDamage(const Allocation &allocation) {
  for (int64_t i = 1; i <= kGuard; ++i)
    if (static_cast<unsigned char>(allocation.base[kGuard - i]) != kPattern)
      return -i;
  for (int64_t i = 0; i < kGuard; ++i)
    if (static_cast<unsigned char>(allocation.base[kGuard + allocation.bytes + i]) != kPattern)
      return allocation.bytes + i;
  return 0;
}

int32_t wait(fuse_device *device, fuse_context *context) {
  std::lock_guard<std::mutex> lock(of(device).mutex);
  for (const auto &[memory, allocation] : of(device).allocations)
    if (int64_t byte = findDamage(allocation))
      return failWith(
          context,
          "something wrote to byte %lld of memory that has %lld bytes; kernels that are "
          "compiled with checks tell which",
          static_cast<long long>(byte), static_cast<long long>(allocation.bytes));
  return 0;
}

} // namespace

extern "C" {

fuse_device *fuse_emulator_create(int32_t checks) {
  auto *device = new (std::nothrow) EmulatorDevice();
  if (!device)
    return nullptr;
  device->name = "emulator";
  device->open = open;
  device->close = close;
  device->allocate = allocate;
  device->release = release;
  device->allocate_host = allocateHost;
  device->release_host = releaseHost;
  device->to_device = device->to_host = device->copy = copy;
  device->launch = launchEmulated;
  device->wait = wait;
  device->checks = checks;
  return device;
}

void fuse_emulator_destroy(fuse_device *device) {
  if (!device)
    return;
  for (const auto &entry : of(device).allocations)
    std::free(entry.second.base);
  delete &of(device);
}

int64_t fuse_emulator_requests(fuse_device *device, fuse_emulator_request_count *counts,
                               int64_t capacity) {
  std::lock_guard<std::mutex> lock(of(device).mutex);
  int64_t found = 0;
  for (const auto &[kernel, sites] : of(device).requests)
    for (const auto &[site, sums] : sites) {
      if (found < capacity)
        counts[found] = {kernel.c_str(), site.second.c_str(), sums.writes, sums.requests,
                         sums.sectors,   sums.idealSectors,   sums.bytes};
      ++found;
    }
  return found;
}

void fuse_emulator_forget_requests(fuse_device *device) {
  std::lock_guard<std::mutex> lock(of(device).mutex);
  of(device).requests.clear();
}

} // extern "C"
