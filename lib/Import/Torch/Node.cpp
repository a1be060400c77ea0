//===- Node.cpp - One node of an exported program while it is imported -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Node.h"
#include "../Common/ComputedNumbers.h"
#include "Symbols.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;
namespace json = llvm::json;

std::optional<double> mlir::fuse::torch::readFloat(const json::Value &value) {
  if (auto number = value.getAsNumber())
    return *number;
  auto text = value.getAsString();
  double infinity = std::numeric_limits<double>::infinity();
  if (text && *text == "Infinity")
    return infinity;
  if (text && *text == "-Infinity")
    return -infinity;
  if (text && *text == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

AffineExpr mlir::fuse::torch::readComputedSize(OpContext &n, const json::Value &size,
                                               const llvm::StringMap<AffineExpr> &symbols, bool divides) {
  ComputedNumbers numbers(n);
  auto divide = [&](AffineExpr x, AffineExpr y) { return numbers.quotient(x, y); };
  auto min = [&](ArrayRef<AffineExpr> list) { return numbers.min(list); };
  auto max = [&](ArrayRef<AffineExpr> list) { return numbers.max(list); };
  ComputedParts parts{nullptr, min, max};
  if (divides)
    parts.divide = divide;
  return readSize(size, n.b.getContext(), symbols, parts);
}

namespace {

/// What computes extents that are no part of a node.
struct Sizes : OpContext {
  using OpContext::OpContext;
  std::string getDescription() const override { return "the sizes of tensors"; }
};

} // namespace

AffineExpr mlir::fuse::torch::readComputedSize(ImplicitLocOpBuilder &builder, ExtentValues &extents, Budget &budget,
                                               const json::Value &size, const llvm::StringMap<AffineExpr> &symbols) {
  Sizes sizes(builder, extents, budget);
  return readComputedSize(sizes, size, symbols, /*divides=*/false);
}

//===- Arguments ----------------------------------------------------------------------------===//

Node::Argument Node::unpack(const json::Object &holder) {
  // A union has one member; members of other unions are written as null.
  for (const auto &member : holder)
    if (!member.second.getAsNull())
      return {member.first, &member.second};
  return {};
}

Node::Argument Node::find(StringRef name) const {
  const json::Array *inputs = object.getArray("inputs");
  for (const json::Value &input : orEmpty(inputs)) {
    const json::Object *named = input.getAsObject();
    if (!named || named->getString("name") != std::optional<StringRef>(name))
      continue;
    const json::Object *holder = named->getObject("arg");
    if (!holder)
      return {};
    Argument argument = unpack(*holder);
    if (argument.kind != "as_optional_tensor" || !argument.value->getAsObject())
      return argument;
    return unpack(*argument.value->getAsObject());
  }
  return {};
}

bool Node::has(StringRef name) const {
  Argument argument = find(name);
  return argument.value && argument.kind != "as_none";
}

bool Node::isTensor(StringRef name) const { return find(name).kind == "as_tensor"; }

const ModelValue *Node::lookup(StringRef name) {
  auto it = scope.find(name);
  if (it != scope.end())
    return it->second;
  (void)fail("its operand " + quote(name) + " is no input, and computed by no node before it");
  return nullptr;
}

Value Node::readTensor(StringRef name, const json::Value *value) {
  const json::Object *holder = value ? value->getAsObject() : nullptr;
  std::optional<StringRef> operand = holder ? holder->getString("name") : std::nullopt;
  const ModelValue *found = operand ? lookup(*operand) : nullptr;
  if (found && found->tensor)
    return found->tensor;
  if (!isFailed)
    (void)fail("expected a tensor as '" + name + "'");
  return b.scalar(0, b.getBuilder().getF32Type()); // of use only until the failure is seen
}

Value Node::tensor(StringRef name) {
  Argument argument = find(name);
  return readTensor(name, argument.kind == "as_tensor" ? argument.value : nullptr);
}

SmallVector<Value> Node::tensors(StringRef name) {
  Argument argument = find(name);
  SmallVector<Value> list;
  const json::Array *entries = argument.value ? argument.value->getAsArray() : nullptr;
  if (argument.value && !entries && argument.kind != "as_none")
    (void)fail("expected a list of tensors as '" + name + "'");
  for (const json::Value &entry : orEmpty(entries)) {
    if (argument.kind == "as_tensors") {
      list.push_back(readTensor(name, &entry));
      continue;
    }
    const json::Object *holder = entry.getAsObject();
    Argument element = holder && argument.kind == "as_optional_tensors" ? unpack(*holder) : Argument();
    list.push_back(element.kind == "as_none" ? Value() : readTensor(name, element.value));
  }
  return list;
}

const json::Object *Node::findMeta(StringRef name) const {
  Argument argument = find(name);
  const json::Object *holder = argument.kind == "as_tensor" ? argument.value->getAsObject() : nullptr;
  std::optional<StringRef> operand = holder ? holder->getString("name") : std::nullopt;
  return operand && metas ? metas->getObject(*operand) : nullptr;
}

AffineExpr Node::getStorageOffset(StringRef name) const {
  const json::Object *meta = findMeta(name);
  const json::Value *offset = meta ? meta->get("storage_offset") : nullptr;
  return offset ? readSize(*offset, b.getContext(), symbols) : getAffineConstantExpr(0, b.getContext());
}

std::optional<SmallVector<AffineExpr>> Node::getStrides(StringRef name) {
  const json::Object *meta = findMeta(name);
  const json::Array *entries = meta ? meta->getArray("strides") : nullptr;
  SmallVector<AffineExpr> strides;
  for (const json::Value &entry : orEmpty(entries)) {
    AffineExpr stride = readComputedSize(*this, entry, symbols, /*divides=*/true);
    if (!stride)
      return std::nullopt;
    strides.push_back(simplifyExtent(stride));
  }
  return entries ? std::optional(strides) : std::nullopt;
}

bool Node::wasContiguous(StringRef name) const {
  const json::Object *meta = findMeta(name);
  auto getHint = [](const json::Value &entry) -> std::optional<int64_t> {
    const json::Object *size = entry.getAsObject();
    const json::Object *expression = size ? size->getObject("as_expr") : nullptr;
    const json::Object *hint = expression ? expression->getObject("hint") : size;
    return hint ? hint->getInteger("as_int") : std::nullopt;
  };
  const json::Array &sizes = orEmpty(meta ? meta->getArray("sizes") : nullptr),
                    &strides = orEmpty(meta ? meta->getArray("strides") : nullptr);
  int64_t dense = 1;
  for (size_t dim = std::min(sizes.size(), strides.size()); dim-- > 0;) {
    std::optional<int64_t> size = getHint(sizes[dim]), stride = getHint(strides[dim]);
    if (!size || !stride || (*size != 1 && *stride != dense))
      return false;
    dense *= *size;
  }
  return meta && sizes.size() == strides.size();
}

AffineExpr Node::readExpr(StringRef name, const Argument &argument) {
  if (argument.kind == "as_int" || argument.kind == "as_bool")
    if (auto number = argument.value->getAsInteger())
      return getConstant(*number);
  if (argument.kind == "as_bool")
    if (auto flag = argument.value->getAsBoolean())
      return getConstant(*flag);
  const json::Object *holder = argument.value ? argument.value->getAsObject() : nullptr;
  if (argument.kind == "as_sym_int" && holder)
    return readExpr(name, unpack(*holder));
  if (argument.kind == "as_name")
    if (const ModelValue *value = lookup(argument.value->getAsString().value_or("")); value && value->extent)
      return value->extent;
  if (!isFailed)
    (void)fail("expected an integer as '" + name + "'");
  return getConstant(0);
}

AffineExpr Node::getExpr(StringRef name, int64_t fallback) {
  return has(name) ? readExpr(name, find(name)) : getConstant(fallback);
}

SmallVector<AffineExpr> Node::getExprs(StringRef name) {
  SmallVector<AffineExpr> list;
  Argument argument = find(name);
  if (!has(name))
    return list;
  const json::Array *entries = argument.value->getAsArray();
  if (!entries || (argument.kind != "as_ints" && argument.kind != "as_sym_ints"))
    return {readExpr(name, argument)};
  for (const json::Value &entry : *entries) {
    const json::Object *holder = entry.getAsObject();
    if (argument.kind == "as_ints")
      list.push_back(readExpr(name, {"as_int", &entry}));
    else
      list.push_back(readExpr(name, holder ? unpack(*holder) : Argument()));
  }
  return list;
}

int64_t Node::getInt(StringRef name, int64_t fallback) {
  AffineExpr expr = getExpr(name, fallback);
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  (void)fail("expected '" + name + "' to be known before the program runs");
  return fallback;
}

SmallVector<int64_t> Node::getInts(StringRef name, ArrayRef<int64_t> fallback) {
  if (!has(name))
    return SmallVector<int64_t>(fallback);
  SmallVector<int64_t> list;
  for (AffineExpr expr : getExprs(name)) {
    auto number = dyn_cast<AffineConstantExpr>(expr);
    if (!number)
      (void)fail("expected '" + name + "' to be known before the program runs");
    list.push_back(number ? number.getValue() : 0);
  }
  return list;
}

SmallVector<int64_t> Node::getSpread(StringRef name, size_t count, int64_t fallback) {
  SmallVector<int64_t> list = getInts(name);
  if (list.empty())
    list.assign(count, fallback);
  else if (list.size() == 1)
    list.assign(count, list.front());
  if (list.size() != count) {
    (void)fail("expected one entry for each of " + Twine(count) + " dimensions as '" + name + "', found " +
               Twine(list.size()));
    list.resize(count, fallback);
  }
  return list;
}

double Node::getFloat(StringRef name, double fallback) {
  if (!has(name))
    return fallback;
  Number number = getNumber(name);
  if (!number.value)
    (void)fail("expected '" + name + "' to be known before the program runs");
  return number.value.value_or(fallback);
}

SmallVector<double> Node::getFloats(StringRef name) {
  SmallVector<double> list;
  Argument argument = find(name);
  const json::Array *entries = has(name) ? argument.value->getAsArray() : nullptr;
  for (const json::Value &entry : orEmpty(entries)) {
    std::optional<double> number = readFloat(entry);
    if (!number)
      (void)fail("expected numbers as '" + name + "'");
    list.push_back(number.value_or(1));
  }
  return list;
}

bool Node::getBool(StringRef name, bool fallback) {
  if (!has(name))
    return fallback;
  Argument argument = find(name);
  if (auto flag = argument.value->getAsBoolean(); flag && argument.kind == "as_bool")
    return *flag;
  if (argument.kind == "as_int")
    return getInt(name, fallback);
  (void)fail("expected a bool as '" + name + "'");
  return fallback;
}

Node::Mask Node::getMask(StringRef name, size_t count) {
  Mask mask(count, true);
  Argument argument = find(name);
  const json::Array *entries = argument.value ? argument.value->getAsArray() : nullptr;
  for (size_t i = 0; entries && i < std::min(count, entries->size()); ++i)
    mask[i] = (*entries)[i].getAsBoolean().value_or(true);
  return mask;
}

std::string Node::getString(StringRef name, StringRef fallback) {
  if (!has(name))
    return fallback.str();
  if (auto text = find(name).value->getAsString())
    return text->str();
  (void)fail("expected a string as '" + name + "'");
  return fallback.str();
}

Number Node::readNumber(StringRef name, const Argument &argument) {
  Number number;
  const json::Object *holder = argument.value ? argument.value->getAsObject() : nullptr;
  if (argument.kind == "as_sym_float" && holder)
    return readNumber(name, unpack(*holder));
  if (argument.kind == "as_bool" && argument.value->getAsBoolean()) {
    number.kind = Number::Bool;
    number.integer = *argument.value->getAsBoolean();
    number.value = double(number.integer);
    return number;
  }
  if (argument.kind == "as_float") {
    number.kind = Number::Float;
    number.value = readFloat(*argument.value);
    if (number.value)
      return number;
  }
  if (argument.kind == "as_name")
    if (const ModelValue *value = lookup(argument.value->getAsString().value_or("")); value && !value->tensor) {
      number.kind = Number::Float;
      number.computed = value->number;
      number.value = value->constant;
      if (!value->extent)
        return number;
      number.kind = Number::Int;
    }
  number.extent = readExpr(name, argument);
  if (auto constant = dyn_cast<AffineConstantExpr>(number.extent)) {
    number.integer = constant.getValue();
    number.value = double(number.integer);
    number.extent = AffineExpr();
  }
  return number;
}

Number Node::getNumber(StringRef name, std::optional<Number> fallback) {
  if (!has(name) && fallback)
    return *fallback;
  return readNumber(name, find(name));
}

Type Node::getType(StringRef name, Type fallback) {
  if (!has(name))
    return fallback;
  std::optional<int64_t> number = find(name).value->getAsInteger();
  std::optional<ElementType> element = number ? getElement(*number) : std::nullopt;
  if (element)
    return toType(*element);
  (void)fail("elements of type " + getScalarTypeName(number.value_or(0)) + " are not supported");
  return fallback;
}

int64_t Node::wrapDim(int64_t dim, int64_t rank) {
  if (rank == 0 && (dim == 0 || dim == -1))
    return 0;
  return normalizeAxis(dim, rank);
}

int64_t Node::getDim(StringRef name, int64_t fallback, int64_t rank) { return wrapDim(getInt(name, fallback), rank); }

SmallVector<int64_t> Node::getDims(StringRef name, int64_t rank, bool allIfEmpty) {
  SmallVector<int64_t> dims;
  for (int64_t dim : getInts(name)) {
    dim = wrapDim(dim, rank);
    if (rank > 0 && !llvm::is_contained(dims, dim))
      dims.push_back(dim);
  }
  llvm::sort(dims);
  if (dims.empty() && allIfEmpty)
    llvm::append_range(dims, llvm::seq<int64_t>(0, rank));
  return dims;
}

std::optional<Condition> Node::getCondition(StringRef name) {
  Argument argument = find(name);
  const json::Object *holder = argument.value ? argument.value->getAsObject() : nullptr;
  if (argument.kind == "as_sym_bool" && holder)
    argument = unpack(*holder);
  if (argument.kind == "as_name")
    if (const ModelValue *value = lookup(argument.value->getAsString().value_or("")); value && value->condition)
      return value->condition;
  if (std::optional<bool> flag = argument.value ? argument.value->getAsBoolean() : std::nullopt; flag && !*flag)
    (void)fail("asserts what is false");
  else if (!flag && !isFailed)
    (void)fail("expected a condition as '" + name + "'");
  return std::nullopt;
}

//===- Building -----------------------------------------------------------------------------===//

Promoted Node::describe(Value x) {
  return {*toElementType(FuseBuilder::elementOf(x)), FuseBuilder::rankOf(x) == 0 ? Promoted::Scalar : Promoted::Tensor};
}

Value Node::makeScalar(const Number &number, Type element) {
  if (number.computed)
    return b.cast(number.computed.tensor, element);
  if (number.extent)
    return b.cast(getNumber(number.extent, b.getBuilder().getI64Type()), element);
  if (number.kind != Number::Float && isa<IntegerType>(element)) {
    if (element.isInteger(1))
      return b.constant({number.integer != 0}, element, {});
    return b.constant({number.integer}, element, {});
  }
  return b.scalar(number.value.value_or(0), element);
}

Value Node::fill(const Number &number, ArrayRef<AffineExpr> list, Type element) {
  SmallVector<int64_t> shape = getStaticExtents(list);
  RankedTensorType type = b.makeType(shape, element);
  if (!type.hasStaticShape())
    return expand(makeScalar(number, element), list);
  if (number.computed || number.extent)
    return b.broadcastTo(makeScalar(number, element), shape);
  auto attribute =
      cast<DenseElementsAttr>(makeScalar(number, element).getDefiningOp()->getAttrOfType<ElementsAttr>("value"));
  return b.constant(attribute.resizeSplat(type));
}

SmallVector<AffineExpr> Node::broadcastExtents(ArrayRef<Value> operands) {
  SmallVector<AffineExpr> result;
  for (Value operand : operands) {
    SmallVector<AffineExpr> own = getExtents(operand);
    while (result.size() < own.size())
      result.insert(result.begin(), getConstant(1));
    for (size_t i = 0; i < own.size(); ++i) {
      AffineExpr &to = result[result.size() - own.size() + i];
      if (to == getConstant(1))
        to = own[i];
      else if (isa<AffineConstantExpr>(own[i]) && own[i] != getConstant(1) && !isa<AffineConstantExpr>(to))
        to = own[i];
    }
  }
  return result;
}

void Node::assume(const Condition &condition) {
  auto [predicate, left, right] = condition;
  switch (predicate) {
  case ComparePredicate::Ge:
    return assumeAtLeast(left, right);
  case ComparePredicate::Gt:
    return assumeAtLeast(left, right + 1);
  case ComparePredicate::Le:
    return assumeAtLeast(right, left);
  case ComparePredicate::Lt:
    return assumeAtLeast(right, left + 1);
  case ComparePredicate::Eq:
    return assumeEqual(left, right);
  case ComparePredicate::Ne:
    return; // an extent that is none of few numbers, such as 0 or 1, changes nothing of what is built
  }
}
