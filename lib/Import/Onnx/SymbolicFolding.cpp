//===- SymbolicFolding.cpp - Integers that are computed from extents -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a model computes from the shape of a tensor with open dimensions is an array of expressions. Nodes that only move
// elements are evaluated on the numbers of the elements in place of the elements themselves:
//
//   shape [s0, 128, s1], axes [1]       Gather of the numbers [0, 1, 2] at [0, 2] gives [0, 2]: [s0, s1]
//
// Arithmetic is that of expressions, element by element.
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Longer arrays are no shapes.
static constexpr int64_t kMostElements = 256;

/// How many operands of an operator, the first ones, are moved by it; 0 for an operator that computes with elements.
static unsigned countMoved(const NodeProto &proto) {
  return llvm::StringSwitch<unsigned>(proto.op_type())
      .Cases({"Identity", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Flatten"}, 1)
      .Cases({"Transpose", "Gather", "Slice", "Split", "Tile", "Expand"}, 1)
      .Case("Concat", OpTable::kAny)
      .Default(0);
}

/// Whether a difference is a number; zero where the expressions are equal.
static std::optional<int64_t> subtract(AffineExpr left, AffineExpr right) {
  auto constant = dyn_cast<AffineConstantExpr>(simplifyExtent(left - right));
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// One element of an arithmetic operator's result; null where no expression says it.
static AffineExpr compute(StringRef op, AffineExpr left, AffineExpr right) {
  auto number = dyn_cast<AffineConstantExpr>(right);
  MLIRContext *context = left.getContext();
  if (op == "Add")
    return left + right;
  if (op == "Sub")
    return left - right;
  if (op == "Mul")
    return left * right;
  // Extents are not negative, so that ONNX's division, which rounds to zero, is that of expressions. What was
  // subtracted from might be.
  if (op == "Div") {
    if (!number || number.getValue() <= 0)
      return {};
    bool hasRest = left.getLargestKnownDivisor() % number.getValue() != 0;
    return hasRest && getLeast(left).value_or(-1) < 0 ? AffineExpr() : left.floorDiv(number.getValue());
  }
  // As of Python: the sign is that of the divisor, which is at least 1.
  if (op == "Mod")
    return left % right;
  std::optional<int64_t> difference = subtract(left, right);
  if (!difference)
    return {};
  if (op == "Equal")
    return getAffineConstantExpr(*difference == 0, context);
  if (op == "Max" || op == "Min")
    return (*difference > 0) == (op == "Max") ? left : right;
  return {};
}

/// The elements of an operand as expressions; none for what is no array of integers, or too long.
static std::optional<SmallVector<AffineExpr>> getElements(const ModelValue &value,
                                                          MLIRContext *context) {
  if (!value.symbolic.empty())
    return llvm::to_vector(ArrayRef(value.symbolic));
  const HostArray &known = value.known;
  if (!known || known.getNumElements() > kMostElements ||
      (known.getElementType() != ElementType::I64 && known.getElementType() != ElementType::I32))
    return std::nullopt;
  SmallVector<AffineExpr> elements;
  for (int64_t i = 0; i < known.getNumElements(); ++i)
    elements.push_back(getAffineConstantExpr(known.getInt(i), context));
  return elements;
}

/// An array of expressions, or of numbers where all of them are.
static ModelValue makeArray(ArrayRef<AffineExpr> elements, RankedTensorType type) {
  ModelValue value{"", type, {}, {}};
  auto element = *toElementType(type.getElementType());
  bool areKnown = llvm::all_of(elements, [](AffineExpr expr) { return isa<AffineConstantExpr>(expr); });
  if (!areKnown) {
    value.symbolic.assign(elements.begin(), elements.end());
    return value;
  }
  HostArray known(element, type.getShape());
  for (auto [i, expr] : llvm::enumerate(elements))
    known.setInt(i, cast<AffineConstantExpr>(expr).getValue());
  value.known = known;
  return value;
}

/// Arithmetic on two arrays of one shape, or of which one has one element; none where an element has no expression.
/// `assumePositive`: that an extent is at least 1.
static std::optional<ModelValue> computeElements(const NodeProto &proto, ArrayRef<ModelValue *> inputs,
                                                 const SymbolicShapes &shapes, MLIRContext *context,
                                                 llvm::function_ref<void(AffineExpr)> assumePositive) {
  if (inputs.size() != 2 || !inputs[0] || !inputs[1] || proto.output_size() != 1)
    return std::nullopt;
  std::optional<SmallVector<AffineExpr>> left = getElements(*inputs[0], context),
                                         right = getElements(*inputs[1], context);
  if (!left || !right)
    return std::nullopt;
  bool isLeft = std::pair(left->size(), inputs[0]->type.getRank()) >=
                std::pair(right->size(), inputs[1]->type.getRank());
  size_t one = isLeft ? right->size() : left->size(), count = isLeft ? left->size() : right->size();
  if (one != 1 && inputs[0]->type.getShape() != inputs[1]->type.getShape())
    return std::nullopt;
  SmallVector<AffineExpr> computed;
  if (proto.op_type() == "Div" && !llvm::all_of(*left, [&](AffineExpr expr) { return shapes.isOfExtents(expr); }))
    return std::nullopt; // numbers that are given may be negative
  if (proto.op_type() == "Mod") {
    bool isOfFloats = llvm::any_of(proto.attribute(), [](const auto &attribute) { return attribute.name() == "fmod" && attribute.i() != 0; });
    for (AffineExpr divisor : *right)
      if (isOfFloats || !shapes.isOfExtents(divisor) || getLeast(divisor).value_or(-1) < 0 || getMost(divisor) == 0)
        return std::nullopt;
    for (AffineExpr divisor : *right)
      if (*getLeast(divisor) == 0)
        assumePositive(divisor);
  }
  for (size_t k = 0; k < count; ++k) {
    AffineExpr element = compute(proto.op_type(), (*left)[left->size() == 1 ? 0 : k],
                                 (*right)[right->size() == 1 ? 0 : k]);
    if (!element)
      return std::nullopt;
    computed.push_back(simplifyExtent(element));
  }
  RankedTensorType type = inputs[isLeft ? 0 : 1]->type;
  if (proto.op_type() == "Equal")
    type = type.clone(IntegerType::get(context, 1));
  return makeArray(computed, type);
}

/// The sum or the product of all elements of a list; none for another operator.
static std::optional<ModelValue> reduceElements(const NodeProto &proto, ArrayRef<ModelValue *> inputs,
                                                MLIRContext *context) {
  bool isProduct = proto.op_type() == "ReduceProd";
  if ((!isProduct && proto.op_type() != "ReduceSum") || inputs.empty() || !inputs[0] || inputs[0]->type.getRank() != 1)
    return std::nullopt;
  std::optional<SmallVector<AffineExpr>> elements = getElements(*inputs[0], context);
  if (!elements)
    return std::nullopt;
  AffineExpr all = getAffineConstantExpr(isProduct, context);
  for (AffineExpr element : *elements)
    all = isProduct ? all * element : all + element;
  bool keeps = true;
  for (const AttributeProto &attribute : proto.attribute())
    if (attribute.name() == "keepdims")
      keeps = attribute.i() != 0;
  return makeArray(simplifyExtent(all), RankedTensorType::get(keeps ? ArrayRef<int64_t>{1} : ArrayRef<int64_t>(),
                                              inputs[0]->type.getElementType()));
}

void GraphImporter::makeSymbolic(ModelValue &argument) {
  OpBuilder first = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = argument.value.getLoc();
  for (int64_t i = 0; i < argument.type.getNumElements(); ++i) {
    SmallVector<Value> at;
    if (argument.type.getRank() == 1)
      at.push_back(arith::ConstantIndexOp::create(first, loc, i));
    Value element = tensor::ExtractOp::create(first, loc, argument.value, at);
    Value number = arith::IndexCastOp::create(first, loc, first.getIndexType(), element);
    argument.symbolic.push_back(extents.shapes.getNumber(number));
  }
}

FailureOr<bool> GraphImporter::foldSymbolic(const OpImporter &importer, const NodeProto &proto,
                                            int64_t opset, ArrayRef<ModelValue *> inputs,
                                            SmallVectorImpl<ModelValue> &results) {
  unsigned moved = countMoved(proto);
  if (moved == 0) {
    std::optional<ModelValue> computed =
        computeElements(proto, inputs, extents.shapes, context, [&](AffineExpr extent) {
          extents.assume(builder, function.getLoc(), extent, getAffineConstantExpr(1, context), /*isLeast=*/true,
                         describeNode(proto));
        });
    if (!computed)
      computed = reduceElements(proto, inputs, context);
    if (computed)
      results.push_back(*computed);
    return computed.has_value();
  }
  SmallVector<AffineExpr> all;
  std::deque<ModelValue> numbered;
  SmallVector<ModelValue *> operands(inputs);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (!input)
      continue;
    if (i >= moved) {
      if (!input->known)
        return false; // where elements go is not known
      continue;
    }
    std::optional<SmallVector<AffineExpr>> elements = getElements(*input, context);
    if (!elements)
      return false;
    HostArray numbers(*toElementType(input->type.getElementType()), input->type.getShape());
    for (auto [k, expr] : llvm::enumerate(*elements)) {
      numbers.setInt(k, static_cast<int64_t>(all.size()));
      all.push_back(expr);
    }
    operands[i] = &numbered.emplace_back(ModelValue{input->name, input->type, numbers, {}});
  }
  SmallVector<ModelValue> places;
  FailureOr<bool> folded = evaluate(importer, proto, opset, operands, places);
  if (failed(folded) || !*folded)
    return folded;
  for (ModelValue &place : places) {
    Type element = place.type ? place.type.getElementType() : Type();
    if (!element || !(element.isInteger(64) || element.isInteger(32)) || !place.known ||
        place.known.getNumElements() > kMostElements)
      return false; // converted to another type, or repeated very often
    SmallVector<AffineExpr> gathered;
    for (int64_t k = 0; k < place.known.getNumElements(); ++k)
      gathered.push_back(all[place.known.getInt(k)]);
    results.push_back(makeArray(gathered, place.type));
  }
  return true;
}
