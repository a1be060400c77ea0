//===- PrepareParameters.cpp - The pass fuse-prepare-parameters -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/Preparation.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPREPAREPARAMETERS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Splits one function; one that is split already, further.
class Preparation {
public:
  Preparation(func::FuncOp function, SymbolTable &symbols, bool onlyMoves)
      : function(function), symbols(symbols), onlyMoves(onlyMoves) {}

  LogicalResult run() {
    FailureOr<func::FuncOp> known = getPreparation(function);
    if (failed(known))
      return failure();
    prepare = *known;
    if (prepare && !prepare.getBody().hasOneBlock())
      return prepare.emitError("expected a function of one block");
    collect();
    SmallVector<Value> results;
    for (Operation *op : moved)
      if (classifyNode(op) != NodeKind::View && llvm::any_of(op->getUsers(), [&](Operation *user) {
            return isNeededIn(user);
          }))
        llvm::append_range(results, op->getResults());
    if (results.empty())
      return success();
    if (!prepare)
      prepare = createPreparation(function, symbols);
    extend(results);
    return success();
  }

private:
  /// Whether an op moves elements, and makes no more than a few borders of them; or holds each in a longer type.
  static bool isMove(Operation &op) {
    constexpr int64_t kMostGrowth = 2;
    if (classifyNode(&op) == NodeKind::View)
      return true;
    // Integers are what they are wherever they are computed.
    auto isInteger = [](Type type) { return isa<IntegerType>(getElementTypeOrSelf(type)); };
    bool isExact = llvm::all_of(op.getOperandTypes(), isInteger) && llvm::all_of(op.getResultTypes(), isInteger);
    if (auto cast = dyn_cast<CastOp>(op); cast && !isExact) {
      Type from = getElementTypeOrSelf(cast.getOperand()), to = getElementTypeOrSelf(cast.getResult());
      return isa<Float16Type, BFloat16Type>(from) && to.isF32();
    }
    auto fusable = dyn_cast<FusableOpInterface>(op);
    bool isComputed = isExact && (isa<ReduceOp>(op) || (fusable && fusable.isElementwise()));
    if (!isa<CopyOp, ConcatOp, PadOp, GatherOp>(op) && !isComputed)
      return false;
    int64_t before = 0;
    for (Type type : op.getOperandTypes())
      before += cast<ShapedType>(type).getNumElements();
    return cast<ShapedType>(op.getResult(0).getType()).getNumElements() <= kMostGrowth * before;
  }

  /// In `moved`: what depends on parameters alone, views included.
  void collect() {
    auto isParameter = [&](Value value) {
      if (auto argument = dyn_cast<BlockArgument>(value))
        return argument.getOwner() == &function.front() &&
               function.getArgAttr(argument.getArgNumber(), attr::kParam);
      return matchPattern(value, m_Constant()) || moved.contains(value.getDefiningOp());
    };
    for (Operation &op : function.front().without_terminator()) {
      auto isStatic = [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      };
      // A view of a constant moves with what reads it beside a parameter.
      bool dependsOnParameter =
          classifyNode(&op) == NodeKind::View || llvm::any_of(op.getOperands(), [](Value value) {
            return !matchPattern(value, m_Constant());
          });
      if (!op.hasAttr(attr::kWidened) && op.getNumRegions() == 0 && op.getNumResults() == 1 && isMemoryEffectFree(&op) &&
          // What is cut out of a parameter of open extents, as in a variant for some size, is there in calls of that size.
          llvm::all_of(op.getOperandTypes(), isStatic) && llvm::all_of(op.getResultTypes(), isStatic) && dependsOnParameter &&
          llvm::all_of(op.getOperands(), isParameter) && (!onlyMoves || isMove(op)))
        moved.insert(&op);
    }
  }

  /// Whether a user of something moved is needed at run time: views only if somebody reads them there.
  bool isNeededIn(Operation *user) const {
    if (!moved.contains(user))
      return true;
    return classifyNode(user) == NodeKind::View &&
           llvm::any_of(user->getUsers(), [&](Operation *next) { return isNeededIn(next); });
  }

  bool isPrepared(BlockArgument argument) {
    return static_cast<bool>(function.getArgAttr(argument.getArgNumber(), attr::kPrepared));
  }

  SmallVector<BlockArgument> getParameters() {
    return llvm::filter_to_vector(function.getArguments(), [&](BlockArgument argument) {
      return isGivenParameter(function, argument.getArgNumber());
    });
  }

  /// Of what is moved, what is computed from parameters that have denormals.
  DenseSet<Value> getDenormals() {
    DenseSet<Value> denormals;
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), attr::kDenormals))
        denormals.insert(argument);
    for (Operation *op : moved)
      if (llvm::any_of(op->getOperands(), [&](Value operand) { return denormals.contains(operand); }))
        denormals.insert(op->getResult(0));
    return denormals;
  }

  /// Moves what was collected behind what the function prepares already.
  void extend(ArrayRef<Value> results) {
    auto ret = cast<func::ReturnOp>(prepare.front().getTerminator());
    IRMapping mapping;
    mapping.map(getParameters(), prepare.getArguments());
    SmallVector<Value> returned(ret.getOperands());
    unsigned next = 0;
    for (BlockArgument argument : function.getArguments())
      if (isPrepared(argument))
        mapping.map(argument, returned[next++]);
    OpBuilder inside(ret);
    for (Operation &op : function.front())
      if (moved.contains(&op)) {
        for (Value operand : op.getOperands())
          if (!mapping.contains(operand))
            inside.clone(*operand.getDefiningOp(), mapping); // a constant
        inside.clone(op, mapping);
      }
    NamedAttribute marks[] = {{inside.getStringAttr(attr::kParam), inside.getUnitAttr()},
                              {inside.getStringAttr(attr::kPrepared), inside.getUnitAttr()}};
    DenseSet<Value> denormals = getDenormals();
    for (Value result : results) {
      returned.push_back(mapping.lookup(result));
      unsigned number = function.getNumArguments();
      NamedAttrList attributes(marks);
      if (denormals.contains(result) && isa<FloatType>(getElementTypeOrSelf(result)))
        attributes.set(attr::kDenormals, inside.getUnitAttr());
      (void)function.insertArgument(number, result.getType(), attributes.getDictionary(function.getContext()),
                                    result.getLoc());
      result.replaceAllUsesWith(function.getArgument(number));
    }
    eraseDead(function.front());
    dropUnused(returned);
    ret.getOperandsMutable().assign(returned);
    prepare.setType(
        inside.getFunctionType(prepare.getArgumentTypes(), ValueRange(returned).getTypes()));
    eraseDead(prepare.front());
  }

  /// What was prepared only for what is prepared now is no argument any more.
  void dropUnused(SmallVectorImpl<Value> &returned) {
    for (unsigned number = function.getNumArguments(), at = returned.size(); number-- > 0;) {
      BlockArgument argument = function.getArgument(number);
      if (!isPrepared(argument))
        continue;
      --at;
      if (!argument.use_empty())
        continue;
      (void)function.eraseArgument(number);
      returned.erase(returned.begin() + at);
    }
  }

  static void eraseDead(Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  func::FuncOp function, prepare;
  SymbolTable &symbols;
  bool onlyMoves;
  llvm::SetVector<Operation *> moved; // in order of the block
};

struct PrepareParameters : fuse::impl::FusePrepareParametersBase<PrepareParameters> {
  using FusePrepareParametersBase::FusePrepareParametersBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (canPrepare(function) && failed(Preparation(function, symbols, moves).run()))
        return signalPassFailure();
  }
};

} // namespace
