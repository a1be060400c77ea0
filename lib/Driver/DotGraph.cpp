//===- Graph.cpp - Kernels and their nodes for Graphviz -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Listing.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Execution/Signature.h"
#include "fuse/IR/OpText.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace mlir::fuse;

static std::string quote(StringRef text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + "\"";
}

namespace {
class GraphWriter {
public:
  GraphWriter(const WrittenNodes &nodes, raw_ostream &os) : nodes(nodes), os(os) {}

  void write(func::FuncOp function, const FunctionReport &report);

private:
  /// What of a node is in one place: a kernel (by id), the host or outside of kernels.
  using Place = std::pair<int64_t, std::pair<int64_t, Operation *>>;
  static constexpr int64_t kOutside = -1;

  /// Adds the node that an op is part of, unless it is there already or nothing needs it.
  void addVertex(Operation *op, int64_t kernel, StringRef style);
  void addEdge(Value value, const std::string &to, bool isInKernel);
  /// The vertex that makes a value; empty if there is none.
  std::string findSource(Value value) const;

  const WrittenNodes &nodes;
  raw_ostream &os;
  llvm::MapVector<Place, std::string> vertices;
  DenseMap<Operation *, std::string> vertexOf;
  DenseMap<Operation *, int64_t> kernelOf;
  DenseMap<Value, std::string> inputs;
  std::map<std::pair<std::string, std::string>, std::string> edges; // to the label
};
} // namespace

void GraphWriter::addVertex(Operation *op, int64_t kernel, StringRef style) {
  std::optional<size_t> number = nodes.lookup(op);
  if (number && !nodes.get()[*number].isNeeded)
    return;
  Place place(kernel, {number ? static_cast<int64_t>(*number) : -1, number ? nullptr : op});
  auto [it, isNew] = vertices.insert({place, "n" + std::to_string(vertices.size())});
  vertexOf[op] = it->second;
  kernelOf[op] = kernel;
  if (!isNew)
    return;
  std::string label = number ? nodes.get()[*number].op + "\n" + nodes.get()[*number].name
                             : describeOp(op);
  os.indent(kernel == kOutside ? 2 : 4)
      << it->second << " [label=" << quote(label) << style << "];\n";
}

std::string GraphWriter::findSource(Value value) const {
  while (true) {
    value = getViewSource(value);
    auto kernel = value.getDefiningOp<KernelOp>();
    if (!kernel)
      break;
    value = kernel.getYield().getResults()[cast<OpResult>(value).getResultNumber()];
  }
  if (isa<BlockArgument>(value))
    return inputs.lookup(value);
  return vertexOf.lookup(value.getDefiningOp());
}

void GraphWriter::addEdge(Value value, const std::string &to, bool isInKernel) {
  std::string from = findSource(value);
  if (from.empty() || from == to)
    return;
  // What passes within a kernel is no value in memory.
  edges.insert({{from, to}, isInKernel ? "" : describeType(value.getType())});
}

void GraphWriter::write(func::FuncOp function, const FunctionReport &report) {
  os << "digraph " << quote(report.name) << " {\n"
     << "  node [shape=box, fontname=\"sans-serif\"];\n"
     << "  edge [fontname=\"sans-serif\", fontsize=10];\n";
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (function.getArgAttr(number, attr::kParam) || function.getArgAttr(number, attr::kPrepared))
      continue;
    auto name = function.getArgAttrOfType<StringAttr>(number, attr::kName);
    std::string vertex = "in" + std::to_string(number);
    inputs[argument] = vertex;
    os << "  " << vertex << " [shape=ellipse, label="
       << quote(name ? name.getValue().str() : "arg" + std::to_string(number)) << "];\n";
  }
  for (const KernelReport &kernel : report.kernels) {
    std::string title = (kernel.label == "host" ? "host " : "kernel ") + std::to_string(kernel.id);
    if (kernel.label != "host")
      title += ": " + kernel.label;
    os << "  subgraph cluster_" << kernel.id << " {\n    label=" << quote(title) << ";\n";
    kernel.op->walk([&](Operation *op) {
      NodeKind kind = classifyNode(op);
      if (kind == NodeKind::Device || kind == NodeKind::Host)
        addVertex(op, kernel.id, "");
    });
    os << "  }\n";
  }
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<KernelOp>(op))
      return WalkResult::skip();
    if (classifyNode(op) == NodeKind::Foreign &&
        (llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor)))
      addVertex(op, kOutside, ", style=dashed");
    return WalkResult::advance();
  });

  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    // What a region yields comes out of the op around it.
    bool yields = classifyNode(op) == NodeKind::Terminator && !isa<KernelOp>(op->getParentOp());
    auto it = vertexOf.find(yields ? op->getParentOp() : op);
    if (it == vertexOf.end())
      return;
    int64_t own = kernelOf.lookup(op);
    for (Value operand : op->getOperands()) {
      Operation *source = getViewSource(operand).getDefiningOp();
      addEdge(operand, it->second, source && own != kOutside && kernelOf.contains(source) &&
                                       kernelOf.lookup(source) == own);
    }
  });
  for (auto returned : function.getOps<func::ReturnOp>())
    for (auto [i, value] : llvm::enumerate(returned.getOperands())) {
      auto name = function.getResultAttrOfType<StringAttr>(static_cast<unsigned>(i), attr::kName);
      std::string vertex = "out" + std::to_string(i);
      os << "  " << vertex << " [shape=ellipse, label="
         << quote(name ? name.getValue().str() : "result" + std::to_string(i)) << "];\n";
      addEdge(value, vertex, /*isInKernel=*/false);
    }
  for (const auto &[ends, label] : edges) {
    os << "  " << ends.first << " -> " << ends.second;
    if (!label.empty())
      os << " [label=" << quote(label) << "]";
    os << ";\n";
  }
  os << "}\n";
}

void mlir::fuse::printGraph(const WrittenNodes &nodes, func::FuncOp function,
                            const FunctionReport &report, raw_ostream &os) {
  GraphWriter(nodes, os).write(function, report);
}
