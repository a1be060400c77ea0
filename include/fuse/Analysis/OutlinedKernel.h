//===- OutlinedKernel.h - The loops of a kernel that was outlined -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_OUTLINEDKERNEL_H
#define FUSE_ANALYSIS_OUTLINEDKERNEL_H

#include "fuse/Analysis/GroupDomain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// The function of an outlined kernel, or of a step of one that scans, as the planner describes a group:
/// its fuse ops as members, and what these run over. Schedules are made from it, and code is built over
/// its loops.
class OutlinedKernel {
public:
  /// Fails, with an error at the op, where the function has several blocks, or where something else than
  /// fuse ops on tensors, constants and views stands in it. Composites are to be decomposed before.
  static LogicalResult verify(func::FuncOp function);

  explicit OutlinedKernel(func::FuncOp function);

  const MemberTable &getTable() const { return table; }
  const GroupDomain &getDomain() const { return domain; }
  /// Its scatter, if it has one: such a kernel has no shared dims.
  std::optional<ScatterShape> getScatter() const;

  /// For each op the factors of the loops that the dimensions of its result run along, the outermost first;
  /// an empty list for a dimension whose loop stays whole. Of a view that leaves the kernel as a copy they are
  /// the copy's.
  ///
  /// Example: the product of 128x768 and 768x768 of which a reader sees 128x12x64: [[], [12, 64]].
  DenseMap<Operation *, SmallVector<SmallVector<int64_t>>> getResultFactors() const;

  /// For each result of the function the shared dim, or SharedDomain::kPrivate, of each factor of the
  /// dimensions of the member's value behind it, in order. Nothing where a result is computed by no member.
  std::optional<SmallVector<SmallVector<int64_t>>> getResultDims() const;

private:
  FusionGraph graph;
  MemberTable table;
  GroupDomain domain;
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_OUTLINEDKERNEL_H
