//===- FusionGraph.cpp - The ops of a block, and what orders them -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/FusionGraph.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallSet.h"
#include <queue>

using namespace mlir;
using namespace mlir::fuse;

//===- Classification -----------------------------------------------------------------------===//

NodeKind mlir::fuse::classifyNode(Operation *op) {
  if (isa<KernelOp>(op))
    return NodeKind::Kernel;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return NodeKind::Terminator;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return NodeKind::Constant;
  auto cost = dyn_cast<CostOpInterface>(op);
  if (!cost)
    return NodeKind::Foreign;
  if (cost.isHostSync())
    return NodeKind::Host;
  return cost.isMetadata() ? NodeKind::View : NodeKind::Device;
}

bool mlir::fuse::computesSizes(Operation *op) {
  if (isa<ShapedDimOpInterface>(op))
    return true;
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return isMemoryEffectFree(op) && llvm::all_of(op->getOperandTypes(), isNumber) &&
         llvm::all_of(op->getResultTypes(), isNumber);
}

OpPattern mlir::fuse::classifyPattern(Operation *op) {
  auto fusable = dyn_cast<FusableOpInterface>(op);
  if (!fusable)
    return OpPattern::Composite;
  if (fusable.isElementwise())
    return OpPattern::Elementwise;
  if (!isMemoryEffectFree(op))
    return OpPattern::Memory;
  if (!llvm::is_contained(fusable.getIteratorTypesArray(), utils::IteratorType::reduction))
    return OpPattern::Movement;
  // One operand read along plain loops: a reduction. Sums of loops in a position: a window.
  SmallVector<AffineMap> maps = fusable.getIndexingMapsArray();
  bool plain = llvm::all_of(ArrayRef(maps).take_front(op->getNumOperands()), [](AffineMap map) {
    return map && map.isProjectedPermutation(/*allowZeroInResults=*/true);
  });
  if (op->getNumOperands() == 1)
    return plain ? OpPattern::Reduction : OpPattern::Window;
  return OpPattern::Contraction;
}

std::optional<int64_t> mlir::fuse::getOriginId(Operation *op) {
  if (auto origin = op->getAttrOfType<OriginAttr>(attr::kOrigin))
    return origin.getId();
  return std::nullopt;
}

Value mlir::fuse::getViewSource(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
      if (!kernel)
        return value;
      value = kernel.getInputs()[argument.getArgNumber()];
      continue;
    }
    Operation *def = value.getDefiningOp();
    if (classifyNode(def) != NodeKind::View)
      return value;
    value = def->getOperand(0);
  }
}

//===- Construction -------------------------------------------------------------------------===//

void Consumers::add(unsigned node) {
  if (node == first || node == second)
    return;
  if (node < first) {
    second = first;
    first = node;
  } else if (node < second) {
    second = node;
  }
}

void Consumers::add(const Consumers &other) {
  for (unsigned node : {other.first, other.second})
    if (node != kNone)
      add(node);
  escapes |= other.escapes;
  throughView |= other.throughView;
  inRegion |= other.inRegion;
}

FusionGraph::FusionGraph(Block &block) : block(&block) {
  for (Operation &op : block) {
    numbers[&op] = nodes.size();
    nodes.push_back({&op, classifyNode(&op), static_cast<unsigned>(nodes.size()), {}, {}});
  }
  for (Node &node : nodes)
    if (node.kind == NodeKind::View) {
      unsigned source = lookup(node.op->getOperand(0));
      node.root = source == kNone ? kNone : nodes[source].root;
    }
  addDataEdges();
  addMemoryEdges();
  collectConsumers();
}

unsigned FusionGraph::lookup(Operation *op) const {
  while (op && op->getBlock() != block)
    op = op->getParentOp();
  return op ? numbers.lookup(op) : kNone;
}

unsigned FusionGraph::lookup(Value value) const {
  Operation *def = value.getDefiningOp();
  return def && def->getBlock() == block ? numbers.lookup(def) : kNone;
}

void FusionGraph::addDataEdges() {
  for (auto [number, node] : llvm::enumerate(nodes)) {
    llvm::SmallSet<unsigned, 8> sources;
    auto visit = [&, number = number](Operation *op) {
      for (Value operand : op->getOperands()) {
        unsigned source = lookup(operand);
        if (source != kNone && source < number && sources.insert(source).second)
          nodes[source].successors.push_back({static_cast<unsigned>(number), EdgeKind::Data});
      }
    };
    if (node.op->getNumRegions() == 0 || node.kind == NodeKind::Kernel)
      visit(node.op);
    else
      node.op->walk(visit);
  }
}

// In reverse, so that the consumers of a view are known before those of what it views.
void FusionGraph::collectConsumers() {
  for (unsigned number = nodes.size(); number-- > 0;) {
    Node &node = nodes[number];
    for (OpOperand &use : node.op->getUses()) {
      Operation *user = use.getOwner();
      unsigned reader = lookup(user);
      if (reader == kNone)
        continue;
      if (nodes[reader].kind == NodeKind::View) {
        Consumers behind = nodes[reader].consumers;
        behind.throughView |= behind.first != kNone;
        node.consumers.add(behind);
        continue;
      }
      node.consumers.add(reader);
      node.consumers.escapes |= nodes[reader].kind == NodeKind::Terminator;
      node.consumers.inRegion |= nodes[reader].op != user;
    }
  }
}

//===- Memory order -------------------------------------------------------------------------===//

namespace {

/// What one op does to the buffers of one class.
struct Access {
  bool reads = false, writes = false;
};

/// The buffers that an op touches: by allocation (a value), by function argument (null), or
/// everything.
struct Footprint {
  llvm::MapVector<Value, Access> buffers;
  bool everything = false;
};

/// The allocation that `buffer` comes from, null for arguments of a function, failure otherwise.
FailureOr<Value> getBase(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    if (isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      return Value();
    return failure();
  }
  if (hasEffect<MemoryEffects::Allocate>(buffer.getDefiningOp(), buffer))
    return buffer;
  return failure();
}

Footprint getFootprint(Operation *op) {
  Footprint footprint;
  auto effects = getEffectsRecursively(op);
  if (!effects) {
    footprint.everything = true;
    return footprint;
  }
  for (MemoryEffects::EffectInstance &effect : *effects) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    Value buffer = effect.getValue();
    FailureOr<Value> base = buffer ? getBase(getViewSource(buffer)) : FailureOr<Value>(failure());
    if (failed(base)) {
      footprint.everything = true;
      return footprint;
    }
    Access &access = footprint.buffers[*base];
    (isa<MemoryEffects::Read>(effect.getEffect()) ? access.reads : access.writes) = true;
  }
  return footprint;
}

/// The accesses of one class of buffers since the last barrier.
struct History {
  unsigned lastWrite = FusionGraph::kNone;
  SmallVector<unsigned> readsSince;
};

} // namespace

void FusionGraph::addMemoryEdges() {
  llvm::MapVector<Value, History> histories;
  SmallVector<unsigned> sinceBarrier;
  unsigned barrier = kNone;
  auto order = [&](unsigned from, unsigned to) {
    if (from != kNone && from != to)
      nodes[from].successors.push_back({to, EdgeKind::Memory});
  };
  for (unsigned number = 0, end = nodes.size(); number < end; ++number) {
    if (isMemoryEffectFree(nodes[number].op))
      continue;
    Footprint footprint = getFootprint(nodes[number].op);
    if (footprint.everything) {
      for (unsigned access : sinceBarrier)
        order(access, number);
      order(barrier, number);
      barrier = number;
      sinceBarrier.clear();
      histories.clear();
      continue;
    }
    if (footprint.buffers.empty())
      continue;
    order(barrier, number);
    sinceBarrier.push_back(number);
    for (auto &[base, access] : footprint.buffers) {
      History &history = histories[base];
      order(history.lastWrite, number);
      if (!access.writes) {
        history.readsSince.push_back(number);
        continue;
      }
      for (unsigned reader : history.readsSince)
        order(reader, number);
      history.readsSince.clear();
      history.lastWrite = number;
    }
  }
}

//===- Queries ------------------------------------------------------------------------------===//

SmallVector<unsigned> mlir::fuse::getProducers(const FusionGraph &graph, unsigned node) {
  SmallVector<unsigned> producers;
  llvm::SmallSet<unsigned, 4> seen;
  for (Value operand : graph.getOp(node)->getOperands()) {
    unsigned producer = graph.lookup(operand);
    if (producer != FusionGraph::kNone)
      producer = graph.getRoot(producer);
    if (producer == FusionGraph::kNone || graph.getKind(producer) == NodeKind::Constant)
      continue;
    if (seen.insert(producer).second)
      producers.push_back(producer);
  }
  return producers;
}

Legality mlir::fuse::checkGroup(const FusionGraph &graph, ArrayRef<unsigned> members) {
  for (unsigned member : members) {
    Operation *op = graph.getOp(member);
    std::string name = "'" + op->getName().getStringRef().str() + "'";
    switch (graph.getKind(member)) {
    case NodeKind::Device:
      break;
    case NodeKind::Host:
      return {Barrier::HostOp, name + " runs on the host", "an equivalent op on the device"};
    case NodeKind::Kernel:
      return {Barrier::AlreadyFormed, name + " is formed already", ""};
    case NodeKind::View:
    case NodeKind::Constant:
      return {Barrier::ForeignOp, name + " is metadata: kernels that read it absorb it", ""};
    case NodeKind::Terminator:
    case NodeKind::Foreign:
      return {Barrier::ForeignOp, name + " is no op that kernels can hold", ""};
    }
  }
  if (members.size() < 2)
    return Legality::legal();
  llvm::DenseSet<unsigned> set(members.begin(), members.end()), seen;
  SmallVector<unsigned> work;
  auto follow = [&](unsigned from, bool inside) -> const FusionGraph::Edge * {
    // What is between members when a view is: nothing, as the kernel absorbs it.
    unsigned root = graph.getRoot(from);
    bool absorbed = root != FusionGraph::kNone && set.contains(root);
    for (const FusionGraph::Edge &edge : graph.getSuccessors(from)) {
      if (set.contains(edge.to)) {
        if (!inside && !absorbed)
          return &edge;
        continue;
      }
      if (edge.to < members.back() && seen.insert(edge.to).second)
        work.push_back(edge.to);
    }
    return nullptr;
  };
  for (unsigned member : members)
    follow(member, /*inside=*/true);
  while (!work.empty()) {
    unsigned node = work.pop_back_val();
    if (const FusionGraph::Edge *edge = follow(node, /*inside=*/false)) {
      std::string between = "'" + graph.getOp(node)->getName().getStringRef().str() + "'";
      if (edge->kind == FusionGraph::EdgeKind::Memory)
        return {Barrier::MemoryOrder, between + " touches memory between members",
                "buffers that cannot alias"};
      return {Barrier::Cycle, between + " needs a member and is needed by one",
              "the op between in the same kernel"};
    }
  }
  return Legality::legal();
}

LogicalResult mlir::fuse::sortUnits(const FusionGraph &graph, ArrayRef<unsigned> unitOf,
                                    unsigned numUnits, SmallVectorImpl<unsigned> &order) {
  std::vector<unsigned> last(numUnits), waiting(numUnits);
  std::vector<SmallVector<unsigned, 4>> members(numUnits);
  auto forEachEdge = [&](unsigned unit, llvm::function_ref<void(unsigned)> fn) {
    for (unsigned node : members[unit])
      for (const FusionGraph::Edge &edge : graph.getSuccessors(node)) {
        unsigned root = graph.getRoot(node), target = unitOf[edge.to];
        bool absorbed = root != FusionGraph::kNone && unitOf[root] == target;
        if (target != unit && !absorbed)
          fn(target);
      }
  };
  for (unsigned node = 0; node < graph.size(); ++node) {
    last[unitOf[node]] = node;
    members[unitOf[node]].push_back(node);
  }
  for (unsigned unit = 0; unit < numUnits; ++unit)
    forEachEdge(unit, [&](unsigned target) { ++waiting[target]; });
  using Ready = std::pair<unsigned, unsigned>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<Ready>> ready;
  for (unsigned unit = 0; unit < numUnits; ++unit)
    if (waiting[unit] == 0)
      ready.push({last[unit], unit});
  while (!ready.empty()) {
    unsigned unit = ready.top().second;
    ready.pop();
    order.push_back(unit);
    forEachEdge(unit, [&](unsigned target) {
      if (--waiting[target] == 0)
        ready.push({last[target], target});
    });
  }
  return success(order.size() == numUnits);
}
