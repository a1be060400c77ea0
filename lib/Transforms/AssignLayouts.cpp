//===- AssignLayouts.cpp - The pass fuse-assign-layouts -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Convolutions are fast where memory runs along the channels: vectors of output channels are whole
// at any image size, and rows of an image are rows of a matrix product. Images [N, C, H, W] that
// convolutions and pools hand each other are therefore kept as [N, H, W, C], before kernels are
// planned: the plan prices the loops that run.
//
//   %1 = conv2d %x, %f nchw_fchw               %t = transpose %x to [N, H, W, C]       (a view)
//   %2 = relu %1                       ->      %1 = conv2d %t, transpose(%f) nhwc_hwcf
//   return %2                                  %2 = relu %1
//                                              return transpose(%2) to [N, C, H, W]    (a view)
//
// Images that lie alike form a class: a union-find over the values that ops with channels
// (element-wise ones, convolutions, pools, pads, views of channels, ...) read and compute. Where a class that changes
// ends, at arguments and results of the function and at ops that know nothing of channels, stands a
// transpose, which becomes a view in the kernel that reads or writes there. Sums are made in the same
// order either way.
//
//===----------------------------------------------------------------------------------------===//

#include "ChannelsLast.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEASSIGNLAYOUTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Which images of a function lie with their channels last.
class LayoutClasses {
public:
  /// `ops`: those with a role, in the order of the program.
  explicit LayoutClasses(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      addOp(op);
    for (Operation *op : ops)
      if (isHandedOn(op->getResult(0)))
        handedOn.insert(getLeader(op->getResult(0)));
  }

  /// Whether the images of an op with a role change.
  bool changes(Operation *op) const {
    void *leader = getLeader(op->getResult(0));
    return needing.contains(leader) ||
           (wanting.contains(leader) && (handedOn.contains(leader) || gaining.contains(leader)));
  }

private:
  void *getLeader(Value value) const { return *classes.findLeader(value.getAsOpaquePointer()); }

  void addOp(Operation *op) {
    SmallVector<Value> values = getImages(op);
    for (Value value : values)
      classes.insert(value.getAsOpaquePointer());
    for (Value value : ArrayRef(values).drop_front())
      unite(values.front(), value);
    void *leader = getLeader(values.front());
    ChannelRole role = getChannelRole(op);
    if (role == ChannelRole::Wants)
      wanting.insert(leader);
    if (role == ChannelRole::Gains)
      gaining.insert(leader);
    if (role == ChannelRole::Needs)
      needing.insert(leader);
  }

  void unite(Value a, Value b) {
    void *first = getLeader(a), *second = getLeader(b);
    void *joined = *classes.unionSets(first, second);
    for (DenseSet<void *> *marked : {&wanting, &gaining, &needing})
      if (marked->contains(first) || marked->contains(second))
        marked->insert(joined);
  }

  /// Whether a value is read by an op that needs several of its elements for each of its own: it
  /// passes between two kernels then, as a rule.
  static bool isHandedOn(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      if (classifyNode(user) == NodeKind::View)
        return isHandedOn(user->getResult(0));
      if (classifyNode(user) != NodeKind::Device)
        return false;
      OpPattern pattern = classifyPattern(user);
      return pattern != OpPattern::Elementwise && pattern != OpPattern::Movement;
    });
  }

  llvm::EquivalenceClasses<void *> classes;
  /// Leaders of the classes with ops of these roles (see ChannelRole), and of those with a value that
  /// is handed on.
  DenseSet<void *> wanting, gaining, needing, handedOn;
};

/// Rewrites the ops of one function whose images change.
class ChannelsLastRewriter {
public:
  explicit ChannelsLastRewriter(MLIRContext *context) : builder(context) {}

  void rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    Value changed = buildChannelsLast(builder, op, [&](Value value) { return getLast(value); });
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    Value view = TransposeOp::create(builder, op->getLoc(), type, changed,
                                     getToChannelsFirst(type.getRank()));
    views.push_back(view.getDefiningOp());
    result.replaceAllUsesWith(view);
    last[view] = changed;
    op->erase();
  }

  void eraseUnreadViews() {
    for (Operation *view : llvm::reverse(views))
      if (view->use_empty())
        view->erase();
  }

private:
  Value getLast(Value value) {
    if (Value known = last.lookup(value))
      return known;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(value);
    return last[value] = turnToChannelsLast(builder, value);
  }

  OpBuilder builder;
  /// What reads a value as it was finds here what reads it with its channels last.
  DenseMap<Value, Value> last;
  SmallVector<Operation *> views;
};

struct AssignLayouts : fuse::impl::FuseAssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Kernels that are formed stay as they are: whoever wrote a schedule counts their dims.
      if (isa<KernelOp, ScanOp>(op))
        return WalkResult::skip();
      if (getChannelRole(op) != ChannelRole::None)
        ops.push_back(op);
      return WalkResult::advance();
    });
    LayoutClasses classes(ops);
    llvm::erase_if(ops, [&](Operation *op) { return !classes.changes(op); });
    ChannelsLastRewriter rewriter(&getContext());
    for (Operation *op : ops)
      rewriter.rewrite(op);
    rewriter.eraseUnreadViews();
  }
};

} // namespace
