//===- DeviceHostCalls.cpp - Host functions between kernels of a device --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DeviceState.h"

#include <cstring>

using namespace mlir::fuse::runtime;

namespace {

bool isValid(const fuse_buffer &buffer) {
  return buffer.rank >= 0 && fuse_dtype_size(buffer.dtype) > 0 &&
         (buffer.rank == 0 || (buffer.sizes && buffer.strides));
}

int32_t fetch(fuse_context *context, const fuse_buffer *args, int64_t numIns) {
  fuse_device_state &state = *context->device_state;
  fuse_device *device = context->device;
  int64_t total = 0;
  for (int64_t i = 0; i < numIns; ++i) {
    if (!isValid(args[i]))
      return failWith(context, "operand %lld of a host function needs an element type and sizes",
                      toLong(i));
    Span span(args[i]);
    total += alignUp(span.before + span.after);
  }
  if (numIns > 0 && !makeRoom(reinterpret_cast<void **>(&state.fetched), numIns - 1,
                              &state.fetchedCapacity, sizeof(Fetched)))
    return failWith(context, "out of memory: %lld operands of a host function", toLong(numIns));
  state.slot ^= 1;
  state.isFetched = false;
  Pinned &memory = state.staging[state.slot].ins;
  if (reservePinned(context, memory, total))
    return 1;
  char *next = static_cast<char *>(memory.data);
  for (int64_t i = 0; i < numIns; ++i) {
    Span span(args[i]);
    int64_t bytes = span.before + span.after;
    ++context->counters.copies;
    const char *from = static_cast<const char *>(args[i].data) - span.before;
    if (bytes > 0 && device->to_host(device, context, next, from, bytes))
      return 1;
    state.fetched[i] = {args[i].data, next + span.before};
    next += alignUp(bytes);
  }
  state.numFetched = numIns;
  state.isFetched = true;
  return 0;
}

/// Whether the operands are those that were fetched last.
bool areFetched(const fuse_device_state &state, const fuse_buffer *args, int64_t numIns) {
  if (!state.isFetched || state.numFetched != numIns)
    return false;
  for (int64_t i = 0; i < numIns; ++i)
    if (state.fetched[i].device != args[i].data)
      return false;
  return true;
}

} // namespace

const fuse_buffer *mlir::fuse::runtime::stageHostCall(fuse_context *context, const char *callee,
                                                      const fuse_buffer *args, int64_t numIns,
                                                      int64_t numOuts) {
  fuse_device_state &state = *context->device_state;
  if (state.isCapturing) {
    failWith(context, "host function '%s' cannot be recorded", callee);
    return nullptr;
  }
  int64_t total = 0;
  for (int64_t i = numIns; i < numIns + numOuts; ++i) {
    if (!isValid(args[i]) || !isRowMajor(args[i])) {
      failWith(context,
               "host function '%s': expected result %lld in row-major order on device '%s'", callee,
               toLong(i - numIns), context->device->name);
      return nullptr;
    }
    total += alignUp(countBytes(args[i]));
  }
  if (!areFetched(state, args, numIns) &&
      (fetch(context, args, numIns) || context->device->wait(context->device, context)))
    return nullptr;
  state.isFetched = false;
  Pinned &memory = state.staging[state.slot].outs;
  if (reservePinned(context, memory, total) ||
      reserve(context, context->launch_args,
              (numIns + numOuts) * static_cast<int64_t>(sizeof(fuse_buffer)), "arguments"))
    return nullptr;
  auto *staged = static_cast<fuse_buffer *>(context->launch_args.data);
  if (numIns + numOuts > 0)
    std::memcpy(staged, args, (numIns + numOuts) * sizeof(fuse_buffer));
  for (int64_t i = 0; i < numIns; ++i)
    staged[i].data = state.fetched[i].host;
  char *next = static_cast<char *>(memory.data);
  for (int64_t i = numIns; i < numIns + numOuts; ++i) {
    int64_t bytes = countBytes(args[i]);
    staged[i].data = next;
    next += alignUp(bytes);
    fuse_mirror *mirror = bytes > 0 ? findResult(state, args[i].data, bytes) : nullptr;
    if (!mirror)
      continue;
    staged[i].data = mirror->host;
    state.numAtHost += !mirror->is_at_host;
    mirror->is_at_host = 1;
  }
  // Never null: the caller takes that for an error.
  return staged ? staged : args;
}

int32_t mlir::fuse::runtime::sendResults(fuse_context *context, const fuse_buffer *args,
                                         const fuse_buffer *staged, int64_t numIns,
                                         int64_t numOuts) {
  fuse_device *device = context->device;
  for (int64_t i = numIns; i < numIns + numOuts; ++i) {
    ++context->counters.copies;
    int64_t bytes = countBytes(args[i]);
    if (bytes > 0 && device->to_device(device, context, args[i].data, staged[i].data, bytes))
      return 1;
  }
  return 0;
}

int32_t mlir::fuse::runtime::stageCopy(fuse_context *context, const fuse_buffer &from,
                                       const fuse_buffer &to, fuse_buffer &stagedFrom,
                                       fuse_buffer &stagedTo) {
  fuse_device_state &state = *context->device_state;
  fuse_device *device = context->device;
  if (state.isCapturing)
    return failWith(context, "a copy that is not of row-major arrays cannot be recorded");
  Span source(from), target(to);
  int64_t sourceBytes = source.before + source.after;
  int64_t targetBytes = target.before + target.after;
  // The memory may be that of a copy which is under way.
  if (device->wait(device, context) ||
      reservePinned(context, state.strided, alignUp(sourceBytes) + targetBytes))
    return 1;
  char *first = static_cast<char *>(state.strided.data), *second = first + alignUp(sourceBytes);
  // What lies between the elements of the target stays as it is.
  if (device->to_host(device, context, first, static_cast<const char *>(from.data) - source.before,
                      sourceBytes) ||
      device->to_host(device, context, second, static_cast<const char *>(to.data) - target.before,
                      targetBytes) ||
      device->wait(device, context))
    return 1;
  stagedFrom = from;
  stagedFrom.data = first + source.before;
  stagedTo = to;
  stagedTo.data = second + target.before;
  return 0;
}

int32_t mlir::fuse::runtime::sendCopy(fuse_context *context, const fuse_buffer &to,
                                      const fuse_buffer &stagedTo) {
  Span span(to);
  return context->device->to_device(
      context->device, context, static_cast<char *>(to.data) - span.before,
      static_cast<char *>(stagedTo.data) - span.before, span.before + span.after);
}

extern "C" int32_t fuse_fetch(fuse_context *context, const fuse_buffer *args, int64_t numIns) {
  if (!context->device)
    return 0;
  if (numIns < 0 || (numIns > 0 && !args))
    return failWith(context, "bad list of %lld operands of a host function", toLong(numIns));
  if (context->device_state->isCapturing)
    return failWith(context, "operands of a host function cannot be fetched in a recording");
  return fetch(context, args, numIns);
}
