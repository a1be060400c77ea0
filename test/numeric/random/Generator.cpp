//===- Generator.cpp - Random programs from a seed ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Generator.h"
#include "Picking.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

Graph mlir::fuse::random::generate(uint64_t seed, const GeneratorOptions &options) {
  Graph graph;
  graph.seed = seed;
  Generator(graph, options).run();
  return graph;
}

Generator::Generator(Graph &graph, const GeneratorOptions &options)
    : graph(graph), options(options), random(graph.seed * 0x9e3779b97f4a7c15 + 1) {
  // As many short programs as long ones, by the order of magnitude.
  double ratio = static_cast<double>(options.mostOps) / static_cast<double>(options.fewestOps);
  numOps = static_cast<size_t>(static_cast<double>(options.fewestOps) *
                               std::pow(ratio, random.uniform()));
  mostElements = 3000;
  if (options.isOpen) {
    drawSymbols();
  } else if (numOps <= 60 && chance(4)) {
    // Beyond what runs as one block.
    mostElements = 40000;
    extents = {16 + random.below(60), 24 + random.below(40), 3 + random.below(6)};
  } else {
    static constexpr int64_t choices[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 33};
    for (int i = 0; i < 4; ++i)
      extents.push_back(choices[random.below(std::size(choices))]);
    if (chance(8))
      extents.push_back(0);
    if (chance(5)) {
      static constexpr int64_t sizes[] = {1, 5, 8, 13, 0};
      extents.push_back(addSymbol({Symbol::Open, "", {}, {sizes[random.below(std::size(sizes))]}}));
    }
  }
  static constexpr ElementType floats[] = {ElementType::F32, ElementType::F32, ElementType::F32,
                                           ElementType::F16, ElementType::BF16, ElementType::F64};
  mainType = floats[random.below(std::size(floats))];
  types = {mainType, getElementTypes()[random.below(numElementTypes)],
           getElementTypes()[random.below(numElementTypes)]};
  isRefused.assign(graph.numCalls, false);
}

void Generator::run() {
  size_t numArguments = 2 + random.below(3);
  for (size_t i = 0; i < numArguments; ++i)
    addArgument(i < 2 || chance(2) ? mainType : types[1 + random.below(2)],
                makeShape(i == 0 ? 2 + random.below(2) : random.below(4)),
                isFloatElement(mainType) ? Range{-2, 2, 0} : Range{});
  // Each open dimension is one of an argument.
  for (size_t i = 0; options.isOpen && i < graph.symbols.size(); ++i) {
    int64_t extent = -1 - static_cast<int64_t>(i);
    auto has = [&](const Node &node) { return llvm::is_contained(node.shape, extent); };
    if (graph.symbols[i].kind == Symbol::Open && llvm::none_of(graph.nodes, has))
      addArgument(mainType, chance(2) ? Shape{extent, 8} : Shape{extent}, {});
  }
  if (chance(4)) {
    Shape shape = makeShape(1 + random.below(3));
    for (int64_t &extent : shape)
      if (extent < 0 && (!options.isOpen || chance(2)))
        extent = 4;
    for (int i = 0; i < 3; ++i) {
      buffers.push_back(addArgument(mainType, shape, {-2, 2, 0}));
      graph.nodes.back().isMemref = true;
    }
    if (chance(2))
      graph.aliases = {buffers[0], buffers[1]};
  }

  using Add = void (Generator::*)();
  struct Choice {
    Add add;
    int64_t weight;
  };
  // Short programs with open dimensions are about shapes.
  bool isOpen = options.isOpen;
  const Choice choices[] = {
      {&Generator::addUnary, isOpen ? 6 : 20}, {&Generator::addBinary, isOpen ? 10 : 24},
      {&Generator::addConstantOperand, isOpen ? 3 : 8}, {&Generator::addCompareSelect, isOpen ? 2 : 5},
      {&Generator::addClamp, 3},     {&Generator::addCast, 5},
      {&Generator::addReshape, 4},   {&Generator::addTranspose, 4},
      {&Generator::addSlice, 3},     {&Generator::addBroadcast, 3},
      {&Generator::addConcat, 3},    {&Generator::addPad, 2},
      {&Generator::addGather, 2},    {&Generator::addIota, 1},
      {&Generator::addResize, 1},    {&Generator::addCopy, 1},
      {&Generator::addFromIndex, isOpen}, {&Generator::addScan, 2 * isOpen},
      {&Generator::addReduce, 12},   {&Generator::addArgReduce, 1},
      {&Generator::addMatmul, 4},    {&Generator::addConv, 1},
      {&Generator::addPool, 1},      {&Generator::addBatchNorm, 1},
      {&Generator::addSoftmax, 2},   {&Generator::addLayerNorm, 2},
      {&Generator::addAttention, 1}, {&Generator::addMemory, buffers.empty() ? 0 : 12}};
  int64_t total = 0;
  for (const Choice &choice : choices)
    total += choice.weight;
  for (size_t tries = 0; graph.countOps() < numOps && tries < 20 * numOps; ++tries) {
    int64_t draw = random.below(total);
    for (const Choice &choice : choices) {
      if (draw < choice.weight) {
        (this->*choice.add)();
        break;
      }
      draw -= choice.weight;
    }
  }
  chooseResults();
}

void Generator::chooseResults() {
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    if (node.kind != Node::Op || llvm::StringRef(node.text).starts_with("arith.constant"))
      continue;
    // What nobody reads, and some of what is read, too.
    if (!isUsed[i] || chance(16))
      graph.results.push_back(static_cast<int>(i));
  }
  if (graph.results.empty())
    graph.results.push_back(pick());
  // One value twice; an argument as it came.
  if (chance(16))
    graph.results.push_back(graph.results.front());
  if (chance(16))
    graph.results.push_back(0);
}

static bool isSum(llvm::StringRef text) {
  for (const char *op : {"fuse.reduce sum", "fuse.reduce mean", "fuse.reduce prod", "fuse.softmax",
                         "fuse.layer_norm", "fuse.attention", "fuse.avg_pool2d", "fuse.matmul", "fuse.conv2d"})
    if (text.starts_with(op))
      return true;
  return false;
}

int Generator::add(ElementType type, Shape shape, Range range, const std::string &text,
                   SmallVector<int, 3> operands) {
  range.isReassociated = isFloatElement(type) && isSum(text);
  for (int operand : operands) {
    isUsed[operand] = true;
    range.isReassociated |= graph.nodes[operand].range.isReassociated;
  }
  Node node;
  node.text = text;
  node.operands = std::move(operands);
  // Arguments whose extents are read stay as long as the op does.
  StringRef rest = node.text;
  for (size_t at = rest.find_first_of("#!"); at != StringRef::npos; at = rest.find_first_of("#!")) {
    int64_t symbol;
    rest = rest.drop_front(at + 1);
    if (rest.split(';').first.getAsInteger(10, symbol))
      continue;
    listCarriers(-1 - symbol, node.operands);
  }
  node.type = type;
  node.shape = std::move(shape);
  if (isIntegerElement(type)) {
    double low = static_cast<double>(getLowestInteger(type));
    double high = type == ElementType::U64 ? 0x1p64 : static_cast<double>(getHighestInteger(type));
    if (range.low < low || range.high > high)
      range = {low, high, 0, range.isReassociated}; // it wraps
  }
  node.range = range;
  graph.nodes.push_back(std::move(node));
  isUsed.push_back(false);
  return static_cast<int>(graph.nodes.size()) - 1;
}

int Generator::addArgument(ElementType type, Shape shape, Range range) {
  if (type == ElementType::I1)
    range = {0, 1, 0};
  else if (isIntegerElement(type) && (range.low == range.high || range.low < 0))
    range = {isSignedElement(type) ? -9.0 : 0.0, 9, 0};
  else if (isFloatElement(type) && range.low == range.high)
    range = {-2, 2, 0};
  int node = add(type, std::move(shape), range, "", {});
  graph.nodes[node].kind = Node::Argument;
  return node;
}

int Generator::addWeights(ElementType type, Shape shape, Range range) {
  int node = addArgument(type, std::move(shape), range);
  graph.nodes[node].isParam = !chance(3);
  return node;
}

int Generator::addConstant(ElementType type, double value) {
  char text[32];
  snprintf(text, sizeof text, isFloatElement(type) ? "%.6e" : "%.0f", value);
  std::string number = type == ElementType::I1 ? (value ? "true" : "false") : text;
  return add(type, {}, {value, value, 0},
             "arith.constant dense<" + number + "> : " + tensorType({}, type), {});
}

int Generator::pick() {
  return pick([](const Node &) { return true; });
}

int Generator::pickPartner(int node) {
  const Node &left = graph.nodes[node];
  int partner = pick([&](const Node &right) {
    if (right.type != left.type || right.shape.size() > left.shape.size())
      return false;
    for (size_t i = 1; i <= right.shape.size(); ++i) {
      int64_t r = right.shape[right.shape.size() - i], l = left.shape[left.shape.size() - i];
      if (r != l && r != 1)
        return false;
    }
    return true;
  });
  if (partner >= 0 && (partner != node || chance(3)))
    return partner;
  ElementType type = left.type;
  if (chance(3))
    return node;
  // A new argument, with units here and there.
  Shape shape(left.shape);
  if (!shape.empty() && chance(2))
    shape.erase(shape.begin(), shape.begin() + random.below(shape.size() + 1));
  for (int64_t &extent : shape)
    if (chance(4))
      extent = 1;
  return addArgument(type, shape, {});
}

int Generator::tame(int node) {
  Node value = graph.nodes[node];
  if (!isFloatElement(value.type) || value.range.getMagnitude() <= mostMagnitude)
    return node;
  std::string type = tensorType(value.shape, value.type);
  double magnitude = value.range.getMagnitude();
  if (magnitude <= 4096 && chance(2)) {
    double factor = std::exp2(std::floor(std::log2(4 / magnitude)));
    int constant = addConstant(value.type, factor);
    return add(value.type, value.shape,
               {value.range.low * factor, value.range.high * factor, value.range.error * factor},
               "fuse.binary mul $0, $1 : (" + type + ", " + tensorType({}, value.type) + ") -> " +
                   type,
               {node, constant});
  }
  int low = addConstant(value.type, -4), high = addConstant(value.type, 4);
  std::string one = tensorType({}, value.type);
  return add(value.type, value.shape, {-4, 4, value.range.error},
             "fuse.clamp $0, $1, $2 : (" + type + ", " + one + ", " + one + ") -> " + type,
             {node, low, high});
}

int Generator::makeFloat(int node, ElementType type) {
  Node value = graph.nodes[node];
  if (value.type == type)
    return node;
  if (isIntegerElement(value.type) && value.range.getMagnitude() > 1000) {
    int mask = addConstant(value.type, 15);
    std::string text = tensorType(value.shape, value.type);
    node = add(value.type, value.shape, {0, 15, 0},
               "fuse.binary and $0, $1 : (" + text + ", " + tensorType({}, value.type) + ") -> " +
                   text,
               {node, mask});
    value = graph.nodes[node];
  }
  double error = value.range.error;
  if (error > 0)
    error += getEpsilon(type) * value.range.getMagnitude();
  node = add(type, value.shape, {value.range.low, value.range.high, error},
             "fuse.cast $0 : (" + tensorType(value.shape, value.type) + ") -> " +
                 tensorType(value.shape, type),
             {node});
  return tame(node);
}

bool Generator::isStatic(ArrayRef<int64_t> shape) const {
  return llvm::all_of(shape, [](int64_t extent) { return extent >= 0; });
}

std::string Generator::typeOf(int node) const {
  return tensorType(graph.nodes[node].shape, graph.nodes[node].type);
}

std::string Generator::typesOf(ArrayRef<int> operands, ArrayRef<int64_t> shape,
                               ElementType type) const {
  std::string text = " : (";
  for (auto [i, operand] : llvm::enumerate(operands))
    text += (i ? ", " : "") + typeOf(operand);
  return text + ") -> " + tensorType(shape, type);
}

Shape Generator::makeShape(size_t rank) {
  Shape shape;
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(extents[random.below(extents.size())]);
  while (countElements(shape) > mostElements)
    shape.erase(shape.begin());
  return shape;
}

double Generator::getEpsilon(ElementType type) const {
  switch (type) {
  case ElementType::F16:
    return 0x1p-10;
  case ElementType::BF16:
    return 0x1p-7;
  case ElementType::F32:
    return 0x1p-23;
  default:
    return isFloatElement(type) ? 0x1p-52 : 0;
  }
}
