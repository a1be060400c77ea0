//===- Labels.cpp - The pattern that a kernel is -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/Labels.h"
#include "Labels/LabelOps.h"
#include "fuse/Analysis/FusionGraph.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringRef kLabels[] = {"conv-bn-relu",
                                        "conv-bn-relu-pool",
                                        "bottleneck",
                                        "matmul-add-activation",
                                        "elementwise-chain",
                                        "attention",
                                        "attention-projection",
                                        "layernorm-linear",
                                        "row-reduction",
                                        "contraction",
                                        "copy",
                                        "other"};

ArrayRef<StringRef> mlir::fuse::getLabelNames() { return kLabels; }

bool mlir::fuse::containsAttention(ArrayRef<Operation *> ops) {
  LabelOps members(ops);
  llvm::DenseMap<Operation *, llvm::SetVector<Operation *>> dependents;
  for (Operation *op : ops)
    dependents[op] = members.getDependents(op);
  auto isBetween = [&](Operation *scores, Operation *last) {
    SmallVector<Operation *> between;
    for (Operation *op : ops)
      if (op == scores || op == last ||
          (dependents[scores].contains(op) && dependents[op].contains(last)))
        between.push_back(op);
    return isAttention(LabelOps(between));
  };
  for (Operation *scores : ops)
    for (Operation *product : ops) {
      if (!isa<MatmulOp>(scores) || !isa<MatmulOp>(product) ||
          !dependents[scores].contains(product))
        continue;
      // The division may stand behind the product.
      SmallVector<Operation *> ends = members.getReaders(product->getResult(0));
      ends.push_back(product);
      if (llvm::any_of(ends, [&](Operation *last) { return isBetween(scores, last); }))
        return true;
    }
  return llvm::any_of(ops, [](Operation *op) { return isa<AttentionOp>(op); });
}

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
  bool multiplies =
      patterns.contains(OpPattern::Contraction) || patterns.contains(OpPattern::Composite);
  if (multiplies && isConvBnRelu(LabelOps(ops)))
    return "conv-bn-relu";
  if (multiplies && patterns.contains(OpPattern::Window) && isConvBnReluPool(LabelOps(ops)))
    return "conv-bn-relu-pool";
  if (multiplies && isBottleneck(LabelOps(ops)))
    return "bottleneck";
  if (multiplies && isMatmulAddActivation(LabelOps(ops)))
    return "matmul-add-activation";
  // One op is no chain.
  if (onlyHas({OpPattern::Elementwise}))
    return ops.size() > 1 ? "elementwise-chain" : "other";
  if (multiplies && isAttention(LabelOps(ops)))
    return "attention";
  if (multiplies && isAttentionProjection(LabelOps(ops)))
    return "attention-projection";
  if (multiplies && isLayernormLinear(LabelOps(ops)))
    return "layernorm-linear";
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
