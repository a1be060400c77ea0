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

/// Two neighbours become one dimension.
bool Generator::mergeDims(Shape &shape) {
  if (shape.size() < 2)
    return false;
  size_t at = random.below(shape.size() - 1);
  shape[at] = multiplyExtents(shape[at], shape[at + 1]);
  shape.erase(shape.begin() + at + 1);
  return true;
}

/// A dimension becomes two: the factors of a product again, or one of 2 to 4 and the rest.
bool Generator::splitDim(Shape &shape) {
  if (shape.empty() || shape.size() >= 6)
    return false;
  size_t at = random.below(shape.size());
  int64_t extent = shape[at], factor = 2 + random.below(3);
  if (const Symbol *symbol = getSymbol(extent); symbol && symbol->kind == Symbol::Product) {
    shape[at] = symbol->parts[0];
    shape.insert(shape.begin() + at + 1, symbol->parts[1]);
    return true;
  }
  if (!mayAsk([&](size_t call) { return graph.getSize(extent, call) % factor == 0; }))
    return false;
  shape[at] = compute(Symbol::Other, "s0 floordiv " + std::to_string(factor), {extent},
                      [&](ArrayRef<int64_t> sizes) { return sizes[0] / factor; });
  shape.insert(shape.begin() + at + random.below(2), factor);
  return true;
}

void Generator::addReshape() {
  int node = pick();
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape = x.shape;
  size_t rank = shape.size();
  int64_t draw = random.below(6);
  if (llvm::is_contained(shape, 0) && draw > 1)
    return;
  if (draw == 0 && rank < 6) {
    shape.insert(shape.begin() + random.below(rank + 1), 1);
  } else if (draw == 1) {
    llvm::erase(shape, 1);
  } else if (draw == 2) {
    mergeDims(shape);
  } else if (draw == 3) {
    splitDim(shape);
  } else if (draw == 4) { // both
    mergeDims(shape) && splitDim(shape);
  } else {
    while (shape.size() > 1)
      mergeDims(shape);
    if (shape.empty())
      shape.push_back(1);
  }
  if (shape == x.shape)
    return;
  auto isOpen = [](int64_t extent) { return extent < 0; };
  auto listOpen = [&](ArrayRef<int64_t> extents) { return llvm::to_vector(llvm::make_filter_range(extents, isOpen)); };
  // Sizes are given, or follow: of one dimension from the element count, of several if they are the operand's, in
  // order, with as many elements between them.
  bool isKept = llvm::none_of(x.shape, [](int64_t extent) { return extent > 1; }) &&
                llvm::none_of(shape, [](int64_t extent) { return extent > 1; }) && listOpen(x.shape) == listOpen(shape);
  bool follows = llvm::count_if(shape, isOpen) == 1 || isKept;
  add(x.type, shape, x.range,
      "fuse.reshape $0" + (follows && chance(2) ? "" : printSizes(shape)) + " : " + typeOf(node) + " -> " +
          tensorType(shape, x.type),
      {node});
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

namespace mlir::fuse::random {

/// What is taken of a dimension.
struct SlicedDim {
  int64_t extent, offset = 0, size, stride = 1;
  /// All from the offset on.
  bool isRest = true;
};

} // namespace mlir::fuse::random

void Generator::cutStatic(SlicedDim &dim) {
  dim.isRest = false;
  int64_t given = graph.symbols.empty() ? 0 : -1 - random.below(static_cast<int64_t>(graph.symbols.size()));
  if (given < 0 && options.isOpen && chance(2)) { // as many as something else has
    if (mayAsk([&](size_t call) { return graph.getSize(given, call) <= dim.extent; }))
      dim.size = given;
    return;
  }
  dim.offset = random.below(dim.extent / 2 + 1);
  dim.stride = 1 + random.below(2);
  int64_t most = (dim.extent - dim.offset + dim.stride - 1) / dim.stride;
  dim.size = most <= 0 ? most : most - random.below((most + 1) / 2);
}

void Generator::cutOpen(SlicedDim &dim) {
  int64_t cut = 1 + random.below(3), draw = random.below(6);
  const Symbol *symbol = getSymbol(dim.extent);
  if (draw == 0 && mayAskLeast(dim.extent, cut)) { // the rest
    dim.offset = cut;
    dim.size = compute(Symbol::Other, "s0 - " + std::to_string(cut), {dim.extent},
                       [&](ArrayRef<int64_t> sizes) { return sizes[0] - cut; });
    return;
  }
  dim.isRest = false;
  if (draw == 1 && mayAskLeast(dim.extent, cut)) { // the last ones
    dim.offset = compute(Symbol::Other, "s0 - " + std::to_string(cut), {dim.extent},
                         [&](ArrayRef<int64_t> sizes) { return sizes[0] - cut; });
    dim.size = cut;
  } else if (draw == 2 && symbol->kind == Symbol::Sum) { // a part
    bool isSecond = chance(2);
    dim.offset = isSecond ? symbol->parts[0] : 0;
    dim.size = symbol->parts[isSecond];
  } else if (draw == 3) { // every other one
    dim.stride = 2;
    dim.size = compute(Symbol::Other, "(s0 + 1) floordiv 2", {dim.extent},
                       [](ArrayRef<int64_t> sizes) { return (sizes[0] + 1) / 2; });
  } else if (draw == 4) { // the second half
    dim.offset = compute(Symbol::Other, "s0 floordiv 2", {dim.extent},
                         [](ArrayRef<int64_t> sizes) { return sizes[0] / 2; });
    dim.size = compute(Symbol::Other, "s0 - s0 floordiv 2", {dim.extent},
                       [](ArrayRef<int64_t> sizes) { return sizes[0] - sizes[0] / 2; });
  } else if (draw == 5 && mayAskLeast(dim.extent, cut)) { // the first ones
    dim.size = cut;
  } else {
    dim.isRest = true;
  }
}

void Generator::addSlice() {
  int node = pick([](const Node &n) { return !n.shape.empty(); });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape, strides;
  std::string offsets, sizes;
  for (int64_t extent : x.shape) {
    SlicedDim dim = {extent, 0, extent};
    if (chance(2))
      extent < 0 ? (options.isOpen ? cutOpen(dim) : void()) : cutStatic(dim);
    std::string separator = shape.empty() ? "" : ", ";
    auto print = [](int64_t value, char what) {
      return value < 0 ? what + std::to_string(-1 - value) + ";" : std::to_string(value);
    };
    offsets += separator + print(dim.offset, '#');
    sizes += separator + print(dim.size, dim.isRest ? '^' : '#');
    strides.push_back(dim.stride);
    shape.push_back(dim.size);
  }
  add(x.type, shape, x.range,
      "fuse.slice $0 offsets = [" + offsets + "] sizes = [" + sizes + "] strides = " + printList(strides) + " : " +
          typeOf(node) + " -> " + tensorType(shape, x.type),
      {node});
}

void Generator::addBroadcast() {
  int64_t extent = extents[random.below(extents.size())];
  int node = pick([&](const Node &n) {
    return n.shape.size() < 5 && countElements(n.shape) <= mostElements;
  });
  if (node < 0 || (extent < 0 && !options.isOpen)) // as in addIota
    return;
  Node x = graph.nodes[node];
  Shape shape = x.shape;
  int64_t at = random.below(shape.size() + 1);
  shape.insert(shape.begin() + at, extent);
  if (countElements(shape) > mostElements)
    return;
  add(x.type, shape, x.range,
      "fuse.broadcast $0 dimensions = " + printList({at}) + printSizes({extent}) + " : " + typeOf(node) + " -> " +
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
  SmallVector<int, 3> operands = {a};
  Range range = x.range;
  Shape shape = x.shape;
  for (int64_t i = 0, end = 1 + random.below(2); i < end; ++i) {
    int b = pick([&](const Node &n) {
      if (n.type != x.type || n.shape.size() != x.shape.size())
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
    shape[dim] = addExtents(shape[dim], y.shape[dim]);
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
    bool isWhole = (extent < 0 && !options.isOpen) || chance(2);
    low.push_back(isWhole ? 0 : random.below(3) - (getLeast(extent) > 1));
    high.push_back(isWhole ? 0 : random.below(3) - (getLeast(extent) > 2));
    extent = shiftExtent(extent, low.back() + high.back());
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
  if (extent == 0 || !mayAskLeast(extent, 1))
    return;
  int64_t least = std::max<int64_t>(getLeast(extent), 1);
  auto isIndex = [&](const Node &n) {
    return (n.type == ElementType::I64 || n.type == ElementType::I32) && n.shape.size() <= 2 &&
           n.range.low >= static_cast<double>(-least) && n.range.high < static_cast<double>(least);
  };
  int indices = chance(2) ? pick(isIndex) : -1;
  if (indices < 0) {
    indices = addArgument(chance(2) ? ElementType::I64 : ElementType::I32, makeShape(random.below(3)),
                          {0, 1, 0});
    auto most = static_cast<double>(getExtent(extent));
    graph.nodes[indices].range = {-most, most - 1, 0};
    graph.nodes[indices].indexes = extent;
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
  if (shape.empty() || (!isStatic(shape) && !options.isOpen)) // extents without a symbol have no number
    return;
  size_t dim = random.below(shape.size());
  ElementType type = chance(2) ? ElementType::I64 : types[random.below(types.size())];
  if (type == ElementType::I1)
    type = ElementType::I32;
  double high = static_cast<double>(std::max<int64_t>(getExtent(shape[dim]) - 1, 0));
  int node = add(type, shape, {0, high, 0},
                 "fuse.iota dimension = " + std::to_string(dim) + printSizes(shape) + " : " + tensorType(shape, type),
                 {});
  tame(node);
}

/// A size as a tensor of one element.
void Generator::addFromIndex() {
  int64_t symbol = random.below(static_cast<int64_t>(graph.symbols.size())), extent = -1 - symbol;
  ElementType type = chance(2) ? ElementType::I64 : chance(2) ? ElementType::I32 : mainType;
  tame(add(type, {}, {static_cast<double>(getLeast(extent)), static_cast<double>(getExtent(extent)), 0},
           "fuse.from_index !" + std::to_string(symbol) + "; : " + tensorType({}, type), {}));
}

void Generator::addResize() {
  int node = pick([&](const Node &n) {
    return !n.shape.empty() && !llvm::is_contained(n.shape, 0) && (isStatic(n.shape) || options.isOpen) &&
           4 * countElements(n.shape) <= mostElements;
  });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape = x.shape;
  for (int64_t &extent : shape)
    if (chance(2))
      extent = extent < 0 ? multiplyExtents(extent, 2) : extent * 2 - random.below(2);
  while (countElements(shape) > mostElements)
    return;
  add(x.type, shape, x.range,
      "fuse.resize_nearest $0" + printSizes(shape) + " : " + typeOf(node) + " -> " + tensorType(shape, x.type), {node});
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
