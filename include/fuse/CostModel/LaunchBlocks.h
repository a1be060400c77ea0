//===- LaunchBlocks.h - What the planner knows of launches that are formed --*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A formed function keeps no trace of prices and refusals. Since inlining a kernel is the identity,
// the planner's questions are asked again on a copy without kernels, with each launch as a group.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_LAUNCHBLOCKS_H
#define FUSE_COSTMODEL_LAUNCHBLOCKS_H

#include "fuse/CostModel/MergeQuery.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {

/// Whether `op` is one launch of a formed function: a kernel, a host op, or a device op outside of
/// kernels. What is within a launch is none.
bool isLaunch(Operation *op);

/// The launches of a formed function in the order of their ids.
SmallVector<Operation *> collectLaunches(FunctionOpInterface function);

/// The written ops of a launch in execution order: the primitives of one composite are one.
std::vector<std::string> describeWrittenOps(Operation *launch);

/// Whether all that a launch reads and computes has a static shape: a price of extents that were
/// made up would be none.
bool hasStaticSizes(Operation *launch);

/// A copy of a formed function whose kernels are inlined.
class InlinedFunction {
public:
  explicit InlinedFunction(FunctionOpInterface formed);

  FunctionOpInterface getFunction() const { return copy.get(); }
  /// The id of the launch that an op of the copy belongs to; nothing for any other op.
  std::optional<int64_t> getLaunch(Operation *op) const;
  /// The schedule that somebody wrote for a launch's kernel; null without one.
  ScheduleAttr getSchedule(int64_t launch) const { return schedules.lookup(launch); }
  /// Makes a launch's facts be those of a schedule, as if somebody had written it.
  void setSchedule(int64_t launch, ScheduleAttr schedule) { schedules[launch] = schedule; }
  /// The op of the formed function that an op of the copy was made of.
  Operation *getOriginal(Operation *op) const { return originals.lookup(op); }

private:
  OwningOpRef<FunctionOpInterface> copy;
  DenseMap<Operation *, int64_t> launches;
  DenseMap<int64_t, ScheduleAttr> schedules;
  DenseMap<Operation *, Operation *> originals;
};

/// One block of the copy, as the planner sees it.
class LaunchBlock {
public:
  LaunchBlock(Block &block, const InlinedFunction &function, TargetAttr target,
              const CostModel &costModel);

  const FusionGraph &getGraph() const { return graph; }
  const MergeQuery &getQuery() const { return query; }
  /// The launch that a node is in; of a node of no launch a number of its own, below 0.
  int64_t getLaunch(unsigned node) const { return launchOf[node]; }
  /// The nodes of a launch, ascending.
  ArrayRef<unsigned> getNodes(int64_t launch) const;
  /// What the cost model is told of a launch; nothing for what the planner knows nothing of (host
  /// ops, other dialects, composites that were not taken apart).
  std::optional<LaunchFacts> getFacts(int64_t launch) const;
  /// The schedule that these facts are of; null where there are none.
  ScheduleAttr getSchedule(int64_t launch) const;
  /// The launches of the block, by their ids.
  ArrayRef<int64_t> getLaunches() const { return launches; }

private:
  FusionGraph graph;
  MemberTable table;
  MergeQuery query;
  SmallVector<int64_t> launchOf;
  SmallVector<int64_t> launches;
  DenseMap<int64_t, SmallVector<unsigned>> groups;
  DenseMap<int64_t, ScheduleAttr> schedules; ///< those that somebody wrote
  const GroupVerdict *evaluate(int64_t launch) const;
  mutable DenseMap<int64_t, GroupVerdict> verdicts;
};

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_LAUNCHBLOCKS_H
