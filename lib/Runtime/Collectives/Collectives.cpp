//===- Collectives.cpp - The collectives of the C interface ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir::fuse::runtime;

extern "C" {

int32_t fuse_all_reduce(fuse_context *context, fuse_group *group, int32_t kind,
                        const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "all_reduce", in, out);
  if (call.check() || call.checkKind(kind))
    return 1;
  return call.asAllReduce(kind).run();
}

int32_t fuse_all_gather(fuse_context *context, fuse_group *group, int64_t dimension,
                        const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "all_gather", in, out);
  if (call.check(/*grows=*/dimension))
    return 1;
  return call.asAllGather(dimension).run();
}

int32_t fuse_reduce_scatter(fuse_context *context, fuse_group *group, int32_t kind,
                            int64_t dimension, const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "reduce_scatter", in, out);
  if (call.check(/*grows=*/kNone, /*shrinks=*/dimension) || call.checkKind(kind))
    return 1;
  return call.asReduceScatter(kind, dimension).run();
}

int32_t fuse_all_to_all(fuse_context *context, fuse_group *group, int64_t split, int64_t concat,
                        const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "all_to_all", in, out);
  if (call.check(/*grows=*/concat, /*shrinks=*/split))
    return 1;
  return call.asAllToAll(split, concat).run();
}

int32_t fuse_all_slice(fuse_context *context, fuse_group *group, int64_t dimension,
                       const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "all_slice", in, out);
  return call.check(/*grows=*/kNone, /*shrinks=*/dimension) || call.allSlice(dimension);
}

int32_t fuse_broadcast_from(fuse_context *context, fuse_group *group, int64_t root,
                            const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "broadcast_from", in, out);
  if (call.check())
    return 1;
  if (root < 0 || root >= group->size)
    return failWith(context, "broadcast_from: expected one of %lld ranks, found %lld",
                    toLong(group->size), toLong(root));
  return call.asBroadcast(root).run();
}

int32_t fuse_barrier(fuse_context *context, fuse_group *group) {
  ErrorText error = {context->error, sizeof(context->error)};
  return group->size == 1 ? 0 : group->job->transport->barrier(*group, error);
}

} // extern "C"
