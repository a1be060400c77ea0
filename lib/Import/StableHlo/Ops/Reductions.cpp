//===- Reductions.cpp - Reductions over dimensions, and their bodies -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A body that is one op of two numbers becomes a fuse.reduce, and those that find the place of an extreme element a
// fuse.argmax or argmin. Any other body is applied to the halves of the tensor, to the halves of what that gives, and
// so on.
//
//===----------------------------------------------------------------------------------------===//

#include "Bodies.h"
#include "Movements.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

//===- Bodies -------------------------------------------------------------------------------===//

Block *mlir::fuse::stablehlo::getBody(Node &n, unsigned region, unsigned count) {
  Operation *op = n.getOperation();
  if (op->getNumRegions() > region && op->getRegion(region).hasOneBlock()) {
    Block &body = op->getRegion(region).front();
    if (body.getNumArguments() == count && !body.empty())
      return &body;
  }
  (void)n.fail("expected a region of one block with " + Twine(count) + " arguments");
  return nullptr;
}

std::optional<BinaryKind> mlir::fuse::stablehlo::matchBody(Block &body) {
  if (!llvm::hasNItems(body, 2))
    return std::nullopt;
  Operation &op = body.front(), &end = body.back();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 || end.getNumOperands() != 1 ||
      end.getOperand(0) != op.getResult(0))
    return std::nullopt;
  Value a = body.getArgument(0), b = body.getArgument(1);
  if (!(op.getOperand(0) == a && op.getOperand(1) == b) && !(op.getOperand(0) == b && op.getOperand(1) == a))
    return std::nullopt;
  auto kind = llvm::StringSwitch<std::optional<BinaryKind>>(op.getName().getStringRef())
                  .Case("stablehlo.add", BinaryKind::Add)
                  .Case("stablehlo.multiply", BinaryKind::Mul)
                  .Case("stablehlo.maximum", BinaryKind::Max)
                  .Case("stablehlo.minimum", BinaryKind::Min)
                  .Case("stablehlo.and", BinaryKind::And)
                  .Case("stablehlo.or", BinaryKind::Or)
                  .Default(std::nullopt);
  auto type = dyn_cast<RankedTensorType>(a.getType());
  if (!kind || !type || type != b.getType())
    return std::nullopt;
  bool isBool = type.getElementType().isInteger(1), isLogic = kind == BinaryKind::And || kind == BinaryKind::Or;
  if (!isBool)
    return isLogic ? std::nullopt : kind;
  return isLogic ? *kind : (kind == BinaryKind::Add || kind == BinaryKind::Max) ? BinaryKind::Or : BinaryKind::And;
}

bool mlir::fuse::stablehlo::givesSecond(Block &body) {
  return llvm::hasSingleElement(body) && body.back().getNumOperands() == 1 &&
         body.back().getOperand(0) == body.getArgument(1);
}

TypedAttr mlir::fuse::stablehlo::getNeutral(Node &n, BinaryKind kind, Type type) {
  ElementType element = *toElementType(type);
  bool isMost = kind == BinaryKind::Min;
  if (kind == BinaryKind::Max || kind == BinaryKind::Min) {
    if (isFloatElement(element))
      return makeNumberAttr(n, (isMost ? 1 : -1) * std::numeric_limits<double>::infinity(), type);
    int64_t number = isMost ? getHighestInteger(element) : getLowestInteger(element);
    return n.b.getBuilder().getIntegerAttr(type, APInt(getElementBits(element), static_cast<uint64_t>(number)));
  }
  return makeNumberAttr(n, kind == BinaryKind::Mul || kind == BinaryKind::And ? 1 : 0, type);
}

bool mlir::fuse::stablehlo::isNeutral(Node &n, BinaryKind kind, unsigned i) {
  DenseElementsAttr constant;
  Value value = n.part(i);
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return false;
  auto one = constant.getSplatValue<Attribute>();
  if (one == getNeutral(n, kind, n.getElement(i)))
    return true;
  auto number = dyn_cast<FloatAttr>(one); // −0 is one of sums, too
  return number && kind == BinaryKind::Add && number.getValue().isZero();
}

FailureOr<SmallVector<Value>> mlir::fuse::stablehlo::applyBody(Node &n, Block &body, ArrayRef<Value> current,
                                                               ArrayRef<Value> others) {
  GraphImporter &importer = n.getImporter();
  SmallVector<ModelValue> arguments;
  for (Value value : llvm::concat<const Value>(current, others)) {
    ModelValue &argument = arguments.emplace_back();
    argument.type = FuseBuilder::typeOf(value);
    argument.tensor = value;
  }
  // What the body reads from outside would be of another shape.
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body)
        return n.fail("expected a body that reads nothing but its arguments");
  auto before = std::exchange(importer.bodyShape, SmallVector<int64_t>(FuseBuilder::shapeOf(current[0])));
  FailureOr<SmallVector<ModelValue>> results = importer.importBlock(body, arguments, nullptr);
  importer.bodyShape = before;
  if (failed(results))
    return failure();
  if (results->size() != current.size())
    return n.fail("expected a body of " + Twine(current.size()) + " results, found " + Twine(results->size()));
  SmallVector<Value> values;
  for (ModelValue &result : *results)
    values.push_back(n.expand(result));
  return values;
}

//===- Extreme elements ---------------------------------------------------------------------===//

/// An op of a kind with two operands.
static bool isOp(Value value, StringRef op, Value x, Value y) {
  Operation *made = value.getDefiningOp();
  return made && made->getName().getStringRef() == op && made->getNumOperands() == 2 && made->getOperand(0) == x &&
         made->getOperand(1) == y;
}

/// The direction in which a value compares two others; empty where it does not.
static StringRef getComparison(Value value, Value x, Value y) {
  if (!isOp(value, "stablehlo.compare", x, y))
    return {};
  auto word = value.getDefiningOp()->getAttrOfType<OpaqueAttr>("comparison_direction");
  return word ? word.getAttrData().rsplit(' ').second.trim("<> ") : StringRef();
}

/// Whether a body finds an extreme element and its place, as that of jnp.argmax: the greatest (GT) or least (LT) one,
/// the first of equal ones, and of floats a NaN before all numbers.
static StringRef matchArgBody(Block &body) {
  Value x = body.getArgument(0), i = body.getArgument(1), y = body.getArgument(2), j = body.getArgument(3);
  Operation &end = body.back();
  auto getSelect = [](Value value, Value onTrue, Value onFalse) -> Value {
    Operation *op = value.getDefiningOp();
    bool isSelect = op && op->getName().getStringRef() == "stablehlo.select" && op->getNumOperands() == 3 &&
                    op->getOperand(1) == onTrue && op->getOperand(2) == onFalse;
    return isSelect ? op->getOperand(0) : Value();
  };
  if (end.getNumOperands() != 2)
    return {};
  Value better = getSelect(end.getOperand(0), x, y), earlier = getSelect(end.getOperand(1), i, j);
  Operation *either = earlier ? earlier.getDefiningOp() : nullptr;
  if (!better || !either || either->getNumOperands() != 2 ||
      !isOp(earlier, "stablehlo.or", better, either->getOperand(1)))
    return {};
  Operation *both = either->getOperand(1).getDefiningOp();
  if (!both || both->getName().getStringRef() != "stablehlo.and" || both->getNumOperands() != 2 ||
      getComparison(both->getOperand(0), x, y) != "EQ" || getComparison(both->getOperand(1), i, j) != "LT")
    return {};
  bool isFloat = isa<FloatType>(cast<RankedTensorType>(x.getType()).getElementType());
  Operation *wins = better.getDefiningOp();
  if (wins && wins->getName().getStringRef() == "stablehlo.or" && wins->getNumOperands() == 2 &&
      getComparison(wins->getOperand(1), x, x) == "NE")
    better = wins->getOperand(0);
  else if (isFloat)
    return {};
  StringRef direction = getComparison(better, x, y);
  return direction == "GT" || direction == "LT" ? direction : StringRef();
}

/// Whether an operand counts from 0 up along a dimension.
static bool countsAlong(Node &n, unsigned i, int64_t dim) {
  auto iota = n.part(i).getDefiningOp<IotaOp>();
  return iota && n.getRank(i) - n.b.rankOf(iota) + static_cast<int64_t>(iota.getDimension()) == dim;
}

//===- Reductions ---------------------------------------------------------------------------===//

static ReduceKind getReduceKind(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Mul:
    return ReduceKind::Prod;
  case BinaryKind::Max:
    return ReduceKind::Max;
  case BinaryKind::Min:
    return ReduceKind::Min;
  case BinaryKind::And:
    return ReduceKind::All;
  case BinaryKind::Or:
    return ReduceKind::Any;
  default:
    return ReduceKind::Sum;
  }
}

/// By halves, in the order of the elements.
static FailureOr<SmallVector<Value>> reduceByHalves(Node &n, Block &body, SmallVector<Value> values,
                                                    ArrayRef<int64_t> dims) {
  FuseBuilder &b = n.b;
  for (int64_t dim : dims) {
    if (ShapedType::isDynamic(b.shapeOf(values[0])[dim]))
      return n.fail("expected extents that are known before the program runs, or a body of one op");
    for (int64_t count = b.shapeOf(values[0])[dim]; count > 1; count = b.shapeOf(values[0])[dim]) {
      SmallVector<Value> first, second, last;
      for (Value value : values) {
        first.push_back(b.slice(value, dim, 0, count / 2));
        second.push_back(b.slice(value, dim, count / 2, count / 2));
        last.push_back(count % 2 ? b.slice(value, dim, count - 1, 1) : Value());
      }
      FailureOr<SmallVector<Value>> made = applyBody(n, body, first, second);
      if (failed(made))
        return failure();
      values = *made;
      for (auto [value, rest] : llvm::zip(values, last))
        if (rest)
          value = b.concat({value, rest}, dim);
    }
  }
  return values;
}

static LogicalResult importReduce(Node &n) {
  FuseBuilder &b = n.b;
  unsigned count = n.getNumResults();
  if (count < 1 || n.getNumOperands() != 2 * count)
    return n.fail("expected as many first values as operands");
  int64_t rank = n.getRank(0);
  SmallVector<int64_t> dims = n.getInts("dimensions");
  Block *body = getBody(n, 0, 2 * count);
  if (n.hasFailed() || failed(n.checkDims(dims, rank, "'dimensions'")))
    return failure();
  llvm::sort(dims);
  for (unsigned i = 0; i < count; ++i)
    if (!n.getOperand(i).type || !n.getOperand(count + i).type || n.getRank(i) != rank || n.getRank(count + i) != 0 ||
        n.getElement(i) != n.getElement(count + i))
      return n.fail("expected operands of one shape, and first values of their element types");
  if (count == 1) {
    if (std::optional<BinaryKind> kind = matchBody(*body)) {
      Value result = b.reduce(getReduceKind(*kind), n.tensor(0), dims, /*keepDims=*/false);
      return n.setResult(isNeutral(n, *kind, 1) ? result : b.binary(*kind, result, n.part(1)));
    }
  }
  if (count == 2 && dims.size() == 1) {
    StringRef direction = matchArgBody(*body);
    bool isMost = direction == "GT";
    BinaryKind kind = isMost ? BinaryKind::Max : BinaryKind::Min;
    if (!direction.empty() && countsAlong(n, 1, dims[0]) && isNeutral(n, kind, 2) && n.getSplat(3) == 0.0 &&
        n.getOperand(0).type.getDimSize(dims[0]) != 0 && !n.getElement(0).isInteger(1)) {
      Value x = n.tensor(0);
      Value place = isMost ? b.argmax(x, dims[0], false) : b.argmin(x, dims[0], false);
      if (failed(n.setResult(0, b.reduce(isMost ? ReduceKind::Max : ReduceKind::Min, x, dims, false))))
        return failure();
      return n.setResult(1, b.cast(place, n.getResultElement(1)));
    }
  }
  SmallVector<Value> values, first;
  bool isEmpty = false;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(n.tensor(i));
  for (int64_t dim : dims)
    isEmpty |= b.shapeOf(values[0])[dim] == 0;
  if (n.hasFailed())
    return failure();
  if (!isEmpty) {
    FailureOr<SmallVector<Value>> reduced = reduceByHalves(n, *body, values, dims);
    if (failed(reduced))
      return failure();
    values = *reduced;
  }
  SmallVector<AffineExpr> extents;
  for (auto [dim, extent] : llvm::enumerate(n.getExtents(values[0])))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      extents.push_back(extent);
  for (unsigned i = 0; i < count; ++i)
    first.push_back(b.broadcastTo(n.part(count + i), n.getSizes(extents)));
  if (!isEmpty) {
    for (Value &value : values)
      value = n.reshape(value, extents);
    FailureOr<SmallVector<Value>> made = applyBody(n, *body, first, values);
    if (failed(made))
      return failure();
    first = *made;
  }
  for (unsigned i = 0; i < count; ++i)
    if (failed(n.setResult(i, first[i])))
      return failure();
  return success();
}

void mlir::fuse::stablehlo::addReductionOps(OpTable &table) { table.add("reduce", 2, importReduce); }
