//===- ContractionLoops.cpp - A contraction as one thread's code ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MemberLoops.h"
#include "Alignment.h"
#include "AsyncCopies.h"
#include "StagedOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class ContractionLoops : StagedOperands {
public:
  ContractionLoops(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan,
                   ArrayRef<int64_t> bounds, Value thread, int64_t threads, Value initial,
                   const StagingRoom &room)
      : StagedOperands(b, op, plan, bounds, thread, threads, room), initial(initial) {}

  void emit() {
    // Steps are numbered as in the largest tile: where an inner loop is partial, 64 of 128 channels within 9 taps, some of
    // the 9 * 128 have no elements. Only the outermost loop ends where its tile does.
    steps = extents[plan.k.front()];
    for (unsigned loop : ArrayRef(plan.k).drop_front())
      steps = arith::MulIOp::create(b, loc, steps, boundOf(loop));
    emitBatch(0);
  }

private:
  /// What both operands have runs outside, one after the other.
  void emitBatch(unsigned depth) {
    if (depth == plan.batch.size())
      return emitPanels();
    unsigned loop = plan.batch[depth];
    if (bounds[loop] == 1) {
      ivs[loop] = index(0);
      return emitBatch(depth + 1);
    }
    auto nest = scf::ForOp::create(b, loc, index(0), extents[loop], index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nest.getBody()->getTerminator());
    ivs[loop] = nest.getInductionVar();
    emitBatch(depth + 1);
  }

  void emitPanels() {
    panel = index(0);
    if (plan.columns == plan.allColumns)
      return emitProduct();
    auto nest = scf::ForOp::create(b, loc, panel, index(plan.allColumns), index(plan.columns));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(nest.getBody()->getTerminator());
    panel = nest.getInductionVar();
    emitProduct();
  }

  void emitProduct() { plan.stages > 1 ? emitStages() : emitOneStage(); }

  /// What a step wants of memory is loaded while the one before is multiplied.
  void emitOneStage() {
    SmallVector<TileProduct::Point> points = product->getPoints();
    SmallVector<Value> carried = loadSums(points);
    size_t numSums = carried.size();
    for (const Operand *operand : {&lhs, &rhs})
      llvm::append_range(carried, loadChunks(*operand, index(0)));
    auto loop = scf::ForOp::create(b, loc, index(0), steps, index(plan.steps), carried);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      SmallVector<Value> values = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
      ArrayRef<Value> chunks = ArrayRef(values).drop_front(numSums);
      storeChunks(lhs, index(0), chunks.take_front(countTrips(lhs)));
      storeChunks(rhs, index(0), chunks.drop_front(countTrips(lhs)));
      gpu::BarrierOp::create(b, loc);
      Value next = arith::AddIOp::create(b, loc, loop.getInductionVar(), index(plan.steps));
      SmallVector<Value> nextChunks = loadChunks(lhs, next);
      llvm::append_range(nextChunks, loadChunks(rhs, next));
      SmallVector<Value> yields = accumulate(index(0), ArrayRef(values).take_front(numSums));
      gpu::BarrierOp::create(b, loc);
      llvm::append_range(yields, nextChunks);
      scf::YieldOp::create(b, loc, yields);
    }
    storeSums(points, llvm::to_vector_of<Value>(loop.getResults().take_front(numSums)));
  }

  /// Copies for the steps behind the one that is multiplied are under way, in a stage each. What is not copied is loaded a
  /// step ahead. `s` stages:
  ///
  ///   ask for steps 0 … s - 2, a group each
  ///   for each step:
  ///     wait for its group; store what was loaded for it
  ///     barrier                                     // all have it, and are done with the step before
  ///     ask for the step s - 1 ahead, into the stage of the step before
  ///     load for the next step; multiply          // products that are waited for begin in front of these two
  ///   barrier                                       // all are done with the last one
  ///
  /// Where products of two steps are under way at a time, the step that is asked for goes where the one before those was.
  void emitStages() {
    SmallVector<TileProduct::Point> points = product->getPoints();
    SmallVector<Value> carried = product->begin(loadSums(points));
    size_t numSums = carried.size();
    int64_t ahead = plan.stages - plan.multiplied;
    for (int64_t stage = 0; stage < ahead; ++stage)
      copyStage(index(stage * plan.steps), index(stage));
    for (const Operand *operand : {&lhs, &rhs})
      llvm::append_range(carried, loadUncopied(*operand, index(0)));
    // The stage of the step at hand, and the one that is free.
    carried.append({count(0), count(ahead)});
    auto loop = scf::ForOp::create(b, loc, count(0), toCounter(steps), count(plan.steps), carried);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      SmallVector<Value> values = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
      Value stage = toIndex(values[values.size() - 2]), free = toIndex(values.back());
      ArrayRef<Value> chunks = ArrayRef(values).drop_front(numSums).drop_back(2);
      createAsyncWait(b, loc, ahead - 1);
      size_t numLhs = lhs.isCopied ? 0 : countTrips(lhs);
      if (!lhs.isCopied)
        storeChunks(lhs, stage, chunks.take_front(numLhs));
      if (!rhs.isCopied)
        storeChunks(rhs, stage, chunks.drop_front(numLhs));
      product->publish();
      gpu::BarrierOp::create(b, loc);
      auto getLater = [&](int64_t more) {
        return toIndex(arith::AddIOp::create(b, loc, loop.getInductionVar(), count(more)));
      };
      SmallVector<Value> yields;
      if (product->isAwaited())
        yields = accumulate(stage, ArrayRef(values).take_front(numSums));
      copyStage(getLater(ahead * plan.steps), free);
      SmallVector<Value> nextChunks;
      for (const Operand *operand : {&lhs, &rhs})
        llvm::append_range(nextChunks, loadUncopied(*operand, getLater(plan.steps)));
      yields = product->isAwaited() ? product->await(yields, plan.multiplied - 1)
                                    : accumulate(stage, ArrayRef(values).take_front(numSums));
      llvm::append_range(yields, nextChunks);
      Value next = getNextStage(values[values.size() - 2]);
      yields.append({next, plan.multiplied == 1 ? values[values.size() - 2] : getNextStage(values.back())});
      scf::YieldOp::create(b, loc, yields);
    }
    SmallVector<Value> sums = llvm::to_vector_of<Value>(loop.getResults().take_front(numSums));
    if (plan.multiplied > 1)
      sums = product->await(sums, 0);
    gpu::BarrierOp::create(b, loc);
    storeSums(points, sums);
  }

  Value getNextStage(Value stage) {
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stage, count(plan.stages - 1));
    Value next = arith::AddIOp::create(b, loc, stage, count(1));
    return arith::SelectOp::create(b, loc, isLast, count(0), next);
  }

  /// Steps and stages are counted in 32 bits where there are not too many: what counts in 64 takes two instructions for one.
  Type getCounterType() {
    constexpr int64_t kMost = int64_t(1) << 30;
    int64_t all = countPoints(plan.k, bounds);
    bool isSmall = !ShapedType::isDynamic(all) && all < kMost;
    return isSmall ? Type(b.getI32Type()) : Type(b.getIndexType());
  }
  Value count(int64_t value) {
    Type type = getCounterType();
    return arith::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
  }
  Value toCounter(Value number) {
    Type type = getCounterType();
    return type == number.getType() ? number : Value(arith::IndexCastUIOp::create(b, loc, type, number));
  }
  Value toIndex(Value counter) {
    Type type = b.getIndexType();
    return type == counter.getType() ? counter : Value(arith::IndexCastUIOp::create(b, loc, type, counter));
  }

  SmallVector<Value> accumulate(Value stage, ArrayRef<Value> sums) {
    return product->accumulate({lhs.staged, getFirstLine(lhs, stage)},
                               {rhs.staged, getFirstLine(rhs, stage)}, sums);
  }

  /// Asks for what is copied of the steps from `first` on, if there are any; in any case a group ends.
  void copyStage(Value first, Value stage) {
    emitIf(isBelow(first, steps), [&] {
      for (const Operand *operand : {&lhs, &rhs})
        if (operand->isCopied)
          copyChunks(*operand, first, stage);
    });
    createAsyncCommit(b, loc);
  }

  //===- Sums ---------------------------------------------------------------------------------===//

  /// Whether the tile has the point at hand.
  Value placePoint(const TileProduct::Point &point) {
    Value valid;
    if (plan.paddedRows() != plan.rows)
      valid = isBelow(point.row, index(plan.rows));
    if (plan.paddedColumns() != plan.columns)
      valid = both(valid, isBelow(point.column, index(plan.columns)));
    valid = both(valid, place(plan.m, point.row));
    return both(valid, placeColumn(point.column));
  }

  SmallVector<Value> loadSums(ArrayRef<TileProduct::Point> points) {
    if (initial)
      return SmallVector<Value>(points.size(), initial);
    OpOperand &init = *op.getDpsInitOperand(0);
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(getElementTypeOrSelf(init.get())));
    SmallVector<Value> sums;
    for (const TileProduct::Point &point : points) {
      Value valid = placePoint(point);
      llvm::append_range(sums, emitIfElse(valid, zero, [&] {
        return SmallVector<Value>{memref::LoadOp::create(b, loc, init.get(), indices(init))};
      }));
    }
    return sums;
  }

  void storeSums(ArrayRef<TileProduct::Point> points, ArrayRef<Value> sums) {
    OpOperand &init = *op.getDpsInitOperand(0);
    int64_t run = countChunk(op, bounds, init, plan.n.back(), std::gcd(product->getRun(), plan.columns));
    for (size_t i = 0; i < points.size(); i += run) {
      Value valid = placePoint(points[i]);
      emitIf(valid, [&] {
        if (run == 1)
          memref::StoreOp::create(b, loc, sums[i], init.get(), indices(init));
        else
          createChunkStore(b, loc, sums.slice(i, run), init.get(), indices(init));
      });
    }
  }

  Value initial;
};

} // namespace

void mlir::fuse::emitContractionLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                      const ContractionPlan &plan, ArrayRef<int64_t> bounds,
                                      Value thread, int64_t threads, Value initial,
                                      const StagingRoom &room) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  ContractionLoops(rewriter, op, plan, bounds, thread, threads, initial, room).emit();
}
