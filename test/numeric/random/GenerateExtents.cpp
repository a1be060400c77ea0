//===- GenerateExtents.cpp - Open dimensions of random programs ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Generator.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

/// Open dimensions, each of one size in each of the calls: of all 1 in the first, with one of 0 in the second.
void Generator::drawSymbols() {
  static constexpr int64_t sizes[] = {0, 1, 2, 3, 5, 7, 13, 16, 17, 31, 64, 65, 128};
  static constexpr int64_t known[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 17, 33};
  static constexpr const char *names[] = {"batch", "length", "width"};
  constexpr size_t numCalls = 5;
  graph.numCalls = numCalls;
  graph.hasNames = !chance(4);
  mostElements = 24000;
  int64_t count = 2 + random.below(2), empty = random.below(count);
  for (int64_t i = 0; i < count; ++i) {
    Symbol symbol{Symbol::Open, names[i], {}, {1, i == empty ? 0 : sizes[random.below(std::size(sizes))]}};
    while (symbol.sizes.size() < numCalls)
      symbol.sizes.push_back(sizes[random.below(std::size(sizes))]);
    extents.push_back(addSymbol(std::move(symbol)));
  }
  for (int i = 0; i < 3; ++i)
    extents.push_back(known[random.below(std::size(known))]);
}

int64_t Generator::addSymbol(Symbol symbol) {
  for (auto [i, known] : llvm::enumerate(graph.symbols))
    if (known.kind == symbol.kind && known.text == symbol.text && known.parts == symbol.parts)
      return -1 - static_cast<int64_t>(i);
  graph.symbols.push_back(std::move(symbol));
  return -static_cast<int64_t>(graph.symbols.size());
}

int64_t Generator::compute(Symbol::Kind kind, const std::string &text, ArrayRef<int64_t> parts,
                           llvm::function_ref<int64_t(ArrayRef<int64_t>)> evaluate) {
  Symbol symbol{kind, "", Shape(parts), {}};
  for (size_t call = 0; call < graph.numCalls; ++call) {
    SmallVector<int64_t> sizes;
    for (int64_t part : parts)
      sizes.push_back(part < 0 ? graph.symbols[-1 - part].sizes[call] : part);
    symbol.sizes.push_back(evaluate(sizes));
  }
  if (isStatic(parts))
    return symbol.sizes.front();
  for (size_t at = 0; at < text.size(); ++at) {
    int64_t part = text[at] == 's' ? parts[text[at + 1] - '0'] : -1;
    if (part < 0)
      symbol.text += text[at];
    else
      symbol.text += std::to_string(part), ++at;
  }
  return addSymbol(std::move(symbol));
}

int64_t Generator::addExtents(int64_t a, int64_t b) {
  return compute(Symbol::Sum, "s0 + s1", {a, b}, [](ArrayRef<int64_t> sizes) { return sizes[0] + sizes[1]; });
}

int64_t Generator::shiftExtent(int64_t extent, int64_t by) {
  if (by == 0)
    return extent;
  return compute(Symbol::Other, "s0 + " + std::to_string(by), {extent},
                 [&](ArrayRef<int64_t> sizes) { return sizes[0] + by; });
}

int64_t Generator::multiplyExtents(int64_t a, int64_t b) {
  if (a == 1 || b == 1)
    return a == 1 ? b : a;
  return compute(Symbol::Product, "s0 * s1", {a, b}, [](ArrayRef<int64_t> sizes) { return sizes[0] * sizes[1]; });
}

int64_t Generator::getExtent(int64_t extent) const {
  const Symbol *symbol = getSymbol(extent);
  return symbol ? *llvm::max_element(symbol->sizes) : extent;
}

int64_t Generator::getLeast(int64_t extent) const {
  const Symbol *symbol = getSymbol(extent);
  return symbol ? *llvm::min_element(symbol->sizes) : extent;
}

int64_t Generator::countElements(ArrayRef<int64_t> shape) const {
  int64_t most = 1;
  for (size_t call = 0; call < graph.numCalls; ++call) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= std::max<int64_t>(graph.getSize(extent, call), 1);
    most = std::max(most, count);
  }
  return most;
}

bool Generator::mayAsk(llvm::function_ref<bool(size_t)> holds) {
  std::vector<bool> refused = isRefused;
  for (size_t call = 0; call < graph.numCalls; ++call)
    refused[call] = refused[call] || !holds(call);
  if (refused == isRefused)
    return true;
  // Three calls are left to be run.
  if (static_cast<size_t>(llvm::count(refused, true)) + 3 > graph.numCalls || !chance(4))
    return false;
  isRefused = refused;
  return true;
}

bool Generator::mayAskLeast(int64_t extent, int64_t least) {
  return mayAsk([&](size_t call) { return graph.getSize(extent, call) >= least; });
}

void Generator::listCarriers(int64_t extent, SmallVectorImpl<int> &carriers) const {
  const Symbol *symbol = getSymbol(extent);
  if (!symbol)
    return;
  for (int64_t part : symbol->parts)
    listCarriers(part, carriers);
  if (symbol->kind != Symbol::Open)
    return;
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    if (node.kind == Node::Argument && llvm::is_contained(node.shape, extent)) {
      carriers.push_back(static_cast<int>(i));
      return;
    }
}

std::string Generator::printSizes(ArrayRef<int64_t> shape) const {
  std::string text;
  for (int64_t extent : shape)
    if (extent < 0)
      text += (text.empty() ? "#" : ", #") + std::to_string(-1 - extent) + ";";
  return text.empty() ? "" : "~ sizes = [" + text + "]~";
}
