//===- ViewChain.cpp - The steps of a cell, one after the other ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ViewChain.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

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
