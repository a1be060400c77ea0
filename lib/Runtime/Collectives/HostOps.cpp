//===- HostOps.cpp - The collectives as programs call them ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Attributes of a call: those of the op, then the number of the grid's axes, the grid, and the axes
// of the group.
//
//===----------------------------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::fuse::runtime;

namespace {

struct Arguments {
  fuse_group *group;
  fuse_group alone; // where the group has one rank, for which no job is opened
  const int64_t *own;
  const fuse_buffer *in, *out;
};

/// The group of one rank, or that of the context's job.
int32_t findGroup(fuse_context *context, const int64_t *group, int64_t count, Arguments &found) {
  int64_t gridAxes = group[0], numAxes = count - 1 - gridAxes, size = 1;
  const int64_t *grid = group + 1, *axes = grid + gridAxes;
  for (int64_t i = 0; i < numAxes; ++i)
    if (axes[i] >= 0 && axes[i] < gridAxes)
      size *= grid[axes[i]];
  if (size == 1) {
    found.alone = {};
    found.alone.size = 1;
    found.group = &found.alone;
    return 0;
  }
  if (!context->job && fuse_job_open(&context->job, context->error, sizeof(context->error)))
    return 1;
  return fuse_job_group(context->job, grid, gridAxes, axes, numAxes, &found.group, context->error,
                        sizeof(context->error));
}

/// `numOwn`: how many attributes are the op's.
int32_t readArguments(fuse_context *context, const char *op, const fuse_buffer *args,
                      int64_t numIns, int64_t numOuts, const int64_t *attrs, int64_t numAttrs,
                      int64_t numOwn, Arguments &found) {
  int64_t rest = numAttrs - numOwn;
  if (numIns != 1 || numOuts != 1 || rest < 1 || attrs[numOwn] < 0 || attrs[numOwn] > rest - 1)
    return failWith(context,
                    "%s: expected 1 operand, 1 result, %lld attributes and a group of ranks, found "
                    "%lld, %lld and %lld attributes",
                    op, toLong(numOwn), toLong(numIns), toLong(numOuts), toLong(numAttrs));
  found.own = attrs;
  found.in = &args[0];
  found.out = &args[1];
  return findGroup(context, attrs + numOwn, rest, found);
}

} // namespace

#define FUSE_COLLECTIVE(function, name, numOwn, call)                                              \
  int32_t mlir::fuse::runtime::function(fuse_context *context, const fuse_buffer *args,            \
                                        int64_t numIns, int64_t numOuts, const int64_t *attrs,     \
                                        int64_t numAttrs, void *) {                                \
    Arguments a;                                                                                   \
    return readArguments(context, name, args, numIns, numOuts, attrs, numAttrs, numOwn, a) ||      \
           call;                                                                                   \
  }

FUSE_COLLECTIVE(allReduce, "all_reduce", 1,
                fuse_all_reduce(context, a.group, static_cast<int32_t>(a.own[0]), a.in, a.out))
FUSE_COLLECTIVE(allGather, "all_gather", 1,
                fuse_all_gather(context, a.group, a.own[0], a.in, a.out))
FUSE_COLLECTIVE(reduceScatter, "reduce_scatter", 2,
                fuse_reduce_scatter(context, a.group, static_cast<int32_t>(a.own[0]), a.own[1],
                                    a.in, a.out))
FUSE_COLLECTIVE(allToAll, "all_to_all", 2,
                fuse_all_to_all(context, a.group, a.own[0], a.own[1], a.in, a.out))
FUSE_COLLECTIVE(allSlice, "all_slice", 1,
                fuse_all_slice(context, a.group, a.own[0], a.in, a.out))
FUSE_COLLECTIVE(broadcastFrom, "broadcast_from", 1,
                fuse_broadcast_from(context, a.group, a.own[0], a.in, a.out))
#undef FUSE_COLLECTIVE

/// Starts the collective `run`. A device's results are sent to it when the call returns: there, the collective has ended.
static int32_t start(fuse_host_fn run, fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
                     const int64_t *attrs, int64_t numAttrs) {
  int64_t before = context->num_started_collectives;
  context->starts_collectives = !context->device;
  int32_t status = run(context, args, numIns, numOuts, attrs, numAttrs, nullptr);
  context->starts_collectives = 0;
  return status || (context->num_started_collectives == before && startNothing(context));
}

#define FUSE_STARTED_COLLECTIVE(function, run)                                                     \
  int32_t mlir::fuse::runtime::function(fuse_context *context, const fuse_buffer *args,            \
                                        int64_t numIns, int64_t numOuts, const int64_t *attrs,     \
                                        int64_t numAttrs, void *) {                                \
    return start(run, context, args, numIns, numOuts, attrs, numAttrs);                            \
  }

FUSE_STARTED_COLLECTIVE(startAllReduce, allReduce)
FUSE_STARTED_COLLECTIVE(startAllGather, allGather)
FUSE_STARTED_COLLECTIVE(startReduceScatter, reduceScatter)
FUSE_STARTED_COLLECTIVE(startAllToAll, allToAll)
FUSE_STARTED_COLLECTIVE(startBroadcastFrom, broadcastFrom)
#undef FUSE_STARTED_COLLECTIVE

/// Of its arrays, which are those of the collective, nothing is needed.
int32_t mlir::fuse::runtime::waitForCollectives(fuse_context *context, const fuse_buffer *, int64_t, int64_t,
                                                const int64_t *attrs, int64_t numAttrs, void *) {
  if (numAttrs != 1 || attrs[0] < 0)
    return failWith(context, "wait_for_collectives: expected the number of collectives that are left, found %lld attributes",
                    toLong(numAttrs));
  return finishStarted(context, attrs[0]);
}
