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
/// And so many where their number is known at run time only.
static constexpr int64_t kUnknownTurns = 4;
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
  unsigned loop = *plan.prefetchLoop;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool isFetched =
      plan.prefetched.empty() || llvm::is_contained(plan.prefetched, operand.getOperandNumber());
  if (!isFetched || !isa<MemRefType>(operand.get().getType()) ||
      getAccess(op, operand, plan.loop) != Access::Contiguous || !map.isFunctionOfDim(loop))
    return;
  Location loc = op.getLoc();
  SmallVector<Value> later(ivs);
  later[loop] = arith::AddIOp::create(
      b, loc, ivs[loop], arith::ConstantIndexOp::create(b, loc, plan.prefetchDistance));
  fetchLines(b, loc, operand.get(), createIndices(b, op, map, later), lanes, plan.prefetchLocality);
}

namespace {

/// A number that loops count to: the outermost first.
class Counter {
public:
  Counter(OpBuilder &b, Location loc) : b(b), loc(loc), number(index(0)) {}

  void add(Value position, int64_t range) {
    number = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, number, index(range)),
                                   position);
    extent = llvm::SaturatingMultiply<uint64_t>(extent, range);
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  OpBuilder &b;
  Location loc;
  Value number;
  int64_t extent = 1;
};

} // namespace

void mlir::fuse::fetchColumnsAhead(OpBuilder &b, linalg::GenericOp op, const VectorPlan &plan,
                                   OpOperand &operand, ArrayRef<Value> ivs,
                                   const ContractionNest &nest) {
  Location loc = op.getLoc();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Counter turn(b, loc), step(b, loc);
  for (unsigned loop : nest.outer)
    if (!map.isFunctionOfDim(loop) && !ShapedType::isDynamic(ranges[loop]))
      turn.add(ivs[loop], ranges[loop]);
  Value group = arith::DivUIOp::create(b, loc, nest.firstRow, turn.index(plan.unroll));
  int64_t rows = ranges[*plan.unrolledLoop];
  turn.add(group,
           ShapedType::isDynamic(rows) ? kUnknownTurns : std::max<int64_t>(1, rows / plan.unroll));
  int64_t turns = std::min(turn.extent, kMostTurns);
  turn.number = arith::MinUIOp::create(b, loc, turn.number, turn.index(turns - 1));

  SmallVector<Value> behind(ivs);
  for (auto [loop, from, to] : llvm::zip_equal(nest.inner, nest.from, nest.to)) {
    behind[loop] = from;
    step.add(arith::SubIOp::create(b, loc, ivs[loop], from),
             plan.reductionBlock ? plan.reductionBlock : ranges[loop]);
  }
  // Behind the last step lies the next part of the reduction, or the next panel. A single group of
  // rows reads memory once, and is served by lines that are nearer.
  if (turns == 1)
    behind[nest.inner.back()] =
        arith::AddIOp::create(b, loc, nest.from.back(), turn.index(kStepsAhead));
  else
    behind[nest.inner.front()] = nest.to.front();
  int64_t perStep = llvm::divideCeil(plan.lanes, turns);
  Value number = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, turn.number, turn.index(step.extent)), step.number);
  SmallVector<Value> at = createIndices(b, op, map, behind);
  at.back() = arith::AddIOp::create(b, loc, at.back(),
                                    arith::MulIOp::create(b, loc, number, turn.index(perStep)));
  fetchLines(b, loc, operand.get(), at, perStep, kPanelLocality);
}
