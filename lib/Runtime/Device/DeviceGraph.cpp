//===- DeviceGraph.cpp - Runs that are recorded --------------------------------------------===//
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

/// What `after` has counted more than `before`.
fuse_counters subtract(const fuse_counters &after, const fuse_counters &before) {
  fuse_counters result = {};
  result.launches = after.launches - before.launches;
  result.waits = after.waits - before.waits;
  result.copies = after.copies - before.copies;
  result.readback_bytes = after.readback_bytes - before.readback_bytes;
  return result;
}

/// The recording as an object of its own. Null without memory.
fuse_device_graph *makeGraph(const fuse_context *context) {
  const fuse_device_state &state = *context->device_state;
  auto *graph = static_cast<fuse_device_graph *>(std::calloc(1, sizeof(fuse_device_graph)));
  if (!graph)
    return nullptr;
  graph->counters = subtract(context->counters, state.countersBefore);
  graph->numChecks = state.numChecks;
  if (state.numChecks == 0)
    return graph;
  size_t bytes = state.numChecks * sizeof(IndexCheck);
  graph->checks = static_cast<IndexCheck *>(std::malloc(bytes));
  if (!graph->checks) {
    std::free(graph);
    return nullptr;
  }
  std::memcpy(graph->checks, state.checks, bytes);
  return graph;
}

} // namespace

extern "C" {

int32_t fuse_device_capture_begin(fuse_context *context) {
  fuse_device *device = context->device;
  if (!device)
    return failWith(context, "a context without a device cannot record a run");
  if (!device->begin_capture)
    return failWith(context, "device '%s' cannot record a run", device->name);
  fuse_device_state &state = *context->device_state;
  if (state.isCapturing)
    return failWith(context, "a run is being recorded already");
  if (device->begin_capture(device, context))
    return 1;
  state.isCapturing = true;
  state.numChecks = 0;
  state.countersBefore = context->counters;
  return 0;
}

int32_t fuse_device_capture_end(fuse_context *context, int32_t keep, fuse_device_graph **result) {
  *result = nullptr;
  if (!context->device_state || !context->device_state->isCapturing)
    return failWith(context, "no run is being recorded");
  fuse_device *device = context->device;
  fuse_device_state &state = *context->device_state;
  state.isCapturing = false;
  fuse_device_graph *graph = keep ? makeGraph(context) : nullptr;
  context->counters = state.countersBefore;
  void *recorded = nullptr;
  if (device->end_capture(device, context, &recorded)) {
    fuse_device_graph_destroy(context, graph);
    // One that does not matter: what was to be recorded failed before.
    return keep ? 1 : 0;
  }
  if (!graph) {
    device->release_graph(device, context, recorded);
    return keep ? failWith(context, "out of memory: a recorded run") : 0;
  }
  graph->graph = recorded;
  *result = graph;
  return 0;
}

int32_t fuse_device_replay(fuse_context *context, fuse_device_graph *graph) {
  for (int64_t i = 0; i < graph->numChecks; ++i) {
    const IndexCheck &check = graph->checks[i];
    if (fuse_expect_indices(context, check.what, &check.indices, check.extent))
      return 1;
  }
  if (context->device->replay(context->device, context, graph->graph))
    return 1;
  fuse_counters &counters = context->counters;
  ++counters.replays;
  counters.launches += graph->counters.launches;
  counters.copies += graph->counters.copies;
  counters.readback_bytes += graph->counters.readback_bytes;
  return 0;
}

void fuse_device_graph_destroy(fuse_context *context, fuse_device_graph *graph) {
  if (!graph)
    return;
  if (graph->graph)
    context->device->release_graph(context->device, context, graph->graph);
  std::free(graph->checks);
  std::free(graph);
}

} // extern "C"
