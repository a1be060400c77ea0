//===- LayernormLinear.cpp - The pattern layernorm-linear -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RowAlgebra.h"

using namespace mlir;
using namespace mlir::fuse;

/// The dimension of `value` at the source of its views and float casts, which is `source`.
static std::optional<int64_t> followToSource(Value value, Value source, int64_t dim) {
  while (value != source) {
    Operation *def = value.getDefiningOp();
    if (!def)
      return std::nullopt;
    if (classifyNode(def) == NodeKind::View) {
      std::optional<int64_t> below = getViewSourceDim(def, dim);
      if (!below)
        return std::nullopt;
      dim = *below;
    }
    value = def->getOperand(0);
  }
  return dim;
}

/// Claims the ops of a layer norm that computes `value`; it must run along dimension `dim` of it.
static bool claimLayerNorm(LabelOps &ops, Value value, int64_t dim) {
  Operation *member = ops.getMember(value);
  if (!member)
    return false;
  std::optional<int64_t> along = followToSource(value, member->getResult(0), dim);
  if (!along)
    return false;
  if (auto norm = dyn_cast<LayerNormOp>(member)) {
    ops.claim(norm);
    return llvm::is_contained(norm.getDimensions(), *along);
  }
  RowAlgebra algebra(ops);
  RowAlgebra::Sum sum = algebra.evaluate(member->getResult(0));
  if (!algebra.isLayerNorm(sum) || !llvm::is_contained(algebra.getRowDims(), *along))
    return false;
  for (Operation *op : algebra.getUsed())
    ops.claim(op);
  return true;
}

/// A layer norm, the product of its rows with what comes from outside, and perhaps one sum with what
/// comes from outside.
bool mlir::fuse::isLayernormLinear(LabelOps ops) {
  auto matmul = ops.getOnly<MatmulOp>();
  if (!matmul || static_cast<bool>(ops.getMember(matmul.getLhs())) ==
                     static_cast<bool>(ops.getMember(matmul.getRhs())))
    return false;
  ops.claim(matmul);
  bool isLeft = ops.getMember(matmul.getLhs()) != nullptr;
  Value rows = isLeft ? matmul.getLhs() : matmul.getRhs();
  bool isLast = isLeft ? !matmul.getTransposeLhs() : matmul.getTransposeRhs();
  if (!claimLayerNorm(ops, rows,
                      cast<RankedTensorType>(rows.getType()).getRank() - (isLast ? 1 : 2)))
    return false;
  for (Operation *reader : ops.getReaders(matmul.getResult())) {
    auto add = dyn_cast<BinaryOp>(reader);
    if (!add || add.getKind() != BinaryKind::Add || !ops.getReaders(add.getResult()).empty() ||
        (ops.getMember(add.getLhs()) && ops.getMember(add.getRhs())))
      return false;
    ops.claim(add);
  }
  return ops.areAllClaimed();
}
