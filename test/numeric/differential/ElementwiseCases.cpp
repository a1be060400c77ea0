//===- ElementwiseCases.cpp - Every element-wise kind on every type and shape class ------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "fuse/Support/KindTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

/// The extents of up to three operands and the result in a shape class.
struct Operands {
  Shape first, second, third, result;
};

static Operands getOperands(StringRef shapeClass) {
  auto all = [](Shape shape) { return Operands{shape, shape, shape, shape}; };
  if (shapeClass == "rank0")
    return all({});
  if (shapeClass == "zero")
    return all({3, 0});
  if (shapeClass == "8d")
    return all({2, 1, 3, 1, 2, 2, 1, 5});
  if (shapeClass == "dynamic")
    return all({-1, -2});
  if (shapeClass == "broadcast")
    return {{5, 1, 7}, {3, 1}, {}, {5, 3, 7}};
  int64_t extent = 0;
  shapeClass.getAsInteger(10, extent);
  return all({extent});
}

static Case makeCase(StringRef family, StringRef kind, ElementType type, StringRef shapeClass) {
  Case c;
  c.family = family;
  c.kind = kind;
  c.type = getElementTypeName(type);
  c.shape = shapeClass;
  if (shapeClass == "dynamic")
    c.extents = {{5, 23}, {1, 1}, {0, 4}, {3, 64}, {1, 1000}, {17, 1}, {2, 0}, {7, 33}};
  return c;
}

/// The operand of an op of one operand; broadcast is a view.
static std::string addOperand(Case &c, ElementType type, Shape &shape) {
  if (c.shape != "broadcast") {
    shape = getOperands(c.shape).first;
    return c.argument(type, shape);
  }
  shape = {5, 7};
  std::string row = c.argument(type, {7});
  return c.op("fuse.broadcast " + row + " dimensions = [0] : " + tensorType({7}, type) + " -> " +
              tensorType(shape, type));
}

static void addUnary(std::vector<Case> &cases, UnaryKind kind, StringRef name,
                     StringRef parameters, StringRef variant = "") {
  for (ElementType type : getElementTypes()) {
    if (!isLegal(kind, type))
      continue;
    for (StringRef shapeClass : kShapeClasses) {
      Case c = makeCase("unary", name, type, shapeClass);
      c.variant = variant;
      Shape shape;
      std::string operand = addOperand(c, type, shape);
      std::string from = tensorType(shape, type);
      std::string to = tensorType(shape, getResultElementType(kind, type));
      std::string value =
          c.op("fuse.unary " + stringifyUnaryKind(kind) + " " + operand + parameters + " : " +
               (from == to ? from : "(" + from + ") -> " + to));
      c.result(value, to);
      c.bound = getElementwiseBound(name, type);
      cases.push_back(std::move(c));
      if (!variant.empty() && shapeClass == "17")
        break;
    }
  }
}

/// An op of two or three operands that are all of one type; `types` of the operands.
static void addOperation(std::vector<Case> &cases, Case c, StringRef op,
                         ArrayRef<ElementType> types, ElementType resultType) {
  Operands shapes = getOperands(c.shape);
  const Shape *extents[] = {&shapes.first, &shapes.second, &shapes.third};
  std::string operands, signature;
  for (auto [i, type] : llvm::enumerate(types)) {
    operands += (i ? ", " : "") + c.argument(type, *extents[i]);
    signature += (i ? ", " : "") + tensorType(*extents[i], type);
  }
  std::string to = tensorType(shapes.result, resultType);
  c.result(c.op(op + " " + operands + " : (" + signature + ") -> " + to), to);
  cases.push_back(std::move(c));
}

static void addCasts(std::vector<Case> &cases) {
  for (ElementType to : getElementTypes())
    for (ElementType from : getElementTypes())
      for (StringRef shapeClass : kShapeClasses) {
        Case c = makeCase("cast", ("to_" + getElementTypeName(to)).str(), from, shapeClass);
        Shape shape;
        std::string operand = addOperand(c, from, shape), result = tensorType(shape, to);
        c.result(c.op("fuse.cast " + operand + " : (" + tensorType(shape, from) + ") -> " + result),
                 result);
        cases.push_back(std::move(c));
      }
}

static void addBitcasts(std::vector<Case> &cases) {
  for (ElementType to : getElementTypes())
    for (ElementType from : getElementTypes())
      for (StringRef shapeClass : kShapeClasses) {
        if (from == ElementType::I1 || to == ElementType::I1 ||
            getElementBits(from) != getElementBits(to))
          continue;
        Case c = makeCase("bitcast", ("to_" + getElementTypeName(to)).str(), from, shapeClass);
        Shape shape;
        std::string operand = addOperand(c, from, shape), result = tensorType(shape, to);
        c.result(
            c.op("fuse.bitcast " + operand + " : (" + tensorType(shape, from) + ") -> " + result),
            result);
        cases.push_back(std::move(c));
      }
}

void differential::addElementwiseCases(std::vector<Case> &cases) {
  for (uint32_t i = 0; i <= getMaxEnumValForUnaryKind(); ++i) {
    auto kind = static_cast<UnaryKind>(i);
    if (kind == UnaryKind::Gelu) {
      addUnary(cases, kind, "gelu_none", " approximate = none");
      addUnary(cases, kind, "gelu_tanh", " approximate = tanh");
    } else {
      addUnary(cases, kind, stringifyUnaryKind(kind), "");
    }
  }
  addUnary(cases, UnaryKind::LeakyRelu, "leaky_relu", " alpha = -2.500000e-01", "alpha");
  addUnary(cases, UnaryKind::Elu, "elu", " alpha = 2.000000e+00", "alpha");
  addUnary(cases, UnaryKind::HardSigmoid, "hard_sigmoid",
           " alpha = 1.250000e-01 beta = 2.500000e-01", "alpha");

  for (uint32_t i = 0; i <= getMaxEnumValForBinaryKind(); ++i)
    for (ElementType type : getElementTypes())
      for (StringRef shapeClass : kShapeClasses) {
        auto kind = static_cast<BinaryKind>(i);
        if (!isLegal(kind, type))
          continue;
        StringRef name = stringifyBinaryKind(kind);
        Case c = makeCase("binary", name, type, shapeClass);
        c.bound = getElementwiseBound(name, type);
        addOperation(cases, std::move(c), ("fuse.binary " + name).str(), {type, type}, type);
      }
  for (uint32_t i = 0; i <= getMaxEnumValForComparePredicate(); ++i)
    for (ElementType type : getElementTypes())
      for (StringRef shapeClass : kShapeClasses) {
        auto predicate = static_cast<ComparePredicate>(i);
        if (!isLegal(predicate, type))
          continue;
        StringRef name = stringifyComparePredicate(predicate);
        addOperation(cases, makeCase("compare", name, type, shapeClass),
                     ("fuse.compare " + name).str(), {type, type}, ElementType::I1);
      }
  for (ElementType type : getElementTypes())
    for (StringRef shapeClass : kShapeClasses) {
      addOperation(cases, makeCase("select", "select", type, shapeClass), "fuse.select",
                   {ElementType::I1, type, type}, type);
      if (getTypeClass(type) & getLegalClampTypes())
        addOperation(cases, makeCase("clamp", "clamp", type, shapeClass), "fuse.clamp",
                     {type, type, type}, type);
    }
  addCasts(cases);
  addBitcasts(cases);
}
