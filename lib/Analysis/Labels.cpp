//===- Labels.cpp - The pattern that a kernel is -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/Labels.h"
#include "fuse/Analysis/FusionGraph.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringRef kLabels[] = {"elementwise-chain", "row-reduction", "contraction",
                                        "copy", "other"};

ArrayRef<StringRef> mlir::fuse::getLabelNames() { return kLabels; }

StringRef mlir::fuse::getLabel(KernelOp kernel) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBlock()->without_terminator())
    if (classifyNode(&op) == NodeKind::Device)
      ops.push_back(&op);
  return getLabel(ops);
}

StringRef mlir::fuse::getLabel(ArrayRef<Operation *> ops) {
  llvm::SmallSet<OpPattern, 8> patterns;
  for (Operation *op : ops)
    patterns.insert(classifyPattern(op));
  auto onlyHas = [&](std::initializer_list<OpPattern> allowed) {
    return llvm::all_of(patterns,
                        [&](OpPattern pattern) { return llvm::is_contained(allowed, pattern); });
  };
  if (patterns.empty())
    return "other";
  if (onlyHas({OpPattern::Elementwise}))
    return "elementwise-chain";
  if (patterns.contains(OpPattern::Reduction) &&
      onlyHas({OpPattern::Reduction, OpPattern::Elementwise}))
    return "row-reduction";
  if (patterns.contains(OpPattern::Contraction) && !patterns.contains(OpPattern::Window) &&
      !patterns.contains(OpPattern::Composite))
    return "contraction";
  if (onlyHas({OpPattern::Memory, OpPattern::Movement}))
    return "copy";
  return "other";
}
