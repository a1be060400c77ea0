//===- Problem.h - What is to be divided among processes, and at what price ----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A problem is a function, a grid, and what the user decided. A placement says which loops of an op
// the axes of the grid share out; from the placements of all ops follow the cuts of all values, the
// collectives between them, and the price. Search.h finds placements, Partition.h makes the program.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_PROBLEM_H
#define FUSE_DISTRIBUTE_PROBLEM_H

#include "fuse/Distribute/Cut.h"
#include "fuse/Distribute/CutRule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace mlir::fuse {

/// What an axis of the grid may cut, beside what annotations say.
enum class AxisRole {
  Any,
  /// What comes from the leading dimensions of arguments that are no parameters: the batch.
  Data,
  /// What comes from the dimensions of the weights of products. Activations go from product to
  /// product as they are, and are added up where a product is divided along its reduction.
  Tensor,
  /// Nothing but what annotations say.
  Unused,
};

/// How one op is divided.
struct Placement {
  /// The loop that each axis shares out.
  Cut loops;
  /// For an axis that shares out a reduction: the dimension of the result of which each rank keeps
  /// its part (reduce_scatter); nothing: all ranks get all of it (all_reduce).
  Cut scatter;

  bool operator==(const Placement &other) const {
    return loops == other.loops && scatter == other.scatter;
  }
};

/// One op that computes tensors.
struct Step {
  Operation *op;
  CutRule rule;
  /// Whether it is computed of parameters and constants alone, and so but once.
  bool isPrepared = false;
  /// Whether it multiplies by weights.
  bool isWeighted = false;
  /// Operations, and the bytes of operands and results, of all ranks together.
  double flops = 0;
};

class Problem {
public:
  Problem(func::FuncOp function, Grid grid, TargetAttr target);

  /// Mutable as handles of ops are.
  mutable func::FuncOp function;
  SmallVector<int64_t> grid;
  SmallVector<AxisRole> roles;
  TargetAttr target;
  /// Whether ranks may keep parts of what they add up, instead of all of it.
  bool scatters = false;
  /// What is known of values: arguments and results of `shard.shard`.
  llvm::DenseMap<Value, Cut> fixed;
  /// In the order in which the search goes through them: as in the program, but what is prepared
  /// stands before its first reader.
  std::vector<Step> steps;

  /// To be called once `fixed` and `roles` are what they will be.
  void finish();

  bool isConstant(Value value) const;
  bool isSplat(Value value) const;
  bool isParameter(Value value) const;
  /// What giving a value another cut takes in a call, in ns: parts of what is prepared are taken once.
  double getMoveTime(Value value, const Cut &from, const Cut &to) const;
  /// Whether the role of an axis allows to share out a loop of a step.
  bool mayCut(const Step &step, int64_t loop, unsigned axis) const;

private:
  void addStep(Operation *op);
  void findClasses();

  llvm::DenseMap<Operation *, unsigned> added;
  llvm::DenseMap<Value, bool> prepared;
  /// For each step and loop the class of dimensions that run along it.
  SmallVector<SmallVector<int64_t>> classes;
  SmallVector<bool> isBatch, isWeight;
};

/// The cut that a placement needs of an operand.
Cut getOperandCut(const Step &step, const Placement &placement, Grid grid, unsigned operand);
/// The cut that it gives a result, once parts are combined.
Cut getResultCut(const Step &step, const Placement &placement, Grid grid, unsigned result);
/// The axes that share out reductions.
SmallVector<int64_t> getPartialAxes(const Step &step, const Placement &placement, Grid grid);

/// What one rank takes to compute a step, without collectives, in ns.
double computeTime(const Step &step, const Placement &placement, Grid grid, TargetAttr target);
/// What combining parts of its result takes.
double combineTime(const Step &step, const Placement &placement, Grid grid, TargetAttr target);
/// What it sends.
int64_t combineBytes(const Step &step, const Placement &placement, Grid grid);

/// What the caller takes to join a result of a step, where it is one of the function that no annotation
/// wants in parts.
double joinTime(const Step &step, const Placement &placement, Grid grid, TargetAttr target);

/// What giving a tensor another cut takes, and what each rank sends for it.
double moveTime(RankedTensorType type, Grid grid, const Cut &from, const Cut &to, TargetAttr target);
int64_t moveBytes(RankedTensorType type, Grid grid, const Cut &from, const Cut &to);

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_PROBLEM_H
