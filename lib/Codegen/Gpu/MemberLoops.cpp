//===- MemberLoops.cpp - A member as one thread's code ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MemberLoops.h"
#include "LaneFold.h"
#include "PointBody.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class MemberLoops : PointBody {
public:
  MemberLoops(RewriterBase &b, linalg::GenericOp op, const ThreadMapping &mapping, Value thread,
              const DenseMap<Value, PrivateTile> &privates, Value initial)
      : PointBody(b, op, mapping, privates), thread(thread), initial(initial) {}

  void emit() {
    bool isOneGroup = mapping.rows.takers == 1;
    Value lanes = index(mapping.spread.takers);
    lane = isOneGroup ? thread : arith::RemUIOp::create(b, loc, thread, lanes);
    group = isOneGroup ? index(0) : arith::DivUIOp::create(b, loc, thread, lanes);
    if (mapping.slices > 1)
      return emitSlices();
    // Registers are known by numbers.
    bool unrollsRows = false;
    for (Value operand : op->getOperands())
      if (auto tile = privates.find(operand); tile != privates.end()) {
        unrollsRows = true;
        // What all lanes have alike is known by the row alone.
        unrollsSpread |= !tile->second.pattern.isReplicated;
      }
    forTrips(mapping.rows, unrollsRows, {}, [&](Trip trip, ValueRange) {
      position.row = trip;
      Value valid = place(mapping.rows, group, trip);
      if (mapping.folds)
        emitFold(valid);
      else if (mapping.spread.empty())
        emitReplicated(valid);
      else
        emitSpread(valid);
      return SmallVector<Value>();
    });
  }

private:
  using Body = llvm::function_ref<SmallVector<Value>(Trip, ValueRange)>;

  /// How many positions there are, as a value.
  Value countPositions(const TakenLoops &taken) {
    if (int64_t count = mapping.count(taken); !ShapedType::isDynamic(count))
      return index(count);
    Value count = index(1);
    for (unsigned loop : taken.loops)
      count = arith::MulIOp::create(b, loc, count, boundOf(loop));
    return taken.chunk == 1 ? count : arith::DivUIOp::create(b, loc, count, index(taken.chunk));
  }

  /// Runs `body` for each trip of a taker, with what it carries: unrolled, in a loop, or once.
  SmallVector<Value> forTrips(const TakenLoops &taken, bool unrolls, ValueRange carried,
                              Body body) {
    int64_t trips = mapping.countTrips(taken);
    if (trips == 1)
      return body({index(0), 0}, carried);
    if (unrolls && !ShapedType::isDynamic(trips)) {
      SmallVector<Value> values(carried);
      for (int64_t trip = 0; trip < trips; ++trip)
        values = body({index(trip), trip}, values);
      return values;
    }
    Value end = ShapedType::isDynamic(trips)
                    ? Value(arith::CeilDivUIOp::create(b, loc, countPositions(taken),
                                                       index(taken.takers)))
                    : index(trips);
    auto loop = scf::ForOp::create(b, loc, index(0), end, index(1), carried);
    OpBuilder::InsertionGuard guard(b);
    if (carried.empty()) {
      b.setInsertionPoint(loop.getBody()->getTerminator());
      body({loop.getInductionVar(), std::nullopt}, {});
      if (needsBarrier)
        gpu::BarrierOp::create(b, loc);
      return {};
    }
    b.setInsertionPointToEnd(loop.getBody());
    SmallVector<Value> next =
        body({loop.getInductionVar(), std::nullopt}, loop.getRegionIterArgs());
    scf::YieldOp::create(b, loc, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  /// Puts the loops where a trip of `taker` has them; returns whether they are there, null if for
  /// certain.
  Value place(const TakenLoops &taken, Value taker, Trip trip) {
    Value rest = taker;
    if (trip.number != 0)
      rest = arith::AddIOp::create(
          b, loc, taker, arith::MulIOp::create(b, loc, trip.index, index(taken.takers)));
    // Only the last trip has positions that do not exist.
    int64_t count = mapping.count(taken);
    bool isWhole = !ShapedType::isDynamic(count) &&
                   (count % taken.takers == 0 ||
                    (trip.number && *trip.number < count / taken.takers));
    Value valid = isWhole ? Value() : isBelow(rest, countPositions(taken));
    return both(valid, IterationSpace::place(taken.loops, rest, taken.chunk));
  }

  //===- Members whose points are spread ------------------------------------------------------===//

  void emitSpread(Value rowValid) {
    int64_t trips = mapping.countTrips(mapping.spread);
    if (!unrollsSpread && !ShapedType::isDynamic(trips) && trips > 1 && mapping.sequential.empty())
      return emitBatches(rowValid, trips);
    forTrips(mapping.spread, unrollsSpread, {}, [&](Trip trip, ValueRange) {
      position.chunk = trip;
      Value valid = both(rowValid, place(mapping.spread, lane, trip));
      emitIf(valid, [&] { emitPoint(mapping.spread.chunk); });
      return SmallVector<Value>();
    });
  }

  /// Several trips together: what all of them load is under way before the first one stores.
  void emitBatches(Value rowValid, int64_t trips) {
    constexpr int64_t kTogether = 4;
    if (trips >= 2 * kTogether) {
      auto loop = scf::ForOp::create(b, loc, index(0), index(trips / kTogether * kTogether), index(kTogether));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop.getBody()->getTerminator());
      SmallVector<Trip> batch;
      for (int64_t i = 0; i < kTogether; ++i)
        batch.push_back({arith::AddIOp::create(b, loc, loop.getInductionVar(), index(i)), std::nullopt});
      emitBatch(rowValid, batch);
    }
    SmallVector<Trip> rest;
    for (int64_t trip = trips >= 2 * kTogether ? trips / kTogether * kTogether : 0; trip < trips; ++trip) {
      rest.push_back({index(trip), trip});
      if (static_cast<int64_t>(rest.size()) < kTogether && trip + 1 < trips)
        continue;
      emitBatch(rowValid, rest);
      rest.clear();
    }
  }

  void emitBatch(Value rowValid, ArrayRef<Trip> batch) {
    struct Computed {
      Value valid;
      SmallVector<Value> ivs, results;
    };
    SmallVector<Computed> all;
    SmallVector<Value> zeros;
    for (int64_t e = 0; e < mapping.spread.chunk; ++e)
      for (Value init : op.getDpsInits())
        zeros.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(getElementTypeOrSelf(init))));
    for (Trip trip : batch) {
      position.chunk = trip;
      Value valid = both(rowValid, place(mapping.spread, lane, trip));
      SmallVector<Value> results = emitIfElse(valid, zeros, [&] { return computePoint(mapping.spread.chunk); });
      all.push_back({valid, ivs, results});
    }
    for (auto [trip, computed] : llvm::zip_equal(batch, all)) {
      position.chunk = trip;
      ivs = computed.ivs;
      emitIf(computed.valid, [&, &results = computed.results] { storePoint(results, mapping.spread.chunk); });
    }
  }

  /// Members without private dims: each lane for itself where the result lives in registers.
  void emitReplicated(Value rowValid) {
    Value valid = rowValid;
    if (!writesPrivate())
      valid = both(valid, isFirstLane());
    position.chunk = {index(0), 0};
    emitIf(valid, [&] { emitPoint(1); });
  }

  bool writesPrivate() {
    return llvm::all_of(op.getDpsInits(), [&](Value init) { return privates.contains(init); });
  }

  Value isFirstLane() {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, index(0));
  }

  //===- Members that fold rows ---------------------------------------------------------------===//

  void emitFold(Value rowValid) {
    SmallVector<Operation *> combiners;
    matchReduction(op.getRegionOutputArgs(), 0, combiners);
    Operation *combiner = combiners.front();
    Value neutral = arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiner));
    SmallVector<Value> partial =
        forTrips(mapping.spread, unrollsSpread, neutral, [&](Trip trip, ValueRange carried) {
          position.chunk = trip;
          Value valid = both(rowValid, place(mapping.spread, lane, trip));
          return emitIfElse(valid, carried, [&] {
            return SmallVector<Value>{foldChunk(carried.front())};
          });
        });
    LaneFold fold{b,     loc,   combiner,
                  lane,  group, mapping.rows.takers,
                  mapping.spread.takers};
    Value total = fold.combine(partial.front());
    needsBarrier = fold.usesBarrier();
    Value valid = rowValid;
    if (!writesPrivate())
      valid = both(valid, isFirstLane());
    emitIf(valid, [&] {
      OpOperand &init = *op.getDpsInitOperand(0);
      Value before = initial ? initial : load(init, 1).front();
      store(init, {fold.combine(before, total)});
    });
  }

  Value foldChunk(Value carried) {
    SmallVector<SmallVector<Value>> inputs = loadInputs(mapping.spread.chunk);
    for (int64_t e = 0; e < mapping.spread.chunk; ++e)
      carried = body(e, inputs, carried).front();
    return carried;
  }

  //===- Points whose reductions several groups share -----------------------------------------===//

  void emitSlices() {
    lane = arith::RemUIOp::create(b, loc, thread, index(mapping.spread.takers));
    Value slice = arith::DivUIOp::create(b, loc, thread, index(mapping.spread.takers));
    SmallVector<Operation *> combiners;
    matchReduction(op.getRegionOutputArgs(), 0, combiners);
    Operation *combiner = combiners.front();
    Value neutral = arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiner));
    int64_t chunk = mapping.spread.chunk;
    SmallVector<Value> neutrals(chunk, neutral);
    Value valid = place(mapping.spread, lane, {index(0), 0});
    SmallVector<Value> partial =
        emitIfElse(valid, neutrals, [&] { return foldSlice(slice, neutrals); });

    int64_t points = mapping.spread.takers * chunk;
    Value shared = memref::AllocOp::create(
        b, loc, MemRefType::get({mapping.slices, points}, neutral.getType()));
    Value first = arith::MulIOp::create(b, loc, lane, index(chunk));
    for (auto [e, value] : llvm::enumerate(partial))
      memref::StoreOp::create(b, loc, value, shared,
                              ValueRange{slice, arith::AddIOp::create(b, loc, first, index(e))});
    gpu::BarrierOp::create(b, loc);
    for (int64_t begin = 0; begin < points; begin += block()) {
      Value point = arith::AddIOp::create(b, loc, thread, index(begin));
      Value exists = isBelow(point, index(mapping.count(mapping.spread) * chunk));
      emitIf(both(exists, IterationSpace::place(mapping.spread.loops, point)),
             [&] { combineSlices(shared, point, combiner); });
    }
  }

  int64_t block() { return mapping.slices * mapping.spread.takers; }

  /// What one group adds up of a chunk of points.
  SmallVector<Value> foldSlice(Value slice, ArrayRef<Value> neutrals) {
    Value steps = index(1);
    for (unsigned loop : mapping.sequential)
      steps = arith::MulIOp::create(b, loc, steps, boundOf(loop));
    auto loop = scf::ForOp::create(b, loc, slice, steps, index(mapping.slices), neutrals);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value valid = IterationSpace::place(mapping.sequential, loop.getInductionVar());
    SmallVector<Value> sums = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    SmallVector<Value> next = emitIfElse(valid, sums, [&] {
      SmallVector<SmallVector<Value>> inputs = loadInputs(mapping.spread.chunk);
      SmallVector<Value> results;
      for (auto [e, sum] : llvm::enumerate(sums))
        results.push_back(body(e, inputs, sum).front());
      return results;
    });
    scf::YieldOp::create(b, loc, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  void combineSlices(Value shared, Value point, Operation *combiner) {
    OpOperand &init = *op.getDpsInitOperand(0);
    LaneFold fold{b, loc, combiner, lane, thread, 1, 1};
    Value total = initial;
    if (!total)
      total = memref::LoadOp::create(b, loc, init.get(), indices(init));
    for (int64_t slice = 0; slice < mapping.slices; ++slice)
      total = fold.combine(total,
                           memref::LoadOp::create(b, loc, shared, ValueRange{index(slice), point}));
    memref::StoreOp::create(b, loc, total, init.get(), indices(init));
  }

  //===- Points -------------------------------------------------------------------------------===//

  void emitPoint(int64_t chunk) { storePoint(computePoint(chunk), chunk); }

  SmallVector<Value> computePoint(int64_t chunk) {
    bool needsInits = !mapping.sequential.empty() ||
                      llvm::any_of(op.getRegionOutputArgs(),
                                   [](Value argument) { return !argument.use_empty(); });
    unsigned perPoint = op.getNumDpsInits();
    SmallVector<Value> carried(chunk * perPoint);
    if (needsInits)
      for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable()))
        for (auto [e, value] :
             llvm::enumerate(initial ? SmallVector<Value>(chunk, initial) : load(init, chunk)))
          carried[e * perPoint + i] = value;
    return emitSequential(0, carried, chunk);
  }

  void storePoint(ArrayRef<Value> results, int64_t chunk) {
    unsigned perPoint = op.getNumDpsInits();
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      SmallVector<Value> values;
      for (int64_t e = 0; e < chunk; ++e)
        values.push_back(results[e * perPoint + i]);
      store(init, values);
    }
  }

  SmallVector<Value> emitSequential(unsigned depth, ArrayRef<Value> carried, int64_t chunk) {
    if (depth == mapping.sequential.size()) {
      SmallVector<SmallVector<Value>> inputs = loadInputs(chunk);
      SmallVector<Value> results;
      unsigned perPoint = op.getNumDpsInits();
      for (int64_t e = 0; e < chunk; ++e)
        llvm::append_range(results, body(e, inputs, carried.slice(e * perPoint, perPoint)));
      return results;
    }
    unsigned loop = mapping.sequential[depth];
    auto nest = scf::ForOp::create(b, loc, index(0), extents[loop], index(1), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(nest.getBody());
    ivs[loop] = nest.getInductionVar();
    SmallVector<Value> results = emitSequential(
        depth + 1, llvm::to_vector_of<Value>(nest.getRegionIterArgs()), chunk);
    scf::YieldOp::create(b, loc, results);
    return llvm::to_vector_of<Value>(nest.getResults());
  }

  Value thread, initial, lane, group;
  bool unrollsSpread = false, needsBarrier = false;
};

} // namespace

void mlir::fuse::emitMemberLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                 const ThreadMapping &mapping, Value thread,
                                 const DenseMap<Value, PrivateTile> &privates, Value initial) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  MemberLoops(rewriter, op, mapping, thread, privates, initial).emit();
}
