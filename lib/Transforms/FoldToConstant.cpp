//===- FoldToConstant.cpp - Values that need none but constants ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Interpreter/Interpreter.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// The ops that compute `value`, in order; nothing where it needs an argument.
static std::optional<llvm::SetVector<Operation *>> getConstantSlice(Value value) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op)
      return std::nullopt;
    if (slice.insert(op))
      llvm::append_range(work, op->getOperands());
  }
  SmallVector<Operation *> sorted = slice.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return llvm::SetVector<Operation *>(sorted.begin(), sorted.end());
}

Value mlir::fuse::foldToConstant(OpBuilder &builder, Value value) {
  std::optional<llvm::SetVector<Operation *>> slice = getConstantSlice(value);
  Operation *def = value.getDefiningOp();
  if (!slice || classifyNode(def) == NodeKind::Constant ||
      llvm::any_of(*slice, [&](Operation *op) { return op->getBlock() != def->getBlock(); }))
    return value;
  Location loc = value.getLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  OpBuilder inner(module->getBodyRegion());
  auto function =
      func::FuncOp::create(inner, loc, "fold", inner.getFunctionType({}, value.getType()));
  inner.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  for (Operation *op : *slice)
    inner.clone(*op, mapping);
  func::ReturnOp::create(inner, loc, mapping.lookup(value));
  FailureOr<SmallVector<HostArray>> results = interpret(function, {});
  if (failed(results))
    return value;
  return arith::ConstantOp::create(builder, loc,
                                   results->front().toAttribute(builder.getContext()));
}
