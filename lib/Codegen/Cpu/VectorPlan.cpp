//===- VectorPlan.cpp - How a member runs in vectors --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LoopFacts.h"

using namespace mlir;
using namespace mlir::fuse;

std::unique_ptr<VectorPlan> mlir::fuse::planVectors(linalg::GenericOp op, const VectorFacts &facts) {
  std::optional<int64_t> bytes = getBodyBytes(op);
  bool hasReductions = op.getNumReductionLoops() > 0;
  if (!bytes || op.getNumLoops() == 0 || (hasReductions && op.getNumDpsInits() != 1))
    return nullptr;
  int64_t width = std::max<int64_t>(1, facts.bytes / *bytes);
  std::unique_ptr<VectorPlan> plan;
  if (hasReductions) {
    plan = planContraction(op, width, facts);
    if (!plan)
      plan = planRowReduction(op, facts);
  } else {
    plan = planMap(op, width, facts);
    // What the body loads itself is at hand for whole vectors only.
    bool loads = !op.getBody()->getOps<memref::LoadOp>().empty();
    if (!plan && !loads)
      plan = planTranspose(op, width);
    if (!plan && !loads)
      plan = planLanes(op, width);
  }
  if (plan)
    plan->hasFma = facts.hasFma;
  return plan;
}
