//===- Job.h - What connects the ranks of a job -------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A transport moves bytes in row-major order; shapes, strides and short floats are dealt with
// above it, in Collectives.cpp.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_COLLECTIVES_JOB_H
#define FUSE_LIB_RUNTIME_COLLECTIVES_JOB_H

#include "../Internal.h"
#include "fuse/Runtime/Collectives.h"

namespace mlir::fuse::runtime {

/// Elements to combine: f32, f64, or integers (i1 as bytes 0 and 1).
struct Elements {
  int32_t kind; // a fuse_reduce_kind
  int32_t dtype;
  int64_t count;
};

/// What the ranks of a group exchange: arrays in one piece each.
struct Exchange {
  enum Kind { AllReduce, AllGather, AllToAll, Broadcast };
  Kind kind;
  /// AllReduce: what is combined, of `in` of all ranks into `out` of each.
  Elements elements;
  /// AllGather: of each rank to all, in the order of ranks. AllToAll: from each rank to each. Broadcast: of the root.
  int64_t bytes;
  int64_t root;
  const void *in;
  void *out; // Broadcast: of the root what is sent as well
};

/// An exchange that was started.
struct Request {
  enum State { NotBegun, UnderWay, Done, Nothing };
  void *handle; // the transport's, of one under way
  State state;  // Nothing: there is no exchange
};

/// What a group can do; its functions return 0, or 1 with an error. No group is of one rank, and no
/// count is 0.
struct Transport {
  const char *name;
  /// Connects the members of a new group, whose ranks in the job are `members`.
  int32_t (*connect)(fuse_group &group, const int64_t *members, const ErrorText &error);
  void (*disconnect)(fuse_group &group);
  int32_t (*exchange)(fuse_group &group, const Exchange &exchange, const ErrorText &error);
  int32_t (*barrier)(fuse_group &group, const ErrorText &error);
  void (*abort)(fuse_job &job, int32_t status);
  /// Begins what `exchange` does, and leaves the request under way; or does nothing, where the exchange can as well be made
  /// when it is waited for. Null: it always can. The arrays stay until `finish`.
  int32_t (*start)(fuse_group &group, const Exchange &exchange, Request &request, const ErrorText &error);
  /// Of requests under way. `test` moves the exchange on, and notes when it is done; `finish` returns then.
  int32_t (*test)(Request &request, const ErrorText &error);
  int32_t (*finish)(Request &request, const ErrorText &error);
};

/// out[i] = out[i] combined with in[i].
void combine(const Elements &elements, const void *in, void *out);

/// Makes the job of all ranks' group; false without memory.
bool startJob(fuse_job &job);
/// Frees the groups.
void endJob(fuse_job &job);

} // namespace mlir::fuse::runtime

struct fuse_group {
  fuse_job *job;
  int64_t rank, size;
  // The key: as fuse_job_group was given them.
  int64_t *grid, *axes;
  int64_t grid_axes, num_axes;
  void *connection; // the transport's
  fuse_group *next;
};

struct fuse_job {
  const mlir::fuse::runtime::Transport *transport;
  int64_t rank, size;
  const char *library;
  void *data; // the transport's
  fuse_group *groups;
  fuse_group *all;
};

#endif // FUSE_LIB_RUNTIME_COLLECTIVES_JOB_H
