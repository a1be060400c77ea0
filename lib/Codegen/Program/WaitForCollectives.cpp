//===- WaitForCollectives.cpp - Where a program waits for what it has started -===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEWAITFORCOLLECTIVES
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

bool startsCollective(Operation *op) {
  auto call = dyn_cast<LaunchHostOp>(op);
  return call && call.getCallee().starts_with(kStartPrefix) && isCollectiveCallee(call.getCallee());
}

/// The buffer that a value is a view of, which no other such buffer overlaps; null where that is not plain to see.
Value getBase(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  bool isPlain = argument ? isa<func::FuncOp>(argument.getOwner()->getParentOp())
                          : isa<memref::AllocOp, memref::GetGlobalOp>(buffer.getDefiningOp());
  return isPlain ? buffer : Value();
}

/// The buffers of a collective that is under way.
class Buffers {
public:
  explicit Buffers(LaunchHostOp call) : in(getBase(call.getIns().front())), out(getBase(call.getOuts().front())) {}

  /// Whether an op has to wait: it may touch the result, or may write to the operand.
  bool areNeededBy(Operation *op) const {
    // Collectives have an order, and no other effects.
    if (auto call = dyn_cast<LaunchHostOp>(op); call && isCollectiveCallee(call.getCallee())) {
      return llvm::any_of(call.getIns(), [&](Value read) { return isTouchedBy(getBase(read), /*reads=*/true); }) ||
             llvm::any_of(call.getOuts(), [&](Value written) { return isTouchedBy(getBase(written), /*reads=*/false); });
    }
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
    if (!effects)
      return true;
    return llvm::any_of(*effects, [&](const MemoryEffects::EffectInstance &effect) {
      if (isa<MemoryEffects::Allocate>(effect.getEffect()))
        return false;
      return isTouchedBy(effect.getValue() ? getBase(effect.getValue()) : Value(),
                         isa<MemoryEffects::Read>(effect.getEffect()));
    });
  }

private:
  /// An unknown buffer may be any.
  bool isTouchedBy(Value base, bool reads) const {
    return !base || !out || base == out || (!reads && (!in || base == in));
  }

  Value in, out;
};

/// A collective is under way from a call on.
struct Started {
  LaunchHostOp call;
  Buffers buffers;
  bool runsKernels = false;
};

struct WaitForCollectives : fuse::impl::FuseWaitForCollectivesBase<WaitForCollectives> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    for (Block &block : function.getBody())
      placeWaits(block);
  }

  /// Collectives of loops and branches end in them.
  void placeWaits(Block &block) {
    SmallVector<Started> underWay; // in the order in which they end
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // What it waits for is all up to the last one that it needs.
      size_t count = 0;
      for (auto [i, started] : llvm::enumerate(underWay))
        if (op.hasTrait<OpTrait::IsTerminator>() || started.buffers.areNeededBy(&op))
          count = i + 1;
      if (count > 0) {
        waitFor(underWay, count, &op);
        underWay.erase(underWay.begin(), underWay.begin() + count);
      }
      if (isa<LaunchOp>(op))
        for (Started &started : underWay)
          started.runsKernels = true;
      if (startsCollective(&op))
        underWay.push_back({cast<LaunchHostOp>(op), Buffers(cast<LaunchHostOp>(op))});
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          placeWaits(inner);
    }
  }

  /// Waits in front of `op` for the first `count` of those that are under way.
  static void waitFor(MutableArrayRef<Started> underWay, size_t count, Operation *op) {
    SmallVector<Value> ins, outs;
    OpBuilder builder(op);
    // One beside which nothing runs is better made at once, unless others would have to end before it: it is the last.
    for (Started &started : underWay.take_front(count)) {
      if (!started.runsKernels && underWay.size() == 1) {
        LaunchHostOp call = started.call;
        call.setCallee(call.getCallee().drop_front(kStartPrefix.size()));
        return;
      }
      llvm::append_range(ins, started.call.getIns());
      llvm::append_range(outs, started.call.getOuts());
    }
    LaunchHostOp::create(builder, underWay.front().call.getLoc(), TypeRange(), kWaitForCollectives,
                         ArrayRef<int64_t>{static_cast<int64_t>(underWay.size() - count)}, /*pure=*/true, ins, outs);
  }
};

} // namespace
