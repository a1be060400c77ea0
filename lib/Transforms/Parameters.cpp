//===- Parameters.cpp - What is known before a program sees its first input -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Parameters.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

/// How deep ops on parameters may be nested.
static constexpr unsigned kMostDepth = 8;

static bool isParameterBelow(Value value, unsigned depth) {
  value = getViewSource(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function && argument.getOwner()->isEntryBlock() &&
           function.getArgAttr(argument.getArgNumber(), attr::kParam);
  }
  Operation *op = value.getDefiningOp();
  if (classifyNode(op) == NodeKind::Constant)
    return true;
  return depth < kMostDepth && classifyNode(op) == NodeKind::Device &&
         classifyPattern(op) == OpPattern::Elementwise &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isParameterBelow(operand, depth + 1); });
}

bool mlir::fuse::isParameter(Value value) { return isParameterBelow(value, 0); }
