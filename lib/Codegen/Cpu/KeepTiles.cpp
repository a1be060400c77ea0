//===- KeepTiles.cpp - What neighbouring blocks share, computed once -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/BodyAccess.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

#include <limits>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEKEEPTILES
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Blocks are numbered with the last dim fastest, so neighbours share the number's quotient by the extent
/// of the last dim, that quotient's by the extent of the one before it, and so on. A *level* says how many
/// times the number may be divided and still tell all that something depends on: with 0 it changes with
/// every block. What depends on two such things has the lower level.
using Level = unsigned;
static constexpr Level kEveryBlock = 0, kNever = std::numeric_limits<int>::max();

static bool isBuffer(Value value) { return isa<BaseMemRefType>(value.getType()); }

namespace {

/// The levels of a block loop's values, of its buffers, and of the ops of its body.
class Levels {
public:
  explicit Levels(scf::ForOp blocks) : blocks(blocks) {
    findQuotients();
    for (Operation &op : blocks.getBody()->without_terminator())
      addAccesses(op);
    while (update()) {
    }
  }

  Level getLevel(Operation *op) const { return ops.lookup(op); }
  /// What the number was divided by, the last dim's extent first.
  ArrayRef<Value> getDivisors() const { return divisors; }

  /// Whether an op may be left out for blocks that agree at its level: it leaves nothing but buffers.
  bool isKept(Operation *op) const {
    return getLevel(op) != kEveryBlock && op->getNumResults() == 0 && !accesses.lookup(op).empty();
  }

  /// The loop's allocations whose contents are needed by blocks that do not compute them.
  SmallVector<memref::AllocOp> getKeptBuffers() const {
    SmallVector<memref::AllocOp> kept;
    for (const auto &entry : buffers) {
      auto alloc = entry.first.getDefiningOp<memref::AllocOp>();
      // What gives a value, as a load of an index does, is computed in each block.
      auto isOther = [&](Operation *user) { return getLevel(user) != entry.second || user->getNumResults() > 0; };
      if (alloc && alloc->getParentOp() == blocks && entry.second != kEveryBlock &&
          llvm::any_of(users.lookup(entry.first), isOther))
        kept.push_back(alloc);
    }
    return kept;
  }

private:
  struct Access {
    Value buffer;
    bool writes;
  };

  void addAccesses(Operation &op) {
    if (isa<memref::AllocOp, ViewLikeOpInterface>(op) || isMemoryEffectFree(&op))
      return;
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(&op);
    if (!effects) {
      isUnknown = true;
      return;
    }
    for (const MemoryEffects::EffectInstance &effect : *effects) {
      Value value = effect.getValue();
      if (!value || !isBuffer(value)) {
        isUnknown |= !isa<MemoryEffects::Allocate>(effect.getEffect());
        continue;
      }
      Value base = getBase(value);
      if (op.isAncestor(base.getDefiningOp() ? base.getDefiningOp()
                                             : base.getParentBlock()->getParentOp()))
        continue; // its own
      bool writes = !isa<MemoryEffects::Read>(effect.getEffect());
      accesses[&op].push_back({base, writes});
      users[base].push_back(&op);
      // Results are written by every block, and so are buffers whose sizes are not known before.
      auto alloc = base.getDefiningOp<memref::AllocOp>();
      bool isOwn = alloc && alloc->getBlock() == blocks.getBody();
      if ((writes && !isOwn) || (alloc && !llvm::all_of(alloc->getOperands(), [&](Value size) {
                                   return blocks.isDefinedOutsideOfLoop(size);
                                 })))
        buffers[base] = kEveryBlock;
      else
        buffers.insert({base, kNever});
    }
  }

  /// A divisor that changes in the loop ends the chain.
  void findQuotients() {
    Value quotient = blocks.getInductionVar();
    while (quotient) {
      quotients.push_back(quotient);
      Value next;
      for (Operation &op : blocks.getBody()->without_terminator())
        if (auto division = dyn_cast<arith::DivUIOp>(op);
            !next && division && division.getLhs() == quotient &&
            blocks.isDefinedOutsideOfLoop(division.getRhs())) {
          divisors.push_back(division.getRhs());
          next = division;
        }
      quotient = next;
    }
    for (auto [level, value] : llvm::enumerate(quotients))
      values[value] = level;
  }

  Level lookup(Value value) const {
    auto found = values.find(value);
    return found == values.end() ? kNever : found->second;
  }

  Level computeLevel(Operation &op) const {
    Level level = isUnknown ? kEveryBlock : kNever;
    auto add = [&](Value value) { level = std::min(level, lookup(value)); };
    llvm::for_each(op.getOperands(), add);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegions(), captured);
    llvm::for_each(captured, add);
    for (const Access &access : accesses.lookup(&op))
      level = std::min(level, buffers.lookup(access.buffer));
    return level;
  }

  /// Levels only ever sink; returns whether one did.
  bool update() {
    bool changes = false;
    auto sink = [&](Level &level, Level other) {
      changes |= other < level;
      level = std::min(level, other);
    };
    for (Operation &op : blocks.getBody()->without_terminator()) {
      Level level = computeLevel(op);
      sink(ops.try_emplace(&op, kNever).first->second, level);
      for (Value result : op.getResults())
        if (!llvm::is_contained(quotients, result))
          values[result] = level;
      for (const Access &access : accesses.lookup(&op))
        if (access.writes)
          sink(buffers[access.buffer], op.getNumResults() ? kEveryBlock : level);
    }
    // What reads more often than is written must see what the last writer left.
    for (auto &entry : buffers) {
      bool isRead = false;
      for (Operation *user : users[entry.first]) {
        bool writes = llvm::any_of(accesses[user], [&](const Access &access) {
          return access.buffer == entry.first && access.writes;
        });
        if (isRead && writes)
          sink(entry.second, kEveryBlock);
        isRead |= !writes && ops[user] != entry.second;
      }
    }
    return changes;
  }

  scf::ForOp blocks;
  SmallVector<Value> quotients, divisors;
  bool isUnknown = false;
  DenseMap<Operation *, SmallVector<Access>> accesses;
  DenseMap<Value, SmallVector<Operation *>> users; ///< in the order of the body
  DenseMap<Operation *, Level> ops;
  DenseMap<Value, Level> values;
  llvm::MapVector<Value, Level> buffers;
};

struct KeepTiles : fuse::impl::FuseKeepTilesBase<KeepTiles> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      for (auto loop : llvm::make_early_inc_range(function.getOps<scf::ForOp>()))
        if (isBlockLoop(loop))
          keep(loop);
    }
  }

  /// Over the range of blocks that the function is called with.
  static bool isBlockLoop(scf::ForOp loop) {
    return isa<BlockArgument>(loop.getLowerBound()) && isa<BlockArgument>(loop.getUpperBound()) &&
           loop.getNumResults() == 0 && getConstantIntValue(loop.getStep()) == 1;
  }

  void keep(scf::ForOp blocks) {
    // One block is all of the kernel: nothing is left out, and its members are best left as they follow each other.
    if (blocks.getInductionVar().use_empty())
      return;
    Levels levels(blocks);
    for (memref::AllocOp alloc : levels.getKeptBuffers())
      alloc->moveBefore(blocks);
    // Neighbours in the body go under one condition; what has no effect does not part them.
    DenseMap<Level, Value> conditions;
    SmallVector<Operation *> run;
    auto close = [&] {
      if (run.empty())
        return;
      Value &condition = conditions[levels.getLevel(run.front())];
      if (!condition)
        condition = makeCondition(blocks, levels.getDivisors(), levels.getLevel(run.front()));
      guard(run, condition);
      run.clear();
    };
    for (Operation &op : llvm::make_early_inc_range(blocks.getBody()->without_terminator())) {
      if (isMemoryEffectFree(&op) || isa<memref::AllocOp>(op))
        continue;
      bool isKept = levels.isKept(&op);
      if (!isKept || (!run.empty() && levels.getLevel(run.front()) != levels.getLevel(&op)))
        close();
      if (isKept)
        run.push_back(&op);
    }
    close();
  }

  /// Whether a block is the first of the range, or of those that agree at a level.
  static Value makeCondition(scf::ForOp blocks, ArrayRef<Value> divisors, Level level) {
    OpBuilder builder(blocks.getBody(), blocks.getBody()->begin());
    Location loc = blocks.getLoc();
    Value block = blocks.getInductionVar();
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, block,
                                          blocks.getLowerBound());
    if (level == kNever)
      return isFirst;
    Value length = divisors.front();
    for (Value divisor : divisors.take_front(level).drop_front())
      length = arith::MulIOp::create(builder, loc, length, divisor);
    Value past = arith::RemUIOp::create(builder, loc, block, length);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value starts = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, past, zero);
    return arith::OrIOp::create(builder, loc, isFirst, starts);
  }

  /// Puts ops under a condition, where the last of them is, with the buffers that they alone use.
  static void guard(ArrayRef<Operation *> run, Value condition) {
    OpBuilder builder(run.back());
    auto branch = scf::IfOp::create(builder, run.front()->getLoc(), condition,
                                    /*withElseRegion=*/false);
    Block *then = branch.thenBlock();
    for (Operation *op : run)
      op->moveBefore(then->getTerminator());
    for (Operation &op : llvm::make_early_inc_range(*branch->getBlock())) {
      auto isInside = [&](Operation *user) { return branch->isProperAncestor(user); };
      if (isa<memref::AllocOp>(op) && !op.use_empty() && llvm::all_of(op.getUsers(), isInside))
        op.moveBefore(then, then->begin());
    }
  }
};

} // namespace
