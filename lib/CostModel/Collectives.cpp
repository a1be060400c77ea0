//===- Collectives.cpp - What a collective takes -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/Collectives.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/FuseOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Steps per doubling of the group, and the share of the bytes that a process of n sends.
struct Exchange {
  int64_t rounds;
  double share;
};

Exchange getExchange(CollectiveKind kind, int64_t n) {
  double others = static_cast<double>(n - 1) / n;
  switch (kind) {
  case CollectiveKind::AllReduce:
    return {2, 2 * others};
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll:
    return {1, others};
  case CollectiveKind::BroadcastFrom:
    return {1, 1};
  case CollectiveKind::AllSlice:
    return {0, 0};
  }
  llvm_unreachable("all kinds are listed");
}

/// One level of the machine: n participants, each sending over a link of its own.
double levelTime(CollectiveKind kind, double bytes, int64_t n, double alpha, double bandwidth) {
  if (n <= 1)
    return 0;
  Exchange exchange = getExchange(kind, n);
  return exchange.rounds * llvm::Log2_64_Ceil(n) * alpha +
         exchange.share * bytes / std::max(bandwidth, 1e-9);
}

/// The two levels of a machine: within machines, and between them.
struct LevelTimes {
  double inside, between;
};

LevelTimes levelTimes(TargetAttr target, CollectiveKind kind, int64_t bytes, int64_t groupSize, int64_t stride) {
  int64_t perNode = static_cast<int64_t>(target.getFigure("ranks_per_node"));
  int64_t inside = std::clamp<int64_t>(perNode / std::max<int64_t>(stride, 1), 1, groupSize);
  int64_t machines = llvm::divideCeil(groupSize, inside);
  double bandwidth = target.getFigure("collective_beta_bw"), cached = target.getFigure("collective_cache_bw");
  if (cached > 0 && isCollectiveCached(target, bytes, inside))
    bandwidth = cached;
  double time = levelTime(kind, static_cast<double>(bytes), inside, target.getFigure("collective_alpha_ns"), bandwidth);
  // What each process of a machine has left to exchange is a part of the bytes; all groups that have
  // processes on the machine exchange at once.
  int64_t groups = std::max<int64_t>(perNode / inside, 1);
  return {time, levelTime(kind, static_cast<double>(bytes) * std::min(groups, std::max<int64_t>(stride, 1)),
                          machines, target.getFigure("network_alpha_ns"),
                          target.getFigure("network_bw"))};
}

} // namespace

double mlir::fuse::collectiveTime(TargetAttr target, CollectiveKind kind, int64_t bytes,
                                  int64_t groupSize, int64_t stride) {
  if (groupSize <= 1)
    return 0;
  if (kind == CollectiveKind::AllSlice)
    return 2 * static_cast<double>(bytes) / std::max(target.getFigure("memory_bw"), 1e-9);
  LevelTimes times = levelTimes(target, kind, bytes, groupSize, stride);
  return times.inside + times.between;
}

bool mlir::fuse::isCollectiveCached(TargetAttr target, int64_t bytes, int64_t processes) {
  return 2.0 * static_cast<double>(bytes) * static_cast<double>(processes) <= target.getFigure("l3_bytes");
}

int64_t mlir::fuse::collectiveBytesSent(CollectiveKind kind, int64_t bytes, int64_t groupSize) {
  return groupSize <= 1 ? 0 : static_cast<int64_t>(getExchange(kind, groupSize).share * bytes);
}

std::optional<CollectiveKind> mlir::fuse::getCollectiveKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<CollectiveKind>>(op)
      .Case([](AllReduceOp) { return CollectiveKind::AllReduce; })
      .Case([](ReduceScatterOp) { return CollectiveKind::ReduceScatter; })
      .Case([](AllGatherOp) { return CollectiveKind::AllGather; })
      .Case([](AllToAllOp) { return CollectiveKind::AllToAll; })
      .Case([](BroadcastFromOp) { return CollectiveKind::BroadcastFrom; })
      .Case([](AllSliceOp) { return CollectiveKind::AllSlice; })
      .Default([](Operation *) { return std::nullopt; });
}

int64_t mlir::fuse::getCollectiveBytes(Operation *collective) {
  std::optional<CollectiveKind> kind = getCollectiveKind(collective);
  bool ofResult = kind == CollectiveKind::AllGather || kind == CollectiveKind::AllSlice;
  return getByteSize(ofResult ? collective->getResult(0).getType()
                              : collective->getOperand(0).getType());
}

int64_t mlir::fuse::getGroupStride(ProcessGroupAttr group) {
  int64_t stride = 1;
  if (group.getAxes().empty())
    return stride;
  for (int64_t extent : group.getGrid().drop_front(group.getAxes().back() + 1))
    stride *= extent;
  return stride;
}

double mlir::fuse::collectiveTime(TargetAttr target, Operation *collective) {
  ProcessGroupAttr group = getProcessGroup(collective);
  return collectiveTime(target, *getCollectiveKind(collective), getCollectiveBytes(collective),
                        group.getGroupSize(), getGroupStride(group));
}

double mlir::fuse::collectiveIdleTime(TargetAttr target, Operation *collective) {
  CollectiveKind kind = *getCollectiveKind(collective);
  ProcessGroupAttr group = getProcessGroup(collective);
  if (kind == CollectiveKind::AllSlice || group.getGroupSize() <= 1)
    return 0;
  return levelTimes(target, kind, getCollectiveBytes(collective), group.getGroupSize(), getGroupStride(group)).between;
}
