//===- DeviceValues.cpp - What a device is given, and the host reads of its memory ------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DeviceState.h"

#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

namespace {

/// Where in the table an address is, or would be put. There is a free entry.
int64_t findSlot(const fuse_device_state &state, const void *host) {
  auto hash = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(host)) * 0x9e3779b97f4a7c15u;
  int64_t slot = static_cast<int64_t>(hash >> 32) & (state.constantCapacity - 1);
  while (state.constants[slot].host && state.constants[slot].host != host)
    slot = (slot + 1) & (state.constantCapacity - 1);
  return slot;
}

/// At most half of the table is in use.
bool growTable(fuse_device_state &state) {
  if (2 * (state.numConstants + 1) <= state.constantCapacity)
    return true;
  int64_t before = state.constantCapacity, after = before ? 2 * before : 16;
  auto *grown = static_cast<Constant *>(std::calloc(after, sizeof(Constant)));
  if (!grown)
    return false;
  Constant *old = state.constants;
  state.constants = grown;
  state.constantCapacity = after;
  for (int64_t i = 0; i < before; ++i)
    if (old[i].host)
      grown[findSlot(state, old[i].host)] = old[i];
  std::free(old);
  return true;
}

int32_t uploadConstant(fuse_context *context, const void *host, int64_t bytes, void **place) {
  fuse_device_state &state = *context->device_state;
  fuse_device *device = context->device;
  if (state.isCapturing)
    return failWith(context, "a constant of %lld bytes cannot be uploaded in a recording",
                    toLong(bytes));
  if (!growTable(state))
    return failWith(context, "out of memory: the list of constants");
  void *memory = nullptr;
  if (device->allocate(device, context, bytes, &memory))
    return 1;
  if (bytes > 0 && device->to_device(device, context, memory, host, bytes)) {
    drain(context);
    device->release(device, context, memory);
    return 1;
  }
  state.constants[findSlot(state, host)] = {host, memory, bytes};
  ++state.numConstants;
  *place = memory;
  return 0;
}

int32_t fillOnDevice(fuse_context *context, char *to, const fuse_buffer &buffer, int32_t dim,
                     const void *element) {
  fuse_device *device = context->device;
  auto size = static_cast<int32_t>(fuse_dtype_size(buffer.dtype));
  int64_t count = 1;
  for (int32_t d = buffer.rank - 1; d >= dim; --d) {
    if (buffer.sizes[d] != 1 && buffer.strides[d] != count) {
      count = -1;
      break;
    }
    count *= buffer.sizes[d];
  }
  if (count >= 0)
    return device->fill(device, context, to, element, size, count);
  for (int64_t i = 0; i < buffer.sizes[dim]; ++i)
    if (fillOnDevice(context, to + i * buffer.strides[dim] * size, buffer, dim + 1, element))
      return 1;
  return 0;
}

void fillOnHost(char *to, const fuse_buffer &buffer, int32_t dim, const void *element,
                int64_t size) {
  if (dim == buffer.rank) {
    std::memcpy(to, element, size);
    return;
  }
  for (int64_t i = 0; i < buffer.sizes[dim]; ++i)
    fillOnHost(to + i * buffer.strides[dim] * size, buffer, dim + 1, element, size);
}

} // namespace

void mlir::fuse::runtime::releaseConstants(fuse_context *context) {
  fuse_device_state &state = *context->device_state;
  // Kernels may still read them.
  if (state.numConstants > 0)
    drain(context);
  for (int64_t i = 0; i < state.constantCapacity; ++i)
    if (state.constants[i].host)
      context->device->release(context->device, context, state.constants[i].device);
  std::free(state.constants);
  state.constants = nullptr;
  state.numConstants = state.constantCapacity = 0;
}

extern "C" {

int32_t fuse_constant(fuse_context *context, const void *host, int64_t bytes, void **place) {
  if (!context->device) {
    *place = const_cast<void *>(host);
    return 0;
  }
  fuse_device_state &state = *context->device_state;
  // Another program may have other bytes at the same address.
  if (state.constantsTable != context->kernel_table) {
    releaseConstants(context);
    state.constantsTable = context->kernel_table;
  }
  if (state.numConstants > 0)
    if (const Constant &known = state.constants[findSlot(state, host)];
        known.host && known.bytes == bytes) {
      *place = known.device;
      return 0;
    }
  return uploadConstant(context, host, bytes, place);
}

int32_t fuse_fill(fuse_context *context, const fuse_buffer *to, const void *element) {
  int64_t size = fuse_dtype_size(to->dtype);
  if (size == 0)
    return failWith(context, "fill: unknown element type %d", to->dtype);
  if (countBytes(*to) == 0)
    return 0;
  if (!context->device) {
    fillOnHost(static_cast<char *>(to->data), *to, 0, element, size);
    return 0;
  }
  leaveHost(context, to, 1);
  return fillOnDevice(context, static_cast<char *>(to->data), *to, 0, element);
}

int32_t fuse_read_element(fuse_context *context, const void *from, int32_t dtype, void *value) {
  int64_t size = fuse_dtype_size(dtype);
  if (size == 0)
    return failWith(context, "an element to be read: unknown element type %d", dtype);
  fuse_device *device = context->device;
  if (!device) {
    std::memcpy(value, from, size);
    return 0;
  }
  if (context->device_state->isCapturing)
    return failWith(context, "elements on device '%s' cannot be read in a recording", device->name);
  return device->to_host(device, context, value, from, size) || device->wait(device, context);
}

void fuse_device_params(const fuse_device_kernel *kernel, const fuse_buffer *args, int64_t blocks,
                        void *scratch, int64_t scratchBytes, uint64_t *values) {
  for (int64_t i = 0; i < kernel->num_params; ++i) {
    const fuse_device_param &param = kernel->params[i];
    if (param.buffer < 0)
      values[i] = param.what == FUSE_DEVICE_BLOCKS    ? static_cast<uint64_t>(blocks)
                  : param.what == FUSE_DEVICE_SCRATCH ? reinterpret_cast<uintptr_t>(scratch)
                                                      : static_cast<uint64_t>(scratchBytes);
    else if (param.what < 0)
      values[i] = reinterpret_cast<uintptr_t>(args[param.buffer].data);
    else
      values[i] = static_cast<uint64_t>(args[param.buffer].sizes[param.what]);
  }
}

} // extern "C"
