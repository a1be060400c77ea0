//===- WrittenNodes.cpp - What kernels are made of, as it was written -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/WrittenNodes.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/OpText.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fuse;

/// The outermost place that a location names; of a file, without its folder.
static std::string describeLocation(Location loc) {
  std::string text = "-";
  loc->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part))
      text = (llvm::sys::path::filename(file.getFilename()) + ":" + Twine(file.getLine()) + ":" +
              Twine(file.getColumn()))
                 .str();
    else if (auto name = dyn_cast<NameLoc>(part))
      text = name.getName().str();
    else
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return text;
}

/// Calls `fn` with each op of a function that planning knows: ops in control flow and in kernels,
/// but not the scalar ops of which others are made up.
static void forEachOp(func::FuncOp function, llvm::function_ref<void(Operation *)> fn) {
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    fn(op);
    bool isOpen = isa<RegionBranchOpInterface, KernelOp>(op);
    return isOpen ? WalkResult::advance() : WalkResult::skip();
  });
}

WrittenNodes::WrittenNodes(func::FuncOp function, ArrayRef<ModelNode> modelNodes) {
  for (const ModelNode &node : modelNodes) {
    byName[node.name] = nodes.size();
    WrittenNode &written = nodes.emplace_back();
    written.name = node.name;
    written.op = node.op;
    written.isFolded = node.isFolded;
  }
  if (modelNodes.empty())
    addOps(function);
  markNeeded(function);
}

void WrittenNodes::addOps(func::FuncOp function) {
  forEachOp(function, [&](Operation *op) {
    NodeKind kind = classifyNode(op);
    if (kind == NodeKind::Constant || kind == NodeKind::Terminator || kind == NodeKind::Kernel)
      return;
    auto number = IntegerAttr::get(IndexType::get(op->getContext()),
                                   static_cast<int64_t>(nodes.size()));
    WrittenNode &node = nodes.emplace_back();
    node.name = describeLocation(op->getLoc());
    node.op = describeOp(op);
    op->setLoc(FusedLoc::get(op->getContext(), {op->getLoc()}, number));
  });
}

/// An op is needed if it does something or if another needed op reads it.
void WrittenNodes::markNeeded(func::FuncOp function) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Operation *> work;
  auto need = [&](Operation *op) {
    if (op && needed.insert(op).second)
      work.push_back(op);
  };
  function.getBody().walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || !wouldOpBeTriviallyDead(op))
      need(op);
  });
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Value operand : op->getOperands())
      need(operand.getDefiningOp());
    if (!isa<func::FuncOp>(op->getParentOp()))
      need(op->getParentOp());
  }
  forEachOp(function, [&](Operation *op) {
    std::optional<size_t> number = lookup(op);
    if (!number || classifyNode(op) == NodeKind::Constant)
      return;
    nodes[*number].hasOps = true;
    nodes[*number].isNeeded |= needed.contains(op);
  });
}

std::optional<size_t> WrittenNodes::lookup(Operation *op) const {
  std::optional<size_t> found;
  op->getLoc()->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part); name && !byName.empty()) {
      auto it = byName.find(name.getName());
      if (it != byName.end())
        found = it->second;
    } else if (auto fused = dyn_cast<FusedLocWith<IntegerAttr>>(part); fused && byName.empty()) {
      // A program may bring such locations itself: the mark is the outermost one.
      auto number = static_cast<size_t>(fused.getMetadata().getInt());
      if (number < nodes.size())
        found = number;
    }
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

void WrittenNodes::place(func::FuncOp function, const FunctionReport &report) {
  for (const KernelReport &kernel : report.kernels)
    kernel.op->walk([&](Operation *op) {
      std::optional<size_t> number = lookup(op);
      if (!number)
        return;
      NodeKind kind = classifyNode(op);
      if (kind == NodeKind::Device || kind == NodeKind::Host)
        nodes[*number].kernels.insert(kernel.id);
      else if (kind == NodeKind::View)
        nodes[*number].viewKernels.insert(kernel.id);
    });
  forEachOp(function, [&](Operation *op) {
    std::optional<size_t> number = lookup(op);
    if (!number || isa<KernelOp>(op->getParentOp()))
      return;
    NodeKind kind = classifyNode(op);
    nodes[*number].isView |= kind == NodeKind::View;
    nodes[*number].isForeign |= kind == NodeKind::Foreign;
  });
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare);
  auto prepare = symbol ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(function, symbol)
                        : func::FuncOp();
  if (!prepare)
    return;
  prepare.walk([&](Operation *op) {
    NodeKind kind = classifyNode(op);
    if (std::optional<size_t> number = lookup(op); number && kind == NodeKind::Device)
      nodes[*number].isPrepared = true;
  });
}
