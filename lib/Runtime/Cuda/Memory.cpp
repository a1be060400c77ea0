//===- Memory.cpp - Memory of GPUs, and copies ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <cstdio>
#include <cstring>

using namespace mlir::fuse::runtime;
using namespace mlir::fuse::runtime::cuda;

namespace {

constexpr int64_t kAlignment = 256;

/// The smallest free block of at least `bytes` that does not waste as much again. Null: none.
Block *findFree(CudaDevice &device, int64_t bytes) {
  Block *best = nullptr;
  for (int64_t i = 0; i < device.numBlocks; ++i) {
    Block &block = device.blocks[i];
    if (block.isFree && block.bytes >= bytes && block.bytes / 2 <= bytes &&
        (!best || block.bytes < best->bytes))
      best = &block;
  }
  return best;
}

int32_t failWithFreeBytes(CudaDevice &device, fuse_context *context, Result result, int64_t bytes) {
  size_t free = 0, total = 0;
  ResultText text(device.api, result);
  if (device.api.memGetInfo(&free, &total) != kSuccess)
    return failWith(context, "allocating %lld bytes on %s: %s", toLong(bytes), device.facts.name,
                    text.text);
  return failWith(context, "allocating %lld bytes on %s: %s; %lld of %lld bytes are free",
                  toLong(bytes), device.facts.name, text.text, toLong(free), toLong(total));
}

Address toAddress(const void *memory) { return reinterpret_cast<Address>(memory); }

/// What a copy is called where it fails.
struct CopyText {
  CopyText(int64_t bytes, const char *direction) {
    snprintf(text, sizeof(text), "copying %lld bytes %s", toLong(bytes), direction);
  }
  char text[64];
};

template <typename T>
T load(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

/// Elements of 8 bytes whose halves differ: each half is a column of a matrix of two. What the
/// driver takes as the height of one is not said; so much is taken.
Result fillPairs(const DriverApi &api, Address to, const uint32_t *halves, int64_t count,
                 Stream stream) {
  constexpr int64_t kMostRows = 1 << 20;
  for (int64_t first = 0; first < count; first += kMostRows) {
    auto rows = static_cast<size_t>(count - first < kMostRows ? count - first : kMostRows);
    for (int half = 0; half < 2; ++half)
      if (Result result =
              api.fillRows32(to + 8 * first + 4 * half, 8, halves[half], 1, rows, stream))
        return result;
  }
  return kSuccess;
}

} // namespace

void cuda::trimMemory(CudaDevice &device) {
  int64_t kept = 0;
  for (int64_t i = 0; i < device.numBlocks; ++i) {
    if (device.blocks[i].isFree)
      device.api.memFree(device.blocks[i].memory);
    else
      device.blocks[kept++] = device.blocks[i];
  }
  device.numBlocks = kept;
}

int32_t cuda::allocate(fuse_device *self, fuse_context *context, int64_t bytes, void **memory) {
  CudaDevice &device = getDevice(self);
  *memory = nullptr;
  if (bytes < 0 || bytes > INT64_MAX - kAlignment)
    return failWith(context, "allocating on %s: bad size of %lld bytes", device.facts.name,
                    toLong(bytes));
  bytes = bytes ? alignUp(bytes, kAlignment) : kAlignment;
  if (makeCurrent(device, context))
    return 1;
  Lock lock(device);
  if (Block *block = findFree(device, bytes)) {
    block->isFree = false;
    *memory = reinterpret_cast<void *>(block->memory);
    return 0;
  }
  if (!makeRoom(reinterpret_cast<void **>(&device.blocks), device.numBlocks, &device.blockCapacity,
                sizeof(Block)))
    return failWith(context, "out of memory: the list of blocks on %s", device.facts.name);
  Address address = 0;
  Result result = device.api.memAlloc(&address, static_cast<size_t>(bytes));
  if (result == kOutOfMemory) {
    // What is kept for later may be just what is missing.
    trimMemory(device);
    result = device.api.memAlloc(&address, static_cast<size_t>(bytes));
  }
  if (result != kSuccess)
    return failWithFreeBytes(device, context, result, bytes);
  device.blocks[device.numBlocks++] = {address, bytes, false};
  *memory = reinterpret_cast<void *>(address);
  return 0;
}

void cuda::release(fuse_device *self, fuse_context *context, void *memory) {
  CudaDevice &device = getDevice(self);
  Lock lock(device);
  for (int64_t i = 0; i < device.numBlocks; ++i)
    if (device.blocks[i].memory == toAddress(memory))
      device.blocks[i].isFree = true;
}

int32_t cuda::allocateHost(fuse_device *self, fuse_context *context, int64_t bytes, void **memory) {
  CudaDevice &device = getDevice(self);
  *memory = nullptr;
  if (makeCurrent(device, context))
    return 1;
  Result result = device.api.memHostAlloc(memory, static_cast<size_t>(bytes ? bytes : 1), 0);
  if (result != kSuccess)
    return failWith(context, "allocating %lld bytes of pinned memory: %s", toLong(bytes),
                    ResultText(device.api, result).text);
  return 0;
}

void cuda::releaseHost(fuse_device *self, fuse_context *context, void *memory) {
  CudaDevice &device = getDevice(self);
  if (!memory)
    return;
  // What cannot be told about is tried: the context is most likely current already.
  device.api.setCurrent(device.context);
  device.api.memFreeHost(memory);
}

int32_t cuda::copyToDevice(fuse_device *self, fuse_context *context, void *to, const void *from,
                           int64_t bytes) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  Result result = device.api.copyToDevice(toAddress(to), from, bytes, getStream(context));
  return check(device, context, result, CopyText(bytes, "to the device").text);
}

int32_t cuda::copyToHost(fuse_device *self, fuse_context *context, void *to, const void *from,
                         int64_t bytes) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  Result result = device.api.copyToHost(to, toAddress(from), bytes, getStream(context));
  return check(device, context, result, CopyText(bytes, "to the host").text);
}

int32_t cuda::copyOnDevice(fuse_device *self, fuse_context *context, void *to, const void *from,
                           int64_t bytes) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  Result result =
      device.api.copyOnDevice(toAddress(to), toAddress(from), bytes, getStream(context));
  return check(device, context, result, CopyText(bytes, "on the device").text);
}

int32_t cuda::fill(fuse_device *self, fuse_context *context, void *to, const void *element,
                   int32_t elementBytes, int64_t count) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  const DriverApi &api = device.api;
  Stream stream = getStream(context);
  Address address = toAddress(to);
  auto elements = static_cast<size_t>(count);
  Result result = kSuccess;
  if (elementBytes == 1) {
    result = api.fill8(address, load<unsigned char>(element), elements, stream);
  } else if (elementBytes == 2) {
    result = api.fill16(address, load<unsigned short>(element), elements, stream);
  } else if (elementBytes == 4) {
    result = api.fill32(address, load<unsigned>(element), elements, stream);
  } else {
    uint32_t halves[2];
    std::memcpy(halves, element, sizeof(halves));
    result = halves[0] == halves[1] ? api.fill32(address, halves[0], 2 * elements, stream)
                                    : fillPairs(api, address, halves, count, stream);
  }
  char text[64];
  snprintf(text, sizeof(text), "filling %lld bytes", toLong(count * elementBytes));
  return check(device, context, result, text);
}
