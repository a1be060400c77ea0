//===- ContractionLoops.cpp - Vectors and rows around the sums of a contraction ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ContractionLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

ContractionLoops::ContractionLoops(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan)
    : VectorNest(b, op, plan, plan.unrolledLoop), plan(plan) {
  if (plan.scaled) {
    leftOut = plan.scaled->product;
    standIn = plan.scaled->weight;
  }
  if (plan.epilogue)
    epilogue.emplace(b, plan, op.getDpsInits().front());
}

void ContractionLoops::emit() {
  // Weights that stay near are gone through for all rows before the next ones.
  auto shared = std::stable_partition(outer.begin(), outer.end(),
                                      [&](unsigned loop) { return changesReused(loop); });
  // Where a vector has all columns, they are packed for all rows of the tile.
  if (packsGroups() && plan.unrolledLoop && !plan.reductionBlock && ranges[plan.loop] == plan.lanes)
    packDepth = shared - outer.begin();
  for (unsigned loop : inner) {
    from.push_back(index(0));
    to.push_back(extents[loop]);
  }
  if (plan.keepsPartialSums())
    allocatePartialSums();
  else if (plan.totalsInMemory)
    totalsBuffer = memref::AllocOp::create(
        b, loc, MemRefType::get({2, plan.unroll, plan.lanes}, getElementTypeOrSelf(op.getDpsInits()[0])));
  if (plan.dot)
    dot.emplace(b, op, plan, inner);
  if (!packsGroups() && !plan.packed.empty())
    packed.emplace(b, op, plan, inner);
  if (plan.dot && plan.dot->tileSteps)
    tiles.emplace(b, op, plan, inner, dot->getPacked());
  emitOuter();
  if (tiles)
    tiles->release();
}

/// Whether what the iterations of the unrolled loop share changes along `loop`.
bool ContractionLoops::changesReused(unsigned loop) {
  return plan.unrolledLoop && llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           AffineMap map = op.getMatchingIndexingMap(operand);
           return !map.isFunctionOfDim(*plan.unrolledLoop) && map.isFunctionOfDim(plan.loop) &&
                  map.isFunctionOfDim(loop);
         });
}

//===- Vectors, then groups of rows ---------------------------------------------------------===//

void ContractionLoops::enter(unsigned depth) {
  if (depth != packDepth)
    return;
  ivs[plan.loop] = index(0);
  dot->pack(ivs, {from, to}, plan.lanes, Value());
}

void ContractionLoops::emitInside() {
  if (plan.reductionBlock) {
    Value block = index(plan.reductionBlock);
    from[0] = makeFor(index(0), extents[inner[0]], plan.reductionBlock).getInductionVar();
    to[0] = arith::AddIOp::create(b, loc, from[0], block);
    if (ranges[inner[0]] % plan.reductionBlock != 0)
      to[0] = arith::MinUIOp::create(b, loc, to[0], extents[inner[0]]);
  }
  if (plan.columnRun > 1)
    emitRuns();
  else
    emitVectors();
}

/// Whole runs of vectors, each with all groups of rows, and then the vectors that are left:
///
///   for run of columns:
///     for vector of the run:  pack its columns
///     for group of rows:
///       for vector of the run:  the sums of the group
void ContractionLoops::emitRuns() {
  unsigned loop = plan.loop;
  int64_t columns = plan.columnRun * plan.lanes;
  Value whole = wholeSteps(loop, columns);
  {
    OpBuilder::InsertionGuard inside(b);
    runBegin = makeFor(index(0), whole, columns).getInductionVar();
    if (packed)
      forVectorsOfRun([&] { packed->pack(ivs, from, to, plan.lanes, Value()); });
    emitGroupsOfRows(plan.lanes, Value());
  }
  runBegin = {};
  if (packed)
    packed->setPanel(index(0));
  if (hasRemainder(loop, columns))
    emitVectors(whole);
}

/// Calls `emit` inside a loop over the vectors of the run at hand.
void ContractionLoops::forVectorsOfRun(llvm::function_ref<void()> emit) {
  OpBuilder::InsertionGuard inside(b);
  Value panel = makeFor(index(0), index(plan.columnRun), 1).getInductionVar();
  ivs[plan.loop] = arith::AddIOp::create(b, loc, runBegin, arith::MulIOp::create(b, loc, panel, index(plan.lanes)));
  if (packed)
    packed->setPanel(panel);
  emit();
}

/// Inside the vectors' loop: the columns that a group of rows has read are near for the next one.
void ContractionLoops::emitVector(int64_t lanes, Value mask) {
  if (!plan.unrolledLoop) {
    unrolled = {Value()};
    return emitPoint(lanes, mask);
  }
  if (packDepth)
    ; // done
  else if (packsGroups())
    dot->pack(ivs, {from, to}, lanes, mask);
  else if (packed)
    packed->pack(ivs, from, to, lanes, mask);
  if (tiles)
    return emitTiles(lanes, mask);
  emitGroupsOfRows(lanes, mask);
}

void ContractionLoops::emitGroupsOfRows(int64_t lanes, Value mask) {
  unsigned loop = *plan.unrolledLoop;
  if (ShapedType::isDynamic(ranges[loop]))
    return emitEvenGroups(lanes, mask);
  Value whole = wholeSteps(loop, plan.unroll);
  groups = index(std::max<int64_t>(1, ranges[loop] / plan.unroll));
  if (ranges[loop] >= plan.unroll) {
    OpBuilder::InsertionGuard inside(b);
    Value first = makeFor(index(0), whole, plan.unroll).getInductionVar();
    group = b.createOrFold<arith::DivUIOp>(loc, first, index(plan.unroll));
    emitRows(first, plan.unroll, lanes, mask);
  }
  if (!hasRemainder(loop, plan.unroll))
    return;
  group = groups;
  emitRows(whole, ranges[loop] % plan.unroll, lanes, mask);
}

/// Of rows whose number only the machine will know: as few groups as there can be, which differ by a row at most. In groups
/// of at most 10, 17 rows are 9 and 8. There is code for each number of rows that a group may have, which are few (see
/// getUnroll):
///
///   groups = ceildiv(rows, most)
///   for group in 0 .. groups
///     switch (rows / groups + (group < rows % groups))
///       case 1: …  case most: …
void ContractionLoops::emitEvenGroups(int64_t lanes, Value mask) {
  OpBuilder::InsertionGuard inside(b);
  Value rows = extents[*plan.unrolledLoop];
  groups = arith::CeilDivUIOp::create(b, loc, rows, index(plan.unroll));
  Value some = arith::MaxUIOp::create(b, loc, groups, index(1));
  Value least = arith::DivUIOp::create(b, loc, rows, some);
  Value larger = arith::RemUIOp::create(b, loc, rows, some); // so many groups have a row more
  group = makeFor(index(0), groups, 1).getInductionVar();
  Value isLarger = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, group, larger);
  Value count = arith::AddIOp::create(b, loc, least, arith::SelectOp::create(b, loc, isLarger, index(1), index(0)));
  Value first = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, group, least),
                                      arith::MinUIOp::create(b, loc, group, larger));
  SmallVector<int64_t> counts = llvm::to_vector(llvm::seq<int64_t>(1, plan.unroll + 1));
  auto choice = scf::IndexSwitchOp::create(b, loc, TypeRange(), count, counts, counts.size());
  for (auto [each, region] : llvm::zip_equal(counts, choice.getCaseRegions())) {
    b.createBlock(&region);
    emitRows(first, each, lanes, mask);
    scf::YieldOp::create(b, loc);
  }
  b.createBlock(&choice.getDefaultRegion()); // there is no such group
  scf::YieldOp::create(b, loc);
}

static bool isZero(Value value) {
  return value && (matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat()));
}

/// The rows in groups of equal size, each of which tile registers sum up. The last group begins where it has all of its
/// rows; those that the group before had are not stored again.
void ContractionLoops::emitTiles(int64_t lanes, Value mask) {
  OpBuilder::InsertionGuard inside(b);
  unsigned loop = *plan.unrolledLoop;
  Value rows = tiles->getRows();
  Value number = makeFor(index(0), tiles->getGroups(), 1).getInductionVar();
  Value begin = b.createOrFold<arith::MulIOp>(loc, number, rows);
  Value last = b.createOrFold<arith::SubIOp>(loc, extents[loop], rows);
  Value first = b.createOrFold<arith::MinUIOp>(loc, begin, last);
  ivs[loop] = first;
  tiles->multiply(ivs);
  Value row = makeFor(b.createOrFold<arith::SubIOp>(loc, begin, first), rows, 1).getInductionVar();
  ivs[loop] = arith::AddIOp::create(b, loc, first, row);
  OpOperand &init = *op.getDpsInitOperand(0);
  Value sums = tiles->load(row);
  if (!isZero(plan.start))
    sums = addSums(getStart(init, lanes, mask), sums).front();
  storeSums(sums, lanes, mask);
}

/// `count` iterations of the unrolled loop from `first` on.
void ContractionLoops::emitRows(Value first, int64_t count, int64_t lanes, Value mask) {
  unrolled.clear();
  for (int64_t i = 0; i < count; ++i)
    unrolled.push_back(i == 0 ? first : Value(arith::AddIOp::create(b, loc, first, index(i))));
  if (runBegin)
    forVectorsOfRun([&] { emitPoint(lanes, mask); });
  else
    emitPoint(lanes, mask);
}

void ContractionPlan::emit(RewriterBase &rewriter, linalg::GenericOp op) const {
  OpBuilder::InsertionGuard guard(rewriter);
  ContractionLoops(rewriter, op, *this).emit();
}
