//===- VectorLoops.cpp - Members on buffers as loops over vectors ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DotBody.h"
#include "FetchAhead.h"
#include "PastCaches.h"
#include "RowFold.h"
#include "TransposeTile.h"
#include "VectorBody.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

namespace {

/// The member that sums go through before they are stored.
class Epilogue : VectorBody {
public:
  Epilogue(RewriterBase &b, const VectorPlan &plan, Value sums)
      : VectorBody(b, plan.epilogue, plan.loop, plan.hasFma), sums(sums) {}

  /// Stores what becomes of a vector of sums; the loops stand at `positions`.
  void emit(Value vector, ArrayRef<Value> positions, int64_t lanes, Value mask) {
    current = vector;
    llvm::copy(positions.take_front(ivs.size()), ivs.begin());
    SmallVector<Value> before(op.getNumDpsInits());
    if (op.getNumReductionLoops() > 0)
      before.front() = load(*op.getDpsInitOperand(0), lanes, mask);
    SmallVector<Value> results = body(before, lanes, mask);
    for (auto [result, init] : llvm::zip_equal(results, op.getDpsInitsMutable()))
      store(result, init, mask);
  }

private:
  Value read(OpOperand &operand, int64_t lanes, Value mask) override {
    return operand.get() == sums ? current : load(operand, lanes, mask);
  }

  Value sums, current;
};

class VectorLoops : VectorBody {
public:
  VectorLoops(RewriterBase &b, linalg::GenericOp op, const VectorPlan &plan)
      : VectorBody(b, op, plan.loop, plan.hasFma), plan(plan) {
    if (plan.scaled) {
      leftOut = plan.scaled->product;
      standIn = plan.scaled->weight;
    }
    if (plan.epilogue)
      epilogue.emplace(b, plan, op.getDpsInits().front());
  }

  void emit() {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      bool isParallel = iterators[loop] == IteratorType::parallel;
      if (loop == plan.loop || loop == plan.unrolledLoop)
        continue;
      (isParallel ? outer : inner).push_back(loop);
    }
    // Weights that stay near are gone through for all rows before the next ones.
    auto shared = std::stable_partition(outer.begin(), outer.end(),
                                        [&](unsigned loop) { return changesReused(loop); });
    // Where a vector has all columns, they are packed for all rows of the tile.
    if (plan.dot && plan.dot->isPacked() && plan.unrolledLoop && !plan.reductionBlock &&
        ranges[plan.loop] == plan.lanes)
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
    bool packsGroups = plan.dot && plan.dot->isPacked();
    for (unsigned number : packsGroups ? ArrayRef<unsigned>() : plan.packed) {
      SmallVector<int64_t> shape;
      for (unsigned loop : inner)
        shape.push_back(plan.reductionBlock ? plan.reductionBlock : ranges[loop]);
      shape.push_back(plan.lanes);
      Type element = getElementTypeOrSelf(op->getOperand(number));
      if (plan.dot && plan.dot->kind == DotPlan::Kind::Copied)
        element = b.getF32Type();
      packs[number] = memref::AllocOp::create(b, loc, MemRefType::get(shape, element));
    }
    emitOuter(0);
  }

private:
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

  //===- Parallel loops, outermost first, then vectors, then the unrolled one ---------------===//

  void emitOuter(unsigned depth) {
    OpBuilder::InsertionGuard guard(b);
    if (depth == packDepth) {
      ivs[plan.loop] = index(0);
      dot->pack(ivs, {from, to}, plan.lanes, Value());
    }
    if (depth < outer.size()) {
      unsigned loop = outer[depth];
      ivs[loop] = makeFor(index(0), extents[loop], 1).getInductionVar();
      return emitOuter(depth + 1);
    }
    if (!plan.reductionBlock)
      return emitVectors();
    Value block = index(plan.reductionBlock);
    from[0] = makeFor(index(0), extents[inner[0]], plan.reductionBlock).getInductionVar();
    to[0] = arith::AddIOp::create(b, loc, from[0], block);
    if (ranges[inner[0]] % plan.reductionBlock != 0)
      to[0] = arith::MinUIOp::create(b, loc, to[0], extents[inner[0]]);
    emitVectors();
  }

  void emitVectors() {
    if (plan.isReduction) {
      unrolled = {Value()};
      return emitRowReduction();
    }
    if (!plan.storesPast)
      return emitFrom(Value());
    ivs[plan.loop] = index(0);
    std::optional<LineStart> start =
        findLineStart(b, op, plan, [&](OpOperand &operand) { return indices(operand); });
    if (!start)
      return emitFrom(Value());
    auto branch = scf::IfOp::create(b, loc, start->isCommon, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value first = arith::MinUIOp::create(b, loc, start->elements, extents[plan.loop]);
    emitMasked(index(0), first);
    pastCaches = true;
    emitFrom(first);
    pastCaches = false;
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    emitFrom(Value());
  }

  /// Vectors from element `first` on, or all if it is null: as many long ones as there are, shorter
  /// ones, and at last one with a mask.
  void emitFrom(Value first) {
    unsigned loop = plan.loop;
    bool isKnown = !first && !ShapedType::isDynamic(ranges[loop]);
    Value end = first ? roundedSteps(first, plan.lanes) : wholeSteps(loop, plan.lanes);
    bool isSingle = isKnown && ranges[loop] == plan.lanes;
    emitWhole(first ? first : index(0), end, plan.lanes, isSingle);
    if (isKnown && !hasRemainder(loop, plan.lanes))
      return;
    bool wasPast = std::exchange(pastCaches, false);
    int64_t before = plan.lanes;
    for (int64_t lanes : {plan.middleLanes, plan.tailLanes}) {
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
    pastCaches = wasPast;
  }

  /// The last position that lies a multiple of `step` behind `first`.
  Value roundedSteps(Value first, int64_t step) {
    Value left = arith::SubIOp::create(b, loc, extents[plan.loop], first);
    Value rest = arith::RemUIOp::create(b, loc, left, index(step));
    return arith::SubIOp::create(b, loc, extents[plan.loop], rest);
  }

  void emitWhole(Value from, Value to, int64_t lanes, bool isSingle) {
    OpBuilder::InsertionGuard inside(b);
    ivs[plan.loop] = isSingle ? from : makeFor(from, to, lanes).getInductionVar();
    emitUnrolled(lanes, Value());
  }

  void emitMasked(Value from, Value to) {
    OpBuilder::InsertionGuard inside(b);
    Value at = ivs[plan.loop] = makeFor(from, to, plan.tailLanes).getInductionVar();
    Value left = arith::SubIOp::create(b, loc, to, at);
    emitUnrolled(plan.tailLanes,
                 vector::CreateMaskOp::create(b, loc, maskType(plan.tailLanes), left));
  }

  /// Inside the vectors' loop: the columns that a group of rows has read are near for the next one.
  void emitUnrolled(int64_t lanes, Value mask) {
    if (!plan.unrolledLoop) {
      unrolled = {Value()};
      return emitPoint(lanes, mask);
    }
    if (packDepth)
      ; // done
    else if (dot && plan.dot->isPacked())
      dot->pack(ivs, {from, to}, lanes, mask);
    else if (!plan.packed.empty())
      emitPacking(lanes, mask);
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

  /// `count` iterations of the unrolled loop from `first` on.
  void emitRows(Value first, int64_t count, int64_t lanes, Value mask) {
    unrolled.clear();
    for (int64_t i = 0; i < count; ++i)
      unrolled.push_back(i == 0 ? first : Value(arith::AddIOp::create(b, loc, first, index(i))));
    emitPoint(lanes, mask);
  }

  /// The columns at hand, for all iterations of the reductions.
  void emitPacking(int64_t lanes, Value mask) {
    for (auto [number, pack] : packs) {
      OpOperand &operand = op->getOpOperand(number);
      if (getAccess(op, operand, plan.loop) != Access::Other)
        emitLines(0, [&, pack = pack] {
          Value line = widen(load(operand, lanes, mask), pack);
          vector::StoreOp::create(b, loc, line, pack, packIndices());
        });
      else
        emitScattered(operand, pack, lanes, mask);
    }
  }

  /// Runs through the reductions at hand, but for the innermost `left` of them.
  void emitLines(unsigned depth, llvm::function_ref<void()> emit, unsigned left = 0) {
    OpBuilder::InsertionGuard guard(b);
    if (depth + left == inner.size())
      return emit();
    ivs[inner[depth]] = makeFor(from[depth], to[depth], 1).getInductionVar();
    emitLines(depth + 1, emit, left);
  }

  /// Scattered columns: memory runs along the reductions. Square tiles of them are transposed in registers, and what is left
  /// comes element by element. The keys of attention, 128 rows of 64 f16 to [64, 128]: a fifth of the time of elements.
  void emitScattered(OpOperand &operand, Value pack, int64_t lanes, Value mask) {
    int64_t tile = std::min<int64_t>(plan.tailLanes, 16);
    bool isTiled = !mask && !inner.empty() && tile > 1 && lanes % tile == 0 &&
                   getAccess(op, operand, inner.back()) == Access::Contiguous;
    if (!isTiled)
      return emitElements(operand, pack, lanes, mask);
    Value begin = from.back(), end = to.back(), first = ivs[plan.loop];
    Value steps = arith::SubIOp::create(b, loc, end, begin);
    Value rest = b.createOrFold<arith::RemUIOp>(loc, steps, index(tile));
    Value whole = b.createOrFold<arith::SubIOp>(loc, end, rest);
    emitLines(0, [&] {
      OpBuilder::InsertionGuard guard(b);
      Value column = makeFor(index(0), index(lanes), tile).getInductionVar();
      Value step = makeFor(begin, whole, tile).getInductionVar();
      emitTransposed(operand, pack, tile, step, column);
    }, /*left=*/1);
    ivs[plan.loop] = first;
    int64_t extent = plan.reductionBlock ? plan.reductionBlock : ranges[inner.back()];
    if (extent % tile == 0 && ranges[inner.back()] % tile == 0)
      return;
    from.back() = whole;
    packOrigin = begin;
    emitElements(operand, pack, lanes, mask);
    from.back() = begin;
    packOrigin = Value();
  }

  /// A tile from a step of the innermost reduction, and from `column` of the columns at hand.
  void emitTransposed(OpOperand &operand, Value pack, int64_t tile, Value step, Value column) {
    Value first = ivs[plan.loop];
    auto type = VectorType::get({tile}, getElementTypeOrSelf(operand.get()));
    SmallVector<Value> vectors;
    ivs[inner.back()] = step;
    Value base = arith::AddIOp::create(b, loc, first, column);
    for (int64_t lane = 0; lane < tile; ++lane) {
      ivs[plan.loop] = arith::AddIOp::create(b, loc, base, index(lane));
      vectors.push_back(vector::LoadOp::create(b, loc, type, operand.get(), indices(operand)));
    }
    ivs[plan.loop] = first;
    transposeTile(b, loc, vectors);
    for (auto [lane, vector] : llvm::enumerate(vectors)) {
      ivs[inner.back()] = arith::AddIOp::create(b, loc, step, index(lane));
      SmallVector<Value> at = packIndices();
      at.back() = column;
      vector::StoreOp::create(b, loc, widen(vector, pack), pack, at);
    }
  }

  /// Columns one after the other. Behind the last column nobody looks.
  void emitElements(OpOperand &operand, Value pack, int64_t lanes, Value mask) {
    OpBuilder::InsertionGuard guard(b);
    Value first = ivs[plan.loop], count = index(lanes);
    if (mask)
      count = arith::MinUIOp::create(b, loc, count,
                                     arith::SubIOp::create(b, loc, extents[plan.loop], first));
    Value lane = makeFor(index(0), count, 1).getInductionVar();
    ivs[plan.loop] = arith::AddIOp::create(b, loc, first, lane);
    emitLines(0, [&] {
      Value value = memref::LoadOp::create(b, loc, operand.get(), indices(operand));
      SmallVector<Value> at = packIndices();
      at.back() = lane;
      memref::StoreOp::create(b, loc, widen(value, pack), pack, at);
    });
    ivs[plan.loop] = first;
  }

  /// As the copies in `pack` have it.
  Value widen(Value value, Value pack) {
    Type element = getElementTypeOrSelf(pack);
    if (getElementTypeOrSelf(value) == element)
      return value;
    Type type = element;
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      type = vector.clone(element);
    return arith::ExtFOp::create(b, loc, type, value);
  }

  SmallVector<Value> packIndices() {
    SmallVector<Value> at;
    for (auto [depth, loop] : llvm::enumerate(inner))
      at.push_back(plan.reductionBlock
                       ? Value(arith::SubIOp::create(b, loc, ivs[loop], packOrigin ? packOrigin : from[depth]))
                       : ivs[loop]);
    at.push_back(index(0));
    return at;
  }

  //===- One vector (per unrolled iteration) of the result ----------------------------------===//

  void emitPoint(int64_t lanes, Value mask) {
    if (plan.addsParts())
      return emitPart(lanes, mask);
    SmallVector<Value> accumulators;
    bool needsInits = !inner.empty() || llvm::any_of(op.getRegionOutputArgs(), [](Value argument) {
      return !argument.use_empty();
    });
    for (Value iv : unrolled) {
      selectUnrolled(iv);
      for (OpOperand &init : op.getDpsInitsMutable())
        accumulators.push_back(needsInits ? getStart(init, lanes, mask) : Value());
    }
    SmallVector<Value> results =
        dot ? emitGroups(accumulators, lanes, mask) : emitInner(0, accumulators, lanes, mask);
    unsigned next = 0;
    for (Value iv : unrolled) {
      selectUnrolled(iv);
      if (epilogue) {
        epilogue->emit(results[next++], ivs, lanes, mask);
        continue;
      }
      for (OpOperand &init : op.getDpsInitsMutable())
        if (pastCaches)
          vector::StoreOp::create(b, loc, results[next++], init.get(), indices(init),
                                  /*nontemporal=*/true, llvm::MaybeAlign(kCacheLineBytes));
        else
          store(results[next++], init, mask);
    }
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

  //===- Reductions along the vectors -------------------------------------------------------===//

  void emitRowReduction() {
    SmallVector<Operation *> combiners;
    matchReduction(op.getRegionOutputArgs(), 0, combiners);
    RowFold fold(b, loc, combiners.front());
    if (fold.isWidened())
      setFirst(fold);
    OpOperand &init = *op.getDpsInitOperand(0);
    Value total = fold.finish(emitRowLoops(0, fold, fold.begin(plan.lanes)));
    SmallVector<Value> at = indices(init);
    Value before = memref::LoadOp::create(b, loc, init.get(), at);
    memref::StoreOp::create(b, loc, fold.combine(before, total), init.get(), at);
  }

  RowFold::State emitRowLoops(unsigned depth, RowFold &fold, RowFold::State state) {
    OpBuilder::InsertionGuard guard(b);
    if (depth < inner.size()) {
      unsigned loop = inner[depth];
      scf::ForOp nest = makeFor(index(0), extents[loop], 1, state);
      ivs[loop] = nest.getInductionVar();
      RowFold::State result =
          emitRowLoops(depth + 1, fold, llvm::to_vector_of<Value>(nest.getRegionIterArgs()));
      b.setInsertionPointToEnd(nest.getBody());
      scf::YieldOp::create(b, loc, result);
      return llvm::to_vector_of<Value>(nest.getResults());
    }
    unsigned loop = plan.loop;
    Value whole = wholeSteps(loop, plan.lanes);
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] >= plan.lanes) {
      OpBuilder::InsertionGuard inside(b);
      scf::ForOp nest = makeFor(index(0), whole, plan.lanes, state);
      ivs[loop] = nest.getInductionVar();
      state = llvm::to_vector_of<Value>(nest.getRegionIterArgs());
      scf::YieldOp::create(b, loc, emitFold(fold, state, Value()));
      state = llvm::to_vector_of<Value>(nest.getResults());
      b.setInsertionPointAfter(nest);
    }
    if (!hasRemainder(loop, plan.lanes))
      return state;
    ivs[loop] = whole;
    Value left = arith::SubIOp::create(b, loc, extents[loop], whole);
    Value mask = vector::CreateMaskOp::create(b, loc, maskType(plan.lanes), left);
    return emitFold(fold, state, mask);
  }

  RowFold::State emitFold(RowFold &fold, const RowFold::State &state, Value mask) {
    if (!fold.hasOwnState()) {
      Value next = body(state[0], plan.lanes, mask).front();
      return {mask ? Value(arith::SelectOp::create(b, loc, mask, next, state[0])) : next};
    }
    return fold.add(state, emitFolded(fold, mask), mask);
  }

  /// What the body gives its combiner beside the accumulator.
  Value emitFolded(RowFold &fold, Value mask) {
    Value accumulator = fold.getNeutral(plan.lanes);
    Operation *combined = body(accumulator, plan.lanes, mask).front().getDefiningOp();
    Value values = combined->getOperand(combined->getOperand(0) == accumulator ? 1 : 0);
    b.eraseOp(combined);
    return values;
  }

  /// Shows the fold the element where all loops of the reduction begin, if there is one.
  void setFirst(RowFold &fold) {
    Value count = extents[plan.loop];
    ivs[plan.loop] = index(0);
    for (unsigned loop : inner) {
      ivs[loop] = index(0);
      count = arith::MulIOp::create(b, loc, count, extents[loop]);
    }
    Value mask;
    if (ShapedType::isDynamic(ranges[plan.loop]) || ranges[plan.loop] < plan.lanes ||
        llvm::any_of(inner, [&](unsigned loop) { return ShapedType::isDynamic(ranges[loop]); })) {
      Value some = arith::MinUIOp::create(b, loc, count, extents[plan.loop]);
      mask = vector::CreateMaskOp::create(b, loc, maskType(plan.lanes), some);
    }
    fold.setFirst(emitFolded(fold, mask), count);
  }

  //===- Inputs -----------------------------------------------------------------------------===//

  Value read(OpOperand &operand, int64_t lanes, Value mask) override {
    Value value;
    if (auto pack = packs.find(operand.getOperandNumber()); pack != packs.end()) {
      auto type = VectorType::get({lanes}, getElementTypeOrSelf(pack->second));
      value = vector::LoadOp::create(b, loc, type, pack->second, packIndices());
    } else {
      value = load(operand, lanes, mask);
    }
    if (!mask && isFirstRead(operand)) {
      if (plan.prefetchLoop)
        fetchIterationsAhead(b, op, plan, operand, ivs, lanes);
      if (plan.fetchedInOrder == operand.getOperandNumber() && isNewStep(operand))
        fetchBytesAhead(b, op, operand, indices(operand), plan.kBytesAhead, lanes);
      if (plan.fetchedAhead == operand.getOperandNumber() && lanes == plan.lanes)
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

  const VectorPlan &plan;
  std::optional<Epilogue> epilogue;
  std::optional<DotBody> dot;
  bool pastCaches = false, isInGroup = false;
  SmallVector<unsigned> outer, inner;
  std::optional<unsigned> packDepth; ///< the outer loop in front of which columns are packed, if not within all
  SmallVector<Value> unrolled;
  Value group, groups; ///< which of how many groups of iterations they are
  /// Where the reductions of `inner` begin and end, and copies of packed inputs.
  SmallVector<Value> from, to;
  llvm::MapVector<unsigned, Value> packs;
  Value packOrigin; ///< the step that copies begin with, where `from` is a later one
  Value partialSums; ///< [rows, vectors] if the plan keeps them
};

} // namespace

void mlir::fuse::emitVectorLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                 const VectorPlan &plan) {
  OpBuilder::InsertionGuard guard(rewriter);
  VectorLoops(rewriter, op, plan).emit();
}
