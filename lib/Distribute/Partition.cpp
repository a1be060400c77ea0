//===- Partition.cpp - The program of one rank -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Partition.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Partitioner {
public:
  Partitioner(const Problem &problem, const DistributionPlan &plan)
      : problem(problem), plan(plan), grid(plan.grid), builder(problem.function.getContext()) {
    for (auto [step, placement] : llvm::zip_equal(problem.steps, plan.placements))
      steps[step.op] = {&step, &placement};
  }

  void run() {
    func::FuncOp function = problem.function;
    Block *before = &function.getBody().front();
    Block *body = builder.createBlock(&function.getBody(), function.getBody().end());
    for (BlockArgument argument : before->getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      Cut cut = type ? plan.arguments.find(argument)->second : Cut();
      BlockArgument local = body->addArgument(type ? getShardType(type, grid, cut) : argument.getType(),
                                              argument.getLoc());
      if (type)
        function.setArgAttr(argument.getArgNumber(), attr::kSharding,
                            toAttr(builder.getContext(), type.getRank(), grid, cut));
      define(argument, cut, local);
    }
    for (Operation &op : *before)
      addOp(&op);
    SmallVector<Type> results(body->getTerminator()->getOperandTypes());
    function.setFunctionType(builder.getFunctionType(body->getArgumentTypes(), results));
    before->dropAllReferences();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*before))) {
      op.dropAllUses();
      op.erase();
    }
    before->erase();
  }

private:
  using Version = std::pair<Cut, Value>;

  void define(Value value, const Cut &cut, Value local) {
    if (isa<RankedTensorType>(value.getType()))
      versions[value] = {{cut, local}};
    else
      numbers.map(value, local);
  }

  void addOp(Operation *op) {
    builder.setInsertionPointToEnd(&problem.function.getBody().back());
    if (isa<shard::ShardingOp>(op))
      return;
    if (op->hasTrait<OpTrait::ConstantLike>() && isa<RankedTensorType>(op->getResult(0).getType()))
      return; // where it is read
    if (op->hasTrait<OpTrait::IsTerminator>())
      return addReturn(op);
    auto step = steps.find(op);
    if (step == steps.end())
      return addNumber(op);
    if (isa<shard::ShardOp>(op)) {
      Cut cut = getResultCut(*step->second.first, *step->second.second, grid, 0);
      versions[op->getResult(0)] = {{cut, get(op->getOperand(0), cut, op->getLoc())}};
      return;
    }
    addStep(*step->second.first, *step->second.second);
  }

  void addReturn(Operation *op) {
    SmallVector<Value> values;
    for (OpOperand &use : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(use.get().getType());
      if (!type) {
        values.push_back(numbers.lookup(use.get()));
        continue;
      }
      auto there = versions.find(use.get());
      Cut cut = there == versions.end() || there->second.empty() ? Cut() : there->second.front().first;
      values.push_back(get(use.get(), cut, op->getLoc()));
      problem.function.setResultAttr(use.getOperandNumber(), attr::kSharding,
                                     toAttr(builder.getContext(), type.getRank(), grid, cut));
    }
    Operation *local = builder.clone(*op, numbers);
    local->setOperands(values);
  }

  /// Ops on numbers, and those that give a number of a tensor.
  void addNumber(Operation *op) {
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      std::optional<int64_t> number = getConstantIntValue(dim.getDimension());
      auto type = cast<RankedTensorType>(dim.getSource().getType());
      if (number && *number >= 0 && *number < type.getRank()) {
        Value local;
        if (!type.isDynamicDim(*number)) {
          local = arith::ConstantIndexOp::create(builder, op->getLoc(), type.getDimSize(*number));
        } else {
          // No axis cuts what is unknown.
          auto there = versions.find(dim.getSource());
          Value source = there == versions.end() ? get(dim.getSource(), Cut(), op->getLoc())
                                                 : there->second.front().second;
          local = tensor::DimOp::create(builder, op->getLoc(), source,
                                        numbers.lookup(dim.getIndex()));
        }
        numbers.map(dim.getResult(), local);
        return;
      }
    }
    IRMapping mapping(numbers);
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        mapping.map(operand, get(operand, Cut(), op->getLoc()));
    Operation *local = builder.clone(*op, mapping);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), local->getResults()))
      numbers.map(result, value);
  }

  void addStep(const Step &step, const Placement &placement) {
    Operation *op = step.op;
    IRMapping mapping(numbers);
    SmallVector<Value> operands;
    for (auto [number, operand] : llvm::enumerate(op->getOperands()))
      operands.push_back(isa<RankedTensorType>(operand.getType())
                             ? get(operand, getOperandCut(step, placement, grid, number), op->getLoc())
                             : numbers.lookupOrDefault(operand));
    Operation *local = builder.clone(*op, mapping);
    local->setOperands(operands);
    Placement computed = placement;
    computed.scatter = Cut();
    for (auto [number, result] : llvm::enumerate(op->getResults())) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type) {
        numbers.map(result, local->getResult(number));
        continue;
      }
      Cut cut = getResultCut(step, computed, grid, number);
      local->getResult(number).setType(getShardType(type, grid, cut));
      versions[result] = {{cut, local->getResult(number)}};
    }
    localize(local);
    if (SmallVector<int64_t> axes = getPartialAxes(step, placement, grid); !axes.empty())
      versions[op->getResult(0)] = {combine(step, placement, axes, versions[op->getResult(0)].front())};
  }

  /// What an op says of extents as numbers.
  void localize(Operation *op) {
    auto slice = dyn_cast<SliceOp>(op);
    if (!slice)
      return;
    SmallVector<int64_t> sizes(slice.getSizes());
    for (auto [size, extent] :
         llvm::zip_equal(sizes, cast<RankedTensorType>(slice.getType()).getShape()))
      if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(size))
        size = extent;
    slice.setSizes(sizes);
  }

  /// What ranks computed of parts of a reduction becomes the result.
  Version combine(const Step &step, const Placement &placement, ArrayRef<int64_t> axes,
                  Version computed) {
    auto [cut, value] = computed;
    Location loc = step.op->getLoc();
    // The mean of equal parts is the mean of their means.
    bool isMean = *step.rule.kind == ReduceKind::Mean;
    ReduceKind kind = isMean ? ReduceKind::Sum : *step.rule.kind;
    auto full = cast<RankedTensorType>(step.op->getResult(0).getType());
    SmallVector<int64_t> together;
    int64_t parts = 1;
    for (int64_t axis : axes) {
      parts *= grid[axis];
      if (placement.scatter[axis] < 0) {
        together.push_back(axis);
        continue;
      }
      cut.set(axis, placement.scatter[axis]);
      value = ReduceScatterOp::create(builder, loc, getShardType(full, grid, cut), kind, value,
                                      placement.scatter[axis], groupOf({axis}));
    }
    if (!together.empty())
      value = AllReduceOp::create(builder, loc, kind, value, groupOf(together));
    if (isMean) {
      FuseBuilder b(builder, loc);
      value = b.div(value, b.scalar(static_cast<double>(parts), full.getElementType()));
    }
    return {cut, value};
  }

  ProcessGroupAttr groupOf(ArrayRef<int64_t> axes) {
    return ProcessGroupAttr::get(builder.getContext(), grid, axes);
  }

  /// A value as `wanted` cuts it; made where it is not there yet.
  Value get(Value value, const Cut &wanted, Location loc) {
    auto type = cast<RankedTensorType>(value.getType());
    DenseElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
      return arith::ConstantOp::create(builder, value.getLoc(),
                                       constant.resizeSplat(getShardType(type, grid, wanted)));
    auto &there = versions[value];
    if (there.empty()) // another constant
      there.push_back({Cut(), builder.clone(*value.getDefiningOp())->getResult(0)});
    for (auto &[cut, local] : there)
      if (cut == wanted)
        return local;
    auto [cut, local] = *findNearest(there, type, grid, wanted, problem.target);
    for (const Move &move : planMoves(type.getRank(), cut, wanted)) {
      for (int64_t axis : move.axes)
        cut.set(axis, move.kind == Move::Gather ? -1 : move.kind == Move::Slice ? move.dim : move.to);
      Type shard = getShardType(type, grid, cut);
      ProcessGroupAttr group = groupOf(move.axes);
      switch (move.kind) {
      case Move::Gather:
        local = AllGatherOp::create(builder, loc, shard, local, move.dim, group);
        break;
      case Move::Slice:
        local = AllSliceOp::create(builder, loc, shard, local, move.dim, group);
        break;
      case Move::Exchange:
        local = AllToAllOp::create(builder, loc, shard, local, move.to, move.dim, group);
        break;
      }
    }
    versions[value].push_back({wanted, local});
    return local;
  }

  const Problem &problem;
  const DistributionPlan &plan;
  Grid grid;
  OpBuilder builder;
  llvm::DenseMap<Operation *, std::pair<const Step *, const Placement *>> steps;
  llvm::DenseMap<Value, SmallVector<Version, 2>> versions;
  IRMapping numbers;
};

} // namespace

void mlir::fuse::partition(const Problem &problem, const DistributionPlan &plan) {
  Partitioner(problem, plan).run();
}
