//===- ViewSteps.cpp - Views, and what reads them in ways of its own -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ViewChain.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

//===- Views --------------------------------------------------------------------------------===//

void ViewChain::addStridedSlice() {
  Node x = value();
  Shape offsets, strides, sizes;
  for (int64_t extent : x.shape) {
    int64_t draw = random.below(4), stride = 1 + random.below(3);
    if (draw == 0) { // all of it
      offsets.push_back(0);
      sizes.push_back(extent);
      stride = 1;
    } else if (draw == 1) { // one element, by any stride
      offsets.push_back(random.below(extent));
      sizes.push_back(1);
    } else {
      offsets.push_back(random.below(extent / 2 + 1));
      int64_t most = (extent - offsets.back() + stride - 1) / stride;
      if (most <= 0) {
        offsets.back() = 0;
        most = (extent + stride - 1) / stride;
      }
      sizes.push_back(chance(2) ? most : 1 + random.below(most));
    }
    strides.push_back(stride);
  }
  focus = add(x.type, sizes, x.range,
              "fuse.slice $0 offsets = " + printList(offsets) + " sizes = " + printList(sizes) +
                  " strides = " + printList(strides) + " : " + typeOf(focus) + " -> " +
                  tensorType(sizes, x.type),
              {focus});
}

/// Any shape of as many elements: boundaries of the one lie anywhere in the other.
void ViewChain::addAnyReshape() {
  if (chance(3)) {
    addReshape();
    return;
  }
  int64_t count = countElements(value().shape);
  Shape shape(1 + random.below(kMostRank), 1);
  for (int64_t factor = 2; count > 1; ++factor)
    for (; count % factor == 0; count /= factor)
      shape[random.below(shape.size())] *= factor;
  reshapeTo(shape);
}

void ViewChain::addPads() {
  Node x = value();
  Shape shape = x.shape, low, high;
  for (int64_t &extent : shape) {
    bool isWhole = chance(2);
    low.push_back(isWhole ? 0 : random.below(4) - (extent > 1));
    high.push_back(isWhole ? 0 : random.below(4) - (extent > 2));
    extent += low.back() + high.back();
  }
  if (countElements(shape) > 2 * mostElements)
    return;
  Range range = {std::min(x.range.low, 1.0), std::max(x.range.high, 1.0), x.range.error};
  range.isReassociated = x.range.isReassociated;
  std::string pad = isFloatElement(x.type) ? "1.0" : "1";
  add(x.type, shape, range,
      "fuse.pad $0 low = " + printList(low) + " high = " + printList(high) + " value = " + pad +
          " : " + getElementTypeName(x.type).str() + " : " + typeOf(focus) + " -> " +
          tensorType(shape, x.type),
      {focus});
}

/// With itself, or with what is longer or shorter; often in equal parts.
void ViewChain::addJoin() {
  Node x = value();
  size_t dim = random.below(x.shape.size());
  SmallVector<int, 3> operands;
  Shape shape = x.shape;
  shape[dim] = 0;
  Range range = x.range;
  size_t parts = 1 + random.below(3), own = random.below(parts);
  for (size_t i = 0; i < parts; ++i) {
    int part = focus;
    if (i != own && !chance(3)) {
      Shape other = x.shape;
      if (chance(2))
        other[dim] = 1 + random.below(7);
      part = addArgument(x.type, other, {});
    }
    const Node &node = graph.nodes[part];
    shape[dim] += node.shape[dim];
    range = {std::min(range.low, node.range.low), std::max(range.high, node.range.high),
             std::max(range.error, node.range.error)};
    operands.push_back(part);
  }
  std::string names = "$0";
  for (size_t i = 1; i < parts; ++i)
    names += ", $" + std::to_string(i);
  add(x.type, shape, range,
      "fuse.concat " + names + " dimension = " + std::to_string(dim) +
          typesOf(operands, shape, x.type),
      operands);
}

/// Two parts; one goes on, the other is joined with it or returned.
void ViewChain::addSplit() {
  Node x = value();
  size_t dim = chance(2) ? x.shape.size() - 1 : random.below(x.shape.size());
  int64_t extent = x.shape[dim];
  if (extent < 2) {
    addStridedSlice();
    return;
  }
  int64_t first = extent % 2 == 0 && chance(2) ? extent / 2 : 1 + random.below(extent - 1);
  auto cut = [&](int64_t offset, int64_t size) {
    Shape offsets(x.shape.size(), 0), strides(x.shape.size(), 1), sizes = x.shape;
    offsets[dim] = offset;
    sizes[dim] = size;
    return add(x.type, sizes, x.range,
               "fuse.slice $0 offsets = " + printList(offsets) + " sizes = " + printList(sizes) +
                   " strides = " + printList(strides) + " : " + tensorType(x.shape, x.type) +
                   " -> " + tensorType(sizes, x.type),
               {focus});
  };
  int part = cut(0, first), rest = cut(first, extent - first);
  if (chance(2))
    std::swap(part, rest);
  focus = part;
  const Node &a = graph.nodes[part], &b = graph.nodes[rest];
  if (a.shape == b.shape && chance(2)) {
    Range range = {std::min(a.range.low, b.range.low), std::max(a.range.high, b.range.high),
                   std::max(a.range.error, b.range.error)};
    std::string kind = x.type == ElementType::I1 ? "or" : "max";
    add(x.type, a.shape, range,
        "fuse.binary " + kind + " $0, $1" + typesOf({part, rest}, a.shape, x.type), {part, rest});
  } else if (chance(2)) {
    graph.results.push_back(rest);
  }
}

//===- Readers ------------------------------------------------------------------------------===//

/// The value is the left operand, the right one, or both.
void ViewChain::addProduct() {
  if (chance(2)) {
    addMatmul();
    return;
  }
  Node y = value();
  size_t rank = y.shape.size();
  int64_t m = 1 + random.below(9), k = y.shape[rank - 2], n = y.shape[rank - 1];
  bool isTransposed = chance(2);
  if (isTransposed)
    std::swap(k, n);
  auto depth = static_cast<double>(k);
  Shape left(y.shape.begin(), y.shape.end() - 2);
  left.append({m, k});
  if (countElements(left) > mostElements)
    return;
  int x = addArgument(y.type, left, {-2 / std::sqrt(depth), 2 / std::sqrt(depth), 0});
  Shape shape = left;
  shape.back() = n;
  if (countElements(shape) > mostElements)
    return;
  double magnitude = graph.nodes[x].range.getMagnitude();
  double product = depth * magnitude * y.range.getMagnitude();
  Range range = {-product, product, 0};
  if (isFloatElement(y.type))
    range.error =
        depth * magnitude * y.range.error +
        (depth * (y.type == ElementType::F64 ? 0x1p-52 : 0x1p-23) + getEpsilon(y.type)) * product;
  tame(add(y.type, shape, range,
           std::string("fuse.matmul $0, $1") + (isTransposed ? " transpose_rhs" : "") +
               typesOf({x, focus}, shape, y.type),
           {x, focus}));
}

/// As models are imported: an element's place is the number of those before it, and the first
/// places take their elements of the flat value.
void ViewChain::addTopK() {
  Node x = value();
  size_t rank = x.shape.size();
  int64_t extent = x.shape.back(), k = 1 + random.below(std::min<int64_t>(extent, 4));
  if (rank >= kMostRank || extent * countElements(x.shape) > 4 * mostElements)
    return reshapeTo({extent, countElements(x.shape) / extent});
  const ElementType index = ElementType::I64, mask = ElementType::I1;
  auto last = static_cast<double>(extent - 1);
  Shape row = x.shape, column = x.shape, square = x.shape, line(rank + 1, 1), upright = line;
  row.insert(row.end() - 1, 1);
  column.push_back(1);
  square.push_back(extent);
  line.back() = upright[rank - 1] = extent;
  Shape pairs = line;
  pairs[rank - 1] = extent;
  auto view = [&](int node, const Shape &shape) {
    const Node from = graph.nodes[node];
    return add(from.type, shape, from.range,
               "fuse.reshape $0 : " + typeOf(node) + " -> " + tensorType(shape, from.type), {node});
  };
  auto iota = [&](const Shape &shape, size_t dim) {
    return add(index, shape, {0, last, 0},
               "fuse.iota dimension = " + std::to_string(dim) + " : " + tensorType(shape, index),
               {});
  };
  auto make = [&](ElementType type, const Shape &shape, Range range, const std::string &op,
                  SmallVector<int, 3> operands) {
    std::string names;
    for (size_t i = 0; i < operands.size(); ++i)
      names += (i ? ", $" : " $") + std::to_string(i);
    return add(type, shape, range, op + names + typesOf(operands, shape, type), operands);
  };
  auto sum = [&](int node, Range range) {
    Shape shape(graph.nodes[node].shape.begin(), graph.nodes[node].shape.end() - 1);
    return add(index, shape, range,
               "fuse.reduce sum $0 dimensions = " + printList({static_cast<int64_t>(rank)}) +
                   " : " + typeOf(node) + " -> " + tensorType(shape, index),
               {node});
  };
  Range truth = {0, 1, 0};
  int others = view(focus, row), own = view(focus, column);
  int isBefore =
      make(mask, pairs, truth, "fuse.compare lt", {iota(line, rank), iota(upright, rank - 1)});
  int isBetter = make(mask, square, truth, "fuse.compare gt", {others, own});
  int isEqual = make(mask, square, truth, "fuse.compare eq", {others, own});
  int isTied = make(mask, square, truth, "fuse.binary and", {isEqual, isBefore});
  int goesBefore = make(index, square, truth, "fuse.cast",
                        {make(mask, square, truth, "fuse.binary or", {isBetter, isTied})});
  int place = view(sum(goesBefore, {0, last, 0}), row);
  Shape wanted(rank + 1, 1), chosen = row;
  wanted[rank - 1] = chosen[rank - 1] = k;
  int isAt = make(mask, chosen, truth, "fuse.compare eq", {iota(wanted, rank - 1), place});
  int which = make(index, chosen, {0, last, 0}, "fuse.select",
                   {isAt, iota(line, rank), addConstant(index, 0)});
  int indices = sum(which, {0, last, 0});
  if (chance(3))
    graph.results.push_back(indices);
  // Of the flat value: the row's beginning is added.
  Shape taken = graph.nodes[indices].shape, rows(taken);
  rows.back() = 1;
  int64_t count = countElements(x.shape) / extent;
  Shape flatRows = {count};
  int start = view(add(index, flatRows, {0, static_cast<double>(count - 1), 0},
                       "fuse.iota dimension = 0 : " + tensorType(flatRows, index), {}),
                   rows);
  double end = static_cast<double>(count * extent - 1);
  int begin = make(index, rows, {0, end, 0}, "fuse.binary mul",
                   {start, addConstant(index, static_cast<double>(extent))});
  int at = make(index, taken, {0, end, 0}, "fuse.binary add", {indices, begin});
  int flat = flatten(focus);
  add(x.type, taken, x.range,
      "fuse.gather $0, $1 dimension = 0" + typesOf({flat, at}, taken, x.type), {flat, at});
}
