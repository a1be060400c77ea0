//===- GenerateReductions.cpp - Reductions and composites of random programs --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Picking.h"

#include "fuse/Support/KindTypes.h"
#include "fuse/Support/OpKinds.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

static double getAccumulatorEpsilon(ElementType type) {
  return type == ElementType::F64 ? 0x1p-52 : isFloatElement(type) ? 0x1p-23 : 0;
}

static bool isFloat(const Node &node) { return isFloatElement(node.type); }

void Generator::addReduce() {
  int node = pick([](const Node &n) { return !n.shape.empty(); });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  SmallVector<int64_t> dims;
  int64_t count = 1, least = 1;
  for (size_t d = 0; d < x.shape.size(); ++d)
    if (chance(2) || (d + 1 == x.shape.size() && dims.empty())) {
      dims.push_back(static_cast<int64_t>(d));
      count *= getExtent(x.shape[d]);
      least *= getLeast(x.shape[d]);
    }
  auto kind = static_cast<ReduceKind>(random.below(getMaxEnumValForReduceKind() + 1));
  if (!isLegal(kind, x.type))
    return;
  auto n = static_cast<double>(count);
  double magnitude = x.range.getMagnitude(), epsilon = getAccumulatorEpsilon(x.type);
  Range range = x.range;
  switch (kind) {
  case ReduceKind::Sum:
    range = {n * x.range.low, n * x.range.high, n * x.range.error + n * epsilon * n * magnitude};
    if (least == 0)
      range = {std::min(range.low, 0.0), std::max(range.high, 0.0), count == 0 ? 0 : range.error};
    break;
  case ReduceKind::Mean:
    if (least == 0 && (count == 0 || !chance(4)))
      return;
    range.error += (n + 1) * epsilon * magnitude;
    break;
  case ReduceKind::Prod:
    if (isFloatElement(x.type) && (count > 4 || magnitude > 2))
      return;
    range = {-std::pow(magnitude, n), std::pow(magnitude, n), 0};
    if (epsilon > 0)
      range.error = 4 * std::pow(std::max(magnitude, 1.0), n) * (x.range.error + 4 * epsilon);
    if (count == 0)
      range = {1, 1, 0};
    break;
  case ReduceKind::Max:
  case ReduceKind::Min:
    if (least == 0)
      range = {-INFINITY, INFINITY, count == 0 ? 0 : range.error};
    break;
  case ReduceKind::Any:
  case ReduceKind::All:
    range = {0, 1, 0};
  }
  if (!isFloatElement(x.type))
    range.error = 0;
  if (range.error > 0)
    range.error += getEpsilon(x.type) * range.getMagnitude();
  bool keepDims = chance(2);
  Shape shape;
  for (auto [d, extent] : llvm::enumerate(x.shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      shape.push_back(extent);
    else if (keepDims)
      shape.push_back(1);
  tame(add(x.type, shape, range,
           "fuse.reduce " + stringifyReduceKind(kind).str() + " $0 dimensions = " +
               printList(dims) + (keepDims ? " keep_dims" : "") + " : " + typeOf(node) + " -> " +
               tensorType(shape, x.type),
           {node}));
}

void Generator::addArgReduce() {
  int node = pick([](const Node &n) {
    return !n.shape.empty() && n.range.isExact() && n.type != ElementType::I1;
  });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  size_t dim = random.below(x.shape.size());
  if (x.shape[dim] == 0 || !mayAskLeast(x.shape[dim], 1))
    return;
  Shape shape = x.shape;
  shape.erase(shape.begin() + dim);
  add(ElementType::I64, shape, {0, static_cast<double>(getExtent(x.shape[dim]) - 1), 0},
      std::string("fuse.") + (chance(2) ? "argmax" : "argmin") + " $0 dimension = " +
          std::to_string(dim) + " : " + typeOf(node) + " -> " + tensorType(shape, ElementType::I64),
      {node});
}

int64_t Generator::getColumns() {
  static constexpr int64_t many[] = {32, 48, 64, 80, 96, 256, 257, 300};
  if (chance(3))
    return many[random.below(std::size(many))];
  int64_t extent = extents[random.below(extents.size())];
  return options.isOpen && extent < 0 ? extent : std::max<int64_t>(1, std::abs(extent));
}

void Generator::addMatmul() {
  int left = pick([](const Node &n) { return n.shape.size() >= 2 && n.type != ElementType::I1; });
  if (left < 0)
    return;
  Node x = graph.nodes[left];
  bool isLeftTransposed = chance(6);
  size_t rank = x.shape.size();
  int64_t m = x.shape[rank - 2], k = x.shape[rank - 1];
  if (isLeftTransposed)
    std::swap(m, k);
  auto depth = static_cast<double>(std::max<int64_t>(getExtent(k), 1));
  bool isRightTransposed = chance(3);
  // What the program has, x · xᵀ included, or weights.
  int right = chance(2) ? pick([&](const Node &n) {
    if (n.type != x.type || n.shape.size() < 2 || n.shape.size() > rank)
      return false;
    for (size_t i = 3; i <= n.shape.size(); ++i)
      if (n.shape[n.shape.size() - i] != x.shape[rank - i])
        return false;
    return n.shape[n.shape.size() - (isRightTransposed ? 1 : 2)] == k;
  })
                        : -1;
  if (right < 0) {
    Shape shape;
    if (rank > 2 && chance(3))
      shape.assign(x.shape.begin(), x.shape.end() - 2);
    int64_t n = getColumns();
    shape.append({isRightTransposed ? n : k, isRightTransposed ? k : n});
    right = addWeights(x.type, shape, {-2 / std::sqrt(depth), 2 / std::sqrt(depth), 0});
  }
  Node y = graph.nodes[right];
  int64_t n = y.shape[y.shape.size() - (isRightTransposed ? 2 : 1)];
  Shape shape(x.shape.begin(), x.shape.end() - 2);
  shape.append({m, n});
  Shape products = shape;
  products.push_back(k);
  if (countElements(shape) > mostElements || countElements(products) > 40 * mostElements)
    return;
  double mx = x.range.getMagnitude(), my = y.range.getMagnitude(), product = depth * mx * my;
  Range range = {-product, product, 0};
  if (isFloat(x)) {
    range.error = depth * (mx * y.range.error + my * x.range.error + x.range.error * y.range.error) +
                  depth * getAccumulatorEpsilon(x.type) * product + getEpsilon(x.type) * product;
    if (k == 0)
      range = {0, 0, 0};
  }
  tame(add(x.type, shape, range,
           std::string("fuse.matmul $0, $1") + (isLeftTransposed ? " transpose_lhs" : "") +
               (isRightTransposed ? " transpose_rhs" : "") + typesOf({left, right}, shape, x.type),
           {left, right}));
}

/// Positions of a window; 0 where there is none, or where too many calls would be refused.
int64_t Generator::countWindows(int64_t extent, int64_t kernel, int64_t stride, int64_t pad) {
  if (!mayAskLeast(extent, kernel - 2 * pad))
    return 0;
  int64_t more = 2 * pad - kernel;
  std::string text = "(s0 + " + std::to_string(more) + ") floordiv " + std::to_string(stride) + " + 1";
  return compute(Symbol::Other, text, {extent}, [&](ArrayRef<int64_t> sizes) {
    int64_t last = sizes[0] + more;
    return (last < 0 ? -((stride - 1 - last) / stride) : last / stride) + 1;
  });
}

void Generator::addConv() {
  bool isNhwc = chance(2);
  int input = pick([&](const Node &n) {
    return n.shape.size() == 4 && (isStatic(n.shape) || (options.isOpen && n.shape[isNhwc ? 3 : 1] >= 0)) &&
           isFloatElement(n.type);
  });
  if (input < 0) {
    Shape shape = {1 + random.below(2), 2 * (1 + random.below(3)), 5 + random.below(5),
                   5 + random.below(5)};
    for (int64_t d : {0, 2, 3})
      if (options.isOpen && chance(2))
        shape[d] = extents[random.below(static_cast<int64_t>(extents.size()))];
    if (options.isOpen ? isNhwc : chance(2))
      std::swap(shape[1], shape[3]);
    if (countElements(shape) > mostElements)
      return;
    input = addArgument(mainType, shape, {});
  }
  Node x = graph.nodes[input];
  int64_t channels = x.shape[isNhwc ? 3 : 1], h = x.shape[isNhwc ? 1 : 2],
          w = x.shape[isNhwc ? 2 : 3];
  int64_t kernel = 1 + 2 * random.below(2), stride = 1 + random.below(2), pad = random.below(2);
  int64_t groups = channels > 0 && chance(4) ? channels : 1;
  int64_t filters =
      groups * (groups == 1 && chance(3) ? 16 * (1 + random.below(4)) : 1 + random.below(3));
  int64_t oh = countWindows(h, kernel, stride, pad), ow = countWindows(w, kernel, stride, pad);
  if (oh == 0 || ow == 0)
    return;
  Shape shape = isNhwc ? Shape{x.shape[0], oh, ow, filters} : Shape{x.shape[0], filters, oh, ow};
  if (countElements(shape) > mostElements / (options.isOpen ? 4 : 1))
    return;
  int64_t depth = channels / groups;
  Shape filterShape = isNhwc ? Shape{kernel, kernel, depth, filters}
                             : Shape{filters, depth, kernel, kernel};
  double terms = static_cast<double>(std::max<int64_t>(depth * kernel * kernel, 1));
  double scale = 2 / std::sqrt(terms);
  SmallVector<int, 3> operands = {input, addWeights(x.type, filterShape, {-scale, scale, 0})};
  bool hasBias = chance(2);
  if (hasBias)
    operands.push_back(addArgument(x.type, {filters}, {}));
  double magnitude = terms * scale * x.range.getMagnitude() + 2;
  double error = terms * scale * x.range.error +
                 (terms + 1) * getAccumulatorEpsilon(x.type) * magnitude +
                 2 * getEpsilon(x.type) * magnitude;
  tame(add(x.type, shape, {-magnitude, magnitude, error},
           std::string("fuse.conv2d $0, $1") + (hasBias ? ", $2" : "") +
               " strides = " + printList({stride, stride}) + " dilations = [1, 1] padding = " +
               printList({pad, pad, pad, pad}) + " groups = " + std::to_string(groups) +
               " layout = " + (isNhwc ? "nhwc_hwcf" : "nchw_fchw") +
               typesOf(operands, shape, x.type),
           operands));
}

void Generator::addPool() {
  int input = pick([&](const Node &n) {
    return n.shape.size() == 4 && (isStatic(n.shape) || options.isOpen) && isFloatElement(n.type);
  });
  if (input < 0)
    return;
  Node x = graph.nodes[input];
  bool isNhwc = chance(2), isMax = chance(2);
  int64_t h = x.shape[isNhwc ? 1 : 2], w = x.shape[isNhwc ? 2 : 3];
  int64_t kernel = 2, stride = 1 + random.below(2), pad = random.below(2);
  if (h == 0 || w == 0 || !mayAskLeast(h, 1) || !mayAskLeast(w, 1))
    return;
  int64_t oh = countWindows(h, kernel, stride, pad), ow = countWindows(w, kernel, stride, pad);
  if (oh == 0 || ow == 0)
    return;
  Shape shape = x.shape;
  shape[isNhwc ? 1 : 2] = oh;
  shape[isNhwc ? 2 : 3] = ow;
  if (countElements(shape) > mostElements)
    return;
  Range range = {std::min(x.range.low, 0.0), std::max(x.range.high, 0.0), x.range.error};
  if (!isMax)
    range.error += 4 * getAccumulatorEpsilon(x.type) * range.getMagnitude();
  if (range.error > 0)
    range.error += getEpsilon(x.type) * range.getMagnitude();
  add(x.type, shape, range,
      std::string("fuse.") + (isMax ? "max" : "avg") + "_pool2d $0 kernel = [2, 2] strides = " +
          printList({stride, stride}) + " dilations = [1, 1] padding = " +
          printList({pad, pad, pad, pad}) + " layout = " + (isNhwc ? "nhwc_hwcf" : "nchw_fchw") +
          " : " + typeOf(input) + " -> " + tensorType(shape, x.type),
      {input});
}

void Generator::addBatchNorm() {
  int node = pick([](const Node &n) { return isFloat(n) && n.shape.size() >= 2; });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  size_t dim = random.below(x.shape.size());
  if (x.shape[dim] < 0 && !options.isOpen)
    return;
  Shape vector = {x.shape[dim]};
  SmallVector<int, 3> operands = {node};
  for (int i = 0; i < 4; ++i)
    operands.push_back(addArgument(x.type, vector, i == 3 ? Range{0.5, 2, 0} : Range{-1, 1, 0}));
  double magnitude = 1.5 * (x.range.getMagnitude() + 1) + 1;
  tame(add(x.type, x.shape,
           {-magnitude, magnitude, 1.5 * x.range.error + 8 * getEpsilon(x.type) * magnitude},
           "fuse.batch_norm $0, $1, $2, $3, $4 epsilon = 1.0e-5 feature_dimension = " +
               std::to_string(dim) + typesOf(operands, x.shape, x.type),
           operands));
}

void Generator::addSoftmax() {
  int node = pick([](const Node &n) { return isFloat(n) && !n.shape.empty(); });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  size_t dim = random.below(x.shape.size());
  auto n = static_cast<double>(getExtent(x.shape[dim]));
  double error = 3 * x.range.error + getEpsilon(x.type) * (6 + 2 * x.range.getMagnitude()) +
                 n * getAccumulatorEpsilon(x.type);
  bool isNegative = chance(2);
  add(x.type, x.shape, {0, 1, error},
      "fuse.softmax $0 dimension = " +
          std::to_string(static_cast<int64_t>(dim) -
                         (isNegative ? static_cast<int64_t>(x.shape.size()) : 0)) +
          " : " + typeOf(node),
      {node});
}

void Generator::addLayerNorm() {
  int node = pick([&](const Node &n) {
    return isFloat(n) && !n.shape.empty() && n.shape.back() != 0;
  });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  size_t rank = x.shape.size(), first = rank - 1;
  if (rank > 1 && chance(4) && x.shape[rank - 2] != 0)
    first = rank - 2;
  SmallVector<int64_t> axes;
  Shape vector;
  for (size_t d = first; d < rank; ++d) {
    axes.push_back(static_cast<int64_t>(d));
    vector.push_back(x.shape[d]);
  }
  SmallVector<int, 3> operands = {node};
  auto n = static_cast<double>(countElements(vector));
  std::string names = "$0";
  for (int64_t i = 0, end = random.below(3); i < end; ++i) {
    operands.push_back(addArgument(x.type, vector, {-1, 1, 0}));
    names += ", $" + std::to_string(i + 1);
  }
  double magnitude = std::min(std::sqrt(n), 2 * x.range.getMagnitude() / 0.7) + 1;
  double error = 3 * (1 + magnitude) *
                     (x.range.error + (4 + n) * getAccumulatorEpsilon(x.type) * 8) +
                 24 * getEpsilon(x.type) * (magnitude + x.range.getMagnitude());
  tame(add(x.type, x.shape, {-magnitude, magnitude, error},
           "fuse.layer_norm " + names + " axes = " + printList(axes) + " epsilon = 0.5" +
               typesOf(operands, x.shape, x.type),
           operands));
}

void Generator::addAttention() {
  int node = pick([&](const Node &n) {
    return isFloat(n) && n.shape.size() >= 3 &&
           (isStatic(n.shape) || (options.isOpen && n.shape[n.shape.size() - 3] >= 0)) &&
           !llvm::is_contained(n.shape, 0);
  });
  if (node < 0)
    return;
  Node q = graph.nodes[node];
  size_t rank = q.shape.size();
  bool isCausal = chance(3) && q.shape[rank - 2] >= 0;
  int64_t length = isCausal ? q.shape[rank - 2] : 1 + random.below(17);
  if (options.isOpen && !isCausal && chance(2))
    length = extents[random.below(static_cast<int64_t>(extents.size()))];
  if (!mayAskLeast(length, 1) || !mayAskLeast(q.shape[rank - 1], 1))
    return;
  Shape keyShape = q.shape;
  keyShape[rank - 2] = length;
  Shape scoreShape = q.shape;
  scoreShape[rank - 1] = length;
  if (countElements(keyShape) > mostElements || countElements(scoreShape) > 2 * mostElements)
    return;
  bool isSelf = keyShape == q.shape && chance(2);
  SmallVector<int, 3> operands = {node};
  for (int i = 0; i < 2; ++i)
    operands.push_back(isSelf ? node : addArgument(q.type, keyShape, {-1, 1, 0}));
  if (chance(3))
    operands.push_back(addArgument(q.type, {q.shape[rank - 2], length}, {}));
  double mq = q.range.getMagnitude(), mk = graph.nodes[operands[1]].range.getMagnitude();
  double depth = static_cast<double>(getExtent(q.shape[rank - 1])), scale = 1 / std::sqrt(depth);
  double epsilon = getEpsilon(q.type), scores = depth * mq * mk * scale + 2;
  double scoreError = scale * depth * (mq + mk + 1) * q.range.error + 6 * epsilon * scores;
  double magnitude = graph.nodes[operands[2]].range.getMagnitude();
  double error = magnitude * (4 * scoreError + 24 * epsilon * (1 + scores) +
                              static_cast<double>(getExtent(length)) * getAccumulatorEpsilon(q.type) * 4) +
                 (isSelf ? q.range.error : 0);
  char number[32];
  snprintf(number, sizeof number, "%.6e", scale);
  tame(add(q.type, q.shape, {-magnitude, magnitude, error},
           std::string("fuse.attention $0, $1, $2") + (operands.size() > 3 ? ", $3" : "") +
               " scale = " + number + (isCausal ? " causal" : "") +
               typesOf(operands, q.shape, q.type),
           operands));
}

/// A recurrence over the leading dimension: s ← tanh(s / 2 + x), whose values are its result.
void Generator::addScan() {
  int node = pick([&](const Node &n) {
    return isFloat(n) && !n.shape.empty() && n.shape.size() <= 4 && (n.shape[0] >= 0 || options.hasOpenScans);
  });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  Shape shape(x.shape.begin() + 1, x.shape.end());
  int state = addArgument(x.type, shape, {-1, 1, 0});
  std::string one = tensorType(shape, x.type), constant = tensorType({}, x.type);
  double error = 2 * (x.range.error + 8 * getEpsilon(x.type) * (2 + x.range.getMagnitude()));
  int scan = add(x.type, x.shape, {-1, 1, error},
                 std::string("fuse.scan states(%s = $1) over(%x = $0)") + (chance(3) ? " reverse" : "") + " : (" + one +
                     ", " + typeOf(node) + ") -> (" + one + ", " + typeOf(node) + ") {\n" +
                     "    %half = arith.constant dense<5.0e-01> : " + constant + "\n" +
                     "    %a = fuse.binary mul %s, %half : (" + one + ", " + constant + ") -> " + one + "\n" +
                     "    %b = fuse.binary add %a, %x : " + one + "\n" + "    %c = fuse.unary tanh %b : " + one + "\n" +
                     "    fuse.yield %c, %c : " + one + ", " + one + "\n  }",
                 {node, state});
  graph.nodes[scan].numResults = 2;
}
