//===- SharePreparation.cpp - One preparation for a function and its variants -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/Preparation.h"
#include "fuse/IR/Variants.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESHAREPREPARATION
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

SmallVector<BlockArgument> getPrepared(func::FuncOp function) {
  return llvm::filter_to_vector(function.getArguments(), [&](BlockArgument argument) {
    return static_cast<bool>(function.getArgAttr(argument.getArgNumber(), attr::kPrepared));
  });
}

struct SharePreparation : fuse::impl::FuseSharePreparationBase<SharePreparation> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions; // preparations are erased
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(attr::kVariants))
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(share(function, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult share(func::FuncOp function, SymbolTable &symbols) {
    FailureOr<SmallVector<func::FuncOp>> variants = getVariants(function);
    if (failed(variants))
      return failure();
    SmallVector<func::FuncOp> all = {function};
    llvm::append_range(all, *variants);
    SmallVector<func::FuncOp> preparations;
    for (func::FuncOp each : all) {
      FailureOr<func::FuncOp> found = getPreparation(each);
      if (failed(found))
        return failure();
      if (*found && !found->getBody().hasOneBlock())
        return found->emitError("expected a function of one block");
      preparations.push_back(*found);
    }
    if (!llvm::any_of(preparations, [](func::FuncOp prepare) { return static_cast<bool>(prepare); }))
      return success();

    // 1. One function computes what each of them computes. The results of all, one list behind the other:
    func::FuncOp shared = preparations.front() ? preparations.front() : createPreparation(function, symbols);
    auto ret = cast<func::ReturnOp>(shared.front().getTerminator());
    SmallVector<Value> values(ret.getOperands());
    OpBuilder inside(ret);
    for (func::FuncOp prepare : llvm::drop_begin(preparations)) {
      if (!prepare || prepare == shared)
        continue;
      IRMapping mapping;
      mapping.map(prepare.getArguments(), shared.getArguments());
      for (Operation &op : prepare.front().without_terminator())
        inside.clone(op, mapping);
      for (Value value : prepare.front().getTerminator()->getOperands())
        values.push_back(mapping.lookup(value));
    }
    ret.getOperandsMutable().assign(values);
    DominanceInfo dominance(shared);
    IRRewriter rewriter(&getContext());
    eliminateCommonSubExpressions(rewriter, dominance, shared);

    // 2. Of equal ones, one is an argument of all functions.
    values = SmallVector<Value>(ret.getOperands());
    SmallVector<Value> distinct;
    for (Value value : values)
      if (!llvm::is_contained(distinct, value))
        distinct.push_back(value);
    ArrayRef<Value> rest = values;
    for (auto [each, prepare] : llvm::zip_equal(all, preparations)) {
      size_t count = getPrepared(each).size();
      replaceArguments(each, rest.take_front(count), distinct);
      rest = rest.drop_front(count);
      each->setAttr(attr::kPrepare, FlatSymbolRefAttr::get(shared.getNameAttr()));
      if (prepare && prepare != shared)
        symbols.erase(prepare);
    }
    ret.getOperandsMutable().assign(distinct);
    shared.setType(FunctionType::get(&getContext(), shared.getArgumentTypes(), ValueRange(distinct).getTypes()));
    return success();
  }

  /// The prepared arguments of `function`, which are `values`, become those of `distinct`, in that order.
  void replaceArguments(func::FuncOp function, ArrayRef<Value> values, ArrayRef<Value> distinct) {
    Builder builder(&getContext());
    SmallVector<BlockArgument> before = getPrepared(function);
    for (Value value : distinct) {
      NamedAttrList attributes;
      attributes.set(attr::kParam, builder.getUnitAttr());
      attributes.set(attr::kPrepared, builder.getUnitAttr());
      unsigned number = function.getNumArguments();
      (void)function.insertArgument(number, value.getType(), attributes.getDictionary(&getContext()), value.getLoc());
      BlockArgument argument = function.getArgument(number);
      for (auto [given, was] : llvm::zip_equal(values, before)) {
        if (given != value)
          continue;
        if (function.getArgAttr(was.getArgNumber(), attr::kDenormals))
          function.setArgAttr(number, attr::kDenormals, builder.getUnitAttr());
        was.replaceAllUsesWith(argument);
      }
    }
    for (BlockArgument argument : llvm::reverse(before))
      (void)function.eraseArgument(argument.getArgNumber());
  }
};

} // namespace
