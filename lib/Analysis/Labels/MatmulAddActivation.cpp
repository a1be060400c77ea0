//===- MatmulAddActivation.cpp - The pattern matmul-add-activation -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LabelOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether `op` bends its operand, if all others are constants.
static bool isNonlinear(const LabelOps &ops, Operation *op) {
  if (auto unary = dyn_cast<UnaryOp>(op))
    return unary.getKind() != UnaryKind::Neg;
  auto binary = dyn_cast<BinaryOp>(op);
  if (!binary)
    return true;
  auto isConstant = [&](Value value) { return !ops.getMember(value); };
  bool hasConstant = isConstant(binary.getLhs()) || isConstant(binary.getRhs());
  switch (binary.getKind()) {
  case BinaryKind::Add:
  case BinaryKind::Sub:
    return false;
  case BinaryKind::Mul:
    return !hasConstant;
  case BinaryKind::Div:
    return !isConstant(binary.getRhs());
  default:
    return true;
  }
}

/// matmul, the sum with a value from outside, and a function of that sum alone: its ops read
/// nothing else but constants.
bool mlir::fuse::isMatmulAddActivation(LabelOps ops) {
  auto matmul = ops.getOnly<MatmulOp>();
  if (!matmul)
    return false;
  SmallVector<Operation *> readers = ops.getReaders(matmul.getResult());
  auto add = readers.size() == 1 ? dyn_cast<BinaryOp>(readers.front()) : BinaryOp();
  if (!add || add.getKind() != BinaryKind::Add)
    return false;
  bool isLeft = ops.getMember(add.getLhs()) == matmul.getOperation();
  if (ops.getMember(isLeft ? add.getRhs() : add.getLhs()))
    return false;
  ops.claim(matmul);
  ops.claim(add);
  bool bends = false;
  unsigned ends = 0;
  for (Operation *op : ops.getDependents(add)) {
    if (classifyPattern(op) != OpPattern::Elementwise)
      return false;
    for (Value operand : op->getOperands())
      if (!ops.getMember(operand) && !getSplatConstant(operand))
        return false;
    ops.claim(op);
    bends |= isNonlinear(ops, op);
    ends += ops.getReaders(op->getResult(0)).empty();
  }
  return bends && ends == 1 && ops.areAllClaimed();
}
