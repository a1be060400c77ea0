//===- DeviceContext.cpp - Contexts with a device ------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DeviceState.h"

#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

int32_t mlir::fuse::runtime::reservePinned(fuse_context *context, Pinned &memory, int64_t bytes) {
  if (bytes <= memory.bytes)
    return 0;
  void *data = nullptr;
  if (context->device->allocate_host(context->device, context, bytes, &data))
    return 1;
  releasePinned(context, memory);
  memory = {data, bytes};
  return 0;
}

void mlir::fuse::runtime::releasePinned(fuse_context *context, Pinned &memory) {
  if (memory.data)
    context->device->release_host(context->device, context, memory.data);
  memory = {};
}

void mlir::fuse::runtime::drain(fuse_context *context) {
  char error[FUSE_ERROR_CAPACITY];
  std::memcpy(error, context->error, sizeof(error));
  context->device->wait(context->device, context);
  std::memcpy(context->error, error, sizeof(error));
}

Span::Span(const fuse_buffer &buffer) {
  int64_t size = fuse_dtype_size(buffer.dtype);
  after = size;
  for (int32_t d = 0; d < buffer.rank; ++d) {
    if (buffer.sizes[d] == 0) {
      before = after = 0;
      return;
    }
    int64_t reach = (buffer.sizes[d] - 1) * buffer.strides[d] * size;
    (reach < 0 ? before : after) += reach < 0 ? -reach : reach;
  }
}

fuse_mirror *mlir::fuse::runtime::findResult(fuse_device_state &state, const void *data,
                                             int64_t bytes) {
  for (int64_t i = 0; i < state.numMirrors; ++i) {
    fuse_mirror &mirror = state.mirrors[i];
    if (mirror.is_result && mirror.device == data && mirror.bytes == bytes)
      return &mirror;
  }
  return nullptr;
}

void mlir::fuse::runtime::leaveHost(fuse_context *context, const fuse_buffer *args, int64_t nargs) {
  fuse_device_state &state = *context->device_state;
  if (state.numAtHost == 0)
    return;
  for (int64_t i = 0; i < nargs; ++i)
    if (fuse_mirror *mirror = findResult(state, args[i].data, countBytes(args[i])))
      if (mirror->is_at_host) {
        mirror->is_at_host = 0;
        --state.numAtHost;
      }
}

int32_t mlir::fuse::runtime::lookAtHost(fuse_context *context, fuse_buffer &buffer) {
  fuse_device_state &state = *context->device_state;
  const char *data = static_cast<const char *>(buffer.data);
  for (int64_t i = 0; i < state.numMirrors; ++i) {
    const fuse_mirror &mirror = state.mirrors[i];
    const char *begin = static_cast<const char *>(mirror.device);
    if (mirror.is_result || !mirror.host || data < begin || data >= begin + mirror.bytes)
      continue;
    buffer.data = static_cast<char *>(mirror.host) + (data - begin);
    return 0;
  }
  if (state.isCapturing)
    return failWith(context, "elements on device '%s' cannot be looked at in a recording",
                    context->device->name);
  Span span(buffer);
  Pinned &memory = state.staging[state.slot].ins;
  fuse_device *device = context->device;
  // What the memory holds was used by a host function that has ended.
  if (device->wait(device, context) || reservePinned(context, memory, span.before + span.after) ||
      device->to_host(device, context, memory.data, data - span.before, span.before + span.after) ||
      device->wait(device, context))
    return 1;
  state.isFetched = false;
  buffer.data = static_cast<char *>(memory.data) + span.before;
  return 0;
}

extern "C" {

int32_t fuse_context_set_device(fuse_context *context, fuse_device *device) {
  if (fuse_device_state *state = context->device_state) {
    for (auto &staging : state->staging) {
      // The queue may still read what host functions have computed.
      if (staging.outs.data)
        context->device->wait(context->device, context);
      releasePinned(context, staging.ins);
      releasePinned(context, staging.outs);
    }
    if (state->strided.data)
      context->device->wait(context->device, context);
    releasePinned(context, state->strided);
    releaseConstants(context);
    context->device->close(context->device, context);
    std::free(state->fetched);
    std::free(state->checks);
    std::free(state);
    context->device_state = nullptr;
  }
  context->device = nullptr;
  if (!device)
    return 0;
  auto *state = static_cast<fuse_device_state *>(std::calloc(1, sizeof(fuse_device_state)));
  if (!state)
    return failWith(context, "out of memory: the state of device '%s'", device->name);
  if (device->open(device, context)) {
    std::free(state);
    return 1;
  }
  context->device = device;
  context->device_state = state;
  return 0;
}

void fuse_context_set_mirrors(fuse_context *context, fuse_mirror *mirrors, int64_t numMirrors) {
  if (!context->device_state)
    return;
  context->device_state->mirrors = mirrors;
  context->device_state->numMirrors = numMirrors;
  context->device_state->numAtHost = 0;
}

int32_t fuse_wait(fuse_context *context) {
  ++context->counters.waits;
  fuse_device *device = context->device;
  if (!device || context->device_state->isCapturing)
    return 0;
  context->device_state->isReading = false;
  return device->wait(device, context);
}

int32_t fuse_read_back(fuse_context *context, const fuse_buffer *result) {
  if (!result || result->rank < 0 || fuse_dtype_size(result->dtype) == 0 ||
      (result->rank > 0 && !result->sizes))
    return failWith(context, "a result to be read back needs an element type and sizes");
  int64_t bytes = countBytes(*result);
  context->counters.readback_bytes += bytes;
  if (!context->device || context->device_state->isPreparing)
    return 0;
  ++context->counters.copies;
  fuse_device_state &state = *context->device_state;
  if (bytes == 0 || !state.mirrors)
    return 0;
  fuse_mirror *mirror = findResult(state, result->data, bytes);
  if (!mirror)
    return failWith(context,
                    "a result of %lld bytes on device '%s' has no place in the host's memory",
                    toLong(bytes), context->device->name);
  mirror->was_read = 1;
  // The program does not wait for what a host function has computed: there must be no copy.
  if (mirror->is_at_host)
    return 0;
  state.isReading = true;
  return context->device->to_host(context->device, context, mirror->host, mirror->device, bytes);
}

} // extern "C"
