//===- VectorLoops.cpp - Members on buffers as loops over vectors ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

class VectorLoops {
public:
  VectorLoops(RewriterBase &b, linalg::GenericOp op, const VectorPlan &plan)
      : b(b), op(op), loc(op.getLoc()), plan(plan), iterators(op.getIteratorTypesArray()),
        ranges(op.getStaticLoopRanges()), ivs(op.getNumLoops()) {}

  void emit() {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      extents.push_back(extentOf(loop));
      bool isParallel = iterators[loop] == IteratorType::parallel;
      if (loop == plan.loop || loop == plan.unrolledLoop)
        continue;
      (isParallel ? outer : inner).push_back(loop);
    }
    for (unsigned loop : inner) {
      from.push_back(index(0));
      to.push_back(extents[loop]);
    }
    for (unsigned number : plan.packed) {
      SmallVector<int64_t> shape;
      for (unsigned loop : inner)
        shape.push_back(plan.reductionBlock ? plan.reductionBlock : ranges[loop]);
      shape.push_back(plan.lanes);
      Type element = getElementTypeOrSelf(op->getOperand(number));
      packs[number] = memref::AllocOp::create(b, loc, MemRefType::get(shape, element));
    }
    emitOuter(0);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  Value extentOf(unsigned loop) {
    if (!ShapedType::isDynamic(ranges[loop]))
      return index(ranges[loop]);
    AffineExpr wanted = b.getAffineDimExpr(loop);
    for (OpOperand &operand : op->getOpOperands())
      for (auto [position, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (expr == wanted)
          return memref::DimOp::create(b, loc, operand.get(), position);
    llvm_unreachable("a loop that no operand runs along");
  }

  /// The last multiple of `step` in the loop's extent.
  Value wholeSteps(unsigned loop, int64_t step) {
    if (!ShapedType::isDynamic(ranges[loop]))
      return index(ranges[loop] / step * step);
    Value size = index(step);
    return arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, extents[loop], size), size);
  }
  bool hasRemainder(unsigned loop, int64_t step) {
    return ShapedType::isDynamic(ranges[loop]) || ranges[loop] % step != 0;
  }

  scf::ForOp makeFor(Value from, Value to, int64_t step, ValueRange carried = {}) {
    auto loop = scf::ForOp::create(b, loc, from, to, index(step), carried);
    if (carried.empty())
      b.setInsertionPoint(loop.getBody()->getTerminator());
    else
      b.setInsertionPointToStart(loop.getBody());
    return loop;
  }

  //===- Parallel loops, outermost first, then vectors, then the unrolled one ---------------===//

  void emitOuter(unsigned depth) {
    OpBuilder::InsertionGuard guard(b);
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
    unsigned loop = plan.loop;
    Value whole = wholeSteps(loop, plan.lanes);
    bool isSingle = ranges[loop] == plan.lanes;
    {
      OpBuilder::InsertionGuard inside(b);
      ivs[loop] = isSingle ? index(0) : makeFor(index(0), whole, plan.lanes).getInductionVar();
      emitUnrolled(plan.lanes, Value());
    }
    if (!hasRemainder(loop, plan.lanes))
      return;
    OpBuilder::InsertionGuard inside(b);
    ivs[loop] = makeFor(whole, extents[loop], plan.tailLanes).getInductionVar();
    Value left = arith::SubIOp::create(b, loc, extents[loop], ivs[loop]);
    emitUnrolled(plan.tailLanes,
                 vector::CreateMaskOp::create(b, loc, maskType(plan.tailLanes), left));
  }

  /// Inside the vectors' loop: the columns that a group of rows has read are near for the next one.
  void emitUnrolled(int64_t lanes, Value mask) {
    if (!plan.unrolledLoop) {
      unrolled = {Value()};
      return emitPoint(lanes, mask);
    }
    if (!plan.packed.empty())
      emitPacking(lanes, mask);
    unsigned loop = *plan.unrolledLoop;
    Value whole = wholeSteps(loop, plan.unroll);
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] >= plan.unroll) {
      OpBuilder::InsertionGuard inside(b);
      Value iv = makeFor(index(0), whole, plan.unroll).getInductionVar();
      unrolled.clear();
      for (int64_t i = 0; i < plan.unroll; ++i)
        unrolled.push_back(i == 0 ? iv : Value(arith::AddIOp::create(b, loc, iv, index(i))));
      emitPoint(lanes, mask);
    }
    if (hasRemainder(loop, plan.unroll)) {
      OpBuilder::InsertionGuard inside(b);
      unrolled = {makeFor(whole, extents[loop], 1).getInductionVar()};
      emitPoint(lanes, mask);
    }
  }

  /// The columns at hand, for all iterations of the reductions.
  void emitPacking(int64_t lanes, Value mask) {
    for (auto [number, pack] : packs) {
      OpOperand &operand = op->getOpOperand(number);
      if (getAccess(op, operand, plan.loop) != Access::Other)
        emitLines(0, [&, pack = pack] {
          vector::StoreOp::create(b, loc, load(operand, lanes, mask, /*isPacked=*/false), pack,
                                  packIndices());
        });
      else
        emitScattered(operand, pack, lanes, mask);
    }
  }

  /// Runs through the reductions at hand.
  void emitLines(unsigned depth, llvm::function_ref<void()> emit) {
    OpBuilder::InsertionGuard guard(b);
    if (depth == inner.size())
      return emit();
    ivs[inner[depth]] = makeFor(from[depth], to[depth], 1).getInductionVar();
    emitLines(depth + 1, emit);
  }

  /// Scattered columns, one after the other: memory runs along the reductions. Behind the last column
  /// nobody looks.
  void emitScattered(OpOperand &operand, Value pack, int64_t lanes, Value mask) {
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
      memref::StoreOp::create(b, loc, value, pack, at);
    });
    ivs[plan.loop] = first;
  }

  SmallVector<Value> packIndices() {
    SmallVector<Value> at;
    for (auto [depth, loop] : llvm::enumerate(inner))
      at.push_back(plan.reductionBlock
                       ? Value(arith::SubIOp::create(b, loc, ivs[loop], from[depth]))
                       : ivs[loop]);
    at.push_back(index(0));
    return at;
  }

  //===- One vector (per unrolled iteration) of the result ----------------------------------===//

  void emitPoint(int64_t lanes, Value mask) {
    SmallVector<Value> accumulators;
    bool needsInits = !inner.empty() || llvm::any_of(op.getRegionOutputArgs(), [](Value argument) {
      return !argument.use_empty();
    });
    for (Value iv : unrolled) {
      selectUnrolled(iv);
      for (OpOperand &init : op.getDpsInitsMutable())
        accumulators.push_back(needsInits ? load(init, lanes, mask) : Value());
    }
    SmallVector<Value> results = emitInner(0, accumulators, lanes, mask);
    unsigned next = 0;
    for (Value iv : unrolled) {
      selectUnrolled(iv);
      for (OpOperand &init : op.getDpsInitsMutable())
        store(results[next++], init, mask);
    }
  }

  /// The reduction loops beside the vectors', carrying the accumulators.
  SmallVector<Value> emitInner(unsigned depth, SmallVector<Value> carried, int64_t lanes,
                               Value mask) {
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
    OpBuilder::InsertionGuard guard(b);
    scf::ForOp nest = makeFor(from[depth], to[depth], 1, carried);
    ivs[loop] = nest.getInductionVar();
    SmallVector<Value> results =
        emitInner(depth + 1, llvm::to_vector_of<Value>(nest.getRegionIterArgs()), lanes, mask);
    b.setInsertionPointToEnd(nest.getBody());
    scf::YieldOp::create(b, loc, results);
    return llvm::to_vector_of<Value>(nest.getResults());
  }

  void selectUnrolled(Value iv) {
    if (plan.unrolledLoop)
      ivs[*plan.unrolledLoop] = iv;
  }

  //===- Reductions along the vectors -------------------------------------------------------===//

  void emitRowReduction() {
    SmallVector<Operation *> combiners;
    matchReduction(op.getRegionOutputArgs(), 0, combiners);
    Operation *combiner = combiners.front();
    OpOperand &init = *op.getDpsInitOperand(0);
    Type element = getElementTypeOrSelf(init.get());
    TypedAttr neutral = *arith::getNeutralElement(combiner);
    auto type = VectorType::get({plan.lanes}, element);
    Value partials = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(neutral)));
    partials = emitRowLoops(0, partials);
    for (int64_t lanes = plan.lanes; lanes > 1; lanes /= 2) {
      Value low = vector::ExtractStridedSliceOp::create(b, loc, partials, ArrayRef<int64_t>{0},
                                                        ArrayRef<int64_t>{lanes / 2},
                                                        ArrayRef<int64_t>{1});
      Value high = vector::ExtractStridedSliceOp::create(b, loc, partials,
                                                         ArrayRef<int64_t>{lanes / 2},
                                                         ArrayRef<int64_t>{lanes / 2},
                                                         ArrayRef<int64_t>{1});
      partials = combine(combiner, low, high);
    }
    Value total = vector::ExtractOp::create(b, loc, partials, ArrayRef<int64_t>{0});
    SmallVector<Value> at = indices(init);
    Value before = memref::LoadOp::create(b, loc, init.get(), at);
    memref::StoreOp::create(b, loc, combine(combiner, before, total), init.get(), at);
  }

  Value emitRowLoops(unsigned depth, Value partials) {
    OpBuilder::InsertionGuard guard(b);
    if (depth < inner.size()) {
      unsigned loop = inner[depth];
      scf::ForOp nest = makeFor(index(0), extents[loop], 1, partials);
      ivs[loop] = nest.getInductionVar();
      Value result = emitRowLoops(depth + 1, nest.getRegionIterArg(0));
      b.setInsertionPointToEnd(nest.getBody());
      scf::YieldOp::create(b, loc, result);
      return nest.getResult(0);
    }
    unsigned loop = plan.loop;
    Value whole = wholeSteps(loop, plan.lanes);
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] >= plan.lanes) {
      OpBuilder::InsertionGuard inside(b);
      scf::ForOp nest = makeFor(index(0), whole, plan.lanes, partials);
      ivs[loop] = nest.getInductionVar();
      Value next = body(nest.getRegionIterArg(0), plan.lanes, Value()).front();
      scf::YieldOp::create(b, loc, next);
      partials = nest.getResult(0);
      b.setInsertionPointAfter(nest);
    }
    if (!hasRemainder(loop, plan.lanes))
      return partials;
    ivs[loop] = whole;
    Value left = arith::SubIOp::create(b, loc, extents[loop], whole);
    Value mask = vector::CreateMaskOp::create(b, loc, maskType(plan.lanes), left);
    Value next = body(partials, plan.lanes, mask).front();
    return arith::SelectOp::create(b, loc, mask, next, partials);
  }

  Value combine(Operation *combiner, Value l, Value r) {
    OperationState state(loc, combiner->getName());
    state.addOperands({l, r});
    state.addTypes(l.getType());
    state.addAttributes(combiner->getAttrs());
    return b.create(state)->getResult(0);
  }

  //===- Elements ---------------------------------------------------------------------------===//

  VectorType maskType(int64_t lanes) { return VectorType::get({lanes}, b.getI1Type()); }

  SmallVector<Value> indices(OpOperand &operand) {
    SmallVector<Value> positions;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      AffineMap map = AffineMap::get(ivs.size(), 0, expr);
      SmallVector<OpFoldResult> at;
      for (Value iv : ivs)
        at.push_back(iv ? OpFoldResult(iv) : OpFoldResult(b.getIndexAttr(0)));
      OpFoldResult position = affine::makeComposedFoldedAffineApply(b, loc, map, at);
      positions.push_back(isa<Value>(position)
                              ? cast<Value>(position)
                              : index(cast<IntegerAttr>(cast<Attribute>(position)).getInt()));
    }
    return positions;
  }

  Value load(OpOperand &operand, int64_t lanes, Value mask, bool isPacked = true) {
    Value buffer = operand.get();
    auto type = VectorType::get({lanes}, getElementTypeOrSelf(buffer));
    if (auto pack = packs.find(operand.getOperandNumber()); isPacked && pack != packs.end())
      return vector::LoadOp::create(b, loc, type, pack->second, packIndices());
    if (!isa<MemRefType>(buffer.getType()))
      return vector::BroadcastOp::create(b, loc, type, buffer);
    SmallVector<Value> at = indices(operand);
    if (getAccess(op, operand, plan.loop) == Access::Invariant)
      return vector::BroadcastOp::create(b, loc, type,
                                         memref::LoadOp::create(b, loc, buffer, at));
    if (!mask)
      return vector::LoadOp::create(b, loc, type, buffer, at);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, loc, type, buffer, at, mask, zero);
  }

  /// What the loads of `operand` want some iterations of the prefetch loop later. An address behind
  /// the buffer's end does no harm.
  void prefetch(OpOperand &operand, int64_t lanes) {
    unsigned loop = *plan.prefetchLoop;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || getAccess(op, operand, plan.loop) != Access::Contiguous ||
        !op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop))
      return;
    Value now = ivs[loop];
    ivs[loop] = arith::AddIOp::create(b, loc, now, index(plan.prefetchDistance));
    SmallVector<Value> at = indices(operand);
    ivs[loop] = now;
    int64_t perLine = std::max<int64_t>(1, 512 / type.getElementTypeBitWidth());
    for (int64_t lane = 0; lane < lanes; lane += perLine) {
      SmallVector<Value> line = at;
      line.back() = arith::AddIOp::create(b, loc, at.back(), index(lane));
      memref::PrefetchOp::create(b, loc, operand.get(), line, /*isWrite=*/false,
                                 /*localityHint=*/1, /*isDataCache=*/true);
    }
  }

  void store(Value value, OpOperand &init, Value mask) {
    SmallVector<Value> at = indices(init);
    if (mask)
      vector::MaskedStoreOp::create(b, loc, init.get(), at, mask, value);
    else
      vector::StoreOp::create(b, loc, value, init.get(), at);
  }

  Value spread(Value value, int64_t lanes) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, loc, VectorType::get({lanes}, value.getType()), value);
  }

  /// l · r + c of a contraction in one rounding, always: left to LLVM, it depends on the loops around.
  Value multiplyAdd(Operation &op, IRMapping &mapping) {
    auto mayContract = [](auto op) {
      return op && bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract);
    };
    auto add = dyn_cast<arith::AddFOp>(op);
    if (!mayContract(add))
      return {};
    for (bool isRight : {true, false}) {
      auto product = (isRight ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulFOp>();
      if (mayContract(product))
        return math::FmaOp::create(b, loc, mapping.lookup(product.getLhs()),
                                   mapping.lookup(product.getRhs()),
                                   mapping.lookup(isRight ? add.getLhs() : add.getRhs()));
    }
    return {};
  }

  /// The body at the current position; `accumulators` are its init arguments, null if unused.
  SmallVector<Value> body(ArrayRef<Value> accumulators, int64_t lanes, Value mask) {
    IRMapping mapping;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(operand);
      if (argument.use_empty())
        continue;
      mapping.map(argument, load(*operand, lanes, mask));
      if (plan.prefetchLoop && !mask)
        prefetch(*operand, lanes);
    }
    for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), accumulators))
      if (value)
        mapping.map(argument, value);
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (auto position = dyn_cast<linalg::IndexOp>(inner)) {
        auto type = VectorType::get({lanes}, b.getIndexType());
        Value value = spread(ivs[position.getDim()], lanes);
        if (position.getDim() == plan.loop)
          value = arith::AddIOp::create(b, loc, value, vector::StepOp::create(b, loc, type));
        mapping.map(position.getResult(), value);
        continue;
      }
      if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
        auto type = VectorType::get({lanes}, constant.getType());
        mapping.map(constant.getResult(),
                    arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(constant.getValue()))));
        continue;
      }
      for (Value operand : inner.getOperands())
        mapping.map(operand, spread(mapping.lookupOrDefault(operand), lanes));
      if (Value sum = multiplyAdd(inner, mapping)) {
        mapping.map(inner.getResult(0), sum);
        continue;
      }
      Operation *clone = b.clone(inner, mapping);
      for (auto [from, to] : llvm::zip(inner.getResults(), clone->getResults())) {
        to.setType(VectorType::get({lanes}, from.getType()));
        mapping.map(from, to);
      }
    }
    SmallVector<Value> results;
    for (Value value : op.getBody()->getTerminator()->getOperands())
      results.push_back(spread(mapping.lookupOrDefault(value), lanes));
    return results;
  }

  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  const VectorPlan &plan;
  SmallVector<IteratorType> iterators;
  SmallVector<int64_t> ranges;
  SmallVector<Value> extents, ivs;
  SmallVector<unsigned> outer, inner;
  SmallVector<Value> unrolled;
  /// Where the reductions of `inner` begin and end, and copies of packed inputs.
  SmallVector<Value> from, to;
  llvm::MapVector<unsigned, Value> packs;
};

} // namespace

void mlir::fuse::emitVectorLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                 const VectorPlan &plan) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  VectorLoops(rewriter, op, plan).emit();
}
