//===- Compounds.cpp - Kernels that hold several patterns -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LabelOps.h"
#include "fuse/Analysis/Labels.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::fuse;

/// A pool of what conv-bn-relu computes.
bool mlir::fuse::isConvBnReluPool(LabelOps ops) {
  Operation *pool = nullptr;
  SmallVector<Operation *> rest;
  for (Operation *op : ops.getOps()) {
    if (!isa<MaxPool2dOp, AvgPool2dOp>(op)) {
      rest.push_back(op);
      continue;
    }
    if (pool)
      return false;
    pool = op;
  }
  if (!pool || rest.empty() || !ops.getReaders(pool->getResult(0)).empty())
    return false;
  LabelOps before(rest);
  Operation *last = ops.getMember(pool->getOperand(0));
  return before.contains(last) && before.getReaders(last->getResult(0)).empty() &&
         isConvBnRelu(before);
}

static bool isPointwise(Conv2dOp conv) {
  ArrayRef<int64_t> filter = cast<ShapedType>(conv.getFilter().getType()).getShape();
  bool filtersFirst = conv.getLayout() == ConvLayout::NchwFchw;
  return llvm::all_of(filtersFirst ? filter.drop_front(2) : filter.take_front(2),
                      [](int64_t extent) { return extent == 1; });
}

/// Whether def-use, seen without direction, joins all ops; scalars and parameters of norms, which
/// several may read, join nothing unless they are computed here.
static bool areJoined(const LabelOps &ops) {
  llvm::EquivalenceClasses<Operation *> parts;
  for (Operation *op : ops.getOps()) {
    parts.insert(op);
    for (Value operand : op->getOperands())
      if (Operation *member = ops.getMember(operand))
        parts.unionSets(op, member);
  }
  return parts.getNumClasses() == 1;
}

/// Convolutions that feed one another, or one sum; one of them mixes channels alone. Norms,
/// activations and the sum with the skip are between and behind.
bool mlir::fuse::isBottleneck(LabelOps ops) {
  unsigned convs = 0;
  bool hasPointwise = false;
  for (Operation *op : ops.getOps()) {
    if (auto conv = dyn_cast<Conv2dOp>(op)) {
      ++convs;
      hasPointwise |= isPointwise(conv);
    } else if (!isa<BatchNormOp>(op) && classifyPattern(op) != OpPattern::Elementwise) {
      return false;
    }
  }
  return convs > 1 && hasPointwise && areJoined(ops);
}

/// Attention, and products that make its operands or take its result.
bool mlir::fuse::isAttentionProjection(LabelOps ops) {
  unsigned products = 0;
  bool isWhole = false;
  for (Operation *op : ops.getOps()) {
    products += isa<MatmulOp>(op);
    isWhole |= isa<AttentionOp>(op);
    if (isa<Conv2dOp>(op) || classifyPattern(op) == OpPattern::Window)
      return false;
  }
  // Attention itself is two.
  return products > (isWhole ? 0 : 2) && areJoined(ops) && containsAttention(ops.getOps());
}
