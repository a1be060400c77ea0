//===- SortNodes.cpp - Nodes behind those that compute their operands -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SortNodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <queue>
#include <vector>

using namespace mlir::fuse::onnx;

/// The names that a node reads, those that its graphs read among them.
static void visitReads(const NodeProto &node, llvm::function_ref<void(llvm::StringRef)> visit) {
  for (const std::string &name : node.input())
    if (!name.empty())
      visit(name);
  for (const AttributeProto &attribute : node.attribute()) {
    if (!attribute.has_g())
      continue;
    for (const NodeProto &inner : attribute.g().node())
      visitReads(inner, visit);
    for (const auto &output : attribute.g().output())
      visit(output.name());
  }
}

void mlir::fuse::onnx::sortNodes(google::protobuf::RepeatedPtrField<NodeProto> &nodes) {
  for (NodeProto &node : nodes)
    for (AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        sortNodes(*attribute.mutable_g()->mutable_node());

  unsigned count = nodes.size();
  llvm::StringMap<unsigned> makers;
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const std::string &name : node.output())
      if (!name.empty())
        makers.try_emplace(name, i);
  // For each node those that read its results, once for each time that they do.
  std::vector<llvm::SmallVector<unsigned, 2>> readers(count);
  std::vector<unsigned> missing(count, 0);
  bool isSorted = true;
  for (auto [i, node] : llvm::enumerate(nodes))
    visitReads(node, [&, reader = unsigned(i)](llvm::StringRef name) {
      auto maker = makers.find(name);
      if (maker == makers.end())
        return;
      isSorted &= maker->second < reader;
      readers[maker->second].push_back(reader);
      ++missing[reader];
    });
  if (isSorted)
    return;

  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned i = 0; i < count; ++i)
    if (missing[i] == 0)
      ready.push(i);
  std::vector<unsigned> order;
  while (!ready.empty()) {
    unsigned first = ready.top();
    ready.pop();
    order.push_back(first);
    for (unsigned reader : readers[first])
      if (--missing[reader] == 0)
        ready.push(reader);
  }
  if (order.size() != count)
    return;
  google::protobuf::RepeatedPtrField<NodeProto> sorted;
  sorted.Reserve(count);
  for (unsigned i : order)
    *sorted.Add() = std::move(nodes[i]);
  nodes.Swap(&sorted);
}
