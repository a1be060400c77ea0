//===- OutlinedKernel.cpp - The loops of a kernel that was outlined ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/OutlinedKernel.h"
#include "fuse/Analysis/GroupLegality.h"
#include "fuse/Analysis/KernelMembers.h"

using namespace mlir;
using namespace mlir::fuse;

LogicalResult OutlinedKernel::verify(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "expected a kernel of one block, found "
                                << function.getBody().getBlocks().size() << " blocks";
  for (Operation &op : function.getBody().front()) {
    NodeKind kind = classifyNode(&op);
    bool isMember = kind == NodeKind::Device && isa<FusableOpInterface>(op);
    bool isNumber = op.getNumResults() == 1 && op.getResult(0).getType().isIndex() && isMemoryEffectFree(&op);
    if (!isMember && !isNumber && kind != NodeKind::View && kind != NodeKind::Constant &&
        kind != NodeKind::Terminator)
      return op.emitOpError() << "cannot be a member of a kernel, which holds fuse ops up to "
                                 "fuse-members-to-linalg";
  }
  return success();
}

static SmallVector<unsigned> collectMembers(const MemberTable &table) {
  SmallVector<unsigned> nodes;
  for (unsigned node = 0; node < table.size(); ++node)
    if (table[node].isFusable)
      nodes.push_back(node);
  return nodes;
}

OutlinedKernel::OutlinedKernel(func::FuncOp function)
    : graph(function.getBody().front()), table(graph, getStates(function)),
      domain(computeGroupDomain(table, collectMembers(table))) {}

std::optional<ScatterShape> OutlinedKernel::getScatter() const {
  std::optional<unsigned> node = findScatter(table, domain.nodes);
  return node ? table[*node].scatter : std::nullopt;
}

DenseMap<Operation *, SmallVector<SmallVector<int64_t>>> OutlinedKernel::getResultFactors() const {
  DenseMap<Operation *, SmallVector<SmallVector<int64_t>>> found;
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    Operation *op = table.isCopy(node) ? nullptr : graph.getOp(node);
    if (Value copied = table.isCopy(node) ? table.getCopied(node) : Value())
      op = copied.getDefiningOp();
    if (!op || op->getNumResults() == 0)
      continue;
    SmallVector<SmallVector<int64_t>> factors;
    const int *loop = table[node].writes.begin();
    for (int64_t extent : cast<ShapedType>(op->getResult(0).getType()).getShape()) {
      auto &list = factors.emplace_back();
      if (extent == 1)
        continue;
      for (const LoopDigit &atom : domain.atoms[m])
        if (static_cast<int>(atom.loop) == *loop)
          list.push_back(atom.extent);
      ++loop;
      if (list.size() < 2)
        list.clear();
    }
    found[op] = factors;
  }
  return found;
}

std::optional<SmallVector<SmallVector<int64_t>>> OutlinedKernel::getResultDims() const {
  SmallVector<SmallVector<int64_t>> all;
  for (Value value : graph.getBlock().getTerminator()->getOperands()) {
    unsigned node = graph.lookup(getViewSource(value));
    if (node == FusionGraph::kNone || !table[node].isFusable)
      return std::nullopt;
    // One of the copies that its views ask for, if they do.
    for (unsigned copy : table[node].copies)
      if (table.getCopied(copy) == value)
        node = copy;
    unsigned m = llvm::lower_bound(domain.nodes, node) - domain.nodes.begin();
    auto &dims = all.emplace_back();
    for (int loop : table[node].writes)
      for (auto [atom, dim] : llvm::zip_equal(domain.atoms[m], domain.shared.loops[m]))
        if (static_cast<int>(atom.loop) == loop)
          dims.push_back(dim);
  }
  return all;
}
