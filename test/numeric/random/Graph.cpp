//===- Graph.cpp - A program that can be printed, cut and run -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Graph.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

double Range::getMagnitude() const { return std::max(std::fabs(low), std::fabs(high)); }

std::string mlir::fuse::random::tensorType(ArrayRef<int64_t> shape, ElementType type,
                                           bool isMemref) {
  std::string text = isMemref ? "memref<" : "tensor<";
  for (int64_t extent : shape)
    text += (extent < 0 ? "@" + std::to_string(-1 - extent) + ";" : std::to_string(extent)) + "x";
  return text + getElementTypeName(type).str() + ">";
}

std::string mlir::fuse::random::printList(ArrayRef<int64_t> values) {
  std::string text = "[";
  for (int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

void Graph::removeDead() {
  std::vector<bool> isNeeded(nodes.size());
  for (int result : results)
    isNeeded[result] = true;
  for (size_t i = nodes.size(); i-- > 0;) {
    const Node &node = nodes[i];
    if (!node.isAlive || (node.kind != Node::Effect && !isNeeded[i]))
      continue;
    isNeeded[i] = true;
    for (int operand : node.operands)
      isNeeded[operand] = true;
  }
  for (auto [i, node] : llvm::enumerate(nodes))
    node.isAlive = node.isAlive && isNeeded[i];
}

SmallVector<int> Graph::getArguments() const {
  SmallVector<int> arguments;
  for (auto [i, node] : llvm::enumerate(nodes))
    if (node.kind == Node::Argument && node.isAlive)
      arguments.push_back(static_cast<int>(i));
  return arguments;
}

size_t Graph::countOps() const {
  return llvm::count_if(nodes,
                        [](const Node &node) { return node.isAlive && node.kind != Node::Argument; });
}

static HostArray makeArray(const Graph &graph, Node node, size_t call, uint64_t seed) {
  SmallVector<int64_t> shape(node.shape);
  for (int64_t &extent : shape)
    extent = graph.getSize(extent, call);
  HostArray array(node.type, shape);
  if (node.indexes != 0) {
    auto extent = static_cast<double>(std::max<int64_t>(graph.getSize(node.indexes, call), 1));
    node.range = {-extent, extent - 1, 0};
  }
  Random random(seed);
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    double u = random.uniform();
    if (isFloatElement(node.type))
      array.setFloat(i, node.range.low + u * (node.range.high - node.range.low));
    else
      array.setInt(i, static_cast<int64_t>(node.range.low) +
                          random.below(static_cast<int64_t>(node.range.high - node.range.low) + 1));
  }
  return array;
}

std::vector<NamedArray> Graph::makeInputs(size_t call) const {
  std::vector<NamedArray> inputs;
  HostArray shared;
  for (int argument : getArguments()) {
    bool isShared = llvm::is_contained(aliases, argument);
    HostArray array =
        isShared && shared
            ? shared
            : makeArray(*this, nodes[argument], call, seed + 0x100000001b3 * (argument + 1));
    if (isShared)
      shared = array;
    inputs.push_back({"arg" + std::to_string(inputs.size()), array});
  }
  return inputs;
}
