//===- GuardReads.cpp - No element is read of what may be empty -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Kernel/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEGUARDREADS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// The op that computes `value` for `select` alone, in its block.
static Operation *getOwn(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  bool isOwn = op && op->getBlock() == block && op->getNumRegions() == 0 && value.hasOneUse();
  return isOwn && (isa<memref::LoadOp>(op) || isPure(op)) ? op : nullptr;
}

/// Whether what `value` is computed from, for it alone, reads a buffer that may have no element.
static bool readsOpen(Value value, Block *block) {
  Operation *op = getOwn(value, block);
  if (!op)
    return false;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return !load.getMemRefType().hasStaticShape();
  return llvm::any_of(op->getOperands(), [&](Value operand) { return readsOpen(operand, block); });
}

/// Moves what `value` is computed from, for it alone, behind which an element is read.
static void sink(Value value, Block *from, Operation *before) {
  Operation *op = getOwn(value, from);
  if (!op || !readsOpen(value, from))
    return;
  SmallVector<Value> operands(op->getOperands());
  op->moveBefore(before);
  if (!isa<memref::LoadOp>(op))
    for (Value operand : operands)
      sink(operand, from, op);
}

/// Whether nothing between a load and the select that reads it may change memory.
static bool isQuiet(arith::SelectOp select, Value value) {
  Operation *op = getOwn(value, select->getBlock());
  if (!op)
    return true;
  if (isa<memref::LoadOp>(op)) {
    for (Operation *next = op->getNextNode(); next != select; next = next->getNextNode())
      if (!isa<memref::LoadOp, scf::IfOp>(next) && !isPure(next))
        return false;
    return true;
  }
  return llvm::all_of(op->getOperands(), [&](Value operand) { return isQuiet(select, operand); });
}

/// %r = select %c, %a, %b   →   %r = if %c { reads of %a alone, yield %a } else { the same of %b }
///
/// What is chosen between within the branches goes to `inner`.
static void guard(arith::SelectOp select, SmallVectorImpl<arith::SelectOp> &inner) {
  Block *block = select->getBlock();
  bool isMoved[] = {isQuiet(select, select.getTrueValue()), isQuiet(select, select.getFalseValue())};
  OpBuilder builder(select);
  auto branch = scf::IfOp::create(builder, select.getLoc(), select.getType(), select.getCondition(),
                                  /*withElseRegion=*/true);
  Value values[] = {select.getTrueValue(), select.getFalseValue()};
  select.replaceAllUsesWith(branch.getResult(0));
  select.erase();
  for (unsigned i : {0, 1}) {
    Block *side = i == 0 ? branch.thenBlock() : branch.elseBlock();
    builder.setInsertionPointToEnd(side);
    auto yield = scf::YieldOp::create(builder, branch.getLoc(), values[i]);
    if (isMoved[i])
      sink(values[i], block, yield);
    side->walk([&](arith::SelectOp op) { inner.push_back(op); });
  }
}

/// The select that chooses `value`, or what is computed from it for that alone; `isTrue`: where the condition holds. Null if
/// there is none.
static arith::SelectOp getChooser(Value value, Block *block, bool &isTrue) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user->getBlock() != block || !isPure(user) || user->getNumResults() != 1)
      return {};
    if (auto select = dyn_cast<arith::SelectOp>(user); select && use.getOperandNumber() > 0) {
      isTrue = use.getOperandNumber() == 1;
      return select.getCondition().getType().isInteger(1) ? select : arith::SelectOp();
    }
    value = user->getResult(0);
  }
  return {};
}

/// Of a chunk whose elements one condition chooses, none is read where it does not hold:
///
///   %v = vector.load %x[%i]                            %v = if %c { vector.load %x[%i] } else { 0 }
///   %r = select %c, extract %v[0], %a             →    %r = select %c, extract %v[0], %a
///   %s = select %c, extract %v[1], %a                  %s = select %c, extract %v[1], %a
static void guardChunk(vector::LoadOp load) {
  if (load.getMemRefType().hasStaticShape())
    return;
  Block *block = load->getBlock();
  Value condition;
  std::optional<bool> side;
  for (Operation *user : load->getUsers()) {
    auto extract = dyn_cast<vector::ExtractOp>(user);
    bool isTrue = false;
    arith::SelectOp select = extract && extract->getBlock() == block ? getChooser(extract.getResult(), block, isTrue)
                                                                      : arith::SelectOp();
    if (!select || (condition && (condition != select.getCondition() || side != isTrue)))
      return;
    condition = select.getCondition();
    side = isTrue;
  }
  Operation *def = condition ? condition.getDefiningOp() : nullptr;
  if (!condition || (def && def->getBlock() == block && !def->isBeforeInBlock(load)))
    return;
  OpBuilder builder(load);
  Location loc = load.getLoc();
  auto branch = scf::IfOp::create(builder, loc, load.getType(), condition, /*withElseRegion=*/true);
  load.replaceAllUsesWith(branch.getResult(0));
  auto yieldIn = [&](Block *target, Value value) {
    builder.setInsertionPointToEnd(target);
    scf::YieldOp::create(builder, loc, value);
  };
  Block *read = *side ? branch.thenBlock() : branch.elseBlock(), *other = *side ? branch.elseBlock() : branch.thenBlock();
  load->moveBefore(read, read->end());
  yieldIn(read, load.getResult());
  builder.setInsertionPointToEnd(other);
  yieldIn(other, arith::ConstantOp::create(builder, loc, builder.getZeroAttr(load.getType())));
}

namespace {

struct GuardReads : fuse::impl::FuseGuardReadsBase<GuardReads> {
  void runOnOperation() override {
    SmallVector<vector::LoadOp> chunks;
    getOperation().walk([&](vector::LoadOp op) { chunks.push_back(op); });
    llvm::for_each(chunks, guardChunk);
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp op) { selects.push_back(op); });
    // The last first: it takes those that it reads along.
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!selects.empty()) {
      arith::SelectOp select = selects.pop_back_val();
      if (!seen.insert(select).second || !select.getCondition().getType().isInteger(1))
        continue;
      auto isGuarded = [&](Value value) { return readsOpen(value, select->getBlock()) && isQuiet(select, value); };
      if (!isGuarded(select.getTrueValue()) && !isGuarded(select.getFalseValue()))
        continue;
      SmallVector<arith::SelectOp> inner;
      guard(select, inner);
      selects.append(inner);
    }
  }
};

} // namespace
