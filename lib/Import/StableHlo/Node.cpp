//===- Node.cpp - One op of StableHLO while it is imported -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Node.h"
#include "GraphImporter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

Node::Node(GraphImporter &importer, Operation *op, std::string description, SmallVector<ModelValue> operands,
           ImplicitLocOpBuilder &builder, ExtentValues &extents, Budget &budget)
    : OpContext(builder, extents, budget), importer(importer), op(op), description(std::move(description)),
      operands(std::move(operands)) {
  for (Type type : op->getResultTypes()) {
    ModelValue &result = results.emplace_back();
    result.type = dyn_cast<RankedTensorType>(type);
    if (importer.bodyShape && result.type)
      result.type = result.type.clone(*importer.bodyShape);
  }
}

std::string mlir::fuse::stablehlo::describe(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

//===- Operands -----------------------------------------------------------------------------===//

/// An expression of numbers as a tensor of rank 0. What the counter of a loop is part of is computed by ops of the
/// dialect, as a scan's body has no others.
static Value makeNumber(Node &n, AffineExpr expr, Type element) {
  Loop *loop = n.getImporter().loop;
  auto hasCounter = [&](AffineExpr part) {
    bool found = false;
    part.walk([&](AffineExpr each) { found |= loop && each == loop->counter; });
    return found;
  };
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return n.b.constant({constant.getValue()}, element, {});
  if (!hasCounter(expr))
    return n.getNumber(expr, element);
  if (expr == loop->counter)
    return n.b.cast(loop->number, element);
  auto parts = cast<AffineBinaryOpExpr>(expr);
  Value left = makeNumber(n, parts.getLHS(), element), right = makeNumber(n, parts.getRHS(), element);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return n.b.add(left, right);
  case AffineExprKind::Mul:
    return n.b.mul(left, right);
  case AffineExprKind::FloorDiv:
    return n.b.div(left, right);
  case AffineExprKind::Mod:
    return n.b.binary(BinaryKind::Rem, left, right);
  default:
    (void)n.fail("expected sums, products and quotients of a loop's counter");
    return left;
  }
}

Value Node::getPart(ModelValue &value) {
  if (value.tensor)
    return value.tensor;
  Type element = value.type.getElementType();
  if (!value.numbers) {
    (void)fail(value.buffer ? "expected a loop's buffer to be written to and nothing else" : "expected a tensor");
    return b.scalar(0, element);
  }
  ArrayRef<AffineExpr> list = *value.numbers;
  if (llvm::all_of(list, [](AffineExpr expr) { return isa<AffineConstantExpr>(expr); })) {
    auto integers = llvm::map_to_vector(list, [](AffineExpr e) { return cast<AffineConstantExpr>(e).getValue(); });
    value.tensor = b.constant(integers, element, value.type.getShape());
  } else if (value.type.getRank() == 0) {
    value.tensor = makeNumber(*this, list[0], element);
  } else {
    SmallVector<Value> parts;
    for (AffineExpr expr : list)
      parts.push_back(b.reshape(makeNumber(*this, expr, element), {1}));
    value.tensor = b.reshape(parts.size() == 1 ? parts[0] : b.concat(parts, 0), value.type.getShape());
  }
  return value.tensor;
}

SmallVector<AffineExpr> Node::getExtentsOf(ModelValue &value) {
  if (!value.extents.empty())
    return value.extents;
  if (value.type.hasStaticShape())
    return llvm::map_to_vector(value.type.getShape(), [&](int64_t extent) { return getConstant(extent); });
  return getExtents(getPart(value));
}

/// Whether the value has all of its extents.
static bool isWhole(const ModelValue &value) {
  auto type = cast<RankedTensorType>(value.tensor.getType());
  if (type.getRank() != value.type.getRank())
    return false;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    int64_t wanted = value.extents.empty() ? value.type.getDimSize(dim) : getStaticExtent(value.extents[dim]);
    if (extent == 1 && wanted != 1)
      return false;
  }
  return true;
}

Value Node::expand(ModelValue &value) {
  Value tensor = getPart(value);
  if (hasFailed() || isWhole(value))
    return tensor;
  value.tensor = b.broadcastTo(tensor, getSizes(getExtentsOf(value)));
  return value.tensor;
}

std::optional<double> Node::getSplat(const ModelValue &value) {
  if (value.numbers) {
    for (AffineExpr expr : *value.numbers)
      if (!isa<AffineConstantExpr>(expr) || expr != value.numbers->front())
        return std::nullopt;
    if (value.numbers->empty())
      return std::nullopt;
    return double(cast<AffineConstantExpr>(value.numbers->front()).getValue());
  }
  DenseElementsAttr constant;
  if (!value.tensor || !matchPattern(value.tensor, m_Constant(&constant)) || !constant.isSplat())
    return std::nullopt;
  if (isa<FloatType>(constant.getElementType()))
    return constant.getSplatValue<APFloat>().convertToDouble();
  auto integer = constant.getSplatValue<APInt>();
  bool isUnsigned = constant.getElementType().isUnsignedInteger() || integer.getBitWidth() == 1;
  return isUnsigned ? double(integer.getZExtValue()) : double(integer.getSExtValue());
}

FailureOr<SmallVector<AffineExpr>> Node::getNumbers(unsigned i) {
  ModelValue &value = operands[i];
  if (value.numbers)
    return *value.numbers;
  if (!isa<IntegerType>(value.type.getElementType()) || !value.type.hasStaticShape() || value.type.getRank() > 1 ||
      value.type.getNumElements() > kMostNumbers)
    return fail("expected a list of few integers as operand " + Twine(i));
  Value tensor = this->tensor(i);
  if (hasFailed())
    return failure();
  if (importer.loop)
    return fail("expected numbers that are known before the loop as operand " + Twine(i));
  SmallVector<AffineExpr> list;
  ImplicitLocOpBuilder &builder = b.getBuilder();
  Value wide = b.cast(tensor, builder.getI64Type());
  for (int64_t k = 0; k < value.type.getNumElements(); ++k) {
    SmallVector<Value> at;
    if (value.type.getRank() == 1)
      at.push_back(arith::ConstantIndexOp::create(builder, k));
    Value element = tensor::ExtractOp::create(builder, wide, at);
    list.push_back(getExtent(arith::IndexCastOp::create(builder, builder.getIndexType(), element)));
  }
  value.numbers = list;
  return list;
}

FailureOr<AffineExpr> Node::getNumberOf(unsigned i) {
  FailureOr<SmallVector<AffineExpr>> list = getNumbers(i);
  if (failed(list))
    return failure();
  if (list->size() != 1)
    return fail("expected one number as operand " + Twine(i));
  return list->front();
}

//===- Attributes ---------------------------------------------------------------------------===//

int64_t Node::getInt(StringRef name, std::optional<int64_t> fallback) {
  if (auto number = op->getAttrOfType<IntegerAttr>(name))
    if (number.getValue().getSignificantBits() <= 64)
      return number.getValue().getSExtValue();
  if (op->getAttr(name) || !fallback)
    (void)fail("expected an integer as '" + name + "'");
  return fallback.value_or(0);
}

bool Node::getBool(StringRef name, bool fallback) {
  if (auto flag = op->getAttrOfType<BoolAttr>(name))
    return flag.getValue();
  if (op->getAttr(name))
    (void)fail("expected true or false as '" + name + "'");
  return fallback;
}

std::string Node::getString(StringRef name, StringRef fallback) {
  if (auto text = op->getAttrOfType<StringAttr>(name))
    return text.str();
  if (op->getAttr(name))
    (void)fail("expected a string as '" + name + "'");
  return fallback.str();
}

/// The integers of an attribute, as one list.
static std::optional<SmallVector<int64_t>> readInts(Attribute attribute) {
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return SmallVector<int64_t>(list.asArrayRef());
  if (auto list = dyn_cast_or_null<DenseBoolArrayAttr>(attribute))
    return SmallVector<int64_t>(list.asArrayRef());
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  if (!elements || elements.getNumElements() > kMostNumbers || elements.getElementType().getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  bool isBool = elements.getElementType().isInteger(1);
  return llvm::map_to_vector(elements.getValues<APInt>(), [&](const APInt &each) -> int64_t {
    return isBool ? each.getZExtValue() : each.getSExtValue();
  });
}

SmallVector<int64_t> Node::getInts(StringRef name, std::optional<size_t> count, std::optional<int64_t> fallback) {
  Attribute attribute = op->getAttr(name);
  if (!attribute && fallback && count)
    return SmallVector<int64_t>(*count, *fallback);
  std::optional<SmallVector<int64_t>> list = readInts(attribute);
  if (!list)
    (void)fail("expected a list of integers as '" + name + "'");
  else if (count && list->size() != *count)
    (void)fail("expected " + Twine(*count) + " integers as '" + name + "', found " + Twine(list->size()));
  else
    return *list;
  return SmallVector<int64_t>(count.value_or(0), fallback.value_or(1));
}

std::pair<SmallVector<int64_t>, SmallVector<int64_t>> Node::getPadding(StringRef name, size_t count) {
  SmallVector<int64_t> list = getInts(name, 2 * count, 0), low, high;
  for (size_t i = 0; i < count; ++i) {
    low.push_back(list[2 * i]);
    high.push_back(list[2 * i + 1]);
  }
  return {low, high};
}

StringRef Node::getText(StringRef name) {
  Attribute attribute = op->getAttr(name);
  if (auto opaque = dyn_cast_or_null<OpaqueAttr>(attribute))
    return opaque.getAttrData();
  (void)fail("expected an attribute of StableHLO as '" + name + "'");
  return "";
}

StringRef Node::getWord(StringRef name) {
  // comparison_direction LT
  return op->getAttr(name) ? getText(name).rsplit(' ').second.trim("<> ") : StringRef();
}

/// What stands behind `key =` in a text of such; empty where it is not there.
static StringRef findField(StringRef text, StringRef key) {
  for (size_t at = text.find(key); at != StringRef::npos; at = text.find(key, at + 1)) {
    bool isStart = at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_');
    StringRef rest = text.substr(at + key.size()).ltrim();
    if (isStart && rest.consume_front("="))
      return rest.ltrim();
  }
  return {};
}

LogicalResult Node::checkDims(ArrayRef<int64_t> list, int64_t limit, StringRef what) {
  for (auto [i, dim] : llvm::enumerate(list))
    if (dim < 0 || dim >= limit || llvm::is_contained(list.take_front(i), dim))
      return fail("expected different dimensions in [0, " + Twine(limit) + ") as " + what + ", found " + Twine(dim));
  return success();
}

SmallVector<int64_t> Node::getListOf(StringRef text, StringRef key, int64_t limit) {
  SmallVector<int64_t> list;
  StringRef rest = findField(text, key);
  if (!rest.consume_front("["))
    return list;
  SmallVector<StringRef> parts;
  rest.split(']').first.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t number = 0;
    if (part.trim().getAsInteger(10, number))
      (void)fail("expected integers as " + key + ", found '" + part.trim() + "'");
    list.push_back(number);
  }
  if (failed(checkDims(list, limit, key)))
    list.clear();
  return list;
}

int64_t Node::getIntOf(StringRef text, StringRef key, int64_t fallback) {
  StringRef rest = findField(text, key);
  int64_t number = fallback;
  if (!rest.empty() && rest.consumeInteger(10, number))
    (void)fail("expected an integer as " + key);
  return number;
}

//===- Results ------------------------------------------------------------------------------===//

LogicalResult Node::setResult(unsigned i, Value value, ArrayRef<AffineExpr> list) {
  ModelValue &result = results[i];
  result.tensor = value;
  if (hasFailed() || result.type.hasStaticShape())
    return success();
  if (!list.empty())
    result.extents.assign(list.begin(), list.end());
  else if (b.rankOf(value) != result.type.getRank())
    return fail("expected a result whose extents are known");
  return success();
}

LogicalResult Node::setValue(unsigned i, ModelValue value) {
  RankedTensorType type = results[i].type;
  results[i] = std::move(value);
  if (type)
    results[i].type = type;
  return success();
}
