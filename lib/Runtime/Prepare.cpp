//===- Prepare.cpp - What is computed from parameters, once --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Internal.h"

#include <cstdlib>

using namespace mlir::fuse::runtime;

int32_t fuse_prepare(fuse_context *context, fuse_query_fn query, fuse_run_fn run,
                     const fuse_buffer *params, fuse_buffer *prepared) {
  int64_t bytes = 0;
  if (int32_t status = query(context, params, prepared, &bytes))
    return status;
  fuse_memory arena = {nullptr, 0};
  if (int32_t status = reserve(context, arena, bytes, "preparing parameters"))
    return status;
  auto counters = context->counters;
  fuse_event *events = context->events;
  context->events = nullptr;
  int32_t status = run(context, params, prepared, arena.data);
  context->events = events;
  context->counters = counters;
  std::free(arena.data);
  return status;
}
