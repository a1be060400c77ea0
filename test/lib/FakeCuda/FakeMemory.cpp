//===- FakeMemory.cpp - Memory of the fake driver: allocations, copies, fills ------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FakeCall.h"

#include <sys/mman.h>

using namespace fakecuda;

namespace {

constexpr size_t kPage = 4096;

size_t countUsed(const State &state) {
  size_t used = 0;
  for (auto [memory, bytes] : state.memory)
    used += bytes;
  return used;
}

/// Puts a fill into the stream.
int putFill(Call &call, Stream *stream, uint64_t to, uint32_t value, size_t bytes, size_t pitch,
            size_t count) {
  if (call.code)
    return call.code;
  if (to % bytes != 0)
    return call.fail(kInvalidValue, "at an address that is not a multiple of the element");
  Work work(Work::Fill, reinterpret_cast<char *>(to), nullptr, bytes);
  work.value = value;
  work.pitch = pitch;
  work.count = count;
  return count == 0 ? kSuccess : put(call, stream, std::move(work));
}

} // namespace

extern "C" {

int cuMemGetInfo_v2(size_t *free, size_t *total) {
  Call call("cuMemGetInfo_v2", Call::Context);
  *total = static_cast<size_t>(getSetting("FAKE_CUDA_MEMORY", 1 << 30));
  size_t used = countUsed(call.state);
  *free = *total > used ? *total - used : 0;
  return call.code;
}

int cuMemAlloc_v2(uint64_t *memory, size_t bytes) {
  Call call("cuMemAlloc_v2", Call::Context);
  if (call.code)
    return call.code;
  if (isCapturing(call.state))
    return call.fail(kCaptureUnsupported, "while a stream is recorded");
  size_t rounded = (bytes + kPage - 1) / kPage * kPage;
  if (countUsed(call.state) + rounded >
      static_cast<size_t>(getSetting("FAKE_CUDA_MEMORY", 1 << 30)))
    return kOutOfMemory;
  void *pages = mmap(nullptr, rounded, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return kOutOfMemory;
  call.state.memory[static_cast<char *>(pages)] = rounded;
  *memory = reinterpret_cast<uint64_t>(pages);
  return kSuccess;
}

int cuMemFree_v2(uint64_t memory) {
  Call call("cuMemFree_v2", Call::Context);
  auto found = call.state.memory.find(reinterpret_cast<char *>(memory));
  if (found == call.state.memory.end())
    return call.fail(kInvalidValue, "no such memory");
  munmap(found->first, found->second);
  call.state.memory.erase(found);
  return kSuccess;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  Call call("cuMemHostAlloc", Call::Context);
  if (call.code)
    return call.code;
  *memory = std::malloc(bytes);
  call.state.pinned[static_cast<char *>(*memory)] = bytes;
  return kSuccess;
}

int cuMemFreeHost(void *memory) {
  Call call("cuMemFreeHost", Call::Context);
  if (!call.state.pinned.erase(static_cast<char *>(memory)))
    return call.fail(kInvalidValue, "no such memory");
  for (const Stream *stream : call.state.streams)
    for (const Work &work : stream->queue)
      if (work.to == memory || work.from == memory)
        call.state.violate("cuMemFreeHost of memory that a copy under way uses");
  std::free(memory);
  return kSuccess;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, Stream *stream) {
  Call call("cuMemcpyHtoDAsync_v2", Call::Context);
  if (call.code)
    return call.code;
  return put(
      call, stream,
      Work(Work::ToDevice, reinterpret_cast<char *>(to), static_cast<const char *>(from), bytes));
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, Stream *stream) {
  Call call("cuMemcpyDtoHAsync_v2", Call::Context);
  if (call.code)
    return call.code;
  return put(
      call, stream,
      Work(Work::ToHost, static_cast<char *>(to), reinterpret_cast<const char *>(from), bytes));
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, Stream *stream) {
  Call call("cuMemcpyDtoDAsync_v2", Call::Context);
  if (call.code)
    return call.code;
  return put(call, stream,
             Work(Work::OnDevice, reinterpret_cast<char *>(to),
                  reinterpret_cast<const char *>(from), bytes));
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, Stream *stream) {
  Call call("cuMemsetD8Async", Call::Context);
  return putFill(call, stream, to, value, 1, 1, count);
}

int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, Stream *stream) {
  Call call("cuMemsetD16Async", Call::Context);
  return putFill(call, stream, to, value, 2, 2, count);
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, Stream *stream) {
  Call call("cuMemsetD32Async", Call::Context);
  return putFill(call, stream, to, value, 4, 4, count);
}

int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height,
                       Stream *stream) {
  Call call("cuMemsetD2D32Async", Call::Context);
  if (width != 1 || pitch < 4)
    return call.fail(kInvalidValue, "a matrix that no fill is made for");
  return putFill(call, stream, to, value, 4, pitch, height);
}

} // extern "C"
