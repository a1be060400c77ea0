//===- CheckedSizes.cpp - Sizes that no int64_t holds ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CheckedSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

/// Computes once more with a flag, which it adds to `overflowed`.
template <typename OpT>
static Value compute(OpBuilder &builder, Location loc, Value left, Value right, Value &overflowed) {
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), {builder.getI64Type(), builder.getI1Type()});
  Value both = OpT::create(builder, loc, type, left, right);
  Value flag = LLVM::ExtractValueOp::create(builder, loc, both, 1);
  overflowed = overflowed ? LLVM::OrOp::create(builder, loc, overflowed, flag).getResult() : flag;
  return LLVM::ExtractValueOp::create(builder, loc, both, 0);
}

Value mlir::fuse::multiplyChecked(OpBuilder &builder, Location loc, Value left, Value right, Value &overflowed) {
  return compute<LLVM::SMulWithOverflowOp>(builder, loc, left, right, overflowed);
}

void mlir::fuse::returnOverflow(func::FuncOp function) {
  Value overflowed;
  OpBuilder builder(function.getContext());
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (!isa<arith::MulIOp, arith::AddIOp>(op) || !op.getResult(0).getType().isIndex())
      continue;
    builder.setInsertionPointAfter(&op);
    auto toInteger = [&](Value value) -> Value {
      return arith::IndexCastOp::create(builder, op.getLoc(), builder.getI64Type(), value);
    };
    Value left = toInteger(op.getOperand(0)), right = toInteger(op.getOperand(1));
    if (isa<arith::MulIOp>(op))
      compute<LLVM::SMulWithOverflowOp>(builder, op.getLoc(), left, right, overflowed);
    else
      compute<LLVM::SAddWithOverflowOp>(builder, op.getLoc(), left, right, overflowed);
  }
  auto ret = cast<func::ReturnOp>(function.getBody().back().getTerminator());
  builder.setInsertionPoint(ret);
  if (!overflowed)
    overflowed = LLVM::ConstantOp::create(builder, ret.getLoc(), builder.getI1Type(), 0);
  ret->insertOperands(ret->getNumOperands(), overflowed);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), ret->getOperandTypes()));
}
