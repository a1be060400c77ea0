//===- GenerateElementwise.cpp - Element-wise ops of random programs ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../differential/Bounds.h"
#include "Picking.h"

#include "fuse/Support/KindTypes.h"
#include "fuse/Support/OpKinds.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

namespace {
/// The result's range, and by how much an error of the operand grows at most.
struct Image {
  double low, high, slope;
};
} // namespace

static std::optional<Image> getImage(UnaryKind kind, const Range &x) {
  double low = x.low - x.error, high = x.high + x.error;
  bool isExact = x.isExact(), isPositive = low >= 0.05;
  switch (kind) {
  case UnaryKind::Relu:
    return Image{std::max(x.low, 0.0), std::max(x.high, 0.0), 1};
  case UnaryKind::Sigmoid:
  case UnaryKind::HardSigmoid:
    return Image{0, 1, 0.25};
  case UnaryKind::Tanh:
  case UnaryKind::Sin:
  case UnaryKind::Cos:
    return Image{-1, 1, 1};
  case UnaryKind::Erf:
    return Image{-1, 1, 1.2};
  case UnaryKind::Gelu:
  case UnaryKind::Silu:
  case UnaryKind::HardSwish:
    return Image{-0.4, std::max(x.high, 0.0), 1.5};
  case UnaryKind::Softplus:
    return Image{0, std::max(x.high, 0.0) + 0.7, 1};
  case UnaryKind::LeakyRelu:
    return Image{std::min(x.low, 0.0), std::max(x.high, 0.0), 1};
  case UnaryKind::Elu:
    return Image{-1, std::max(x.high, 0.0), 1};
  case UnaryKind::Neg:
    return Image{-x.high, -x.low, 1};
  case UnaryKind::Abs:
    return Image{0, x.getMagnitude(), 1};
  case UnaryKind::Sqrt:
    return isPositive ? std::optional(Image{std::sqrt(low), std::sqrt(high), 0.5 / std::sqrt(low)})
                      : std::nullopt;
  case UnaryKind::Rsqrt:
    return isPositive ? std::optional(Image{1 / std::sqrt(high), 1 / std::sqrt(low),
                                            0.5 / (low * std::sqrt(low))})
                      : std::nullopt;
  case UnaryKind::Log:
    return isPositive ? std::optional(Image{std::log(low), std::log(high), 1 / low}) : std::nullopt;
  case UnaryKind::Reciprocal:
    return isPositive ? std::optional(Image{1 / high, 1 / low, 1 / (low * low)}) : std::nullopt;
  case UnaryKind::Log1p:
    return low >= -0.5 ? std::optional(Image{std::log1p(low), std::log1p(high), 2}) : std::nullopt;
  case UnaryKind::Exp:
    return high <= 3 ? std::optional(Image{0, std::exp(high), std::exp(high)}) : std::nullopt;
  case UnaryKind::Expm1:
    return high <= 3 ? std::optional(Image{-1, std::exp(high), std::exp(high)}) : std::nullopt;
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::RoundEven:
    return isExact ? std::optional(Image{std::floor(low), std::ceil(high), 0}) : std::nullopt;
  case UnaryKind::Sign:
    return isExact ? std::optional(Image{-1, 1, 0}) : std::nullopt;
  case UnaryKind::IsNan:
  case UnaryKind::IsInf:
  case UnaryKind::LogicalNot:
    return Image{0, 1, 0};
  case UnaryKind::BitwiseNot:
    return Image{-INFINITY, INFINITY, 0};
  case UnaryKind::Atan:
    return Image{-1.6, 1.6, 1};
  case UnaryKind::Asinh:
    return Image{std::asinh(low), std::asinh(high), 1};
  case UnaryKind::Sinh:
    return x.getMagnitude() <= 3
               ? std::optional(Image{std::sinh(low), std::sinh(high), std::cosh(x.getMagnitude())})
               : std::nullopt;
  case UnaryKind::Cosh:
    return x.getMagnitude() <= 3
               ? std::optional(Image{1, std::cosh(x.getMagnitude()), std::cosh(x.getMagnitude())})
               : std::nullopt;
  case UnaryKind::Asin:
  case UnaryKind::Acos:
  case UnaryKind::Acosh:
  case UnaryKind::Atanh:
  case UnaryKind::Tan:
    return std::nullopt;
  }
  return std::nullopt;
}

void Generator::addUnary() {
  int node = pick();
  if (node < 0)
    return;
  auto kind = static_cast<UnaryKind>(random.below(getMaxEnumValForUnaryKind() + 1));
  Node x = graph.nodes[node];
  std::optional<Image> image = getImage(kind, x.range);
  if (!isLegal(kind, x.type) || !image)
    return;
  if (isIntegerElement(x.type) && kind == UnaryKind::Sign && isUnsignedElement(x.type))
    image->low = 0;
  std::string name = stringifyUnaryKind(kind).str(), form = name, suffix;
  if (kind == UnaryKind::Gelu) {
    bool isTanh = chance(2);
    suffix = isTanh ? " approximate = tanh" : " approximate = none";
    form = isTanh ? "gelu_tanh" : "gelu_none";
  }
  ElementType type = getResultElementType(kind, x.type);
  double ulps = differential::getElementwiseBound(form, type).ulps;
  double error = image->slope * x.range.error;
  if (ulps > 0 || error > 0)
    error += (ulps + 1) * getEpsilon(type) * std::max(std::fabs(image->low), std::fabs(image->high));
  tame(add(type, x.shape, {image->low, image->high, error},
           "fuse.unary " + name + " $0" + suffix + " : (" + typeOf(node) + ") -> " +
               tensorType(x.shape, type),
           {node}));
}

void Generator::addBinary() {
  int a = pick();
  if (a < 0)
    return;
  auto kind = static_cast<BinaryKind>(random.below(getMaxEnumValForBinaryKind() + 1));
  if (chance(2))
    kind = static_cast<BinaryKind>(random.below(3));
  ElementType type = graph.nodes[a].type;
  if (!isLegal(kind, type))
    return;
  int b = pickPartner(a);
  Range x = graph.nodes[a].range, y = graph.nodes[b].range, z;
  bool isFloat = isFloatElement(type), isSwapped = false;
  double mx = x.getMagnitude(), my = y.getMagnitude();
  double products[] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
  switch (kind) {
  case BinaryKind::Add:
    z = {x.low + y.low, x.high + y.high, x.error + y.error};
    isSwapped = chance(2);
    break;
  case BinaryKind::Sub:
    z = {x.low - y.high, x.high - y.low, x.error + y.error};
    break;
  case BinaryKind::Mul:
    z = {*std::min_element(products, products + 4), *std::max_element(products, products + 4),
         mx * y.error + my * x.error + x.error * y.error};
    if (a == b)
      z.low = std::max(z.low, 0.0);
    isSwapped = chance(2);
    break;
  case BinaryKind::Max:
    z = {std::max(x.low, y.low), std::max(x.high, y.high), std::max(x.error, y.error)};
    isSwapped = chance(2);
    break;
  case BinaryKind::Min:
    z = {std::min(x.low, y.low), std::min(x.high, y.high), std::max(x.error, y.error)};
    isSwapped = chance(2);
    break;
  case BinaryKind::Div: {
    if (!isFloat) {
      z = {-INFINITY, INFINITY, 0};
      break;
    }
    double least = y.low - y.error;
    if (least < 0.1)
      return;
    z = {-mx / least, mx / least, x.error / least + mx * y.error / (least * least)};
    break;
  }
  case BinaryKind::Rem:
    if (isFloat && !(x.isExact() && y.isExact() && y.low >= 0.1))
      return;
    z = {std::min(x.low, 0.0), std::max(x.high, 0.0), 0};
    if (!isFloat) // x rem 0 = x; MIN is its own
      z = {-INFINITY, INFINITY, 0};
    break;
  case BinaryKind::Pow:
    if (isFloat && !(x.low >= 0.2 && my <= 2 && x.isExact() && y.isExact()))
      return;
    z = isFloat ? Range{0, std::pow(std::max(5.0, mx), 2), 0} : Range{-INFINITY, INFINITY, 0};
    if (isFloat)
      z.error = 2 * getEpsilon(type) * z.high;
    break;
  case BinaryKind::And:
  case BinaryKind::Or:
  case BinaryKind::Xor:
  case BinaryKind::ShiftLeft:
  case BinaryKind::ShiftRight:
    z = type == ElementType::I1 ? Range{0, 1, 0} : Range{-INFINITY, INFINITY, 0};
    break;
  }
  if (z.error > 0)
    z.error += getEpsilon(type) * z.getMagnitude();
  Shape shape = graph.nodes[a].shape;
  SmallVector<int, 3> operands = {a, b};
  if (isSwapped)
    std::swap(operands[0], operands[1]);
  tame(add(type, shape, z,
           "fuse.binary " + stringifyBinaryKind(kind).str() + " $0, $1" +
               typesOf(operands, shape, type),
           operands));
}

/// x · 2, x + 1, 1 − x, x / 3.
void Generator::addConstantOperand() {
  int node = pick([](const Node &n) { return n.type != ElementType::I1; });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  bool isFloat = isFloatElement(x.type), isFirst = chance(3);
  double value = isFloat ? (chance(2) ? 0.5 : 1.5) : static_cast<double>(1 + random.below(5));
  int64_t draw = random.below(4);
  const char *name = draw == 0 ? "add" : draw == 1 ? "mul" : draw == 2 ? "sub" : "max";
  Range z = x.range;
  if (draw == 0)
    z = {z.low + value, z.high + value, z.error};
  else if (draw == 1)
    z = {z.low * value, z.high * value, z.error * value};
  else if (draw == 2)
    z = isFirst ? Range{value - z.high, value - z.low, z.error}
                : Range{z.low - value, z.high - value, z.error};
  else
    z = {std::max(z.low, value), std::max(z.high, value), z.error};
  if (z.error > 0)
    z.error += getEpsilon(x.type) * z.getMagnitude();
  SmallVector<int, 3> operands = {node, addConstant(x.type, value)};
  if (isFirst)
    std::swap(operands[0], operands[1]);
  tame(add(x.type, x.shape, z,
           std::string("fuse.binary ") + name + " $0, $1" + typesOf(operands, x.shape, x.type),
           operands));
}

void Generator::addCompareSelect() {
  int a = pick([](const Node &n) { return n.range.isExact(); });
  if (a < 0)
    return;
  int b = pickPartner(a);
  if (!graph.nodes[b].range.isExact())
    b = a;
  Shape shape = graph.nodes[a].shape;
  auto predicate = static_cast<ComparePredicate>(random.below(6));
  int mask = add(ElementType::I1, shape, {0, 1, 0},
                 "fuse.compare " + stringifyComparePredicate(predicate).str() + " $0, $1" +
                     typesOf({a, b}, shape, ElementType::I1),
                 {a, b});
  if (chance(3))
    return;
  int x = pick([&](const Node &n) { return n.shape == shape; });
  if (x < 0)
    x = a;
  int y = pickPartner(x);
  Range p = graph.nodes[x].range, q = graph.nodes[y].range;
  ElementType type = graph.nodes[x].type;
  SmallVector<int, 3> operands = {mask, x, y};
  if (chance(2))
    std::swap(operands[1], operands[2]);
  add(type, shape,
      {std::min(p.low, q.low), std::max(p.high, q.high), std::max(p.error, q.error)},
      "fuse.select $0, $1, $2" + typesOf(operands, shape, type), operands);
}

void Generator::addClamp() {
  int node = pick([](const Node &n) { return n.type != ElementType::I1; });
  if (node < 0)
    return;
  Node x = graph.nodes[node];
  double low = isUnsignedElement(x.type) ? 0 : -1, high = isFloatElement(x.type) ? 1.5 : 7;
  SmallVector<int, 3> operands = {node, addConstant(x.type, low), addConstant(x.type, high)};
  add(x.type, x.shape, {low, high, x.range.error},
      "fuse.clamp $0, $1, $2" + typesOf(operands, x.shape, x.type), operands);
}

void Generator::addCast() {
  ElementType type = chance(2) ? mainType : types[random.below(types.size())];
  int node = pick([&](const Node &n) {
    return n.type != type && (n.range.isExact() || isFloatElement(type));
  });
  if (node < 0)
    return;
  if (isFloatElement(type)) {
    makeFloat(node, type);
    return;
  }
  Node x = graph.nodes[node];
  Range range = type == ElementType::I1 ? Range{0, 1, 0} : Range{x.range.low, x.range.high, 0};
  // Saturates; integers wrap, which `add` sees.
  if (isFloatElement(x.type) && isUnsignedElement(type))
    range.low = std::max(range.low, 0.0), range.high = std::max(range.high, 0.0);
  range.low = std::floor(range.low);
  range.high = std::ceil(range.high);
  add(type, x.shape, range,
      "fuse.cast $0 : (" + typeOf(node) + ") -> " + tensorType(x.shape, type), {node});
}
