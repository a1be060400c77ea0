//===- Collectives.h - What a collective takes -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A collective among n processes that exchanges `bytes` takes a number of steps, each at least the
// latency alpha, and sends a share of the bytes over the slowest link:
//
//   | collective     | steps       | bytes sent by a process | bytes counted             |
//   | all_reduce     | 2 * log2(n) | 2 * (n - 1) / n         | the operand               |
//   | reduce_scatter | log2(n)     | (n - 1) / n             | the operand               |
//   | all_gather     | log2(n)     | (n - 1) / n             | the result                |
//   | all_to_all     | log2(n)     | (n - 1) / n             | the operand               |
//   | broadcast_from | log2(n)     | 1                       | the operand               |
//   | all_slice      | 0           | 0                       | the result, which is copied |
//
// Within a machine, operands and results are copied: at `collective_cache_bw` where those of all its processes fit
// `l3_bytes`, else at `collective_beta_bw`. log2(n) is rounded up.
//
// On several machines the processes of one machine exchange first, then
// machines do, and share what a machine sends (`network_bw`) among its processes.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_COLLECTIVES_H
#define FUSE_COSTMODEL_COLLECTIVES_H

#include "fuse/IR/FuseAttributes.h"

#include <optional>

namespace mlir::fuse {

enum class CollectiveKind { AllReduce, ReduceScatter, AllGather, AllToAll, BroadcastFrom, AllSlice };

/// How long a collective takes, in ns. `bytes` are those of one process, as the table counts them.
/// `stride` is the distance of the ranks of two neighbours in the group: 1 along the last axis of a
/// grid, where groups lie on as few machines as can be.
double collectiveTime(TargetAttr target, CollectiveKind kind, int64_t bytes, int64_t groupSize,
                      int64_t stride = 1);

/// Whether the operands and results of `processes` processes of a machine, of `bytes` each, fit its last cache.
bool isCollectiveCached(TargetAttr target, int64_t bytes, int64_t processes);

/// What one process sends.
int64_t collectiveBytesSent(CollectiveKind kind, int64_t bytes, int64_t groupSize);

/// The kind of a collective op; none for other ops.
std::optional<CollectiveKind> getCollectiveKind(Operation *op);

/// The bytes of a collective op that the table counts; 0 where a size is unknown.
int64_t getCollectiveBytes(Operation *collective);

/// The distance of the ranks of two neighbours in a group: of its last axis.
int64_t getGroupStride(ProcessGroupAttr group);

/// collectiveTime of a collective op.
double collectiveTime(TargetAttr target, Operation *collective);

/// How much of collectiveTime a process has nothing to do but wait, so that it could run kernels: while machines exchange.
/// Within a machine its processors are those that copy.
double collectiveIdleTime(TargetAttr target, Operation *collective);

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_COLLECTIVES_H
