//===- ChainCases.cpp - Random chains of element-wise ops --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Two kinds: `exact` uses only what has a bound of 0 ULP, so that fused and unfused code and the
// interpreter all agree in every bit: a rounding left out shows. `any` uses every kind of floats,
// and fused and unfused code agree in every bit.
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "fuse/Support/KindTypes.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

namespace {

class Chain {
public:
  Chain(Case &c, Random &random, ElementType type, Shape shape, bool isExact)
      : c(c), random(random), shape(std::move(shape)), isExact(isExact) {
    for (int i = 0; i < 2; ++i)
      values.push_back({c.argument(type, this->shape), type});
  }

  void grow(int64_t steps) {
    while (steps > 0)
      steps -= addOp();
    const auto &[last, type] = values.back();
    c.result(last, tensorType(shape, type));
    // Another one is returned, too: it must be written where its reader goes on with it.
    const auto &[other, otherType] = values[2 + random.below(values.size() - 2)];
    if (other != last)
      c.result(other, tensorType(shape, otherType));
  }

private:
  using Typed = std::pair<std::string, ElementType>;

  /// The latest value more often than not.
  const Typed &pick() {
    return random.below(2) ? values.back() : values[random.below(values.size())];
  }
  /// A value of `type`: a known one, or a cast.
  std::string pick(ElementType type) {
    SmallVector<size_t> fits;
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i].second == type)
        fits.push_back(i);
    if (!fits.empty() && random.below(4))
      return values[fits[random.below(fits.size())]].first;
    return cast(pick(), type);
  }
  std::string cast(Typed value, ElementType type) {
    std::string to = tensorType(shape, type);
    std::string result = c.op("fuse.cast " + value.first + " : (" +
                              tensorType(shape, value.second) + ") -> " + to);
    values.push_back({result, type});
    return result;
  }
  bool isWanted(StringRef kind, ElementType type) {
    return !isExact || getElementwiseBound(kind, type).ulps == 0;
  }
  /// Returns how many ops it added; 0 where the draw is not legal.
  int addOp();

  Case &c;
  Random &random;
  Shape shape;
  bool isExact;
  std::vector<Typed> values;
};

} // namespace

int Chain::addOp() {
  auto [value, type] = pick();
  std::string tensor = tensorType(shape, type);
  switch (random.below(8)) {
  case 0:
  case 1:
  case 2: {
    auto kind = static_cast<UnaryKind>(random.below(getMaxEnumValForUnaryKind() + 1));
    StringRef name = stringifyUnaryKind(kind);
    bool isGelu = kind == UnaryKind::Gelu;
    if (!isLegal(kind, type) || !isWanted(isGelu ? "gelu_none" : name, type))
      return 0;
    ElementType result = getResultElementType(kind, type);
    values.push_back({c.op("fuse.unary " + name + " " + value +
                           (isGelu ? " approximate = tanh" : "") + " : (" + tensor + ") -> " +
                           tensorType(shape, result)),
                      result});
    return 1;
  }
  case 3:
  case 4: {
    auto kind = static_cast<BinaryKind>(random.below(getMaxEnumValForBinaryKind() + 1));
    StringRef name = stringifyBinaryKind(kind);
    if (!isLegal(kind, type) || !isWanted(name, type))
      return 0;
    std::string other = pick(type);
    values.push_back({c.op("fuse.binary " + name + " " + value + ", " + other + " : " + tensor),
                      type});
    return 1;
  }
  case 5: {
    ElementType other = getElementTypes()[random.below(numElementTypes)];
    cast({value, type}, other);
    return 1;
  }
  case 6: {
    auto predicate = static_cast<ComparePredicate>(random.below(6));
    std::string other = pick(type), chosen = pick(type);
    std::string mask = tensorType(shape, ElementType::I1);
    std::string condition =
        c.op("fuse.compare " + stringifyComparePredicate(predicate) + " " + value + ", " + other +
             " : (" + tensor + ", " + tensor + ") -> " + mask);
    values.push_back({c.op("fuse.select " + condition + ", " + chosen + ", " + value + " : (" +
                           mask + ", " + tensor + ", " + tensor + ") -> " + tensor),
                      type});
    return 2;
  }
  default: {
    // A constant, as in x * 2 + 1.
    if (!(getTypeClass(type) & NumericTypes))
      return 0;
    std::string number = isFloatElement(type) ? random.below(2) ? "2.500000e+00" : "-3.000000e-01"
                                              : std::to_string(1 + random.below(5));
    std::string one = tensorType({}, type);
    std::string constant = c.op("arith.constant dense<" + number + "> : " + one);
    StringRef name = random.below(2) ? "mul" : "add";
    values.push_back({c.op("fuse.binary " + name + " " + value + ", " + constant + " : (" +
                           tensor + ", " + one + ") -> " + tensor),
                      type});
    return 1;
  }
  }
}

void differential::addChainCases(std::vector<Case> &cases, uint64_t seed) {
  const std::pair<const char *, Shape> shapes[] = {
      {"rank0", {}},      {"7", {7}},
      {"17", {17}},       {"17", {5, 17}},
      {"1000", {1000}},   {"1000", {40, 1000}},
      {"dynamic", {-1, -2}}, {"8d", {2, 1, 3, 1, 2, 2, 1, 5}}};
  for (bool isExact : {true, false})
    for (ElementType type : getElementTypes()) {
      if (type == ElementType::I1 || (!isExact && !isFloatElement(type)))
        continue;
      for (int64_t number = 0, end = isExact ? 8 : 16; number < end; ++number) {
        const auto &[shapeClass, shape] = shapes[number % std::size(shapes)];
        Case c;
        c.family = "chain";
        c.kind = isExact ? "exact" : "any";
        c.type = getElementTypeName(type);
        c.shape = shapeClass;
        c.variant = std::to_string(number);
        c.bothModes = isExact;
        c.onlyModes = !isExact;
        c.threads = number % 2 ? 2 : 1;
        if (c.shape == "dynamic")
          c.extents = {{5, 23}, {1, 1}, {0, 4}, {3, 64}, {1, 1000}};
        Random random(seed + hashText(c.getId()));
        Chain(c, random, type, shape, isExact).grow(4 + random.below(8));
        cases.push_back(std::move(c));
      }
    }
}
