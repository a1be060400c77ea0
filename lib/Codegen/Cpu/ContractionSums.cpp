//===- ContractionSums.cpp - The sums of one vector of a contraction, for a group of rows -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ContractionLoops.h"
#include "FetchAhead.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

/// Room for sums of several parts: rows of the unrolled loop, whole vectors along the other.
void ContractionLoops::allocatePartialSums() {
  int64_t shape[] = {plan.unrolledLoop ? ranges[*plan.unrolledLoop] : 1, ranges[plan.loop]};
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(shape[0]))
    sizes.push_back(extents[*plan.unrolledLoop]);
  if (ShapedType::isDynamic(shape[1])) {
    Value lanes = index(plan.lanes);
    Value vectors = arith::CeilDivUIOp::create(b, loc, extents[plan.loop], lanes);
    sizes.push_back(arith::MulIOp::create(b, loc, vectors, lanes));
  } else {
    shape[1] = static_cast<int64_t>(llvm::alignTo(shape[1], plan.lanes));
  }
  Type element = getElementTypeOrSelf(op.getDpsInits().front());
  partialSums = memref::AllocOp::create(b, loc, MemRefType::get(shape, element), sizes);
}

void ContractionLoops::emitPoint(int64_t lanes, Value mask) {
  if (plan.addsParts())
    return emitPart(lanes, mask);
  SmallVector<Value> accumulators;
  for (Value iv : unrolled) {
    selectUnrolled(iv);
    for (OpOperand &init : op.getDpsInitsMutable())
      accumulators.push_back(getStart(init, lanes, mask));
  }
  SmallVector<Value> results =
      dot ? emitGroups(accumulators, lanes, mask) : emitInner(0, accumulators, lanes, mask);
  unsigned next = 0;
  for (Value iv : unrolled) {
    selectUnrolled(iv);
    if (op.getNumDpsInits() == 1) {
      storeSums(results[next++], lanes, mask);
      continue;
    }
    for (OpOperand &init : op.getDpsInitsMutable())
      store(results[next++], init, mask);
  }
}

/// The only result of the iteration at hand, by way of the epilogue if there is one.
void ContractionLoops::storeSums(Value sums, int64_t lanes, Value mask) {
  if (epilogue)
    epilogue->emit(sums, ivs, lanes, mask);
  else
    store(sums, *op.getDpsInitOperand(0), mask);
}

/// A part whose sums are added to what lies in memory: at once, or when those that have a sum of
/// their own are complete.
void ContractionLoops::emitPart(int64_t lanes, Value mask) {
  OpOperand &init = *op.getDpsInitOperand(0);
  auto at = [&](Value iv) -> SmallVector<Value> {
    return {iv ? iv : index(0), ivs[plan.loop]};
  };
  auto type = VectorType::get({lanes}, getElementTypeOrSelf(init.get()));
  Value empty = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SmallVector<Value> sums(unrolled.size(), empty);
  Value isLast;
  if (partialSums) {
    Value steps = index(plan.partialSums->steps);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          arith::RemUIOp::create(b, loc, from[0], steps), index(0));
    for (auto [iv, sum] : llvm::zip_equal(unrolled, sums)) {
      Value before = vector::LoadOp::create(b, loc, type, partialSums, at(iv));
      sum = arith::SelectOp::create(b, loc, isFirst, empty, before);
    }
    Value isComplete = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             arith::RemUIOp::create(b, loc, to[0], steps), index(0));
    Value isEnd =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, to[0], extents[inner[0]]);
    isLast = arith::OrIOp::create(b, loc, isComplete, isEnd);
  }
  sums = dot ? emitGroups(sums, lanes, mask) : emitInner(0, sums, lanes, mask);
  OpBuilder::InsertionGuard guard(b);
  if (partialSums) {
    auto branch = scf::IfOp::create(b, loc, isLast, /*withElseRegion=*/true);
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    for (auto [iv, sum] : llvm::zip_equal(unrolled, sums))
      vector::StoreOp::create(b, loc, sum, partialSums, at(iv));
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  for (auto [iv, sum] : llvm::zip_equal(unrolled, sums)) {
    selectUnrolled(iv);
    store(addSums(getStart(init, lanes, mask), sum).front(), init, mask);
  }
}

/// What an accumulator starts from.
Value ContractionLoops::getStart(OpOperand &init, int64_t lanes, Value mask) {
  if (!plan.start)
    return load(init, lanes, mask);
  Value start = spread(plan.start, lanes);
  if (!plan.reductionBlock)
    return start;
  // The parts behind the first go on from what lies in memory.
  Value isFirst = plan.keepsPartialSums()
                      ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, from[0],
                                              index(plan.partialSums->steps))
                      : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, from[0], index(0));
  return arith::SelectOp::create(b, loc, isFirst, start, load(init, lanes, mask));
}

//===- Reductions ---------------------------------------------------------------------------===//

/// The reduction loops beside the vectors', carrying the accumulators.
SmallVector<Value> ContractionLoops::emitInner(unsigned depth, SmallVector<Value> carried, int64_t lanes, Value mask) {
  if (plan.scaled && plan.scaled->depth == depth && !isInGroup)
    return emitScaled(depth, carried, lanes, mask);
  if (depth == inner.size()) {
    SmallVector<Value> results;
    unsigned perPoint = op.getNumDpsInits();
    for (auto [i, iv] : llvm::enumerate(unrolled)) {
      selectUnrolled(iv);
      llvm::append_range(
          results, body(ArrayRef(carried).slice(i * perPoint, perPoint), lanes, mask));
    }
    return results;
  }
  unsigned loop = inner[depth];
  if (plan.partialSums && !plan.addsParts() && plan.partialSums->loop == loop)
    return emitPartialSums(depth, carried, lanes, mask);
  if (depth + 1 == inner.size() && plan.unrollsTaps) {
    for (int64_t tap = 0; tap < ranges[loop]; ++tap) {
      ivs[loop] = index(tap);
      carried = emitInner(depth + 1, carried, lanes, mask);
    }
    return carried;
  }
  return emitReduction(depth, from[depth], to[depth], carried, lanes, mask);
}

/// A group of steps whose sums are scaled.
SmallVector<Value> ContractionLoops::emitScaled(unsigned depth, ArrayRef<Value> totals, int64_t lanes, Value mask) {
  isInGroup = true;
  SmallVector<Value> sums = emitInner(depth, emptySums(totals), lanes, mask), results;
  isInGroup = false;
  for (auto [iv, total, sum] : llvm::zip_equal(unrolled, totals, sums)) {
    selectUnrolled(iv);
    Value scale = evaluateConverted(plan.scaled->scale, lanes, mask);
    if (hasFma)
      results.push_back(math::FmaOp::create(b, loc, sum, scale, total));
    else
      results.push_back(arith::AddFOp::create(b, loc, total, arith::MulFOp::create(b, loc, sum, scale)));
  }
  return results;
}

/// A value of the body that is an input, or converted from one.
Value ContractionLoops::evaluateConverted(Value value, int64_t lanes, Value mask) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return read(*op.getMatchingOpOperand(argument), lanes, mask);
  IRMapping mapping;
  Value from = value.getDefiningOp()->getOperand(0);
  mapping.map(from, evaluateConverted(from, lanes, mask));
  Value converted = b.clone(*value.getDefiningOp(), mapping)->getResult(0);
  converted.setType(VectorType::get({lanes}, value.getType()));
  return converted;
}

SmallVector<Value> ContractionLoops::emitPartialSums(unsigned depth, ArrayRef<Value> totals, int64_t lanes, Value mask) {
  unsigned loop = inner[depth];
  int64_t steps = plan.partialSums->steps;
  return addPartialSums(loop, from[depth], to[depth], steps, depth == 0, totals,
                        [&](Value begin, Value end, ArrayRef<Value> sums) {
                          if (steps > 1)
                            return emitReduction(depth, begin, end, sums, lanes, mask);
                          ivs[loop] = begin;
                          return emitInner(depth + 1, llvm::to_vector(sums), lanes, mask);
                        });
}

/// Whether the iterations of an innermost loop are code of their own each: those of numbers that are packed into one,
/// each of which is shifted by a count of its own.
bool ContractionLoops::isUnrolled(unsigned loop) {
  constexpr int64_t kMostSteps = 16;
  return inner.back() == loop && inner.size() > 1 && !ShapedType::isDynamic(ranges[loop]) &&
         ranges[loop] <= kMostSteps && llvm::any_of(op.getBody()->getOps<linalg::IndexOp>(), [&](linalg::IndexOp index) {
           return index.getDim() == loop;
         });
}

SmallVector<Value> ContractionLoops::emitReduction(unsigned depth, Value begin, Value end, ArrayRef<Value> carried,
                                                   int64_t lanes, Value mask) {
  OpBuilder::InsertionGuard guard(b);
  if (unsigned loop = inner[depth]; isUnrolled(loop)) {
    SmallVector<Value> sums = llvm::to_vector(carried);
    for (int64_t step = 0; step < ranges[loop]; ++step) {
      ivs[loop] = index(step);
      sums = emitInner(depth + 1, sums, lanes, mask);
    }
    return sums;
  }
  scf::ForOp nest = makeFor(begin, end, 1, carried);
  ivs[inner[depth]] = nest.getInductionVar();
  SmallVector<Value> results =
      emitInner(depth + 1, llvm::to_vector_of<Value>(nest.getRegionIterArgs()), lanes, mask);
  b.setInsertionPointToEnd(nest.getBody());
  scf::YieldOp::create(b, loc, results);
  return llvm::to_vector_of<Value>(nest.getResults());
}

/// The same in groups of steps.
SmallVector<Value> ContractionLoops::emitGroups(ArrayRef<Value> carried, int64_t lanes, Value mask) {
  auto readColumns = [&](ArrayRef<Value> positions) {
    llvm::copy(positions, ivs.begin());
    return read(op->getOpOperand(plan.dot->columns), lanes, mask);
  };
  return dot->sum(ivs, unrolled, {from, to}, carried, lanes, mask, readColumns);
}

void ContractionLoops::selectUnrolled(Value iv) {
  if (plan.unrolledLoop)
    ivs[*plan.unrolledLoop] = iv;
}

//===- Inputs -------------------------------------------------------------------------------===//

Value ContractionLoops::read(OpOperand &operand, int64_t lanes, Value mask) {
  unsigned number = operand.getOperandNumber();
  Value value = packed ? packed->load(number, ivs, from, lanes) : Value();
  if (!value)
    value = load(operand, lanes, mask);
  if (!mask && isFirstRead(operand)) {
    if (plan.prefetch)
      fetchIterationsAhead(b, op, plan, operand, ivs, lanes);
    if (plan.fetchedInOrder == number && isNewStep(operand))
      fetchBytesAhead(b, op, operand, indices(operand), plan.kBytesAhead, lanes);
    if (plan.fetchedAhead == number && lanes == plan.lanes)
      fetchColumnsAhead(b, op, plan, operand, ivs, {outer, inner, from, to, extents, group, groups});
  }
  return value;
}

/// Of a vector that the unrolled iterations share, whether this is the first of them.
bool ContractionLoops::isFirstRead(OpOperand &operand) {
  return !plan.unrolledLoop || dot || ivs[*plan.unrolledLoop] == unrolled.front() ||
         op.getMatchingIndexingMap(&operand).isFunctionOfDim(*plan.unrolledLoop);
}

/// Whether the innermost loop, where each iteration is code of its own, reads another vector than the iteration before.
bool ContractionLoops::isNewStep(OpOperand &operand) {
  return inner.empty() || !isUnrolled(inner.back()) || isConstantIntValue(ivs[inner.back()], 0) ||
         op.getMatchingIndexingMap(&operand).isFunctionOfDim(inner.back());
}
