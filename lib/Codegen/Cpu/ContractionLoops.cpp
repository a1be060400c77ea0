//===- ContractionLoops.cpp - Reductions around vectors -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DotBody.h"
#include "Epilogue.h"
#include "FetchAhead.h"
#include "MatrixTiles.h"
#include "PackedColumns.h"
#include "VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class ContractionLoops : VectorNest {
public:
  ContractionLoops(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan)
      : VectorNest(b, op, plan, plan.unrolledLoop), plan(plan) {
    if (plan.scaled) {
      leftOut = plan.scaled->product;
      standIn = plan.scaled->weight;
    }
    if (plan.epilogue)
      epilogue.emplace(b, plan, op.getDpsInits().front());
  }

  void emit() {
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

private:
  /// Whether columns are read in groups of steps.
  bool packsGroups() const { return plan.dot && plan.dot->isPacked(); }

  /// Room for sums of several parts: rows of the unrolled loop, whole vectors along the other.
  void allocatePartialSums() {
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

  /// Whether what the iterations of the unrolled loop share changes along `loop`.
  bool changesReused(unsigned loop) {
    return plan.unrolledLoop && llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
             AffineMap map = op.getMatchingIndexingMap(operand);
             return !map.isFunctionOfDim(*plan.unrolledLoop) && map.isFunctionOfDim(plan.loop) &&
                    map.isFunctionOfDim(loop);
           });
  }

  //===- Vectors, then groups of rows -------------------------------------------------------===//

  void enter(unsigned depth) override {
    if (depth != packDepth)
      return;
    ivs[plan.loop] = index(0);
    dot->pack(ivs, {from, to}, plan.lanes, Value());
  }

  void emitInside() override {
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
  void emitRuns() {
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
  void forVectorsOfRun(llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard inside(b);
    Value panel = makeFor(index(0), index(plan.columnRun), 1).getInductionVar();
    ivs[plan.loop] = arith::AddIOp::create(b, loc, runBegin, arith::MulIOp::create(b, loc, panel, index(plan.lanes)));
    if (packed)
      packed->setPanel(panel);
    emit();
  }

  /// Inside the vectors' loop: the columns that a group of rows has read are near for the next one.
  void emitVector(int64_t lanes, Value mask) override {
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

  void emitGroupsOfRows(int64_t lanes, Value mask) {
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
  void emitEvenGroups(int64_t lanes, Value mask) {
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

  /// The rows in groups of equal size, each of which tile registers sum up. The last group begins where it has all of its
  /// rows; those that the group before had are not stored again.
  void emitTiles(int64_t lanes, Value mask) {
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

  static bool isZero(Value value) {
    return value && (matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat()));
  }

  /// `count` iterations of the unrolled loop from `first` on.
  void emitRows(Value first, int64_t count, int64_t lanes, Value mask) {
    unrolled.clear();
    for (int64_t i = 0; i < count; ++i)
      unrolled.push_back(i == 0 ? first : Value(arith::AddIOp::create(b, loc, first, index(i))));
    if (runBegin)
      forVectorsOfRun([&] { emitPoint(lanes, mask); });
    else
      emitPoint(lanes, mask);
  }

  //===- One vector (per unrolled iteration) of the result ----------------------------------===//

  void emitPoint(int64_t lanes, Value mask) {
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
  void storeSums(Value sums, int64_t lanes, Value mask) {
    if (epilogue)
      epilogue->emit(sums, ivs, lanes, mask);
    else
      store(sums, *op.getDpsInitOperand(0), mask);
  }

  /// A part whose sums are added to what lies in memory: at once, or when those that have a sum of
  /// their own are complete.
  void emitPart(int64_t lanes, Value mask) {
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
  Value getStart(OpOperand &init, int64_t lanes, Value mask) {
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

  /// The reduction loops beside the vectors', carrying the accumulators.
  SmallVector<Value> emitInner(unsigned depth, SmallVector<Value> carried, int64_t lanes,
                               Value mask) {
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
  SmallVector<Value> emitScaled(unsigned depth, ArrayRef<Value> totals, int64_t lanes, Value mask) {
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
  Value evaluateConverted(Value value, int64_t lanes, Value mask) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return read(*op.getMatchingOpOperand(argument), lanes, mask);
    IRMapping mapping;
    Value from = value.getDefiningOp()->getOperand(0);
    mapping.map(from, evaluateConverted(from, lanes, mask));
    Value converted = b.clone(*value.getDefiningOp(), mapping)->getResult(0);
    converted.setType(VectorType::get({lanes}, value.getType()));
    return converted;
  }

  SmallVector<Value> emitPartialSums(unsigned depth, ArrayRef<Value> totals, int64_t lanes,
                                     Value mask) {
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
  bool isUnrolled(unsigned loop) {
    constexpr int64_t kMostSteps = 16;
    return inner.back() == loop && inner.size() > 1 && !ShapedType::isDynamic(ranges[loop]) &&
           ranges[loop] <= kMostSteps && llvm::any_of(op.getBody()->getOps<linalg::IndexOp>(), [&](linalg::IndexOp index) {
             return index.getDim() == loop;
           });
  }

  SmallVector<Value> emitReduction(unsigned depth, Value begin, Value end, ArrayRef<Value> carried,
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
  SmallVector<Value> emitGroups(ArrayRef<Value> carried, int64_t lanes, Value mask) {
    auto readColumns = [&](ArrayRef<Value> positions) {
      llvm::copy(positions, ivs.begin());
      return read(op->getOpOperand(plan.dot->columns), lanes, mask);
    };
    return dot->sum(ivs, unrolled, {from, to}, carried, lanes, mask, readColumns);
  }

  void selectUnrolled(Value iv) {
    if (plan.unrolledLoop)
      ivs[*plan.unrolledLoop] = iv;
  }

  //===- Inputs -----------------------------------------------------------------------------===//

  Value read(OpOperand &operand, int64_t lanes, Value mask) override {
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
  bool isFirstRead(OpOperand &operand) {
    return !plan.unrolledLoop || dot || ivs[*plan.unrolledLoop] == unrolled.front() ||
           op.getMatchingIndexingMap(&operand).isFunctionOfDim(*plan.unrolledLoop);
  }

  /// Whether the innermost loop, where each iteration is code of its own, reads another vector than the iteration before.
  bool isNewStep(OpOperand &operand) {
    return inner.empty() || !isUnrolled(inner.back()) || isConstantIntValue(ivs[inner.back()], 0) ||
           op.getMatchingIndexingMap(&operand).isFunctionOfDim(inner.back());
  }

  const ContractionPlan &plan;
  std::optional<Epilogue> epilogue;
  std::optional<DotBody> dot;
  std::optional<MatrixTiles> tiles;  ///< where tile registers make the sums
  std::optional<PackedColumns> packed;
  bool isInGroup = false;            ///< of steps whose sums are scaled
  std::optional<unsigned> packDepth; ///< the outer loop in front of which columns are packed, if not within all
  SmallVector<Value> unrolled;       ///< iterations of the unrolled loop that are computed together
  Value runBegin;                    ///< the first column of the run of vectors at hand, if there is one
  Value group, groups;               ///< which of how many groups of iterations they are
  SmallVector<Value> from, to;       ///< where the reductions of `inner` begin and end
  Value partialSums;                 ///< [rows, vectors] if the plan keeps them
};

} // namespace

void ContractionPlan::emit(RewriterBase &rewriter, linalg::GenericOp op) const {
  OpBuilder::InsertionGuard guard(rewriter);
  ContractionLoops(rewriter, op, *this).emit();
}
