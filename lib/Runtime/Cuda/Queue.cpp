//===- Queue.cpp - What a context asks of its GPU ------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <cstdlib>

using namespace mlir::fuse::runtime;
using namespace mlir::fuse::runtime::cuda;

namespace {

/// As many as the driver takes: 4 KB of parameters.
constexpr int64_t kMaxParams = 512;
constexpr int64_t kMaxGrid = INT32_MAX;

/// Makes the scratch of the queue at least `bytes` large.
int32_t growScratch(CudaDevice &device, fuse_context *context, int64_t bytes) {
  Queue &queue = getQueue(context);
  if (bytes <= queue.scratchBytes)
    return 0;
  // Kernels that use the former one may be under way.
  if (cuda::wait(&device, context))
    return 1;
  void *grown = nullptr;
  if (allocate(&device, context, bytes, &grown))
    return 1;
  if (queue.scratch)
    release(&device, context, queue.scratch);
  queue.scratch = grown;
  queue.scratchBytes = bytes;
  return 0;
}

/// Bytes of scratch for each block of the grid.
int64_t getScratchBytes(const fuse_kernel &kernel, const fuse_buffer *args) {
  int64_t bytes = kernel.scratch_bytes;
  if (kernel.scratch) {
    int64_t wanted = kernel.scratch(args);
    bytes = wanted > bytes ? wanted : bytes;
  }
  return alignUp(bytes);
}

} // namespace

int32_t cuda::openQueue(fuse_device *self, fuse_context *context) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  auto *queue = static_cast<Queue *>(std::calloc(1, sizeof(Queue)));
  if (!queue)
    return failWith(context, "out of memory: a queue of %s", device.facts.name);
  queue->table = context->kernel_table;
  if (!context->stream) {
    Stream stream = nullptr;
    if (check(device, context, device.api.streamCreate(&stream, kStreamNonBlocking),
              "cuStreamCreate")) {
      std::free(queue);
      return 1;
    }
    context->stream = stream;
    queue->ownsStream = true;
  }
  context->device_data = queue;
  return 0;
}

void cuda::closeQueue(fuse_device *self, fuse_context *context) {
  CudaDevice &device = getDevice(self);
  Queue &queue = getQueue(context);
  device.api.setCurrent(device.context);
  // What failed is not to be read any more; the queue must be empty all the same.
  device.api.streamSynchronize(getStream(context));
  forgetFunctions(device, queue);
  if (queue.ownsStream) {
    device.api.streamDestroy(getStream(context));
    context->stream = nullptr;
  }
  if (queue.scratch)
    release(self, context, queue.scratch);
  for (Event event : queue.marks)
    if (event)
      device.api.eventDestroy(event);
  std::free(&queue);
  context->device_data = nullptr;
}

int32_t cuda::launch(fuse_device *self, fuse_context *context, const fuse_kernel *kernel,
                     const fuse_buffer *args, int64_t blocks) {
  CudaDevice &device = getDevice(self);
  const fuse_device_kernel &code = *kernel->device;
  if (code.num_params > kMaxParams)
    return failWith(context, "kernel '%s': expected at most %lld parameters, found %lld",
                    kernel->name, toLong(kMaxParams), toLong(code.num_params));
  if (makeCurrent(device, context))
    return 1;
  Function function = findFunction(device, context, *kernel);
  if (!function)
    return 1;
  int64_t grid = code.most_blocks > 0 && code.most_blocks < blocks ? code.most_blocks : blocks;
  grid = grid < kMaxGrid ? grid : kMaxGrid;
  int64_t scratch = 0;
  int64_t perBlock = getScratchBytes(*kernel, args);
  if (__builtin_mul_overflow(perBlock, grid, &scratch))
    scratch = INT64_MAX;
  if (growScratch(device, context, scratch))
    return 1;
  Queue &queue = getQueue(context);
  uint64_t values[kMaxParams];
  void *params[kMaxParams];
  fuse_device_params(&code, args, blocks, queue.scratch, perBlock, values);
  for (int64_t i = 0; i < code.num_params; ++i)
    params[i] = &values[i];
  queue.lastKernel = kernel->name;
  Result result = device.api.launchKernel(
      function, static_cast<unsigned>(grid), 1, 1, static_cast<unsigned>(code.threads), 1, 1,
      static_cast<unsigned>(code.shared_bytes), getStream(context), params, nullptr);
  if (result == kSuccess)
    return 0;
  return failWith(
      context,
      "kernel '%s': launching %lld blocks of %d threads with %d bytes of shared memory: %s",
      kernel->name, toLong(grid), code.threads, code.shared_bytes,
      ResultText(device.api, result).text);
}

int32_t cuda::wait(fuse_device *self, fuse_context *context) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  Queue &queue = getQueue(context);
  Result result = device.api.streamSynchronize(getStream(context));
  if (result == kSuccess) {
    queue.lastKernel = nullptr;
    return 0;
  }
  ResultText text(device.api, result);
  if (!queue.lastKernel)
    return failWith(context, "waiting for %s: %s", device.facts.name, text.text);
  return failWith(context, "waiting for %s: %s; the last kernel launched was '%s'",
                  device.facts.name, text.text, queue.lastKernel);
}

int32_t cuda::beginTime(fuse_device *self, fuse_context *context) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  Queue &queue = getQueue(context);
  for (Event &event : queue.marks)
    if (!event && check(device, context, device.api.eventCreate(&event, 0), "cuEventCreate"))
      return 1;
  return check(device, context, device.api.eventRecord(queue.marks[0], getStream(context)), "cuEventRecord");
}

int32_t cuda::endTime(fuse_device *self, fuse_context *context, int64_t *nanoseconds) {
  CudaDevice &device = getDevice(self);
  *nanoseconds = 0;
  if (makeCurrent(device, context))
    return 1;
  Queue &queue = getQueue(context);
  if (check(device, context, device.api.eventRecord(queue.marks[1], getStream(context)), "cuEventRecord") ||
      cuda::wait(self, context))
    return 1;
  float milliseconds = 0;
  if (check(device, context, device.api.eventElapsed(&milliseconds, queue.marks[0], queue.marks[1]), "cuEventElapsedTime"))
    return 1;
  *nanoseconds = static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  return 0;
}
