//===- IterationSpace.cpp - Where a thread stands in a member's loops ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "IterationSpace.h"
#include "../Kernel/LoopCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

IterationSpace::IterationSpace(RewriterBase &b, linalg::GenericOp op, ArrayRef<int64_t> bounds)
    : b(b), op(op), loc(op.getLoc()), bounds(bounds), ranges(op.getStaticLoopRanges()),
      ivs(op.getNumLoops()) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    extents.push_back(createExtent(b, op, loop));
}

Value IterationSpace::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value IterationSpace::boundOf(unsigned loop) {
  return ShapedType::isDynamic(bounds[loop]) ? extents[loop] : index(bounds[loop]);
}

bool IterationSpace::isPartial(unsigned loop) {
  return ShapedType::isDynamic(ranges[loop]) && !ShapedType::isDynamic(bounds[loop]);
}

Value IterationSpace::place(ArrayRef<unsigned> loops, Value number, int64_t step) {
  Value valid, rest = number;
  for (unsigned i = loops.size(); i-- > 0;) {
    unsigned loop = loops[i];
    int64_t stride = i + 1 == loops.size() ? step : 1;
    Value iv = rest;
    if (i > 0) {
      Value bound = boundOf(loop);
      if (stride > 1)
        bound = arith::DivUIOp::create(b, loc, bound, index(stride));
      iv = arith::RemUIOp::create(b, loc, rest, bound);
      rest = arith::DivUIOp::create(b, loc, rest, bound);
    }
    ivs[loop] = stride > 1 ? Value(arith::MulIOp::create(b, loc, iv, index(stride))) : iv;
    if (isPartial(loop))
      valid = both(valid, isBelow(ivs[loop], extents[loop]));
  }
  return valid;
}

SmallVector<Value> IterationSpace::indices(OpOperand &operand, unsigned loop, int64_t ahead) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (ahead != 0)
    map = map.replace(b.getAffineDimExpr(loop), b.getAffineDimExpr(loop) + ahead, map.getNumDims(),
                      map.getNumSymbols());
  return createIndices(b, op, map, ivs);
}

Value IterationSpace::isBelow(Value value, Value end) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value, end);
}

Value IterationSpace::both(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(b, loc, left, right);
}

void IterationSpace::emitIf(Value condition, llvm::function_ref<void()> emit) {
  if (!condition)
    return emit();
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  emit();
}

SmallVector<Value> IterationSpace::emitIfElse(Value condition, ValueRange otherwise,
                                              llvm::function_ref<SmallVector<Value>()> emit) {
  if (!condition)
    return emit();
  auto branch = scf::IfOp::create(b, loc, otherwise.getTypes(), condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&branch.getThenRegion().front());
  scf::YieldOp::create(b, loc, emit());
  b.setInsertionPointToEnd(&branch.getElseRegion().front());
  scf::YieldOp::create(b, loc, otherwise);
  return llvm::to_vector_of<Value>(branch.getResults());
}
