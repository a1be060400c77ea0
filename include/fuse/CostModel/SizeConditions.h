//===- SizeConditions.h - For which sizes two groups would be one kernel -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A program with open dimensions has one plan for all sizes. What the plan keeps apart may well be one kernel for some of
// them, or where a size is a number while compiling:
//
//   not fused: the kernel would have 1 block ...; what would allow it: ..., or seq <= 64 (it would gain 310 ns at 64)
//   not fused: reads it through a reshape of ?x8 to ? ...; or seq known while compiling (it would gain 310 ns at 128)
//
// The question that was refused is asked again in copies of the function in which one dimension has another size.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_SIZECONDITIONS_H
#define FUSE_COSTMODEL_SIZECONDITIONS_H

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/CostModel/CostModel.h"

#include <memory>

namespace mlir::fuse {

class SizeConditions {
public:
  /// Of the groups of one block of a function, which is copied when it is first asked about.
  SizeConditions(const FusionGraph &graph, TargetAttr target, const CostModel &costModel);
  ~SizeConditions();

  /// Adds to what would allow a merge of two groups (`refused.needs`) the sizes that would. Each of `a` and `b` are
  /// nodes, ascending, that may be formed. Nothing is added where all sizes are known already, where no size would do, and
  /// to what has nothing to do with sizes (marks, order in memory, kinds of ops).
  void addTo(Legality &refused, ArrayRef<unsigned> a, ArrayRef<unsigned> b);

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_SIZECONDITIONS_H
