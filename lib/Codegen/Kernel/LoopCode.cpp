//===- LoopCode.cpp - What all loops of members are made of --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LoopCode.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

Value mlir::fuse::createExtent(OpBuilder &b, linalg::GenericOp op, unsigned loop) {
  Location loc = op.getLoc();
  int64_t range = op.getStaticLoopRanges()[loop];
  if (!ShapedType::isDynamic(range))
    return arith::ConstantIndexOp::create(b, loc, range);
  AffineExpr wanted = b.getAffineDimExpr(loop);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [position, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == wanted)
        return memref::DimOp::create(b, loc, operand.get(), position);
  llvm_unreachable("a loop that no operand runs along");
}

SmallVector<Value> mlir::fuse::createIndices(OpBuilder &b, linalg::GenericOp op, AffineMap map,
                                             ArrayRef<Value> ivs) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> at;
  for (Value iv : ivs)
    at.push_back(iv ? OpFoldResult(iv) : OpFoldResult(b.getIndexAttr(0)));
  SmallVector<Value> positions;
  for (AffineExpr expr : map.getResults()) {
    OpFoldResult position =
        affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(ivs.size(), 0, expr), at);
    std::optional<int64_t> constant = getConstantIntValue(position);
    positions.push_back(constant
                            ? Value(arith::ConstantIndexOp::create(b, loc, *constant).getResult())
                            : cast<Value>(position));
  }
  return positions;
}

Value mlir::fuse::createMultiplyAdd(OpBuilder &b, Operation &op, IRMapping &known) {
  auto mayContract = [](auto op) {
    return op && bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract);
  };
  auto add = dyn_cast<arith::AddFOp>(op);
  if (!mayContract(add))
    return {};
  for (bool isRight : {true, false}) {
    auto product = (isRight ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulFOp>();
    if (mayContract(product))
      return math::FmaOp::create(b, op.getLoc(), known.lookupOrDefault(product.getLhs()),
                                 known.lookupOrDefault(product.getRhs()),
                                 known.lookupOrDefault(isRight ? add.getLhs() : add.getRhs()));
  }
  return {};
}

Value mlir::fuse::createCombined(OpBuilder &b, Location loc, Operation *combiner, Value left,
                                 Value right) {
  OperationState state(loc, combiner->getName());
  state.addOperands({left, right});
  state.addTypes(left.getType());
  state.addAttributes(combiner->getAttrs());
  return b.create(state)->getResult(0);
}
