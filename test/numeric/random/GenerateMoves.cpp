//===- GenerateMoves.cpp - Views, moves and memory in random programs ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Picking.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

void Generator::addReshape() {
  int node = pick();
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape = x.shape;
  size_t rank = shape.size();
  int64_t draw = random.below(5);
  if (llvm::count_if(shape, [](int64_t extent) { return extent < 0; }) > 1)
    return;
  if (draw == 0 && rank < 6) {
    shape.insert(shape.begin() + random.below(rank + 1), 1);
  } else if (draw == 1) {
    llvm::erase(shape, 1);
  } else if (!isStatic(shape) || llvm::is_contained(shape, 0)) {
    return;
  } else if (draw == 2 && rank >= 2) {
    size_t at = random.below(rank - 1);
    shape[at] *= shape[at + 1];
    shape.erase(shape.begin() + at + 1);
  } else if (draw == 3 && rank >= 1 && rank < 6) {
    size_t at = random.below(rank);
    int64_t factor = 2 + random.below(3);
    if (shape[at] % factor != 0)
      return;
    shape[at] /= factor;
    shape.insert(shape.begin() + at + random.below(2), factor);
  } else {
    shape = {std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>())};
  }
  if (shape == x.shape)
    return;
  add(x.type, shape, x.range,
      "fuse.reshape $0 : " + typeOf(node) + " -> " + tensorType(shape, x.type), {node});
}

void Generator::addTranspose() {
  int node = pick([](const Node &n) { return n.shape.size() >= 2; });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  SmallVector<int64_t> permutation;
  for (size_t i = 0; i < x.shape.size(); ++i)
    permutation.insert(permutation.begin() + random.below(i + 1), static_cast<int64_t>(i));
  Shape shape;
  for (int64_t from : permutation)
    shape.push_back(x.shape[from]);
  add(x.type, shape, x.range,
      "fuse.transpose $0 permutation = " + printList(permutation) + " : " + typeOf(node) + " -> " +
          tensorType(shape, x.type),
      {node});
}

void Generator::addSlice() {
  int node = pick([](const Node &n) { return !n.shape.empty(); });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape = x.shape, offsets, sizes, strides;
  for (int64_t &extent : shape) {
    bool isWhole = extent < 0 || chance(2);
    offsets.push_back(isWhole ? 0 : random.below(extent / 2 + 1));
    strides.push_back(isWhole ? 1 : 1 + random.below(2));
    int64_t most = extent < 0 ? -1 : (extent - offsets.back() + strides.back() - 1) / strides.back();
    sizes.push_back(isWhole || most <= 0 ? most : most - random.below((most + 1) / 2));
    extent = isWhole ? extent : sizes.back();
  }
  add(x.type, shape, x.range,
      "fuse.slice $0 offsets = " + printList(offsets) + " sizes = " + printList(sizes) +
          " strides = " + printList(strides) + " : " + typeOf(node) + " -> " +
          tensorType(shape, x.type),
      {node});
}

void Generator::addBroadcast() {
  int64_t extent = extents[random.below(extents.size())];
  int node = pick([&](const Node &n) {
    return n.shape.size() < 5 && countElements(n.shape) * std::max<int64_t>(extent, 1) <= mostElements;
  });
  if (node < 0 || extent < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape = x.shape;
  int64_t at = random.below(shape.size() + 1);
  shape.insert(shape.begin() + at, extent);
  add(x.type, shape, x.range,
      "fuse.broadcast $0 dimensions = " + printList({at}) + " : " + typeOf(node) + " -> " +
          tensorType(shape, x.type),
      {node});
}

void Generator::addConcat() {
  int a = pick([&](const Node &n) {
    return !n.shape.empty() && 2 * countElements(n.shape) <= mostElements;
  });
  if (a < 0)
    return;
  Node x = graph.nodes[a];
  size_t dim = random.below(x.shape.size());
  if (x.shape[dim] < 0)
    return;
  SmallVector<int, 3> operands = {a};
  Range range = x.range;
  Shape shape = x.shape;
  for (int64_t i = 0, end = 1 + random.below(2); i < end; ++i) {
    int b = pick([&](const Node &n) {
      if (n.type != x.type || n.shape.size() != x.shape.size() || n.shape[dim] < 0)
        return false;
      for (size_t d = 0; d < n.shape.size(); ++d)
        if (d != dim && n.shape[d] != x.shape[d])
          return false;
      return true;
    });
    if (b < 0 || countElements(shape) + countElements(graph.nodes[b].shape) > mostElements)
      continue;
    operands.push_back(b);
    Node y = graph.nodes[b];
    shape[dim] += y.shape[dim];
    range = {std::min(range.low, y.range.low), std::max(range.high, y.range.high),
             std::max(range.error, y.range.error)};
  }
  std::string names = "$0";
  for (size_t i = 1; i < operands.size(); ++i)
    names += ", $" + std::to_string(i);
  add(x.type, shape, range,
      "fuse.concat " + names + " dimension = " + std::to_string(dim) +
          typesOf(operands, shape, x.type),
      operands);
}

void Generator::addPad() {
  int node = pick([&](const Node &n) {
    return !n.shape.empty() && n.type != ElementType::I1 &&
           8 * countElements(n.shape) <= mostElements;
  });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape = x.shape, low, high;
  for (int64_t &extent : shape) {
    bool isWhole = extent < 0 || chance(2);
    low.push_back(isWhole ? 0 : random.below(3) - (extent > 1));
    high.push_back(isWhole ? 0 : random.below(3) - (extent > 2));
    extent = isWhole ? extent : extent + low.back() + high.back();
  }
  Range range = {std::min(x.range.low, 1.0), std::max(x.range.high, 1.0), x.range.error};
  std::string value = isFloatElement(x.type) ? "1.0" : "1";
  add(x.type, shape, range,
      "fuse.pad $0 low = " + printList(low) + " high = " + printList(high) + " value = " + value +
          " : " + getElementTypeName(x.type).str() + " : " + typeOf(node) + " -> " +
          tensorType(shape, x.type),
      {node});
}

void Generator::addGather() {
  int node = pick([](const Node &n) { return !n.shape.empty(); });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  size_t dim = random.below(x.shape.size());
  int64_t extent = x.shape[dim];
  if (extent <= 0)
    return;
  auto isIndex = [&](const Node &n) {
    return (n.type == ElementType::I64 || n.type == ElementType::I32) && n.shape.size() <= 2 &&
           n.range.low >= static_cast<double>(-extent) &&
           n.range.high < static_cast<double>(extent) && isStatic(n.shape);
  };
  int indices = chance(2) ? pick(isIndex) : -1;
  if (indices < 0) {
    indices = addArgument(chance(2) ? ElementType::I64 : ElementType::I32, makeShape(random.below(3)),
                          {0, 1, 0});
    graph.nodes[indices].range = {static_cast<double>(-extent), static_cast<double>(extent - 1), 0};
  }
  Shape shape = x.shape;
  shape.erase(shape.begin() + dim);
  const Shape &inner = graph.nodes[indices].shape;
  shape.insert(shape.begin() + dim, inner.begin(), inner.end());
  if (shape.size() > 6 || countElements(shape) > mostElements)
    return;
  add(x.type, shape, x.range,
      "fuse.gather $0, $1 dimension = " + std::to_string(dim) +
          typesOf({node, indices}, shape, x.type),
      {node, indices});
}

void Generator::addIota() {
  Shape shape = makeShape(1 + random.below(3));
  if (shape.empty() || !isStatic(shape))
    return;
  size_t dim = random.below(shape.size());
  ElementType type = chance(2) ? ElementType::I64 : types[random.below(types.size())];
  if (type == ElementType::I1)
    type = ElementType::I32;
  double high = static_cast<double>(std::max<int64_t>(shape[dim] - 1, 0));
  int node = add(type, shape, {0, high, 0},
                 "fuse.iota dimension = " + std::to_string(dim) + " : " + tensorType(shape, type),
                 {});
  tame(node);
}

void Generator::addResize() {
  int node = pick([&](const Node &n) {
    return !n.shape.empty() && !llvm::is_contained(n.shape, 0) && isStatic(n.shape) &&
           4 * countElements(n.shape) <= mostElements;
  });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape = x.shape;
  for (int64_t &extent : shape)
    if (chance(2))
      extent = extent * 2 - random.below(2);
  while (countElements(shape) > mostElements)
    return;
  add(x.type, shape, x.range,
      "fuse.resize_nearest $0 : " + typeOf(node) + " -> " + tensorType(shape, x.type), {node});
}

void Generator::addCopy() {
  int node = pick();
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  add(x.type, x.shape, x.range, "fuse.copy $0 : " + typeOf(node), {node});
}

/// Loads and stores of buffers that may be one.
void Generator::addMemory() {
  int buffer = buffers[random.below(buffers.size())];
  Node memory = graph.nodes[buffer];
  std::string type = tensorType(memory.shape, memory.type, true);
  std::string tensor = tensorType(memory.shape, memory.type);
  if (chance(2)) {
    add(memory.type, memory.shape, {-8, 8, memoryError},
        "fuse.load $0 : " + type + " -> " + tensor, {buffer});
    return;
  }
  int value = pick([&](const Node &n) {
    return n.type == memory.type && n.shape == memory.shape && n.range.getMagnitude() <= 8;
  });
  if (value < 0)
    return;
  memoryError = std::max(memoryError, graph.nodes[value].range.error);
  int store = add(memory.type, {}, {}, "fuse.store $0, $1 : " + tensor + ", " + type,
                  {value, buffer});
  graph.nodes[store].kind = Node::Effect;
  isUsed[store] = true;
  for (int each : buffers) {
    graph.nodes[each].range.error = memoryError;
    graph.nodes[each].range.isReassociated |= graph.nodes[value].range.isReassociated;
  }
}
