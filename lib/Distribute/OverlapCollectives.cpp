//===- OverlapCollectives.cpp - The pass fuse-overlap-collectives -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/CallTime.h"
#include "fuse/CostModel/Collectives.h"
#include "fuse/CostModel/LaunchBlocks.h"
#include "fuse/Distribute/Passes.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEOVERLAPCOLLECTIVES
#include "fuse/Distribute/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Overlap {
public:
  Overlap(func::FuncOp function, Numerics numerics) : target(TargetAttr::lookup(function)) {
    SmallVector<double> times = estimateLaunches(function, numerics);
    for (auto [launch, ns] : llvm::zip_equal(collectLaunches(function), times))
      if (!getCollectiveKind(launch))
        freeNs[launch] = ns;
  }

  /// Lets kernels of its block run beside a collective.
  void overlap(Operation *collective) {
    double wanted = collectiveIdleTime(target, collective), hidden = 0;
    if (wanted <= 0)
      return;
    SmallVector<std::pair<Operation *, double>> used;
    auto use = [&](Operation *op) {
      double ns = std::min(freeNs.lookup(op), wanted - hidden);
      hidden += ns;
      used.push_back({op, ns});
    };
    // What stays behind the collective: what needs its result, directly or not.
    llvm::SmallPtrSet<Operation *, 16> needs = {collective};
    Operation *firstReader = nullptr;
    bool hasEffectsBehind = false; // of an op that stays
    for (Operation *op = collective->getNextNode(), *next; op && hidden < wanted; op = next) {
      next = op->getNextNode();
      if (op->hasTrait<OpTrait::IsTerminator>())
        break;
      if (readsAny(op, needs)) {
        needs.insert(op);
        firstReader = firstReader ? firstReader : op;
        hasEffectsBehind |= !isMemoryEffectFree(op);
        continue;
      }
      if (firstReader && hasEffectsBehind && !isMemoryEffectFree(op)) {
        needs.insert(op); // It stays, and so does what reads it.
        continue;
      }
      if (firstReader)
        op->moveBefore(firstReader);
      use(op);
    }
    if (hidden <= 0)
      return;
    for (auto [op, ns] : used)
      freeNs[op] -= ns;
    collective->setAttr(kOverlapNs, Builder(collective->getContext()).getI64IntegerAttr(static_cast<int64_t>(hidden)));
  }

private:
  static bool readsAny(Operation *op, const llvm::SmallPtrSetImpl<Operation *> &producers) {
    WalkResult result = op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (producers.contains(producer))
            return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return result.wasInterrupted();
  }

  TargetAttr target;
  /// How long a launch takes of which no collective makes use yet.
  DenseMap<Operation *, double> freeNs;
};

struct OverlapCollectives : fuse::impl::FuseOverlapCollectivesBase<OverlapCollectives> {
  using FuseOverlapCollectivesBase::FuseOverlapCollectivesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    SmallVector<Operation *> collectives;
    for (Operation &op : function.getBody().front())
      if (getCollectiveKind(&op))
        collectives.push_back(&op);
    if (collectives.empty())
      return;
    std::optional<Numerics> priced = parseNumerics(numerics);
    if (!priced) {
      function.emitError() << describeUnknownNumerics(numerics);
      return signalPassFailure();
    }
    Overlap overlap(function, *priced);
    for (Operation *collective : collectives)
      overlap.overlap(collective);
  }
};

} // namespace
