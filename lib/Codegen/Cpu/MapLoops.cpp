//===- MapLoops.cpp - Members that are computed element by element ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LoopFacts.h"
#include "PastCaches.h"
#include "VectorNest.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

//===- Plan ---------------------------------------------------------------------------------===//

/// Registers of so many bytes come with 32 of them.
static constexpr int64_t kManyRegisters = 64;

/// Whether each operation of the body waits for the one before long enough that other vectors had
/// better be computed meanwhile, and few enough values wait for each other that those of eight
/// registers find room. The CPU's own window is too short for that: exp of a sigmoid on Zen 5
/// takes 4.8 ns per 16 floats in fours of registers, and 4.1 in eights.
static bool isLong(linalg::GenericOp op) {
  constexpr size_t kMostOps = 40;
  Block::OpListType &ops = op.getBody()->getOperations();
  bool isLong = false;
  for (Operation &inner : ops) {
    if (isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::ErfOp>(inner))
      isLong = true;
    else if (isa_and_nonnull<math::MathDialect>(inner.getDialect()) &&
             !isa<math::AbsFOp, math::FmaOp, math::SqrtOp, math::CopySignOp>(inner))
      return false;
  }
  return isLong && ops.size() <= kMostOps;
}

/// Tables of gates lie in registers: others find room for two vectors. Layer norm with gelu on 1024
/// by 1024 elements takes 0.300 ms in twos and 0.331 in fours of registers.
static bool hasGate(linalg::GenericOp op) { return !op.getBody()->getOps<GateOp>().empty(); }

std::unique_ptr<VectorPlan> mlir::fuse::planMap(linalg::GenericOp op, int64_t width, const VectorFacts &facts) {
  std::optional<unsigned> loop = findVectorLoop(op, IteratorType::parallel);
  if (!loop)
    return nullptr;
  auto plan = std::make_unique<MapPlan>();
  plan->loop = *loop;
  plan->tailLanes = fitLanes(op, *loop, width);
  bool isWide = isLong(op) && facts.bytes >= kManyRegisters;
  plan->lanes = fitLanes(op, *loop, (isWide ? 8 : hasGate(op) ? 2 : 4) * width);
  if (isWide && plan->lanes == 8 * width)
    plan->middleLanes = 4 * width;
  return plan;
}

std::unique_ptr<VectorPlan> mlir::fuse::planLanes(linalg::GenericOp op, int64_t width) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop = op.getNumLoops(); loop-- > 0;) {
    bool isContiguous = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
      return getAccess(op, init, loop) == Access::Contiguous;
    });
    if (!isContiguous || ranges[loop] == 1)
      continue;
    auto plan = std::make_unique<MapPlan>();
    plan->loop = loop;
    plan->lanes = width;
    while (!ShapedType::isDynamic(ranges[loop]) && plan->lanes / 2 >= ranges[loop])
      plan->lanes /= 2;
    plan->tailLanes = plan->lanes;
    return plan;
  }
  return nullptr;
}

//===- Loops --------------------------------------------------------------------------------===//

namespace {

class MapLoops : VectorNest {
public:
  MapLoops(RewriterBase &b, linalg::GenericOp op, const MapPlan &plan) : VectorNest(b, op, plan), map(plan) {}

  void emit() { emitOuter(); }

private:
  void emitInside() override {
    if (!map.storesPast)
      return emitVectors({}, map.middleLanes);
    ivs[plan.loop] = index(0);
    std::optional<LineStart> start =
        findLineStart(b, op, map, [&](OpOperand &operand) { return indices(operand); });
    if (!start)
      return emitVectors({}, map.middleLanes);
    auto branch = scf::IfOp::create(b, loc, start->isCommon, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value first = arith::MinUIOp::create(b, loc, start->elements, extents[plan.loop]);
    emitMasked(index(0), first);
    pastCaches = true;
    emitVectors(first, map.middleLanes);
    pastCaches = false;
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    emitVectors({}, map.middleLanes);
  }

  void emitVector(int64_t lanes, Value mask) override {
    bool needsInits = llvm::any_of(op.getRegionOutputArgs(), [](Value argument) { return !argument.use_empty(); });
    SmallVector<Value> before;
    for (OpOperand &init : op.getDpsInitsMutable())
      before.push_back(needsInits ? load(init, lanes, mask) : Value());
    // Lines are stored past the caches as a whole.
    bool isPast = pastCaches && !mask && lanes == plan.lanes;
    for (auto [result, init] : llvm::zip_equal(body(before, lanes, mask), op.getDpsInitsMutable()))
      if (isPast)
        vector::StoreOp::create(b, loc, result, init.get(), indices(init),
                                /*nontemporal=*/true, llvm::MaybeAlign(kCacheLineBytes));
      else
        store(result, init, mask);
  }

  const MapPlan &map;
  bool pastCaches = false;
};

} // namespace

void MapPlan::emit(RewriterBase &rewriter, linalg::GenericOp op) const {
  OpBuilder::InsertionGuard guard(rewriter);
  MapLoops(rewriter, op, *this).emit();
}
