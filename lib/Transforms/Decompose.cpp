//===- Decompose.cpp - The pass fuse-decompose -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/CostModel/Profile.h"
#include "fuse/IR/OpText.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEDECOMPOSE
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

//===- Copies -------------------------------------------------------------------------------===//

/// Whether `use` needs its value in memory: neither a kernel nor a view can read it.
static bool needsMemory(OpOperand &use) {
  switch (classifyNode(use.getOwner())) {
  case NodeKind::Device:
    // A scan takes its states and sequences apart where they lie.
    if (auto scan = dyn_cast<ScanOp>(use.getOwner()))
      return use.getOperandNumber() < scan.getNumStates() + scan.getSequences().size();
    return isa<StoreOp>(use.getOwner());
  case NodeKind::View:
  case NodeKind::Constant:
    return false;
  case NodeKind::Host:
  case NodeKind::Foreign:
  case NodeKind::Terminator:
    return !isa<YieldOp>(use.getOwner());
  case NodeKind::Kernel:
    return false;
  }
  llvm_unreachable("all kinds are listed");
}

/// Whether a use of `value` needs memory, directly or behind reshapes.
static bool reachesMemory(Value value) {
  SmallVector<Value> work{value};
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      if (needsMemory(use))
        return true;
      if (auto reshape = dyn_cast<ReshapeOp>(use.getOwner()))
        work.push_back(reshape.getResult());
    }
  return false;
}

void mlir::fuse::materializeEscapingViews(FunctionOpInterface function) {
  SmallVector<Operation *> views;
  function->walk([&](Operation *op) {
    if (classifyNode(op) == NodeKind::View && !isa<ReshapeOp>(op) &&
        !isa<KernelOp, ScanOp>(op->getParentOp()))
      views.push_back(op);
  });
  for (Operation *view : views) {
    Value value = view->getResult(0);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      if (needsMemory(use) ||
          (isa<ReshapeOp>(use.getOwner()) && reachesMemory(use.getOwner()->getResult(0))))
        uses.push_back(&use);
    if (uses.empty())
      continue;
    OpBuilder builder(view->getContext());
    builder.setInsertionPointAfter(view);
    Value copy = CopyOp::create(builder, view->getLoc(), value.getType(), value);
    for (OpOperand *use : uses)
      use->set(copy);
  }
}

//===- Casts ---------------------------------------------------------------------------------===//

/// Whether every value of `type` is one of `wider`, too.
static bool holdsAll(Type type, Type wider) {
  auto narrowFloat = dyn_cast<FloatType>(type), wideFloat = dyn_cast<FloatType>(wider);
  if (narrowFloat && wideFloat)
    return APFloat::isRepresentableBy(narrowFloat.getFloatSemantics(),
                                      wideFloat.getFloatSemantics());
  auto narrow = dyn_cast<IntegerType>(type), wide = dyn_cast<IntegerType>(wider);
  return narrow && wide && narrow.getWidth() > 1 && narrow.getWidth() <= wide.getWidth() &&
         narrow.isUnsigned() == wide.isUnsigned();
}

/// A cast to a wider type and back changes no value: readers take the value itself. (A cast to a
/// narrower type and back rounds.)
static void elideWideningRoundTrips(FunctionOpInterface function) {
  SmallVector<CastOp> casts;
  function->walk([&](CastOp cast) { casts.push_back(cast); });
  llvm::SmallPtrSet<Operation *, 8> elided;
  // Readers first: what they leave unread goes when its turn comes.
  for (CastOp back : llvm::reverse(casts)) {
    auto there = back.getOperand().getDefiningOp<CastOp>();
    if (!there || there.getOperand().getType() != back.getType() ||
        back->getParentOfType<KernelOp>() || back->hasAttr(attr::kAlone) ||
        back->hasAttr(attr::kTogether) || there->hasAttr(attr::kAlone) ||
        there->hasAttr(attr::kTogether) ||
        !holdsAll(getElementTypeOrSelf(back.getType()), getElementTypeOrSelf(there.getType())))
      continue;
    // A result stays a value of its own.
    if (llvm::any_of(back->getUsers(), [](Operation *user) {
          return user->hasTrait<OpTrait::IsTerminator>();
        }))
      continue;
    back.getResult().replaceAllUsesWith(there.getOperand());
    elided.insert(there);
    elided.insert(back);
  }
  for (CastOp cast : llvm::reverse(casts))
    if (elided.contains(cast) && cast->use_empty())
      cast.erase();
}

//===- Composites ---------------------------------------------------------------------------===//

/// `value` in the type of the composite that it stands for, which may know less: a layer norm of ?x8 with weights of 5x8
/// says ?x8, and its last product 5x8.
static Value giveType(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  Location loc = value.getLoc();
  SmallVector<Value> sizes;
  for (auto [dim, extent] : llvm::enumerate(cast<RankedTensorType>(type).getShape()))
    if (ShapedType::isDynamic(extent))
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, tensor::getMixedSize(builder, loc, value, dim)));
  return ReshapeOp::create(builder, loc, type, value, sizes);
}

void mlir::fuse::decomposeComposites(FunctionOpInterface function) {
  SmallVector<std::pair<DecomposableOpInterface, int64_t>> composites;
  int64_t numWritten = 0;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    if (std::optional<int64_t> id = getOriginId(op))
      numWritten = std::max(numWritten, *id + 1);
    NodeKind kind = classifyNode(op);
    if (kind != NodeKind::Device && kind != NodeKind::Host)
      return WalkResult::advance();
    if (auto composite = dyn_cast<DecomposableOpInterface>(op))
      composites.push_back({composite, numWritten});
    ++numWritten;
    // What a scan's body holds is part of the scan.
    return isa<ScanOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  OpBuilder builder(function->getContext());
  for (auto [composite, id] : composites) {
    auto origin = OriginAttr::get(builder.getContext(), id, describeOp(composite));
    Operation *before = composite->getPrevNode();
    builder.setInsertionPoint(composite);
    SmallVector<Value> results = composite.decompose(builder);
    Operation *first = before ? before->getNextNode() : &composite->getBlock()->front();
    for (Operation *op = first; op != composite; op = op->getNextNode()) {
      if (classifyNode(op) != NodeKind::Device)
        continue;
      op->setAttr(attr::kOrigin, origin);
      for (StringRef name : {attr::kAlone, attr::kTogether, attr::kClosed})
        if (Attribute mark = composite->getAttr(name))
          op->setAttr(name, mark);
    }
    for (auto [result, value] : llvm::zip_equal(composite->getResults(), results))
      value = giveType(builder, value, result.getType());
    composite->replaceAllUsesWith(results);
    composite->erase();
  }
}

//===- What nobody reads --------------------------------------------------------------------===//

/// Readers first, so that what only they read goes with them.
void mlir::fuse::eraseDeadOps(FunctionOpInterface function) {
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    bool isPlanned = op->getParentOfType<KernelOp>() || op->hasAttr(attr::kAlone) ||
                     op->hasAttr(attr::kTogether) || op->hasAttr(attr::kGroup);
    if (!isPlanned && isOpTriviallyDead(op))
      op->erase();
  });
}

void mlir::fuse::eraseUnused(Value value) {
  llvm::SetVector<Operation *> open; // each op once: it is erased when its last user was
  auto add = [&](Value operand) {
    if (Operation *def = operand.getDefiningOp())
      open.insert(def);
  };
  add(value);
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    llvm::for_each(operands, add);
  }
}

namespace {

struct Decompose : fuse::impl::FuseDecomposeBase<Decompose> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      eraseDeadOps(function);
      materializeEscapingViews(function);
      if (!function->hasAttr(attr::kWritten))
        function->setAttr(attr::kWritten, computeProfile(function).toAttr(&getContext()));
      elideWideningRoundTrips(function);
      materializeEscapingViews(function); // a cast may have stood between
      decomposeComposites(function);
    }
  }
};

} // namespace
