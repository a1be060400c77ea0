//===- Problem.cpp - What is to be divided among processes ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Problem.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::fuse;

static bool touchesTensors(Operation *op) {
  auto isTensor = llvm::IsaPred<RankedTensorType>;
  return llvm::any_of(op->getResultTypes(), isTensor) ||
         (!op->hasTrait<OpTrait::IsTerminator>() && op->getNumResults() == 0 &&
          llvm::any_of(op->getOperandTypes(), isTensor));
}

Problem::Problem(func::FuncOp function, Grid grid, TargetAttr target)
    : function(function), grid(grid), roles(grid.size(), AxisRole::Any), target(target) {}

bool Problem::isConstant(Value value) const {
  return value.getDefiningOp() && matchPattern(value, m_Constant());
}

bool Problem::isSplat(Value value) const {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat();
}

bool Problem::isParameter(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(), attr::kParam);
}

double Problem::getMoveTime(Value value, const Cut &from, const Cut &to) const {
  auto type = cast<RankedTensorType>(value.getType());
  bool isOnce = isParameter(value) || isConstant(value) || prepared.lookup(value);
  if (isOnce && llvm::all_of(planMoves(type.getRank(), from, to),
                             [](const Move &move) { return move.kind == Move::Slice; }))
    return 0;
  return moveTime(type, grid, from, to, target);
}

void Problem::finish() {
  Block &body = function.getBody().front();
  auto isPrepared = [&](Value value) {
    return isConstant(value) || isParameter(value) || prepared.lookup(value);
  };
  for (Operation &op : body) {
    bool isOfParameters = op.getNumOperands() > 0 && !isa<shard::ShardOp>(op) &&
                          llvm::all_of(op.getOperands(), isPrepared);
    for (Value result : op.getResults())
      prepared[result] = isOfParameters;
  }
  for (Operation &op : body)
    if (!op.hasTrait<OpTrait::IsTerminator>() && touchesTensors(&op) &&
        !(op.getNumResults() > 0 && prepared.lookup(op.getResult(0))))
      addStep(&op);
  // What is prepared for results alone.
  for (Operation &op : body)
    if (!op.hasTrait<OpTrait::IsTerminator>() && touchesTensors(&op))
      addStep(&op);
  findClasses();
}

void Problem::addStep(Operation *op) {
  if (matchPattern(op, m_Constant()) || !added.try_emplace(op, steps.size()).second)
    return;
  for (Value operand : op->getOperands())
    if (prepared.lookup(operand) && touchesTensors(operand.getDefiningOp()))
      addStep(operand.getDefiningOp());
  Step step;
  step.op = op;
  step.rule = getCutRule(op);
  if (auto shard = dyn_cast<shard::ShardOp>(op)) {
    // An annotation runs along the dimensions of what it annotates.
    step.rule = CutRule();
    auto type = cast<RankedTensorType>(shard.getType());
    SmallVector<int8_t> dims;
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      CutLoop loop;
      loop.extent = extent;
      step.rule.loops.push_back(loop);
      dims.push_back(static_cast<int8_t>(dim));
    }
    step.rule.operands = {dims, {}};
    step.rule.results = {dims};
  }
  step.isPrepared = op->getNumResults() > 0 && prepared.lookup(op->getResult(0));
  auto cost = dyn_cast<CostOpInterface>(op);
  if (cost && !step.isPrepared && !cost.isMetadata()) {
    double points = 1;
    if (auto fusable = dyn_cast<FusableOpInterface>(op)) {
      for (int64_t extent : fusable.getStaticLoopRanges())
        points *= ShapedType::isDynamic(extent) ? 1 : extent;
    } else if (op->getNumResults() > 0) {
      for (int64_t extent : cast<ShapedType>(op->getResult(0).getType()).getShape())
        points *= ShapedType::isDynamic(extent) ? 1 : extent;
      // Attention multiplies once for each key as well.
      if (auto attention = dyn_cast<AttentionOp>(op)) {
        int64_t keys = cast<ShapedType>(attention.getKey().getType()).getShape().end()[-2];
        points *= ShapedType::isDynamic(keys) ? 1 : keys;
        points /= std::max<int64_t>(
            cast<ShapedType>(attention.getQuery().getType()).getShape().back(), 1);
      }
    }
    step.flops = points * cost.getFlopsPerElement();
  }
  step.isWeighted = step.rule.kind && op->getNumOperands() >= 2 && !step.isPrepared &&
                    llvm::any_of(op->getOperands(), [&](Value operand) {
                      return isParameter(operand) || prepared.lookup(operand) ||
                             (isConstant(operand) && !isSplat(operand));
                    });
  steps.push_back(std::move(step));
}

/// Dimensions of values that some op runs along in one loop are of one class.
void Problem::findClasses() {
  llvm::EquivalenceClasses<std::pair<const void *, int64_t>> joined;
  auto dimOf = [](Value value, int64_t dim) {
    return std::pair<const void *, int64_t>(value.getAsOpaquePointer(), dim);
  };
  auto forEachDim = [&](Step &step, auto &&visit) {
    for (auto [operand, dims] : llvm::zip(step.op->getOperands(), step.rule.operands))
      for (auto [dim, loop] : llvm::enumerate(dims))
        if (loop >= 0 && !isConstant(operand))
          visit(operand, dim, loop);
    for (auto [result, dims] : llvm::zip(step.op->getResults(), step.rule.results))
      for (auto [dim, loop] : llvm::enumerate(dims))
        if (loop >= 0)
          visit(result, dim, loop);
  };
  for (Step &step : steps) {
    SmallVector<std::optional<std::pair<const void *, int64_t>>> first(step.rule.loops.size());
    forEachDim(step, [&](Value value, int64_t dim, int64_t loop) {
      joined.insert(dimOf(value, dim));
      if (first[loop])
        joined.unionSets(*first[loop], dimOf(value, dim));
      else
        first[loop] = dimOf(value, dim);
    });
  }
  llvm::DenseMap<std::pair<const void *, int64_t>, int64_t> numbers;
  auto numberOf = [&](Value value, int64_t dim) {
    auto [it, isNew] = numbers.try_emplace(joined.getOrInsertLeaderValue(dimOf(value, dim)), isBatch.size());
    if (isNew) {
      isBatch.push_back(false);
      isWeight.push_back(false);
    }
    return it->second;
  };
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType());
        type && type.getRank() > 0 && type.getDimSize(0) != 1 && !isParameter(argument))
      isBatch[numberOf(argument, 0)] = true;
  for (Step &step : steps) {
    SmallVector<int64_t> ofLoops(step.rule.loops.size(), -1);
    forEachDim(step, [&](Value value, int64_t dim, int64_t loop) {
      ofLoops[loop] = numberOf(value, dim);
      bool isOfWeights = isParameter(value) || prepared.lookup(value);
      if (step.isWeighted && isOfWeights)
        isWeight[ofLoops[loop]] = true;
    });
    if (step.isWeighted)
      for (auto [operand, dims] : llvm::zip(step.op->getOperands(), step.rule.operands))
        if (isConstant(operand) && !isSplat(operand))
          for (int64_t loop : dims)
            if (loop >= 0 && ofLoops[loop] >= 0)
              isWeight[ofLoops[loop]] = true;
    classes.push_back(ofLoops);
  }
}

bool Problem::mayCut(const Step &step, int64_t loop, unsigned axis) const {
  int64_t number = classes[&step - steps.data()][loop];
  switch (roles[axis]) {
  case AxisRole::Any:
    return true;
  case AxisRole::Data:
    return number >= 0 && isBatch[number];
  case AxisRole::Tensor:
    return number >= 0 && isWeight[number] && !isBatch[number];
  case AxisRole::Unused:
    return false;
  }
  llvm_unreachable("all roles are listed");
}
