//===- CutRule.h - Along which loops the work of an op can be divided ------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// If the ranks of a group share out a loop of an op in equal, contiguous parts, each rank runs the
// same op on shards: of a parallel loop it computes its shard of the results; of a reduction it
// computes a part of the whole, and the ranks combine their parts (all_reduce).
//
// Rules come from the index maps of FusableOpInterface, with three additions: a reshape carries a
// cut of the outermost dimension of each group of dimensions that it joins or splits; a composite
// has the rule that follows from its decomposition; an iota counts from its own first element.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_CUTRULE_H
#define FUSE_DISTRIBUTE_CUTRULE_H

#include "fuse/IR/FuseAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace mlir::fuse {

struct CutLoop {
  /// What the number of parts must divide.
  int64_t extent = 0;
  bool isReduction = false;
  /// Why the loop cannot be shared out; empty if it can.
  std::string whyNot;

  bool canBeCut(int64_t parts) const { return whyNot.empty() && extent > 0 && extent % parts == 0; }
};

struct CutRule {
  SmallVector<CutLoop> loops;
  /// For each operand, and each result, the loop of each dimension; -1: every rank has all of it.
  /// Numbers (values that are no tensors) have no dimensions.
  SmallVector<SmallVector<int8_t>> operands, results;
  /// How parts of a reduction are combined.
  std::optional<ReduceKind> kind;
  /// Why no loop can be shared out: every rank runs all of the op. Empty if there are loops.
  std::string whyWhole;
};

/// The rule of an op that computes tensors from tensors.
CutRule getCutRule(Operation *op);

/// Why the op cannot be part of a partitioned program at all, not even if every rank runs all of it;
/// empty if it can.
std::string whyNotDistributable(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_CUTRULE_H
