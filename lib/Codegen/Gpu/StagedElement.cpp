//===- StagedElement.cpp - What a product takes of an operand's element ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StagedElement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

/// To the nearest with 10 bits of mantissa, ties away from zero; infinities and NaN stay.
static Value roundToTf32(OpBuilder &b, Location loc, Value value) {
  auto constant = [&](uint32_t bits) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(bits)));
  };
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), value);
  Value exponent = arith::AndIOp::create(b, loc, bits, constant(0x7f800000));
  Value isFinite = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, exponent,
                                         constant(0x7f800000));
  Value rounded = arith::AndIOp::create(
      b, loc, arith::AddIOp::create(b, loc, bits, constant(0x1000)), constant(0xffffe000));
  bits = arith::SelectOp::create(b, loc, isFinite, rounded, bits);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

Value mlir::fuse::createStagedElement(OpBuilder &b, Location loc, linalg::GenericOp op,
                                      const ContractionPlan &plan, OpOperand &operand,
                                      Value value) {
  Type type = operand.getOperandNumber() == plan.lhs ? plan.stagedLhs : plan.stagedRhs;
  if (value.getType() == type)
    return plan.roundsToTf32 ? roundToTf32(b, loc, value) : value;
  BlockArgument argument = op.getMatchingBlockArgument(&operand);
  SmallVector<Operation *> casts;
  for (Value from : plan.multiply->getOperands()) {
    SmallVector<Operation *> chain;
    while (Operation *def = from.getDefiningOp()) {
      chain.push_back(def);
      from = def->getOperand(0);
    }
    if (from == argument)
      casts = chain;
  }
  IRMapping known;
  known.map(argument, value);
  for (Operation *cast : llvm::reverse(casts))
    value = b.clone(*cast, known)->getResult(0);
  return value;
}
