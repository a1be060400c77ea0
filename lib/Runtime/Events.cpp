//===- Events.cpp - What a context did, and when -------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Internal.h"

#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace mlir::fuse::runtime;

int64_t Recording::now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}

fuse_event *Recording::begin(fuse_context *context, int32_t kind, const char *name,
                             int32_t kernel) {
  if (context->num_events == context->events_capacity) {
    ++context->events_lost;
    return nullptr;
  }
  fuse_event *event = &context->events[context->num_events++];
  *event = {0, 0, name, 0, kernel, kind};
  event->begin_ns = now();
  return event;
}

extern "C" {

int32_t fuse_context_set_recording(fuse_context *context, int64_t capacity) {
  if (capacity < 0)
    return failWith(context, "expected room for at least 0 events, found %lld", toLong(capacity));
  fuse_event *events = nullptr;
  if (capacity > 0) {
    int64_t bytes = 0;
    if (!__builtin_mul_overflow(capacity, static_cast<int64_t>(sizeof(fuse_event)), &bytes))
      events = static_cast<fuse_event *>(std::malloc(bytes));
    if (!events)
      return failWith(context, "out of memory: room for %lld events", toLong(capacity));
    // Touched here, so that no page is made during a run.
    std::memset(events, 0, bytes);
  }
  std::free(context->events);
  context->events = events;
  context->events_capacity = capacity;
  fuse_context_clear_events(context);
  return 0;
}

void fuse_context_clear_events(fuse_context *context) {
  context->num_events = 0;
  context->events_lost = 0;
}

} // extern "C"
