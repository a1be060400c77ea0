//===- Attention.cpp - The pattern attention -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LabelOps.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// One matcher for one kernel: scores = Q·Kᵀ, corrected by element-wise ops (scale, mask); weights =
/// exp(scores [− max]); their sum over the keys; weights·V; and the quotient by the sum on either
/// side of the second product.
class AttentionMatcher {
public:
  explicit AttentionMatcher(LabelOps &ops) : ops(ops) {}

  bool match() {
    if (!findProducts())
      return false;
    afterScores = ops.getDependents(scores);
    if (!afterScores.contains(output))
      return false;
    softmax = ops.getOnly<SoftmaxOp>();
    weights = softmax ? softmax.getOperation() : findExp();
    if (!weights || !afterScores.contains(weights))
      return false;
    afterWeights = ops.getDependents(weights);
    if (!afterWeights.contains(output))
      return false;
    ops.claim(weights);
    return claimCorrections() && claimNormalization() && claimSideOps() && isAlongKeys() &&
           ops.areAllClaimed();
  }

private:
  bool findProducts() {
    for (Operation *op : ops.getOps()) {
      auto matmul = dyn_cast<MatmulOp>(op);
      if (!matmul)
        continue;
      if (output)
        return false;
      (scores ? output : scores) = matmul;
    }
    if (!output)
      return false;
    if (ops.getDependents(output).contains(scores))
      std::swap(scores, output);
    ops.claim(scores);
    ops.claim(output);
    return true;
  }

  Operation *findExp() {
    Operation *found = nullptr;
    for (Operation *op : afterScores)
      if (auto unary = dyn_cast<UnaryOp>(op); unary && unary.getKind() == UnaryKind::Exp) {
        if (found)
          return nullptr;
        found = op;
      }
    return found;
  }

  bool isScore(Value value) const {
    Operation *member = ops.getMember(value);
    return member && (member == scores || afterScores.contains(member));
  }
  bool isWeight(Value value) const {
    Operation *member = ops.getMember(value);
    return member && (member == weights || afterWeights.contains(member));
  }

  /// Between scores and exp: what changes each score by values from elsewhere, and the subtraction
  /// of the row's maximum.
  bool claimCorrections() {
    if (!softmax)
      claimMaximum();
    for (Operation *op : afterScores) {
      if (op == weights || afterWeights.contains(op) || ops.isClaimed(op))
        continue;
      if (classifyPattern(op) != OpPattern::Elementwise || !isCorrection(op) ||
          llvm::count_if(op->getOperands(), [&](Value v) { return isScore(v); }) != 1)
        return false;
      ops.claim(op);
    }
    return true;
  }

  static bool isCorrection(Operation *op) {
    if (auto unary = dyn_cast<UnaryOp>(op))
      return unary.getKind() == UnaryKind::Tanh || unary.getKind() == UnaryKind::Neg;
    if (auto binary = dyn_cast<BinaryOp>(op))
      return llvm::is_contained({BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul,
                                 BinaryKind::Div, BinaryKind::Max, BinaryKind::Min},
                                binary.getKind());
    return isa<SelectOp, ClampOp>(op);
  }

  void claimMaximum() {
    auto shifted = dyn_cast_or_null<BinaryOp>(ops.getMember(weights->getOperand(0)));
    if (!shifted || shifted.getKind() != BinaryKind::Sub)
      return;
    auto top = dyn_cast_or_null<ReduceOp>(ops.getMember(shifted.getRhs()));
    if (!top || top.getKind() != ReduceKind::Max ||
        ops.getSource(top.getOperand()) != ops.getSource(shifted.getLhs()))
      return;
    maximum = top;
    ops.claim(top);
    ops.claim(shifted);
  }

  /// After exp: the sum, its reciprocal, one quotient, and what masks weights.
  bool claimNormalization() {
    if (softmax)
      return claimWeightMasks();
    for (Operation *op : afterWeights) {
      auto reduce = dyn_cast<ReduceOp>(op);
      if (!reduce)
        continue;
      if (sum || reduce.getKind() != ReduceKind::Sum ||
          ops.getMember(reduce.getOperand()) != weights)
        return false;
      sum = reduce;
    }
    if (!sum || (maximum && maximum.getDimensions() != sum.getDimensions()))
      return false;
    ops.claim(sum);
    sumSide.insert(sum);
    unsigned quotients = 0;
    for (Operation *op : afterWeights) {
      bool isReciprocal = false;
      if (auto unary = dyn_cast<UnaryOp>(op))
        isReciprocal = unary.getKind() == UnaryKind::Reciprocal && isOfSum(unary.getOperand());
      auto binary = dyn_cast<BinaryOp>(op);
      if (binary && binary.getKind() == BinaryKind::Div && isOfSum(binary.getRhs())) {
        if (isWeight(binary.getLhs()))
          ++quotients;
        else if (getSplatConstant(binary.getLhs()) == 1.0)
          isReciprocal = true;
        else
          return false;
        ops.claim(op);
      }
      if (isReciprocal) {
        ops.claim(op);
        sumSide.insert(op);
        inverted = true;
      }
    }
    if (inverted)
      for (Operation *op : afterWeights)
        if (auto binary = dyn_cast<BinaryOp>(op);
            binary && binary.getKind() == BinaryKind::Mul && isWeight(binary.getLhs()) &&
            isWeight(binary.getRhs()) &&
            isOfSum(binary.getLhs()) != isOfSum(binary.getRhs())) {
          ops.claim(op);
          ++quotients;
        }
    return quotients == 1 && claimWeightMasks();
  }

  bool isOfSum(Value value) const { return sumSide.contains(ops.getMember(value)); }

  /// Dropped or masked weights.
  bool claimWeightMasks() {
    for (Operation *op : afterWeights) {
      if (ops.isClaimed(op))
        continue;
      auto binary = dyn_cast<BinaryOp>(op);
      bool masks = isa<SelectOp>(op) || (binary && binary.getKind() == BinaryKind::Mul);
      if (!masks || !ops.getDependents(op).contains(output) ||
          llvm::count_if(op->getOperands(), [&](Value v) { return isWeight(v); }) != 1)
        return false;
      ops.claim(op);
    }
    return true;
  }

  /// What does not depend on scores: masks in the making, and scales of the products' operands.
  bool claimSideOps() {
    for (Operation *op : ops.getOps()) {
      if (ops.isClaimed(op))
        continue;
      if (afterScores.contains(op) ||
          (classifyPattern(op) != OpPattern::Elementwise && !isa<IotaOp>(op)))
        return false;
      llvm::SetVector<Operation *> readers = ops.getDependents(op);
      bool feedsOutput = llvm::is_contained(ops.getReaders(op->getResult(0)), output);
      if ((readers.contains(scores) || feedsOutput) && !isScale(op))
        return false;
      ops.claim(op);
    }
    return true;
  }

  static bool isScale(Operation *op) {
    auto binary = dyn_cast<BinaryOp>(op);
    auto isNumber = [](Value value) { return getVaryingDims(value).none(); };
    if (!binary)
      return false;
    if (binary.getKind() == BinaryKind::Mul)
      return isNumber(binary.getLhs()) || isNumber(binary.getRhs());
    return binary.getKind() == BinaryKind::Div && isNumber(binary.getRhs());
  }

  /// Whether the sum runs along the dimension that the second product contracts.
  bool isAlongKeys() {
    bool isLeft = isWeight(output.getLhs());
    if (isLeft == isWeight(output.getRhs()))
      return false;
    Value value = isLeft ? output.getLhs() : output.getRhs();
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    bool isLast = isLeft ? !output.getTransposeLhs() : output.getTransposeRhs();
    std::optional<int64_t> dim = rank - (isLast ? 1 : 2);
    while (true) {
      // A kernel's own values only: nothing is looked up outside.
      Operation *def = value.getDefiningOp();
      if (!def)
        return false;
      if (classifyNode(def) == NodeKind::View) {
        dim = getViewSourceDim(def, *dim);
        if (!dim)
          return false;
        value = def->getOperand(0);
        continue;
      }
      if (def == weights)
        break;
      auto next = llvm::find_if(def->getOperands(),
                                [&](Value v) { return isWeight(v) && !isOfSum(v); });
      if (classifyPattern(def) != OpPattern::Elementwise || next == def->getOperands().end())
        return false;
      dim = *dim - cast<RankedTensorType>(value.getType()).getRank() +
            cast<RankedTensorType>((*next).getType()).getRank();
      value = *next;
    }
    if (softmax) {
      int64_t own = softmax.getDimension();
      return dim == (own < 0 ? own + cast<RankedTensorType>(value.getType()).getRank() : own);
    }
    return sum.getDimensions().size() == 1 && sum.getDimensions().front() == dim;
  }

  LabelOps &ops;
  MatmulOp scores, output;
  SoftmaxOp softmax;
  Operation *weights = nullptr;
  ReduceOp maximum, sum;
  bool inverted = false;
  llvm::SetVector<Operation *> afterScores, afterWeights;
  llvm::DenseSet<Operation *> sumSide;
};

} // namespace

bool mlir::fuse::isAttention(LabelOps ops) {
  if (auto attention = ops.getOnly<AttentionOp>()) {
    ops.claim(attention);
    return ops.areAllClaimed();
  }
  return AttentionMatcher(ops).match();
}
