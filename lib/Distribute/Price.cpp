//===- Price.cpp - What a placement takes -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Times of single ops, for the comparison of placements: element-wise ops and views are taken to be
// fused with what computes their operands, and cost half of what moving their result takes.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/Collectives.h"
#include "fuse/CostModel/ProductRates.h"
#include "fuse/Distribute/Problem.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

using namespace mlir;
using namespace mlir::fuse;

static Cut getCut(ArrayRef<int8_t> dims, const Cut &loops, Grid grid) {
  Cut cut;
  for (unsigned axis = 0; axis < grid.size(); ++axis)
    if (loops[axis] >= 0)
      for (auto [dim, loop] : llvm::enumerate(dims))
        if (loop == loops[axis])
          cut.set(axis, dim);
  return cut;
}

Cut mlir::fuse::getOperandCut(const Step &step, const Placement &placement, Grid grid,
                              unsigned operand) {
  return getCut(step.rule.operands[operand], placement.loops, grid);
}

Cut mlir::fuse::getResultCut(const Step &step, const Placement &placement, Grid grid,
                             unsigned result) {
  Cut cut = getCut(step.rule.results[result], placement.loops, grid);
  for (unsigned axis = 0; axis < grid.size(); ++axis)
    if (placement.scatter[axis] >= 0)
      cut.set(axis, placement.scatter[axis]);
  return cut;
}

SmallVector<int64_t> mlir::fuse::getPartialAxes(const Step &step, const Placement &placement,
                                                Grid grid) {
  SmallVector<int64_t> axes;
  for (unsigned axis = 0; axis < grid.size(); ++axis)
    if (placement.loops[axis] >= 0 && step.rule.loops[placement.loops[axis]].isReduction)
      axes.push_back(axis);
  return axes;
}

static double bytesOf(Type type, Grid grid, const Cut &cut) {
  return static_cast<double>(getByteSize(type)) / cut.getParts(grid);
}

/// What one rank has of the machine that a target describes. GPUs are one for each rank; ranks of a CPU share its threads and
/// its memory.
static double getShare(TargetAttr target, Grid grid) {
  if (target.getKind() != TargetKind::Cpu)
    return 1;
  double ranks = 1;
  for (int64_t extent : grid)
    ranks *= static_cast<double>(extent);
  return 1 / std::max(1.0, std::min(ranks, target.getFigure("ranks_per_node")));
}

double mlir::fuse::computeTime(const Step &step, const Placement &placement, Grid grid,
                               TargetAttr target) {
  auto cost = dyn_cast<CostOpInterface>(step.op);
  if (!cost || step.isPrepared || cost.isMetadata())
    return 0;
  double bytes = 0;
  for (auto [number, operand] : llvm::enumerate(step.op->getOperands()))
    bytes += bytesOf(operand.getType(), grid, getOperandCut(step, placement, grid, number));
  double written = 0;
  for (auto [number, result] : llvm::enumerate(step.op->getResults()))
    written += bytesOf(result.getType(), grid, getCut(step.rule.results[number], placement.loops, grid));
  double flops = step.flops / placement.loops.getParts(grid);
  double share = getShare(target, grid);
  double threads = std::max(1.0, target.getFigure("max_threads") * share);
  double bandwidth = std::max(target.getFigure("memory_bw") * share, 1e-9);
  // Which sums may be in another order is not decided yet; nothing is rounded that need not be.
  ProductRates rates = ProductRates::get(target, Numerics::Folds);
  double simple = rates.simple * threads;
  bool isElementwise = false;
  if (auto fusable = dyn_cast<FusableOpInterface>(step.op))
    isElementwise = fusable.isElementwise();
  if (isElementwise)
    return std::max(simple > 0 ? flops / simple : 0, written / bandwidth / 2);
  bool isProduct = step.rule.kind && step.op->getNumOperands() >= 2;
  double rate = simple;
  if (isProduct || isa<AttentionOp>(step.op))
    rate = rates.getRate(getElementTypeOrSelf(step.op->getOperand(0).getType())) * threads;
  double computing = rate > 0 ? flops / rate : 0, moving = (bytes + written) / bandwidth;
  // A core that waits for weights computes little beside it: of a perceptron of 64 x 1024, 4096 and 1024 features, a rank that
  // read all weights took a sixth longer than one that read half of them, with equal products.
  bool overlaps = target.getKind() != TargetKind::Cpu;
  return target.getFigure("dispatch_ns") + (overlaps ? std::max(computing, moving) : computing + moving);
}

namespace {
/// One collective that combines parts.
struct Combination {
  CollectiveKind kind;
  int64_t bytes, groupSize, stride;
};
} // namespace

/// The distance of neighbours along an axis.
static int64_t getStride(Grid grid, unsigned axis) {
  int64_t stride = 1;
  for (int64_t extent : grid.drop_front(axis + 1))
    stride *= extent;
  return stride;
}

/// As the partition makes them: each rank keeps its part first, then all that is left is added up.
static SmallVector<Combination> getCombinations(const Step &step, const Placement &placement,
                                                Grid grid) {
  SmallVector<Combination> combinations;
  SmallVector<int64_t> axes = getPartialAxes(step, placement, grid);
  if (axes.empty())
    return combinations;
  Cut cut = getCut(step.rule.results[0], placement.loops, grid);
  Type type = step.op->getResult(0).getType();
  int64_t together = 1, stride = 1;
  for (int64_t axis : axes) {
    if (placement.scatter[axis] < 0) {
      together *= grid[axis];
      stride = getStride(grid, axis);
      continue;
    }
    combinations.push_back({CollectiveKind::ReduceScatter,
                            static_cast<int64_t>(bytesOf(type, grid, cut)), grid[axis],
                            getStride(grid, axis)});
    cut.set(axis, placement.scatter[axis]);
  }
  if (together > 1)
    combinations.push_back({CollectiveKind::AllReduce,
                            static_cast<int64_t>(bytesOf(type, grid, cut)), together, stride});
  return combinations;
}

double mlir::fuse::combineTime(const Step &step, const Placement &placement, Grid grid,
                               TargetAttr target) {
  double time = 0;
  for (const Combination &one : getCombinations(step, placement, grid))
    time += collectiveTime(target, one.kind, one.bytes, one.groupSize, one.stride);
  return time;
}

int64_t mlir::fuse::combineBytes(const Step &step, const Placement &placement, Grid grid) {
  int64_t bytes = 0;
  for (const Combination &one : getCombinations(step, placement, grid))
    bytes += collectiveBytesSent(one.kind, one.bytes, one.groupSize);
  return bytes;
}

/// Calls `visit` with the kind, the bytes, and the axes of each collective.
static void forEachMove(RankedTensorType type, Grid grid, const Cut &from, const Cut &to,
                        llvm::function_ref<void(CollectiveKind, int64_t, int64_t, int64_t)> visit) {
  Cut cut = from;
  for (const Move &move : planMoves(type.getRank(), from, to)) {
    int64_t size = 1;
    for (int64_t axis : move.axes)
      size *= grid[axis];
    double before = bytesOf(type, grid, cut);
    for (int64_t axis : move.axes)
      cut.set(axis, move.kind == Move::Gather ? -1 : move.kind == Move::Slice ? move.dim : move.to);
    double after = bytesOf(type, grid, cut);
    int64_t stride = getStride(grid, move.axes.back());
    switch (move.kind) {
    case Move::Gather:
      visit(CollectiveKind::AllGather, static_cast<int64_t>(after), size, stride);
      break;
    case Move::Slice:
      visit(CollectiveKind::AllSlice, static_cast<int64_t>(after), size, stride);
      break;
    case Move::Exchange:
      visit(CollectiveKind::AllToAll, static_cast<int64_t>(before), size, stride);
      break;
    }
  }
}

double mlir::fuse::joinTime(const Step &step, const Placement &placement, Grid grid,
                            TargetAttr target) {
  double time = 0;
  if (isa<shard::ShardOp>(step.op))
    return time;
  for (auto [number, result] : llvm::enumerate(step.op->getResults())) {
    bool isReturned = llvm::any_of(result.getUsers(), [](Operation *user) {
      return user->hasTrait<OpTrait::IsTerminator>();
    });
    if (auto type = dyn_cast<RankedTensorType>(result.getType()); type && isReturned)
      time += moveTime(type, grid, getResultCut(step, placement, grid, number), Cut(), target);
  }
  return time;
}

double mlir::fuse::moveTime(RankedTensorType type, Grid grid, const Cut &from, const Cut &to,
                            TargetAttr target) {
  double time = 0;
  if (from != to)
    forEachMove(type, grid, from, to,
                [&](CollectiveKind kind, int64_t bytes, int64_t size, int64_t stride) {
                  time += collectiveTime(target, kind, bytes, size, stride);
                });
  return time;
}

int64_t mlir::fuse::moveBytes(RankedTensorType type, Grid grid, const Cut &from, const Cut &to) {
  int64_t sent = 0;
  if (from != to)
    forEachMove(type, grid, from, to,
                [&](CollectiveKind kind, int64_t bytes, int64_t size, int64_t) {
                  sent += collectiveBytesSent(kind, bytes, size);
                });
  return sent;
}
