//===- Barriers.cpp - Where the threads of a block wait for each other ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Barriers.h"
#include "LaneFold.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct BufferAccess {
  Value root, name;
  bool writes;
  std::optional<AccessPattern> pattern;
};

Value getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Arguments may be one buffer, where a kernel works in place.
bool mayAlias(Value a, Value b) {
  return a == b || (isa<BlockArgument>(a) && isa<BlockArgument>(b) && a.getType() == b.getType());
}

bool conflict(const BufferAccess &a, const BufferAccess &b) {
  if (!(a.writes || b.writes) || !mayAlias(a.root, b.root))
    return false;
  // Views of two arguments lie alike where their members' patterns do.
  bool isSamePlace = a.name == b.name || a.root != b.root;
  return !(isSamePlace && a.pattern && b.pattern && *a.pattern == *b.pattern);
}

bool conflict(ArrayRef<BufferAccess> before, ArrayRef<BufferAccess> after) {
  return llvm::any_of(before, [&](const BufferAccess &a) {
    return llvm::any_of(after, [&](const BufferAccess &b) { return conflict(a, b); });
  });
}

class BarrierInsertion {
public:
  BarrierInsertion(const MappedMembers &members, const DenseMap<Value, PrivateTile> &privates)
      : members(members), privates(privates) {}

  /// Returns what the block's ops touch after its last barrier, and in `all` what they all touch.
  SmallVector<BufferAccess> run(Block &block, SmallVectorImpl<BufferAccess> &all) {
    SmallVector<BufferAccess> pending;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      SmallVector<BufferAccess> mine = getAccesses(&op);
      if (conflict(pending, mine)) {
        putBefore(&op);
        pending.clear();
      }
      if (!members.contains(&op))
        runRegions(op);
      pending.append(mine);
      all.append(mine);
    }
    return pending;
  }

private:
  void runRegions(Operation &op) {
    bool isLoop = isa<LoopLikeOpInterface>(op);
    for (Region &region : op.getRegions())
      for (Block &block : region) {
        SmallVector<BufferAccess> all;
        SmallVector<BufferAccess> pending = run(block, all);
        if (isLoop && (conflict(pending, all) || usesSharedFolds(block)))
          putBefore(block.getTerminator());
      }
  }

  /// Folds across subgroups, and in slices, have a buffer of their own, which the next iteration
  /// writes again.
  bool usesSharedFolds(Block &block) {
    return llvm::any_of(members, [&](const auto &member) {
      const auto &[op, mapping] = member;
      bool usesShared =
          (mapping.folds && mapping.spread.takers > LaneFold::kSubgroup) || mapping.slices > 1;
      return usesShared && block.findAncestorOpInBlock(*op);
    });
  }

  SmallVector<BufferAccess> getAccesses(Operation *op) {
    SmallVector<BufferAccess> accesses;
    op->walk([&](Operation *inner) {
      if (auto member = dyn_cast<linalg::GenericOp>(inner)) {
        addMember(accesses, member);
      } else if (auto load = dyn_cast<memref::LoadOp>(inner)) {
        add(accesses, load.getMemRef(), false, std::nullopt);
      } else if (auto store = dyn_cast<memref::StoreOp>(inner)) {
        add(accesses, store.getMemRef(), true, std::nullopt);
      }
    });
    return accesses;
  }

  void addMember(SmallVectorImpl<BufferAccess> &accesses, linalg::GenericOp member) {
    for (OpOperand &operand : member->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()))
        add(accesses, operand.get(), member.isDpsInit(&operand),
            getPattern(member, operand, members.find(member)->second));
  }

  void add(SmallVectorImpl<BufferAccess> &accesses, Value buffer, bool writes,
           std::optional<AccessPattern> pattern) {
    if (privates.contains(buffer))
      return;
    // What all lanes of a group could compute, one of them writes.
    if (pattern && pattern->isReplicated && writes)
      pattern.reset();
    accesses.push_back({getRoot(buffer), buffer, writes, pattern});
  }

  static void putBefore(Operation *op) {
    OpBuilder builder(op);
    gpu::BarrierOp::create(builder, op->getLoc());
  }

  const MappedMembers &members;
  const DenseMap<Value, PrivateTile> &privates;
};

} // namespace

void mlir::fuse::insertBarriers(func::FuncOp function, const MappedMembers &members,
                                const DenseMap<Value, PrivateTile> &privates) {
  SmallVector<BufferAccess> all;
  BarrierInsertion(members, privates).run(function.getBody().front(), all);
}
