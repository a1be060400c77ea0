//===- EmulatorMemory.cpp - The memory of the emulator ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Internal.h"
#include "EmulatorDevice.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace mlir::fuse::emulator;
using mlir::fuse::runtime::failWith;

namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kGuard = 1024; // before and behind; a multiple of the alignment
constexpr unsigned char kPattern = 0xfb;

/// The lock is held.
void protect(const EmulatorDevice &device, int access) {
  for (const auto &[memory, allocation] : device.allocations)
    if (allocation.mapped)
      mprotect(allocation.base, allocation.mapped, access);
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

} // namespace

namespace mlir::fuse::emulator {

OpenMemory::OpenMemory(EmulatorDevice &device) : device(device) {
  std::lock_guard<std::mutex> lock(device.mutex);
  if (device.opened++ == 0)
    protect(device, PROT_READ | PROT_WRITE);
}

OpenMemory::~OpenMemory() {
  std::lock_guard<std::mutex> lock(device.mutex);
  if (--device.opened == 0)
    protect(device, PROT_NONE);
}

int32_t allocateEmulated(fuse_device *device, fuse_context *context, int64_t bytes, void **memory) {
  bool isClosed = deviceOf(device).checks & FUSE_EMULATOR_HOST;
  int64_t unit = isClosed ? kPage : kAlignment;
  void *base = nullptr;
  int64_t whole = 0;
  if (bytes >= 0 && !__builtin_add_overflow(bytes, 2 * kGuard + unit, &whole)) {
    whole = whole / unit * unit;
    base = isClosed
               ? mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
               : std::aligned_alloc(kAlignment, whole);
  }
  if (!base || base == MAP_FAILED)
    return failWith(context, "out of memory: %lld bytes of the emulator's memory",
                    static_cast<long long>(bytes));
  char *begin = static_cast<char *>(base);
  std::memset(begin, kPattern, kGuard);
  std::memset(begin + kGuard + bytes, kPattern, kGuard);
  *memory = begin + kGuard;
  std::lock_guard<std::mutex> lock(deviceOf(device).mutex);
  deviceOf(device).allocations[begin + kGuard] = {begin, bytes, isClosed ? whole : 0};
  if (isClosed && deviceOf(device).opened == 0)
    mprotect(base, whole, PROT_NONE);
  return 0;
}

void freeAllocation(const Allocation &allocation) {
  if (allocation.mapped)
    munmap(allocation.base, allocation.mapped);
  else
    std::free(allocation.base);
}

void releaseEmulated(fuse_device *device, fuse_context *, void *memory) {
  if (!memory)
    return;
  std::lock_guard<std::mutex> lock(deviceOf(device).mutex);
  auto known = deviceOf(device).allocations.find(static_cast<char *>(memory));
  if (known == deviceOf(device).allocations.end())
    return;
  freeAllocation(known->second);
  deviceOf(device).allocations.erase(known);
}

int32_t copyEmulated(fuse_device *device, fuse_context *, void *to, const void *from,
                     int64_t bytes) {
  OpenMemory open(deviceOf(device));
  if (bytes > 0)
    std::memmove(to, from, bytes);
  return 0;
}

int32_t fillEmulated(fuse_device *device, fuse_context *, void *to, const void *element,
                     int32_t elementBytes, int64_t count) {
  OpenMemory open(deviceOf(device));
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(static_cast<char *>(to) + i * elementBytes, element, elementBytes);
  return 0;
}

int32_t waitEmulated(fuse_device *device, fuse_context *context) {
  OpenMemory open(deviceOf(device));
  std::lock_guard<std::mutex> lock(deviceOf(device).mutex);
  for (const auto &[memory, allocation] : deviceOf(device).allocations)
    if (int64_t byte = findDamage(allocation))
      return failWith(
          context,
          "something wrote to byte %lld of memory that has %lld bytes; kernels that are "
          "compiled with checks tell which",
          static_cast<long long>(byte), static_cast<long long>(allocation.bytes));
  return 0;
}

} // namespace mlir::fuse::emulator
