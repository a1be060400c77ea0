//===- Gates.cpp - sigmoid, silu, gelu --------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A gate g(x) between 0 and 1 with g(-x) = 1 - g(x) gives x g(x) = max(x, 0) - a g(-a), a = |x|.
// Near 0, where nearly all arguments are, the tail g(-a) is read off a table: a third of the
// operations, and no division. Tables of 16 numbers are registers where one instruction permutes
// those, which is why all of a vector is computed both ways if one of its elements is further out.
//
//===----------------------------------------------------------------------------------------===//

#include "GateTables.h"
#include "PiecewiseTable.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

static PiecewiseTable getTail(GateOp op, bool isShort) {
  if (op.getKind() != UnaryKind::Gelu)
    return isShort ? PiecewiseTable(kShortSigmoidTail) : PiecewiseTable(kSigmoidTail);
  if (op.getApproximate() == GeluForm::Tanh)
    return isShort ? PiecewiseTable(kShortGeluTanhTail) : PiecewiseTable(kGeluTanhTail);
  return isShort ? PiecewiseTable(kShortGeluErfTail) : PiecewiseTable(kGeluErfTail);
}

static Value buildFarther(ExpansionBuilder &e, GateOp op, Value x, Value isNear, Value near) {
  ImplicitLocOpBuilder &b = e.getBuilder();
  Value areNear = isNear;
  if (isa<VectorType>(x.getType()))
    areNear = vector::ReductionOp::create(b, vector::CombiningKind::AND, isNear);
  Value never = arith::ConstantOp::create(b, b.getBoolAttr(false));
  Value isAnyFar = LLVM::ExpectOp::create(b, e.bitXor(areNear, 1), never);
  auto build = [&](OpBuilder &, Location loc) {
    scf::YieldOp::create(b, e.select(isNear, near, op.buildArithmetic(b, x)));
  };
  auto keep = [&](OpBuilder &, Location) { scf::YieldOp::create(b, near); };
  auto branch = scf::IfOp::create(b, isAnyFar, build, keep);
  return branch.getResult(0);
}

static Value buildGate(ExpansionBuilder &e, GateOp op, Value x) {
  PiecewiseTable tail = getTail(op, e.isShort);
  Value a = e.fabs(x);
  Value ofMinusA = readPiecewise(e, tail, a);
  Value isNegative = e.fcmp(arith::CmpFPredicate::OLT, x, 0.0);
  Value near;
  if (op.getKind() == UnaryKind::Sigmoid)
    near = e.select(isNegative, ofMinusA, e.fsub(1.0, ofMinusA));
  else // The sign is that of x, also where x is -0: LLVM turns the select of widened f16 into a maximum of which +0 comes.
    near = e.copySign(e.fma(e.fneg(a), ofMinusA, e.select(isNegative, e.constant(0.0, x), x)), x);
  Value isNear = e.fcmp(arith::CmpFPredicate::OLT, a, tail.limit);
  return buildFarther(e, op, x, isNear, near);
}

Value fuse::expandGate(ExpansionBuilder &e, GateOp op) {
  if (!canReadTables(e, op.getType()))
    return op.buildArithmetic(e.getBuilder(), op.getOperand());
  return cutTo(e, op.getType(), buildGate(e, op, padToRegisters(e, op.getOperand())));
}
