//===- ScaledSums.cpp - Sums that are scaled instead of their terms -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ScaledSums.h"
#include "../Kernel/BodyAccess.h"

using namespace mlir;
using namespace mlir::fuse;

/// The input that a value of the body is, or is converted from.
static OpOperand *getInput(linalg::GenericOp op, Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBody() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

std::optional<ScaledSums> mlir::fuse::findScaledSums(linalg::GenericOp op, unsigned vectors,
                                                     ArrayRef<unsigned> inner) {
  Operation *yield = op.getBody()->getTerminator();
  if (op.getNumDpsInits() != 1 || inner.empty())
    return std::nullopt;
  auto sum = yield->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value accumulator = op.getRegionOutputArgs().front();
  if (!sum || (sum.getLhs() != accumulator && sum.getRhs() != accumulator))
    return std::nullopt;
  auto term =
      (sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  if (!term || !term->hasOneUse())
    return std::nullopt;
  for (Value factor : term->getOperands()) {
    auto product = factor.getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasOneUse())
      continue;
    for (unsigned number : {1, 0}) {
      Value scale = product->getOperand(number);
      OpOperand *input = getInput(op, scale);
      if (!input || product.getLhs() == product.getRhs() ||
          getAccess(op, *input, vectors) == Access::Other)
        continue;
      AffineMap map = op.getMatchingIndexingMap(input);
      unsigned depth = inner.size();
      while (depth > 0 && !map.isFunctionOfDim(inner[depth - 1]))
        --depth;
      if (depth < inner.size())
        return ScaledSums{product, product->getOperand(1 - number), scale, depth};
    }
  }
  return std::nullopt;
}
