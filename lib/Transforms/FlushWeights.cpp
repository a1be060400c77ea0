//===- FlushWeights.cpp - The pass fuse-flush-weights -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReadNumerics.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Preparation.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEFLUSHWEIGHTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Flusher {
public:
  explicit Flusher(func::FuncOp function) : function(function) {}

  void run() {
    findDenormals();
    for (Value value : denormals) {
      SmallVector<OpOperand *> operands;
      if (canFlush(value))
        for (OpOperand &use : value.getUses())
          if (isOnlyMultiplied(use))
            operands.push_back(&use);
      if (operands.empty())
        continue;
      Value flushed = flush(value);
      for (OpOperand *operand : operands)
        operand->set(flushed);
    }
  }

private:
  static bool isView(Operation *op) { return op && classifyNode(op) == NodeKind::View; }

  /// Whether an op that runs each time only multiplies or adds what it reads here, or only such ops read
  /// the view that it makes.
  bool isOnlyMultiplied(OpOperand &use) const {
    Operation *op = use.getOwner();
    if (isView(op))
      return areOnlyMultiplied(op->getResult(0));
    if (op->getNumResults() == 1 && parameters.contains(op->getResult(0)))
      return false;
    if (isa<MatmulOp, Conv2dOp>(op))
      return true;
    if (auto binary = dyn_cast<BinaryOp>(op))
      return llvm::is_contained({BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul},
                                binary.getKind());
    // The weights of a recurrence; not a state, nor a sequence.
    auto scan = dyn_cast<ScanOp>(op);
    return scan && use.getOperandNumber() >= scan.getNumStates() + scan.getSequences().size() &&
           areOnlyMultiplied(scan.getBody().getArgument(use.getOperandNumber()));
  }
  bool areOnlyMultiplied(Value value) const {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return isOnlyMultiplied(use); });
  }

  /// Fills `parameters`, what is known before the first input, and `denormals`, those that may have
  /// denormals: the parameters marked so, and what moves and computes on such and other parameters
  /// (packed or folded weights).
  void findDenormals() {
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      if (!function.getArgAttr(number, attr::kParam))
        continue;
      parameters.insert(argument);
      if (function.getArgAttr(number, attr::kDenormals))
        denormals.insert(argument);
    }
    for (Operation &op : function.front().without_terminator()) {
      // What the kernel of a product computes of parameters is none: its scales are flushed instead.
      if (op.hasAttr(attr::kWidened) || op.getNumRegions() || op.getNumResults() != 1 || !isMemoryEffectFree(&op) ||
          !llvm::all_of(op.getOperands(), [&](Value value) { return parameters.contains(value); }))
        continue;
      parameters.insert(op.getResult(0));
      if (llvm::any_of(op.getOperands(), [&](Value value) { return denormals.contains(value); }))
        denormals.insert(op.getResult(0));
    }
  }

  /// What is in memory of its own, rather than a view.
  static bool canFlush(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() && isa<FloatType>(type.getElementType()) &&
           !isView(value.getDefiningOp());
  }

  /// `value`, with 0 for its denormals, by three ops that become one kernel.
  Value flush(Value value) {
    OpBuilder builder(function.getContext());
    if (Operation *op = value.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointToStart(&function.front());
    Location loc = value.getLoc();
    auto type = cast<RankedTensorType>(value.getType());
    auto element = cast<FloatType>(type.getElementType());
    auto number = [&](const APFloat &number) -> Value {
      auto elements = DenseElementsAttr::get(RankedTensorType::get({}, element), number);
      return arith::ConstantOp::create(builder, loc, elements);
    };
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    Value least = number(APFloat::getSmallestNormalized(semantics));
    Value zero = number(APFloat::getZero(semantics));
    Value size = UnaryOp::create(builder, loc, UnaryKind::Abs, value);
    // A NaN is not less: it stays.
    Value isDenormal = CompareOp::create(builder, loc, type.clone(builder.getI1Type()),
                                         ComparePredicate::Lt, size, least);
    return SelectOp::create(builder, loc, type, isDenormal, zero, value);
  }

  func::FuncOp function;
  DenseSet<Value> parameters;
  llvm::SetVector<Value> denormals;
};

struct FlushWeights : fuse::impl::FuseFlushWeightsBase<FlushWeights> {
  using FuseFlushWeightsBase::FuseFlushWeightsBase;

  void runOnOperation() override {
    std::optional<Numerics> allowed = readNumerics(getOperation(), numerics);
    if (!allowed)
      return signalPassFailure();
    if (*allowed < Numerics::Folds)
      return;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (canPrepare(function))
        Flusher(function).run();
  }
};

} // namespace
