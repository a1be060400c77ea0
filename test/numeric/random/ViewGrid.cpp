//===- ViewGrid.cpp - Views before and after what reads them ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ViewGrid.h"
#include "Picking.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

static constexpr const char *kNames[] = {
    "slice", "reshape", "transpose", "pad",  "concat", "split", "broadcast", "gather",
    "map",   "reduce",  "softmax",   "norm", "matmul", "conv",  "topk",      "argmax"};
static constexpr size_t kMostRank = 5;

std::vector<ViewCell> mlir::fuse::random::getViewCells() {
  std::vector<ViewCell> cells;
  for (size_t count : {2, 3}) {
    size_t total = count == 2 ? kNumViews * kNumViews : kNumViews * kNumViews * kNumViews;
    for (size_t number = 0; number < total; ++number) {
      ViewCell views;
      for (size_t rest = number; views.size() < count; rest /= kNumViews)
        views.push_back(static_cast<ViewStep>(rest % kNumViews));
      cells.push_back(views);
      for (unsigned reader = 0; reader < kNumReaders; ++reader)
        for (size_t at = 0; at <= count; ++at) {
          ViewCell cell = views;
          cell.insert(cell.begin() + at, static_cast<ViewStep>(kNumViews + reader));
          cells.push_back(cell);
        }
    }
  }
  return cells;
}

std::string mlir::fuse::random::getName(ArrayRef<ViewStep> cell) {
  std::string name;
  for (ViewStep step : cell)
    name += (name.empty() ? "" : "-") + std::string(kNames[static_cast<unsigned>(step)]);
  return name;
}

namespace {

class ViewChain : Generator {
public:
  ViewChain(Graph &graph) : Generator(graph, {1, 40}) {}

  void run(ArrayRef<ViewStep> cell);

private:
  void apply(ViewStep step);
  bool tryStep(ViewStep step);

  void addStridedSlice();
  void addAnyReshape();
  void addPads();
  void addJoin();
  void addSplit();
  void addMap();
  void addProduct();
  void addTopK();
  /// What else reads the value, and returns what it made.
  void addSecondReader();
  /// Gives the value at least so many dimensions.
  void ensureRank(size_t rank);
  void reshapeTo(ArrayRef<int64_t> shape);
  const Node &value() const { return graph.nodes[focus]; }
  int flatten(int node);

  bool staysExact = false;
};

} // namespace

void ViewChain::run(ArrayRef<ViewStep> cell) {
  graph.symbols.clear();
  graph.countsBlocks = false;
  static constexpr int64_t small[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 24};
  static constexpr int64_t large[] = {1, 7, 13, 24, 32, 37, 48, 64, 67, 96, 128};
  bool isLarge = chance(4);
  extents.clear();
  for (int i = 0; i < 4; ++i)
    extents.push_back(isLarge ? large[random.below(std::size(large))]
                              : small[random.below(std::size(small))]);
  static constexpr ElementType all[] = {ElementType::F32,  ElementType::F32, ElementType::F32,
                                        ElementType::F32,  ElementType::F32, ElementType::F16,
                                        ElementType::BF16, ElementType::F64, ElementType::I32,
                                        ElementType::I64,  ElementType::I8,  ElementType::I1};
  mainType = all[random.below(std::size(all))];
  types = {mainType, ElementType::F32, ElementType::I64};
  mostMagnitude = mainType == ElementType::F16 ? 64 : 1000;
  // Near ties would be broken otherwise by code.
  staysExact =
      llvm::is_contained(cell, ViewStep::Argmax) || llvm::is_contained(cell, ViewStep::TopK);
  mostElements = isLarge ? 12000 : 500;
  Shape shape = makeShape(1 + random.below(kMostRank));
  focus = addArgument(mainType, shape, {});
  mostElements *= 4;
  if (chance(3))
    addMap();
  for (ViewStep step : cell) {
    apply(step);
    if (chance(5))
      addSecondReader();
  }
  if (chance(3))
    addMap();
  graph.results.push_back(focus);
}

void ViewChain::apply(ViewStep step) {
  for (int tries = 0; tries < 60; ++tries)
    if (tryStep(step))
      return;
}

/// Draws until something is made; the last op of what was made is the value from then on.
bool ViewChain::tryStep(ViewStep step) {
  // What is turned or read by rows needs dimensions.
  ensureRank(step == ViewStep::Matmul ? 2 : step == ViewStep::Conv ? 4 : 1);
  bool needsFloat = step == ViewStep::Softmax || step == ViewStep::Norm || step == ViewStep::Conv;
  bool needsNumber = needsFloat || step == ViewStep::Matmul || step == ViewStep::TopK ||
                     step == ViewStep::Argmax || step == ViewStep::Pad;
  if ((needsFloat && !isFloatElement(value().type)) ||
      (needsNumber && value().type == ElementType::I1)) {
    int before = focus;
    focus = makeFloat(focus, ElementType::F32);
    if (focus == before)
      return false;
  }
  size_t count = graph.nodes.size();
  switch (step) {
  case ViewStep::Slice:
    addStridedSlice();
    break;
  case ViewStep::Reshape:
    addAnyReshape();
    break;
  case ViewStep::Transpose:
    if (value().shape.size() < 2)
      ensureRank(2);
    addTranspose();
    break;
  case ViewStep::Pad:
    addPads();
    break;
  case ViewStep::Concat:
    addJoin();
    break;
  case ViewStep::Split:
    addSplit();
    break;
  case ViewStep::Broadcast:
    if (value().shape.size() < kMostRank)
      addBroadcast();
    else
      reshapeTo({countElements(value().shape)});
    break;
  case ViewStep::Gather:
    addGather();
    break;
  case ViewStep::Elementwise:
    addMap();
    break;
  case ViewStep::Reduce:
    addReduce();
    break;
  case ViewStep::Softmax:
    addSoftmax();
    break;
  case ViewStep::Norm:
    chance(4) ? addBatchNorm() : addLayerNorm();
    break;
  case ViewStep::Matmul:
    addProduct();
    break;
  case ViewStep::Conv:
    chance(4) ? addPool() : addConv();
    break;
  case ViewStep::TopK:
    addTopK();
    break;
  case ViewStep::Argmax:
    addArgReduce();
    break;
  }
  // Arguments and constants may have been made without an op upon them.
  for (size_t i = graph.nodes.size(); i-- > count;) {
    const Node &node = graph.nodes[i];
    if (node.kind != Node::Op || StringRef(node.text).starts_with("arith.constant"))
      continue;
    if (i > static_cast<size_t>(focus))
      focus = static_cast<int>(i);
    return node.shape.size() <= kMostRank + 1;
  }
  return false;
}

void ViewChain::reshapeTo(ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(value().shape) == shape)
    return;
  focus =
      add(value().type, Shape(shape), value().range,
          "fuse.reshape $0 : " + typeOf(focus) + " -> " + tensorType(shape, value().type), {focus});
}

void ViewChain::ensureRank(size_t rank) {
  Shape shape = value().shape;
  while (shape.size() < rank)
    shape.insert(shape.begin(), 1);
  // Images have four dimensions, not more.
  if (rank == 4)
    while (shape.size() > 4) {
      shape[1] *= shape[0];
      shape.erase(shape.begin());
    }
  reshapeTo(shape);
}

int ViewChain::flatten(int node) {
  Node x = graph.nodes[node];
  Shape shape = {countElements(x.shape)};
  if (x.shape == shape)
    return node;
  return add(x.type, shape, x.range,
             "fuse.reshape $0 : " + typeOf(node) + " -> " + tensorType(shape, x.type), {node});
}

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

void ViewChain::addMap() {
  for (int tries = 0; tries < 20; ++tries) {
    size_t count = graph.nodes.size();
    switch (staysExact ? 2 + random.below(2) : random.below(4)) {
    case 0:
      addUnary();
      break;
    case 1:
      addBinary();
      break;
    case 2:
      addConstantOperand();
      break;
    case 3:
      addCompareSelect();
      break;
    }
    const Node &last = graph.nodes.back();
    if (graph.nodes.size() > count && last.kind == Node::Op &&
        !StringRef(last.text).starts_with("arith.constant")) {
      focus = static_cast<int>(graph.nodes.size()) - 1;
      return;
    }
  }
}

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

void ViewChain::addSecondReader() {
  int kept = focus;
  switch (random.below(4)) {
  case 0:
    addMap();
    break;
  case 1: {
    focus = flatten(focus);
    addGather();
    const Node &last = graph.nodes.back();
    if (last.kind == Node::Op)
      focus = static_cast<int>(graph.nodes.size()) - 1;
    break;
  }
  case 2: {
    size_t count = graph.nodes.size();
    addReduce();
    if (graph.nodes.size() > count && graph.nodes.back().kind == Node::Op)
      focus = static_cast<int>(graph.nodes.size()) - 1;
    break;
  }
  case 3: // itself
    break;
  }
  graph.results.push_back(focus);
  focus = kept;
}

Graph mlir::fuse::random::generateViews(ArrayRef<ViewStep> cell, uint64_t seed) {
  Graph graph;
  graph.seed = seed;
  ViewChain(graph).run(cell);
  graph.removeDead();
  return graph;
}
