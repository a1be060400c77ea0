//===- Prepare.cpp - What is computed from parameters, once --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Device/DeviceState.h"

#include <cstdlib>

using namespace mlir::fuse::runtime;

namespace {

/// The same on a device, where the results stay.
int32_t runOnDevice(fuse_context *context, fuse_run_fn run, const fuse_buffer *params,
                    fuse_buffer *prepared, int64_t bytes) {
  fuse_device *device = context->device;
  void *arena = nullptr;
  if (bytes > 0 && device->allocate(device, context, bytes, &arena))
    return 1;
  context->device_state->isPreparing = true;
  int32_t status = run(context, params, prepared, arena);
  context->device_state->isPreparing = false;
  // Its kernels use the arena as long as they run.
  if (status == 0)
    status = device->wait(device, context);
  else
    drain(context);
  if (arena)
    device->release(device, context, arena);
  return status;
}

int32_t runOnCpu(fuse_context *context, fuse_run_fn run, const fuse_buffer *params,
                 fuse_buffer *prepared, int64_t bytes) {
  fuse_memory arena = {nullptr, 0};
  if (int32_t status = reserve(context, arena, bytes, "preparing parameters"))
    return status;
  int32_t status = run(context, params, prepared, arena.data);
  std::free(arena.data);
  return status;
}

} // namespace

int32_t fuse_prepare(fuse_context *context, fuse_query_fn query, fuse_run_fn run,
                     const fuse_buffer *params, fuse_buffer *prepared) {
  int64_t bytes = 0;
  if (int32_t status = query(context, params, prepared, &bytes))
    return status;
  auto counters = context->counters;
  fuse_event *events = context->events;
  context->events = nullptr;
  int32_t status = context->device ? runOnDevice(context, run, params, prepared, bytes)
                                   : runOnCpu(context, run, params, prepared, bytes);
  context->events = events;
  context->counters = counters;
  return status;
}
