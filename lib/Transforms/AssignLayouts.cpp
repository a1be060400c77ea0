//===- AssignLayouts.cpp - The pass fuse-assign-layouts -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Convolutions are fast where memory runs along the channels: vectors of output channels are whole
// at any image size, and rows of an image are rows of a matrix product. Values [N, C, H, W] that
// pass between kernels and convolutions are therefore kept as [N, H, W, C].
//
// Values that lie alike form a class: a union-find over what stands in kernels, joined by ops with
// channels (element-wise ones, convolutions, pools, pads, ...) and by the values that kernels hand
// each other. A class with a convolution in it changes, if any of it passes between kernels, or the
// convolution is large, or a pool in it steps over columns; sums are made in the same order either
// way. Where it ends, at arguments and results of the function and at ops that know nothing of
// channels, stands a transpose in the kernel, a view.
//
//===----------------------------------------------------------------------------------------===//

#include "ChannelsLast.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEASSIGNLAYOUTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Which values of a function's kernels lie with their channels last.
class LayoutClasses {
public:
  explicit LayoutClasses(func::FuncOp function) {
    function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      // Whoever wrote a schedule counts the dims as they are.
      if (kernel->hasAttr(attr::kSchedule)) {
        fixed.insert(kernel);
        continue;
      }
      for (Operation &op : kernel.getBody().front().without_terminator())
        addOp(&op);
    }
    for (KernelOp kernel : kernels)
      for (OpResult result : kernel->getResults())
        if (isFree(result))
          addEdge(kernel, result);
  }

  /// Whether a value in a kernel changes.
  bool changes(Value value) const {
    auto leader = classes.findLeader(value.getAsOpaquePointer());
    return leader != classes.member_end() &&
           (needing.contains(*leader) ||
            (wanting.contains(*leader) &&
             (crossing.contains(*leader) || gaining.contains(*leader))));
  }
  /// Whether a kernel's result may lie as its readers want: all are kernels.
  bool isFree(OpResult result) const {
    return isImage(result) && !fixed.contains(result.getOwner()) &&
           llvm::all_of(result.getUsers(), [&](Operation *user) {
             return isa<KernelOp>(user) && !fixed.contains(user);
           });
  }

  ArrayRef<KernelOp> getKernels() const { return kernels; }

private:
  void addOp(Operation *op) {
    ChannelRole role = getChannelRole(op);
    if (role == ChannelRole::None)
      return;
    SmallVector<Value> values = getImages(op);
    for (Value value : values)
      classes.insert(value.getAsOpaquePointer());
    for (Value value : ArrayRef(values).drop_front())
      unite(values.front(), value);
    void *leader = *classes.findLeader(values.front().getAsOpaquePointer());
    if (role == ChannelRole::Wants)
      wanting.insert(leader);
    if (role == ChannelRole::Gains)
      gaining.insert(leader);
    if (role == ChannelRole::Needs)
      needing.insert(leader);
  }

  /// A value that a kernel hands to others.
  void addEdge(KernelOp kernel, OpResult result) {
    Value inside = kernel.getYield().getOperand(result.getResultNumber());
    classes.insert(inside.getAsOpaquePointer());
    for (OpOperand &use : result.getUses()) {
      auto reader = cast<KernelOp>(use.getOwner());
      Value argument = reader.getBody().getArgument(use.getOperandNumber());
      classes.insert(argument.getAsOpaquePointer());
      unite(inside, argument);
    }
    crossing.insert(*classes.findLeader(inside.getAsOpaquePointer()));
  }

  void unite(Value a, Value b) {
    void *first = *classes.findLeader(a.getAsOpaquePointer());
    void *second = *classes.findLeader(b.getAsOpaquePointer());
    void *joined = *classes.unionSets(first, second);
    for (DenseSet<void *> *marked : {&wanting, &gaining, &needing, &crossing})
      if (marked->contains(first) || marked->contains(second))
        marked->insert(joined);
  }

  SmallVector<KernelOp> kernels;
  llvm::SmallPtrSet<Operation *, 4> fixed;
  llvm::EquivalenceClasses<void *> classes;
  /// Leaders of the classes with ops of these roles (see ChannelRole), and of those that pass between
  /// kernels. What a function gives and takes is turned in a kernel, for those in need, or that gain
  /// enough.
  DenseSet<void *> wanting, gaining, needing, crossing;
};

/// What changes in a kernel.
struct KernelChanges {
  KernelOp kernel;
  SmallVector<BlockArgument> arguments;
  SmallVector<Operation *> ops;
  SmallVector<OpResult> results;
};

/// All that changes, before anything does.
SmallVector<KernelChanges> decide(const LayoutClasses &classes) {
  SmallVector<KernelChanges> all;
  for (KernelOp kernel : classes.getKernels()) {
    KernelChanges changes{kernel, {}, {}, {}};
    Block &body = kernel.getBody().front();
    for (Operation &op : body.without_terminator())
      if (getChannelRole(&op) != ChannelRole::None && classes.changes(op.getResult(0)))
        changes.ops.push_back(&op);
    for (auto [argument, input] : llvm::zip(body.getArguments(), kernel.getInputs()))
      if (auto result = dyn_cast<OpResult>(input); result && isa<KernelOp>(result.getOwner()) &&
                                                   classes.isFree(result) &&
                                                   classes.changes(argument))
        changes.arguments.push_back(argument);
    for (OpResult result : kernel->getResults())
      if (classes.isFree(result) &&
          classes.changes(kernel.getYield().getOperand(result.getResultNumber())))
        changes.results.push_back(result);
    all.push_back(std::move(changes));
  }
  return all;
}

/// Rewrites one kernel.
class KernelLayout {
public:
  explicit KernelLayout(const KernelChanges &changes)
      : kernel(changes.kernel), changes(changes), builder(changes.kernel->getContext()) {}

  void run() {
    Block &body = kernel.getBody().front();
    for (BlockArgument argument : changes.arguments)
      changeArgument(argument);
    for (Operation *op : changes.ops)
      changeOp(op);
    for (OpResult result : changes.results) {
      OpOperand &operand = kernel.getYield()->getOpOperand(result.getResultNumber());
      operand.set(getLast(operand.get()));
      result.setType(operand.get().getType());
    }
    // Views that nobody reads.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  /// The argument comes with its channels last; who wants it as it was reads a view.
  void changeArgument(BlockArgument argument) {
    builder.setInsertionPointToStart(argument.getOwner());
    auto type = cast<RankedTensorType>(argument.getType());
    argument.setType(toChannelsLast(type));
    Value view = TransposeOp::create(builder, argument.getLoc(), type, argument, kToChannelsFirst);
    argument.replaceAllUsesExcept(view, view.getDefiningOp());
    last[view] = argument;
  }

  void changeOp(Operation *op) {
    builder.setInsertionPoint(op);
    Value changed = buildChannelsLast(builder, op, [&](Value value) { return getLast(value); });
    Value result = op->getResult(0);
    Value view =
        TransposeOp::create(builder, op->getLoc(), result.getType(), changed, kToChannelsFirst);
    result.replaceAllUsesWith(view);
    last[view] = changed;
    op->erase();
  }

  Value getLast(Value value) {
    if (Value known = last.lookup(value))
      return known;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(value);
    Value turned = turnToChannelsLast(builder, value);
    last[value] = turned;
    return turned;
  }

  KernelOp kernel;
  const KernelChanges &changes;
  OpBuilder builder;
  /// What reads a value as it was finds here what reads it with its channels last.
  DenseMap<Value, Value> last;
};

struct AssignLayouts : fuse::impl::FuseAssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    LayoutClasses classes(function);
    for (const KernelChanges &changes : decide(classes))
      KernelLayout(changes).run();
  }
};

} // namespace
