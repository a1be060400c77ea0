//===- Node.cpp - One node of a model while it is imported -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Node.h"
#include "ComputedNumbers.h"

#include "fuse/IR/DimNames.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

std::string mlir::fuse::onnx::describeNode(const NodeProto &node) {
  std::string name = node.name();
  if (name.empty() && node.output_size() > 0)
    name = node.output(0);
  return "node " + quote(name) + " (" +
         StringRef(quote(node.op_type())).drop_front().drop_back().str() + ")";
}

std::string mlir::fuse::onnx::describeOpenDims(ArrayRef<const ModelValue *> values) {
  std::string text;
  llvm::StringSet<> listed;
  for (const ModelValue *value : values)
    if (value)
      for (const std::string &dim : value->openDims)
        if (listed.insert(dim).second)
          text += (text.empty() ? "" : " ") + getDimOption(dim);
  return text.empty() ? text : "; give the extents with " + text;
}

std::string Node::describeRemedy() const {
  return describeOpenDims(llvm::to_vector_of<const ModelValue *>(inputs));
}

//===- Operands -----------------------------------------------------------------------------===//

Value Node::makeValue(ModelValue &element) { return element.value ? element.value : materialize(element); }

Value Node::getInput(size_t i) { return makeValue(*inputs[i]); }

FailureOr<HostArray> Node::getRequired(size_t i, StringRef name) {
  if (!hasInput(i))
    return fail("expected the operand '" + name + "', found none");
  if (HostArray known = getKnown(i))
    return known;
  return fail("expected '" + name + "' to be known before the model runs" +
              (describe ? "; " + describe(*inputs[i]) : std::string()));
}

SmallVector<int64_t> Node::getIntegers(size_t i, StringRef name, ArrayRef<int64_t> fallback) {
  if (!hasInput(i))
    return getInts(name, fallback);
  FailureOr<HostArray> array = getRequired(i, name);
  SmallVector<int64_t> values;
  if (failed(array))
    return values;
  if (array->getRank() > 1)
    (void)fail("expected '" + name + "' to be a list, found " + array->describe());
  for (int64_t k = 0; k < array->getNumElements(); ++k)
    values.push_back(array->getInt(k));
  return values;
}

bool mlir::fuse::onnx::isNumberList(const ModelValue &value) {
  constexpr int64_t kMostNumbers = 64;
  if (value.sequence || value.known || !isa_and_nonnull<BlockArgument>(value.value))
    return false;
  RankedTensorType type = value.type;
  return type && type.getRank() <= 1 && type.hasStaticShape() && type.getNumElements() <= kMostNumbers &&
         (isa<FloatType>(type.getElementType()) || type.getElementTypeBitWidth() >= 32);
}

/// Whether one of the expressions is computed from a number that the program is given, and not from extents alone.
static bool haveNumbers(const ModelValue &value, const SymbolicShapes &shapes) {
  return !llvm::all_of(value.symbolic, [&](AffineExpr expr) { return shapes.isOfExtents(expr); });
}

bool Node::isSymbolic(size_t i) const {
  return hasInput(i) && !inputs[i]->symbolic.empty() && !haveNumbers(*inputs[i], extents.shapes);
}

bool Node::isComputed(size_t i) const {
  if (!hasInput(i))
    return false;
  return inputs[i]->symbolic.empty() ? isNumberList(*inputs[i]) : haveNumbers(*inputs[i], extents.shapes);
}

SmallVector<Value> Node::getNumbers(size_t i, StringRef name) {
  OpBuilder &builder = b.getBuilder();
  Location loc = b.getLoc();
  SmallVector<Value> numbers;
  if (!isComputed(i) || !inputs[i]->symbolic.empty()) {
    bool isComputedList = isComputed(i);
    for (AffineExpr each : isComputedList ? llvm::to_vector(ArrayRef(inputs[i]->symbolic)) : getSymbolicIntegers(i, name))
      numbers.push_back(getValueOrCreateConstantIndexOp(builder, loc, getSize(each)));
    return numbers;
  }
  Value list = getInput(i);
  for (int64_t k = 0; k < getType(i).getNumElements(); ++k) {
    SmallVector<Value> at;
    if (getRank(i) == 1)
      at.push_back(arith::ConstantIndexOp::create(builder, loc, k));
    Value element = tensor::ExtractOp::create(builder, loc, list, at);
    if (isa<FloatType>(element.getType()))
      element = arith::FPToSIOp::create(builder, loc, builder.getI64Type(), element);
    numbers.push_back(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), element));
  }
  return numbers;
}

Value Node::getNumber(size_t i, StringRef name) {
  SmallVector<Value> numbers = getNumbers(i, name);
  if (numbers.size() == 1)
    return numbers.front();
  (void)fail("expected '" + name + "' to be one number, found " + Twine(numbers.size()));
  return {};
}

SmallVector<AffineExpr> Node::getSymbolicIntegers(size_t i, StringRef name) {
  if (isComputed(i)) {
    ComputedNumbers a(*this);
    return llvm::map_to_vector(getNumbers(i, name), [&](Value number) {
      a.require(a.less(a.number(-1), number), "expected '" + name + "' of at least 0");
      return extents.shapes.getNumber(number);
    });
  }
  if (hasInput(i) && !inputs[i]->symbolic.empty() && getRank(i) <= 1)
    return llvm::to_vector(ArrayRef(inputs[i]->symbolic));
  return llvm::map_to_vector(getIntegers(i, name), [&](int64_t value) {
    return getAffineConstantExpr(value, b.getContext());
  });
}

SmallVector<AffineExpr> Node::getExtents(size_t i) {
  // What is known is made a value only where somebody needs it.
  if (getType(i).hasStaticShape())
    return llvm::map_to_vector(getShape(i), [&](int64_t extent) { return getConstant(extent); });
  return getExtents(getInput(i));
}

int64_t Node::getInteger(size_t i, StringRef name) {
  FailureOr<HostArray> array = getRequired(i, name);
  if (succeeded(array) && array->getNumElements() == 1)
    return array->getInt(0);
  if (succeeded(array))
    (void)fail("expected '" + name + "' to be one number, found " + array->describe());
  return 0;
}

//===- Sequences ----------------------------------------------------------------------------===//

std::vector<ModelValue> Node::getSequence(size_t i) {
  if (!isTensor(i))
    return *inputs[i]->sequence;
  (void)fail("expected a sequence, found a tensor");
  return {};
}

ModelValue Node::getElement(size_t i) {
  if (hasInput(i) && isTensor(i))
    return *inputs[i];
  (void)fail("expected a tensor as an element of a sequence");
  return {};
}

ModelValue Node::makeElement(Value value) const {
  return {"", cast<RankedTensorType>(value.getType()), {}, value};
}

LogicalResult Node::setSequence(std::vector<ModelValue> elements) {
  if (!results.empty())
    results[0].sequence = std::make_shared<const std::vector<ModelValue>>(std::move(elements));
  return success();
}

//===- Attributes ---------------------------------------------------------------------------===//

const AttributeProto *Node::findAttribute(StringRef name) const {
  for (const AttributeProto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

const AttributeProto *Node::findAttribute(StringRef name, AttributeProto::AttributeType type) {
  const AttributeProto *attribute = findAttribute(name);
  // Old models leave the type open.
  if (!attribute || attribute->type() == type || attribute->type() == AttributeProto::UNDEFINED)
    return attribute;
  (void)fail("expected the attribute '" + name + "' to be of type " +
             AttributeProto::AttributeType_Name(type) + ", found " +
             AttributeProto::AttributeType_Name(attribute->type()));
  return nullptr;
}

int64_t Node::getInt(StringRef name, int64_t fallback) {
  const AttributeProto *attribute = findAttribute(name, AttributeProto::INT);
  return attribute ? attribute->i() : fallback;
}

double Node::getFloat(StringRef name, double fallback) {
  const AttributeProto *attribute = findAttribute(name, AttributeProto::FLOAT);
  return attribute ? attribute->f() : fallback;
}

std::string Node::getString(StringRef name, StringRef fallback) {
  const AttributeProto *attribute = findAttribute(name, AttributeProto::STRING);
  return attribute ? attribute->s() : fallback.str();
}

SmallVector<int64_t> Node::getInts(StringRef name, ArrayRef<int64_t> fallback) {
  const AttributeProto *attribute = findAttribute(name, AttributeProto::INTS);
  if (!attribute)
    return SmallVector<int64_t>(fallback);
  return SmallVector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

SmallVector<double> Node::getFloats(StringRef name, ArrayRef<double> fallback) {
  const AttributeProto *attribute = findAttribute(name, AttributeProto::FLOATS);
  if (!attribute)
    return SmallVector<double>(fallback);
  return SmallVector<double>(attribute->floats().begin(), attribute->floats().end());
}

std::vector<std::string> Node::getStrings(StringRef name) {
  const AttributeProto *attribute = findAttribute(name, AttributeProto::STRINGS);
  if (!attribute)
    return {};
  return std::vector<std::string>(attribute->strings().begin(), attribute->strings().end());
}

const TensorProto *Node::getTensor(StringRef name) {
  const AttributeProto *attribute = findAttribute(name, AttributeProto::TENSOR);
  return attribute ? &attribute->t() : nullptr;
}

FailureOr<ElementType> Node::getElementAttribute(StringRef name, int64_t fallback) {
  int64_t dataType = getInt(name, fallback);
  if (std::optional<ElementType> element = getTensorElement(dataType))
    return *element;
  return fail("elements of type " + getDataTypeName(dataType) + " are not supported");
}

//===- Results ------------------------------------------------------------------------------===//

void Node::setResult(size_t i, Value value) {
  if (i >= results.size())
    return;
  results[i].value = value;
  results[i].type = cast<RankedTensorType>(value.getType());
}

void Node::setSymbolicResult(ArrayRef<AffineExpr> elements, bool isScalar) {
  if (results.empty())
    return;
  results[0].symbolic.assign(elements.begin(), elements.end());
  SmallVector<int64_t> shape = {static_cast<int64_t>(elements.size())};
  results[0].type = RankedTensorType::get(isScalar ? ArrayRef<int64_t>() : shape, b.getBuilder().getI64Type());
}

void Node::setResult(size_t i, HostArray known) {
  if (i >= results.size())
    return;
  results[i].type = known.getTensorType(b.getContext());
  results[i].known = std::move(known);
}
