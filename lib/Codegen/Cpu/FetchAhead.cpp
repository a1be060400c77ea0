//===- FetchAhead.cpp - Data that loops over vectors will want ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An address behind a buffer's end does no harm: fetching it is no access.
//
//===----------------------------------------------------------------------------------------===//

#include "FetchAhead.h"
#include "../Kernel/LoopCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fuse;

/// So many groups of rows share the work of fetching a panel; those behind them look for what is
/// there already.
static constexpr int64_t kMostTurns = 8;
/// How many steps ahead a single group of rows fetches: 8 rows, 768 columns, 3072 steps of f32 on a
/// core of Granite Rapids 0.354 ms, 0.386 with 128 steps, 0.411 with all of a panel or without it.
static constexpr int64_t kStepsAhead = 32;
/// Towards the second cache: panels are larger than the first one.
static constexpr unsigned kPanelLocality = 2;

static int64_t getLine(Value buffer) {
  return std::max<int64_t>(1, 512 / cast<MemRefType>(buffer.getType()).getElementTypeBitWidth());
}

/// Fetches the lines of `count` elements from `at` on.
static void fetchLines(OpBuilder &b, Location loc, Value buffer, ArrayRef<Value> at, int64_t count,
                       unsigned locality) {
  for (int64_t element = 0; element < count; element += getLine(buffer)) {
    SmallVector<Value> line(at);
    line.back() =
        arith::AddIOp::create(b, loc, at.back(), arith::ConstantIndexOp::create(b, loc, element));
    memref::PrefetchOp::create(b, loc, buffer, line, /*isWrite=*/false, locality,
                               /*isDataCache=*/true);
  }
}

void mlir::fuse::fetchIterationsAhead(OpBuilder &b, linalg::GenericOp op, const VectorPlan &plan,
                                      OpOperand &operand, ArrayRef<Value> ivs, int64_t lanes) {
  const Prefetch &prefetch = *plan.prefetch;
  unsigned loop = prefetch.loop;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool isFetched =
      prefetch.operands.empty() || llvm::is_contained(prefetch.operands, operand.getOperandNumber());
  if (!isFetched || !isa<MemRefType>(operand.get().getType()) ||
      getAccess(op, operand, plan.loop) != Access::Contiguous || !map.isFunctionOfDim(loop))
    return;
  Location loc = op.getLoc();
  SmallVector<Value> later(ivs);
  later[loop] = arith::AddIOp::create(
      b, loc, ivs[loop], arith::ConstantIndexOp::create(b, loc, prefetch.distance));
  fetchLines(b, loc, operand.get(), createIndices(b, op, map, later), lanes, prefetch.locality);
}

void mlir::fuse::fetchBytesAhead(OpBuilder &b, linalg::GenericOp op, OpOperand &operand, ArrayRef<Value> at,
                                 int64_t bytes, int64_t lanes) {
  Location loc = op.getLoc();
  SmallVector<Value> later(at);
  int64_t ahead = bytes * 8 / cast<MemRefType>(operand.get().getType()).getElementTypeBitWidth();
  later.back() = arith::AddIOp::create(b, loc, at.back(), arith::ConstantIndexOp::create(b, loc, ahead));
  constexpr unsigned kFirstCache = 3;
  fetchLines(b, loc, operand.get(), later, lanes, kFirstCache);
}

namespace {

/// Arithmetic on numbers of which some are known here, others at run time only.
struct Numbers {
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value left, Value right) { return b.createOrFold<arith::AddIOp>(loc, left, right); }
  Value sub(Value left, Value right) { return b.createOrFold<arith::SubIOp>(loc, left, right); }
  Value mul(Value left, Value right) { return b.createOrFold<arith::MulIOp>(loc, left, right); }
  Value div(Value left, Value right) { return b.createOrFold<arith::DivUIOp>(loc, left, right); }
  Value least(Value left, Value right) { return b.createOrFold<arith::MinUIOp>(loc, left, right); }
  Value isOne(Value value) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, value, index(1));
  }
  Value select(Value condition, Value yes, Value no) {
    return b.createOrFold<arith::SelectOp>(loc, condition, yes, no);
  }

  OpBuilder &b;
  Location loc;
};

/// A number that loops count to: the outermost first.
struct Counter {
  explicit Counter(Numbers &numbers)
      : numbers(numbers), number(numbers.index(0)), extent(numbers.index(1)) {}

  void add(Value position, Value range) {
    number = numbers.add(numbers.mul(number, range), position);
    extent = numbers.mul(extent, range);
  }

  Numbers &numbers;
  Value number, extent;
};

} // namespace

void mlir::fuse::fetchColumnsAhead(OpBuilder &b, linalg::GenericOp op, const ContractionPlan &plan,
                                   OpOperand &operand, ArrayRef<Value> ivs,
                                   const ContractionNest &nest) {
  Location loc = op.getLoc();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Numbers numbers{b, loc};
  Counter turn(numbers), step(numbers);
  for (unsigned loop : nest.outer)
    if (!map.isFunctionOfDim(loop))
      turn.add(ivs[loop], nest.extents[loop]);
  turn.add(nest.group, nest.groups);
  Value turns = numbers.least(turn.extent, numbers.index(kMostTurns));
  turn.number = numbers.least(turn.number, numbers.sub(turns, numbers.index(1)));

  // Behind the last step lies the next part of the reduction, or the next panel. A single group of
  // rows reads memory once, and is served by lines that are nearer.
  SmallVector<Value> behind(ivs);
  for (auto [loop, from, to] : llvm::zip_equal(nest.inner, nest.from, nest.to)) {
    behind[loop] = from;
    step.add(numbers.sub(ivs[loop], from),
             plan.reductionBlock ? numbers.index(plan.reductionBlock) : nest.extents[loop]);
  }
  Value isSingle = numbers.isOne(turns);
  Value &first = behind[nest.inner.front()], &last = behind[nest.inner.back()];
  first = numbers.select(isSingle, nest.from.front(), nest.to.front());
  last = numbers.select(isSingle, numbers.add(nest.from.back(), numbers.index(kStepsAhead)), last);
  // Each step fetches its part of the columns; where the number of turns is not known here, a step
  // fetches as many lines as a single turn has to, of which those of several turns overlap.
  Value perStep = numbers.div(numbers.add(numbers.index(plan.lanes - 1), turns), turns);
  Value number = numbers.add(numbers.mul(turn.number, step.extent), step.number);
  SmallVector<Value> at = createIndices(b, op, map, behind);
  at.back() = numbers.add(at.back(), numbers.mul(number, perStep));
  fetchLines(b, loc, operand.get(), at, getConstantIntValue(perStep).value_or(plan.lanes),
             kPanelLocality);
}
