//===- KernelBuilder.cpp - One kernel from ops that stand together -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "fuse/Analysis/FusionGraph.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// Constants of more elements, unless they are splats, stay outside: they are the kernel's operands.
static constexpr int64_t kSmallConstant = 16;

static bool isAbsorbableConstant(Operation *op) {
  DenseElementsAttr value;
  return op && matchPattern(op, m_Constant(&value)) &&
         (value.isSplat() || value.getNumElements() <= kSmallConstant);
}

namespace {

class KernelBuilder {
public:
  explicit KernelBuilder(ArrayRef<Operation *> members)
      : members(members), memberSet(members.begin(), members.end()) {}

  KernelOp build() {
    for (Operation *op : members) {
      for (Value result : op->getResults()) {
        llvm::SetVector<Value> views;
        if (findOutputs(result, /*isReshape=*/true, views))
          outputs.insert(result);
        outputs.insert_range(views);
      }
      // A result that nobody reads is still computed, unless it is one of several.
      if (llvm::none_of(op->getResults(), [&](Value result) { return isRead(result); }))
        outputs.insert_range(op->getResults());
    }

    Operation *last = members.back();
    Region body;
    OpBuilder builder(last->getContext());
    builder.setInsertionPointToEnd(&body.emplaceBlock());
    for (Operation *op : members)
      cloneMember(builder, op);
    SmallVector<Value> yielded = llvm::map_to_vector(outputs, [&](Value output) {
      map(builder, output);
      return mapping.lookup(output);
    });
    SmallVector<Location> locations =
        llvm::map_to_vector(members, [](Operation *op) { return op->getLoc(); });
    YieldOp::create(builder, last->getLoc(), yielded);

    builder.setInsertionPoint(last);
    auto kernel = KernelOp::create(builder, FusedLoc::get(last->getContext(), locations),
                                   TypeRange(ValueRange(outputs.getArrayRef())), inputs.getArrayRef());
    kernel.getBody().takeBody(body);
    // Ops that become kernels read a view through its source, whether it leaves this kernel or not: their
    // sums then have one order.
    for (auto [output, result] : llvm::zip(outputs.getArrayRef(), kernel.getResults())) {
      bool isView = !memberSet.contains(output.getDefiningOp());
      Value(output).replaceUsesWithIf(result, [&](OpOperand &use) {
        NodeKind kind = classifyNode(use.getOwner());
        return !isView || (kind != NodeKind::View && kind != NodeKind::Device);
      });
    }
    for (Operation *op : llvm::reverse(members)) {
      for (Value result : op->getResults())
        eraseDeadViews(result);
      op->erase();
    }
    return kernel;
  }

private:
  /// Whether others need a member's result, of which `value` is a view: they read it as it lies, or become
  /// kernels that take the view into them. Adds the views of it that others need. So the function returns an
  /// image with its channels first that the kernel has with its channels last.
  bool findOutputs(Value value, bool isReshape, llvm::SetVector<Value> &views) const {
    bool isNeeded = false;
    for (Operation *user : value.getUsers()) {
      if (memberSet.contains(user))
        continue;
      NodeKind kind = classifyNode(user);
      if (kind == NodeKind::View)
        isNeeded |= findOutputs(user->getResult(0), isReshape && isa<ReshapeOp>(user), views);
      else if (isReshape || kind == NodeKind::Device)
        isNeeded = true;
      else
        views.insert(value);
    }
    return isNeeded;
  }

  /// Whether an op reads `value`, or a view of it.
  static bool isRead(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      return classifyNode(user) != NodeKind::View || isRead(user->getResult(0));
    });
  }

  void cloneMember(OpBuilder &builder, Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (!needsBuffer(operand) || !isAbsorbed(operand.get()))
        map(builder, operand.get());
      else if (!mapping.contains(operand.get()))
        addInput(builder, operand.get());
    Operation *clone = builder.clone(*op, mapping);
    clone->removeAttr(attr::kGroup);
  }

  /// Makes `value` known inside the kernel: a member's result, a clone, or an operand.
  void map(OpBuilder &builder, Value value) {
    if (mapping.contains(value))
      return;
    if (isAbsorbed(value)) {
      Operation *def = value.getDefiningOp();
      for (Value operand : def->getOperands())
        map(builder, operand);
      builder.clone(*def, mapping);
      return;
    }
    addInput(builder, value);
  }

  void addInput(OpBuilder &builder, Value value) {
    inputs.insert(value);
    mapping.map(value, builder.getBlock()->addArgument(value.getType(), value.getLoc()));
  }

  /// A scan takes its states and sequences apart where they lie.
  static bool needsBuffer(OpOperand &operand) {
    auto scan = dyn_cast<ScanOp>(operand.getOwner());
    return scan && operand.getOperandNumber() < scan.getNumStates() + scan.getSequences().size();
  }

  /// Constants that are cheap to repeat, and views; a reshape only where it reads what the kernel
  /// computes, or where another kind of view is below it: memory holds no such thing.
  bool isAbsorbed(Value value) const {
    Operation *def = value.getDefiningOp();
    if (isAbsorbableConstant(def))
      return true;
    for (; def && classifyNode(def) == NodeKind::View; def = def->getOperand(0).getDefiningOp()) {
      Operation *source = def->getOperand(0).getDefiningOp();
      if (!isa<ReshapeOp>(def) || memberSet.contains(source) || isAbsorbableConstant(source))
        return true;
    }
    return false;
  }

  static void eraseDeadViews(Value value) {
    for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
      for (Value result : user->getResults())
        eraseDeadViews(result);
      user->erase();
    }
  }

  ArrayRef<Operation *> members;
  llvm::DenseSet<Operation *> memberSet;
  llvm::SetVector<Value> inputs, outputs;
  IRMapping mapping;
};

} // namespace

KernelOp mlir::fuse::buildKernel(ArrayRef<Operation *> members) {
  return KernelBuilder(members).build();
}
