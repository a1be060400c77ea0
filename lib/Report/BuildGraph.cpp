//===- BuildGraph.cpp - A function as written, and as its launches stand ----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LocationText.h"
#include "fuse/CostModel/LaunchBlocks.h"
#include "fuse/IR/FuseInterfaces.h"
#include "fuse/IR/OpText.h"
#include "fuse/Report/Graph.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

bool touchesTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

class GraphBuilder {
public:
  explicit GraphBuilder(FunctionOpInterface function) : function(function) {
    graph.name = function.getName().str();
  }

  FunctionGraph build(const FunctionReport &report) {
    addInputs();
    addOps(report);
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        addEdges(operand, getNode(op), getMember(op));
    // What a region yields comes out of the op around it.
    function->walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::IsTerminator>() && !isa<KernelOp, ScanOp>(op->getParentOp()))
        if (std::optional<unsigned> node = getNode(op->getParentOp()))
          for (Value operand : op->getOperands())
            addEdges(operand, node, std::nullopt);
    });
    addOutputs();
    for (const RefusedReport &refused : report.refused)
      graph.refused.push_back({getNode(refused.producerOp), getNode(refused.consumerOp),
                               getMember(refused.producerOp), getMember(refused.consumerOp)});
    return std::move(graph);
  }

private:
  using Edges = llvm::MapVector<std::pair<unsigned, unsigned>, unsigned>;

  void addInputs() {
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      auto name = function.getArgAttrOfType<StringAttr>(number, attr::kName);
      std::string text = name ? name.getValue().str() : "arg" + std::to_string(number);
      bool isParam =
          function.getArgAttr(number, attr::kParam) || function.getArgAttr(number, attr::kPrepared);
      GraphValue &value = graph.values[getValue(argument)];
      value.name = text;
      value.isParam = isParam;
      if (isParam)
        continue;
      inputs[argument] = graph.nodes.size();
      graph.nodes.push_back({GraphNode::Kind::Input, text, describeType(argument.getType()), ""});
    }
  }

  void addOps(const FunctionReport &report) {
    SmallVector<Operation *> launches = collectLaunches(function);
    graph.launches.resize(launches.size());
    DenseMap<Operation *, int64_t> ids;
    for (auto [id, launch] : llvm::enumerate(launches))
      ids[launch] = id;
    function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto it = ids.find(op); it != ids.end()) {
        addLaunch(op, it->second);
        return WalkResult::skip();
      }
      if (classifyNode(op) == NodeKind::Foreign && touchesTensors(op))
        addNode(op, GraphNode::Kind::Foreign);
      return WalkResult::advance();
    });
  }

  void addLaunch(Operation *launch, int64_t id) {
    GraphLaunch &entry = graph.launches[id];
    auto add = [&](SmallVector<unsigned> &list, Value value) {
      unsigned number = getValue(value);
      if (!llvm::is_contained(list, number))
        list.push_back(number);
    };
    for (Value operand : launch->getOperands())
      add(entry.inputs, getViewSource(operand));
    for (Value result : launch->getResults())
      add(entry.outputs, result);
    llvm::SmallDenseMap<unsigned, unsigned> members; // by node
    launch->walk([&](Operation *op) {
      NodeKind kind = classifyNode(op);
      if (kind != NodeKind::Device && kind != NodeKind::Host)
        return;
      unsigned node =
          addNode(op, kind == NodeKind::Host ? GraphNode::Kind::Host : GraphNode::Kind::Op);
      auto [it, isNew] = members.try_emplace(node, graph.members.size());
      if (isNew)
        graph.members.push_back({node, id});
      memberOf[op] = it->second;
    });
  }

  /// The node of the written op that `op` is part of.
  unsigned addNode(Operation *op, GraphNode::Kind kind) {
    std::optional<int64_t> origin = getOriginId(op);
    unsigned node = graph.nodes.size();
    if (origin)
      node = byOrigin.try_emplace(*origin, node).first->second;
    nodeOf[op] = node;
    ops.push_back(op);
    if (node == graph.nodes.size()) {
      std::string name = formatLocation(op->getLoc());
      graph.nodes.push_back({kind, describeOp(op), "", name == "unknown" ? "" : name});
    }
    // Of a composite, what its last part computes.
    std::string type;
    for (Type result : op->getResultTypes())
      type += (type.empty() ? "" : ", ") + describeType(result);
    graph.nodes[node].type = type;
    return node;
  }

  void addOutputs() {
    Operation *terminator = function.getFunctionBody().back().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      auto name = function.getResultAttrOfType<StringAttr>(static_cast<unsigned>(i), attr::kName);
      std::string text = name ? name.getValue().str() : "result" + std::to_string(i);
      unsigned node = graph.nodes.size();
      graph.nodes.push_back({GraphNode::Kind::Output, text, describeType(value.getType()), ""});
      addEdges(value, node, std::nullopt);
    }
  }

  /// The value in memory, or the one in a register of a kernel, that `value` is a view of.
  static Value findSource(Value value) {
    while (true) {
      value = getViewSource(value);
      auto kernel = value.getDefiningOp<KernelOp>();
      if (!kernel)
        return value;
      value = kernel.getYield().getResults()[cast<OpResult>(value).getResultNumber()];
    }
  }

  void addEdges(Value operand, std::optional<unsigned> to, std::optional<unsigned> toMember) {
    Value source = findSource(operand);
    Operation *op = source.getDefiningOp();
    std::optional<unsigned> from = getNode(op), fromMember = getMember(op);
    if (auto it = inputs.find(source); it != inputs.end())
      from = it->second;
    if (!from || !to)
      return;
    unsigned value = getValue(source);
    if (from != to)
      addEdge(graph.edges, nodeEdges, *from, *to, value);
    if (fromMember && toMember && graph.getBox(*fromMember) == graph.getBox(*toMember)) {
      if (fromMember != toMember)
        addEdge(graph.innerEdges, memberEdges, *fromMember, *toMember, value);
      return;
    }
    unsigned fromBox = fromMember ? graph.getBox(*fromMember) : graph.getNodeBox(*from);
    unsigned toBox = toMember ? graph.getBox(*toMember) : graph.getNodeBox(*to);
    if (fromBox != toBox)
      addEdge(graph.boxEdges, boxEdges, fromBox, toBox, value);
  }

  void addEdge(std::vector<GraphEdge> &list, Edges &known, unsigned from, unsigned to,
               unsigned value) {
    auto [it, isNew] = known.insert({{from, to}, static_cast<unsigned>(list.size())});
    if (isNew)
      list.push_back({from, to, {}});
    SmallVector<unsigned, 1> &values = list[it->second].values;
    if (!llvm::is_contained(values, value))
      values.push_back(value);
  }

  unsigned getValue(Value value) {
    // A kernel's result is what it yields.
    value = findSource(value);
    auto [it, isNew] = valueNumbers.try_emplace(value, graph.values.size());
    if (isNew) {
      GraphValue entry;
      entry.type = describeType(value.getType());
      auto shaped = dyn_cast<ShapedType>(value.getType());
      if (!shaped || shaped.hasStaticShape())
        entry.bytes = getByteSize(value.getType());
      entry.isParam = matchPattern(value, m_Constant());
      graph.values.push_back(entry);
    }
    return it->second;
  }

  std::optional<unsigned> getNode(Operation *op) const { return find(nodeOf, op); }
  std::optional<unsigned> getMember(Operation *op) const { return find(memberOf, op); }
  static std::optional<unsigned> find(const DenseMap<Operation *, unsigned> &map, Operation *op) {
    auto it = map.find(op);
    return op && it != map.end() ? std::optional(it->second) : std::nullopt;
  }

  FunctionOpInterface function;
  FunctionGraph graph;
  std::vector<Operation *> ops; ///< of nodes, in program order
  DenseMap<Operation *, unsigned> nodeOf, memberOf;
  DenseMap<int64_t, unsigned> byOrigin;
  DenseMap<Value, unsigned> inputs, valueNumbers;
  Edges nodeEdges, memberEdges, boxEdges;
};

} // namespace

FunctionGraph mlir::fuse::buildGraph(FunctionOpInterface function, const FunctionReport &report) {
  return GraphBuilder(function).build(report);
}

std::vector<FunctionGraph> mlir::fuse::buildGraphs(ModuleOp module, const Report &report) {
  std::vector<FunctionGraph> graphs;
  for (const FunctionReport &entry : report.functions)
    graphs.push_back(buildGraph(cast<FunctionOpInterface>(module.lookupSymbol(entry.name)), entry));
  return graphs;
}
