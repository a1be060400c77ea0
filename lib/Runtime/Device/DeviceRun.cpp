//===- DeviceRun.cpp - A program's memory on a device, and its runs ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Runtime/DeviceRun.h"

#include "DeviceState.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

namespace {

/// Memory on the device that grows and is reused.
struct DeviceMemory {
  void *data;
  int64_t bytes;
};

/// An argument or result: its memory, and storage for its buffer's sizes and strides.
struct Value {
  DeviceMemory memory;
  int64_t *extents;
  int32_t capacity; // ranks that `extents` has room for
};

} // namespace

struct fuse_device_run {
  fuse_context *context;
  fuse_query_fn query;
  fuse_run_fn run;
  int64_t numIns, numOuts;
  fuse_buffer *buffers; // arguments, then results
  Value *values;        // of the buffers
  fuse_mirror *mirrors; // of the buffers
  DeviceMemory arena;
  int64_t arenaBytes;
  Pinned results;
  bool isSized;
  bool usesGraph, isWarm, isRefused;
  fuse_device_graph *graph;
  int64_t graphWaits;
  int64_t timed; // ns that the device has counted
};

namespace {

void dropGraph(fuse_device_run &run) {
  fuse_device_graph_destroy(run.context, run.graph);
  run.graph = nullptr;
  run.isWarm = run.isRefused = false;
}

int32_t grow(fuse_device_run &run, DeviceMemory &memory, int64_t bytes) {
  if (bytes <= memory.bytes)
    return 0;
  fuse_device *device = run.context->device;
  if (memory.data) {
    // Copies to it may be under way.
    if (device->wait(device, run.context))
      return 1;
    device->release(device, run.context, memory.data);
    memory = {};
  }
  dropGraph(run);
  if (device->allocate(device, run.context, bytes, &memory.data))
    return 1;
  memory.bytes = bytes;
  return 0;
}

/// Points a buffer at storage of the run for as many sizes and strides as `like` has.
int32_t describe(fuse_device_run &run, int64_t index, const fuse_buffer &like) {
  Value &value = run.values[index];
  fuse_buffer &buffer = run.buffers[index];
  // Those of rank 0 have storage, too: a buffer without sizes is one that was never described.
  if (!value.extents || value.capacity < like.rank) {
    void *grown = std::realloc(value.extents, 2 * std::max(like.rank, 1) * sizeof(int64_t));
    if (!grown)
      return failWith(run.context, "out of memory: sizes of an argument");
    value.extents = static_cast<int64_t *>(grown);
    value.capacity = like.rank;
  }
  buffer.sizes = value.extents;
  buffer.strides = value.extents + like.rank;
  buffer.rank = like.rank;
  buffer.dtype = like.dtype;
  return 0;
}

int32_t checkIndex(fuse_device_run &run, int64_t index) {
  if (index >= 0 && index < run.numIns)
    return 0;
  return failWith(run.context, "expected the number of an argument below %lld, found %lld",
                  toLong(run.numIns), toLong(index));
}

bool hasSizes(const fuse_buffer &buffer, const fuse_buffer &like) {
  // A scalar has none.
  return (like.rank == 0 || buffer.sizes) && buffer.dtype == like.dtype &&
         haveSameSizes(buffer, like);
}

/// Room for all results, pinned, and where each of them lies there.
int32_t placeResults(fuse_device_run &run) {
  int64_t total = 0;
  for (int64_t i = run.numIns; i < run.numIns + run.numOuts; ++i) {
    int64_t bytes = countBytes(run.buffers[i]);
    if (grow(run, run.values[i].memory, bytes))
      return 1;
    run.buffers[i].data = run.values[i].memory.data;
    // A recorded run reads back what it did when it was recorded.
    run.mirrors[i] = {run.buffers[i].data, nullptr, bytes, 1, run.mirrors[i].was_read, 0};
    total += alignUp(bytes);
  }
  // A recorded run copies to where the results were.
  if (total > run.results.bytes)
    dropGraph(run);
  if (reservePinned(run.context, run.results, total))
    return 1;
  char *next = static_cast<char *>(run.results.data);
  for (int64_t i = run.numIns; i < run.numIns + run.numOuts; ++i) {
    run.mirrors[i].host = next;
    next += alignUp(run.mirrors[i].bytes);
  }
  return 0;
}

int32_t runOnce(fuse_device_run &run) {
  for (int64_t i = run.numIns; i < run.numIns + run.numOuts; ++i)
    run.mirrors[i].was_read = run.mirrors[i].is_at_host = 0;
  run.context->device_state->numAtHost = 0;
  return run.run(run.context, run.buffers, run.buffers + run.numIns, run.arena.data);
}

/// Records the run. One that cannot be recorded is not tried again.
void record(fuse_device_run &run) {
  fuse_context *context = run.context;
  run.isRefused = true;
  if (fuse_device_capture_begin(context))
    return;
  int64_t waits = context->counters.waits;
  int32_t status = runOnce(run);
  run.graphWaits = context->counters.waits - waits;
  if (fuse_device_capture_end(context, status == 0, &run.graph) == 0 && run.graph)
    run.isRefused = false;
}

int32_t submit(fuse_device_run &run) {
  if (run.usesGraph && run.isWarm && !run.graph && !run.isRefused)
    record(run);
  if (!run.usesGraph || !run.graph)
    return runOnce(run);
  if (fuse_device_replay(run.context, run.graph))
    return 1;
  return run.graphWaits > 0 ? fuse_wait(run.context) : 0;
}

/// Results that the program was given, and did not read back, are read all the same. All are there
/// when this returns.
int32_t readRest(fuse_device_run &run) {
  fuse_device *device = run.context->device;
  bool isPending = run.context->device_state->isReading;
  run.context->device_state->isReading = false;
  for (int64_t i = run.numIns; i < run.numIns + run.numOuts; ++i) {
    fuse_mirror &mirror = run.mirrors[i];
    if (mirror.was_read || mirror.bytes == 0)
      continue;
    if (device->to_host(device, run.context, mirror.host, mirror.device, mirror.bytes))
      return 1;
    isPending = true;
  }
  return isPending ? device->wait(device, run.context) : 0;
}

int32_t reserveArgument(fuse_device_run &run, int64_t index, const fuse_buffer &like) {
  if (checkIndex(run, index))
    return 1;
  fuse_buffer &buffer = run.buffers[index];
  if (!hasSizes(buffer, like)) {
    run.isSized = false;
    dropGraph(run);
    if (describe(run, index, like))
      return 1;
    std::copy_n(like.sizes, like.rank, run.values[index].extents);
    computeStrides(like.rank, like.sizes, run.values[index].extents + like.rank);
  }
  if (grow(run, run.values[index].memory, countBytes(buffer)))
    return 1;
  buffer.data = run.values[index].memory.data;
  run.mirrors[index] = {buffer.data, nullptr, countBytes(buffer), 0, 0, 0};
  return 0;
}

int32_t upload(fuse_device_run &run, int64_t index, const fuse_buffer *host) {
  if (checkIndex(run, index))
    return 1;
  fuse_context *context = run.context;
  if (!isRowMajor(*host))
    return failWith(context, "argument %lld: expected row-major order for its upload",
                    toLong(index));
  if (reserveArgument(run, index, *host))
    return 1;
  fuse_mirror &mirror = run.mirrors[index];
  mirror.host = host->data;
  ++context->counters.uploads;
  if (mirror.bytes == 0)
    return 0;
  return context->device->to_device(context->device, context, run.buffers[index].data, host->data,
                                    mirror.bytes);
}

int32_t sizeResults(fuse_device_run &run, fuse_buffer *outs) {
  fuse_context *context = run.context;
  run.isSized = false;
  fuse_buffer *own = run.buffers + run.numIns;
  for (int64_t i = 0; i < run.numOuts; ++i)
    if (describe(run, run.numIns + i, outs[i]))
      return 1;
  int64_t bytes = 0;
  if (run.query(context, run.buffers, own, &bytes))
    return 1;
  for (int64_t i = 0; i < run.numOuts; ++i)
    for (int32_t d = 0; d < outs[i].rank; ++d) {
      const_cast<int64_t *>(outs[i].sizes)[d] = own[i].sizes[d];
      const_cast<int64_t *>(outs[i].strides)[d] = own[i].strides[d];
    }
  if (placeResults(run) || grow(run, run.arena, bytes))
    return 1;
  run.arenaBytes = bytes;
  run.isSized = true;
  return 0;
}

int32_t download(fuse_device_run &run, int64_t index, const fuse_buffer *host) {
  if (checkIndex(run, index))
    return 1;
  fuse_context *context = run.context;
  fuse_device *device = context->device;
  const fuse_buffer &buffer = run.buffers[index];
  if (!hasSizes(buffer, *host) || !isRowMajor(*host))
    return failWith(context, "argument %lld: expected sizes %s in row-major order, found %s",
                    toLong(index), ShapeText(buffer).text, ShapeText(*host).text);
  int64_t bytes = countBytes(buffer);
  if (bytes == 0)
    return 0;
  return device->to_host(device, context, host->data, buffer.data, bytes) ||
         device->wait(device, context);
}

/// Puts `times` runs into the queue, recorded as one if that may be.
int32_t repeat(fuse_device_run &run, int64_t times) {
  fuse_context *context = run.context;
  fuse_device_graph *graph = nullptr;
  if (context->device->begin_capture && fuse_device_capture_begin(context) == 0) {
    int32_t status = runOnce(run);
    if (fuse_device_capture_end(context, status == 0, &graph))
      return 1;
  }
  fuse_device *device = context->device;
  int32_t status = device->begin_time ? device->begin_time(device, context) : 0;
  for (int64_t i = 0; i < times && status == 0; ++i)
    status = graph ? fuse_device_replay(context, graph) : runOnce(run);
  // Nothing of a recorded run is under way when it is given back.
  if (status == 0 && device->end_time)
    status = device->end_time(device, context, &run.timed);
  else if (status == 0)
    status = device->wait(device, context);
  fuse_device_graph_destroy(context, graph);
  return status;
}

/// After an error nothing is under way: callers may free what they have uploaded.
int32_t finish(fuse_device_run &run, int32_t status) {
  if (status != 0)
    drain(run.context);
  return status;
}

} // namespace

extern "C" {

int32_t fuse_device_run_create(fuse_context *context, fuse_query_fn query, fuse_run_fn run,
                               int64_t numIns, int64_t numOuts, fuse_device_run **result) {
  *result = nullptr;
  if (!context->device)
    return failWith(context, "a run on a device needs a context with one");
  auto *made = static_cast<fuse_device_run *>(std::calloc(1, sizeof(fuse_device_run)));
  if (made) {
    // One more than needed, so that null means that memory is out.
    size_t count = static_cast<size_t>(numIns + numOuts) + 1;
    *made = {};
    made->context = context;
    made->query = query;
    made->run = run;
    made->buffers = static_cast<fuse_buffer *>(std::calloc(count, sizeof(fuse_buffer)));
    made->values = static_cast<Value *>(std::calloc(count, sizeof(Value)));
    made->mirrors = static_cast<fuse_mirror *>(std::calloc(count, sizeof(fuse_mirror)));
  }
  if (!made || !made->buffers || !made->values || !made->mirrors) {
    fuse_device_run_destroy(made);
    return failWith(context, "out of memory: a run on a device");
  }
  made->numIns = numIns;
  made->numOuts = numOuts;
  *result = made;
  return 0;
}

void fuse_device_run_destroy(fuse_device_run *run) {
  if (!run)
    return;
  fuse_context *context = run->context;
  fuse_device *device = context->device;
  drain(context);
  if (context->device_state->mirrors == run->mirrors)
    fuse_context_set_mirrors(context, nullptr, 0);
  dropGraph(*run);
  for (int64_t i = 0; i < run->numIns + run->numOuts; ++i) {
    if (run->values[i].memory.data)
      device->release(device, context, run->values[i].memory.data);
    std::free(run->values[i].extents);
  }
  if (run->arena.data)
    device->release(device, context, run->arena.data);
  releasePinned(context, run->results);
  std::free(run->buffers);
  std::free(run->values);
  std::free(run->mirrors);
  std::free(run);
}

int32_t fuse_device_run_reserve(fuse_device_run *run, int64_t index, const fuse_buffer *like) {
  return finish(*run, reserveArgument(*run, index, *like));
}

int32_t fuse_device_run_upload(fuse_device_run *run, int64_t index, const fuse_buffer *host) {
  return finish(*run, upload(*run, index, host));
}

fuse_buffer *fuse_device_run_ins(fuse_device_run *run) { return run->buffers; }

int32_t fuse_device_run_size(fuse_device_run *run, fuse_buffer *outs) {
  return finish(*run, sizeResults(*run, outs));
}

int32_t fuse_device_run_execute(fuse_device_run *run, const fuse_buffer *outs) {
  fuse_context *context = run->context;
  if (!run->isSized)
    return failWith(context, "a run on a device begins before its results are sized");
  for (int64_t i = 0; i < run->numOuts; ++i)
    if (!hasSizes(run->buffers[run->numIns + i], outs[i]) || !isRowMajor(outs[i])) {
      return failWith(context, "result %lld: expected sizes %s in row-major order, found %s",
                      toLong(i), ShapeText(run->buffers[run->numIns + i]).text,
                      ShapeText(outs[i]).text);
    }
  fuse_context_set_mirrors(context, run->mirrors, run->numIns + run->numOuts);
  int32_t status = submit(*run);
  if (status == 0)
    status = readRest(*run);
  fuse_context_set_mirrors(context, nullptr, 0);
  if (finish(*run, status))
    return status;
  run->isWarm = true;
  for (int64_t i = 0; i < run->numOuts; ++i) {
    const fuse_mirror &mirror = run->mirrors[run->numIns + i];
    if (mirror.bytes > 0)
      std::memcpy(outs[i].data, mirror.host, static_cast<size_t>(mirror.bytes));
  }
  return 0;
}

int32_t fuse_device_run_download(fuse_device_run *run, int64_t index, const fuse_buffer *host) {
  return finish(*run, download(*run, index, host));
}

void fuse_device_run_use_graph(fuse_device_run *run, int32_t use) { run->usesGraph = use != 0; }

int32_t fuse_device_run_time(fuse_device_run *run, int64_t times, int64_t *nanoseconds) {
  *nanoseconds = 0;
  fuse_context *context = run->context;
  if (!run->isWarm)
    return failWith(context, "a run on a device is timed before it has run");
  fuse_device_state &state = *context->device_state;
  fuse_context_set_mirrors(context, run->mirrors, run->numIns + run->numOuts);
  state.isPreparing = true;
  int64_t begin = Recording::now();
  int32_t status = repeat(*run, times);
  *nanoseconds = context->device->end_time ? run->timed : Recording::now() - begin;
  state.isPreparing = false;
  fuse_context_set_mirrors(context, nullptr, 0);
  return finish(*run, status);
}

int64_t fuse_device_run_arena_bytes(const fuse_device_run *run) { return run->arenaBytes; }

} // extern "C"
