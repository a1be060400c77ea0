//===- VectorNest.cpp - Loops around vectors ----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VectorNest.h"
#include "FetchAhead.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

VectorNest::VectorNest(RewriterBase &b, linalg::GenericOp op, const VectorPlan &plan, std::optional<unsigned> apart)
    : VectorBody(b, op, plan.loop, plan.hasFma), plan(plan) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != plan.loop && loop != apart)
      (iterators[loop] == IteratorType::parallel ? outer : inner).push_back(loop);
}

void VectorNest::emitOuter(unsigned depth) {
  OpBuilder::InsertionGuard guard(b);
  enter(depth);
  if (depth == outer.size())
    return emitInside();
  unsigned loop = outer[depth];
  ivs[loop] = makeFor(index(0), extents[loop], 1).getInductionVar();
  emitOuter(depth + 1);
}

void VectorNest::emitVectors(Value first, int64_t middleLanes) {
  unsigned loop = plan.loop;
  bool isKnown = !first && !ShapedType::isDynamic(ranges[loop]);
  Value end = first ? roundedSteps(first, plan.lanes) : wholeSteps(loop, plan.lanes);
  bool isSingle = isKnown && ranges[loop] == plan.lanes;
  emitWhole(first ? first : index(0), end, plan.lanes, isSingle);
  if (isKnown && !hasRemainder(loop, plan.lanes))
    return;
  int64_t before = plan.lanes;
  for (int64_t lanes : {middleLanes, plan.tailLanes}) {
    if (lanes == 0 || lanes == before || before % lanes != 0)
      continue;
    if (!isKnown || ranges[loop] % before >= lanes) {
      Value last = first ? roundedSteps(first, lanes) : wholeSteps(loop, lanes);
      emitWhole(end, last, lanes, /*isSingle=*/false);
      end = last;
    }
    before = lanes;
  }
  if (!isKnown || hasRemainder(loop, before) || before != plan.tailLanes)
    emitMasked(end, extents[loop]);
}

/// The last position that lies a multiple of `step` behind `first`.
Value VectorNest::roundedSteps(Value first, int64_t step) {
  Value left = arith::SubIOp::create(b, loc, extents[plan.loop], first);
  Value rest = arith::RemUIOp::create(b, loc, left, index(step));
  return arith::SubIOp::create(b, loc, extents[plan.loop], rest);
}

void VectorNest::emitWhole(Value from, Value to, int64_t lanes, bool isSingle) {
  OpBuilder::InsertionGuard inside(b);
  ivs[plan.loop] = isSingle ? from : makeFor(from, to, lanes).getInductionVar();
  emitVector(lanes, Value());
}

void VectorNest::emitMasked(Value from, Value to) {
  OpBuilder::InsertionGuard inside(b);
  Value at = ivs[plan.loop] = makeFor(from, to, plan.tailLanes).getInductionVar();
  Value left = arith::SubIOp::create(b, loc, to, at);
  emitVector(plan.tailLanes,
               vector::CreateMaskOp::create(b, loc, maskType(plan.tailLanes), left));
}

Value VectorNest::read(OpOperand &operand, int64_t lanes, Value mask) {
  Value value = load(operand, lanes, mask);
  if (!mask && plan.prefetch)
    fetchIterationsAhead(b, op, plan, operand, ivs, lanes);
  return value;
}
