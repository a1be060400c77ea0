//===- Distribute.h - From what is asked for to the program of one rank ------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_DISTRIBUTE_H
#define FUSE_DISTRIBUTE_DISTRIBUTE_H

#include "fuse/Distribute/Annotations.h"
#include "fuse/Distribute/Search.h"

#include <memory>

namespace mlir::fuse {

/// A plan, with the problem that it solves.
struct Proposal {
  std::shared_ptr<Problem> problem;
  DistributionPlan plan;
};

/// Plans for a function, the best one first, `count` of them at most. Without a request annotations
/// say what is cut; `annotations` has no grid where there are none. An error at the function where
/// an axis would cut nothing, and where no plan fits the memory.
FailureOr<std::vector<Proposal>> propose(func::FuncOp function, const Annotations &annotations,
                                         std::optional<ShardRequest> request, TargetAttr target,
                                         int64_t memoryBytes, unsigned count);

/// The grids in which so many ranks can stand: of one axis, and of two.
SmallVector<SmallVector<int64_t>> listGrids(int64_t ranks);

/// What the plans take, and what decided between the first and each other.
std::string explain(ArrayRef<Proposal> proposals);

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_DISTRIBUTE_H
