//===- RowReductionLoops.cpp - Members that fold rows along memory ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LoopFacts.h"
#include "RowFold.h"
#include "VectorNest.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

std::unique_ptr<VectorPlan> mlir::fuse::planRowReduction(linalg::GenericOp op, const VectorFacts &facts) {
  std::optional<unsigned> loop = findVectorLoop(op, IteratorType::reduction);
  SmallVector<Operation *> combiners;
  if (!loop || !matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1 ||
      !arith::getNeutralElement(combiners.front()))
    return nullptr;
  auto plan = std::make_unique<RowReductionPlan>();
  plan->loop = *loop;
  plan->lanes = plan->tailLanes = fitLanes(op, *loop, facts.reductionLanes);
  return plan;
}

namespace {

class RowReductionLoops : VectorNest {
public:
  RowReductionLoops(RewriterBase &b, linalg::GenericOp op, const RowReductionPlan &plan) : VectorNest(b, op, plan) {}

  void emit() { emitOuter(); }

private:
  void emitInside() override {
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
};

} // namespace

void RowReductionPlan::emit(RewriterBase &rewriter, linalg::GenericOp op) const {
  OpBuilder::InsertionGuard guard(rewriter);
  RowReductionLoops(rewriter, op, *this).emit();
}
