//===- Search.h - The placements that take the least time ------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Goes through the ops in order and keeps, for each way in which the values that are still read can
// lie on the grid, the cheapest placements that lead there: dynamic programming over what lives
// between two ops. Between two layers of a model that is little, so that equal layers cost the same
// each time, however many there are. Where more ways are open than `width`, the cheapest go on.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_SEARCH_H
#define FUSE_DISTRIBUTE_SEARCH_H

#include "fuse/Distribute/Problem.h"

namespace mlir::fuse {

/// A collective that a plan needs, and why.
struct PlannedCollective {
  Operation *cause;
  std::string what;
  double ns;
  int64_t bytes;
};

/// Placements of all steps, and what they take.
struct DistributionPlan {
  SmallVector<int64_t> grid;
  /// One per step of the problem.
  SmallVector<Placement> placements;
  /// Of arguments that are tensors.
  llvm::DenseMap<Value, Cut> arguments;
  /// What each step takes, with the collectives before and behind it.
  SmallVector<double> stepNs;
  double computeNs = 0, collectiveNs = 0;
  /// What the caller takes to join results that no annotation wants in parts.
  double resultNs = 0;
  int64_t bytesSent = 0;
  /// Arguments, constants, and the most that lives at once beside them.
  int64_t memoryBytes = 0;
  SmallVector<PlannedCollective> collectives;

  double getNs() const { return computeNs + collectiveNs; }
  /// What plans are compared by.
  double getCost() const { return getNs() + resultNs; }
};

struct SearchOptions {
  /// How many ways are followed at once.
  unsigned width = 192;
  /// How many plans are wanted, the best one first; they differ in the cuts of arguments of
  /// two dimensions or more.
  unsigned count = 1;
  /// What the tensors of one rank may take; 0: no limit.
  int64_t memoryBytes = 0;
};

/// The best plans; none where no plan fits the memory.
std::vector<DistributionPlan> searchPlans(const Problem &problem, const SearchOptions &options);

/// What follows from the placements of all steps and the cuts of arguments: times, bytes, memory.
void pricePlan(const Problem &problem, DistributionPlan &plan);

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_SEARCH_H
