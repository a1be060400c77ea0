//===- LabelOps.cpp - The ops of a kernel while a pattern accounts for them -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LabelOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isFloatCast(Operation *op) {
  auto cast = dyn_cast_or_null<CastOp>(op);
  return cast && isa<FloatType>(getElementTypeOrSelf(cast.getOperand())) &&
         isa<FloatType>(getElementTypeOrSelf(cast.getResult()));
}

LabelOps::LabelOps(ArrayRef<Operation *> list) : ops(list.begin(), list.end()) {
  for (Operation *op : ops)
    if (isTransparent(op))
      claim(op);
}

bool LabelOps::isTransparent(Operation *op) const { return contains(op) && isFloatCast(op); }

Value LabelOps::getSource(Value value) const {
  while (true) {
    value = getViewSource(value);
    Operation *def = value.getDefiningOp();
    if (!isTransparent(def))
      return value;
    value = def->getOperand(0);
  }
}

Operation *LabelOps::getMember(Value value) const {
  Operation *def = getSource(value).getDefiningOp();
  return contains(def) ? def : nullptr;
}

SmallVector<Operation *> LabelOps::getReaders(Value value) const {
  SmallVector<Operation *> readers;
  SmallVector<Value> work{value};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (classifyNode(user) == NodeKind::View || isTransparent(user))
        work.push_back(user->getResult(0));
      else if (contains(user) && !llvm::is_contained(readers, user))
        readers.push_back(user);
    }
  return readers;
}

llvm::SetVector<Operation *> LabelOps::getDependents(Operation *op) const {
  llvm::SetVector<Operation *> dependents;
  SmallVector<Operation *> work{op};
  while (!work.empty())
    for (Value result : work.pop_back_val()->getResults())
      for (Operation *reader : getReaders(result))
        if (dependents.insert(reader))
          work.push_back(reader);
  return dependents;
}

/// Whether `op` is max(value, 0) by itself.
static bool isRelu(Operation *op) {
  if (auto unary = dyn_cast<UnaryOp>(op))
    return unary.getKind() == UnaryKind::Relu;
  if (auto binary = dyn_cast<BinaryOp>(op))
    return binary.getKind() == BinaryKind::Max &&
           (getSplatConstant(binary.getLhs()) == 0.0 || getSplatConstant(binary.getRhs()) == 0.0);
  if (auto clamp = dyn_cast<ClampOp>(op))
    return getSplatConstant(clamp.getLow()) == 0.0 &&
           getSplatConstant(clamp.getHigh()) == std::numeric_limits<double>::infinity();
  return false;
}

/// Whether `compare` and `select` are x > 0 ? x : 0, or the same the other way round.
static bool isSelectedRelu(const LabelOps &ops, Value x, CompareOp compare, SelectOp select) {
  if (!compare || !select || ops.getMember(select.getCondition()) != compare.getOperation())
    return false;
  auto isX = [&](Value value) { return ops.getSource(value) == ops.getSource(x); };
  bool isSwapped = isX(compare.getRhs());
  if (getSplatConstant(isSwapped ? compare.getLhs() : compare.getRhs()) != 0.0 ||
      !isX(isSwapped ? compare.getRhs() : compare.getLhs()))
    return false;
  ComparePredicate predicate = compare.getPredicate();
  bool isGreater = predicate == ComparePredicate::Gt || predicate == ComparePredicate::Ge;
  bool isLess = predicate == ComparePredicate::Lt || predicate == ComparePredicate::Le;
  if (!isGreater && !isLess)
    return false;
  bool keepsTrue = isGreater != isSwapped;
  Value kept = keepsTrue ? select.getOnTrue() : select.getOnFalse();
  Value other = keepsTrue ? select.getOnFalse() : select.getOnTrue();
  return isX(kept) && getSplatConstant(other) == 0.0;
}

Value LabelOps::claimRelu(Value value) {
  SmallVector<Operation *> readers = getReaders(value);
  if (readers.size() == 1 && isRelu(readers.front())) {
    claim(readers.front());
    return readers.front()->getResult(0);
  }
  if (readers.size() != 2)
    return {};
  if (isa<SelectOp>(readers.front()))
    std::swap(readers.front(), readers.back());
  auto compare = dyn_cast<CompareOp>(readers.front());
  auto select = dyn_cast<SelectOp>(readers.back());
  if (!isSelectedRelu(*this, value, compare, select))
    return {};
  claim(compare);
  claim(select);
  return select.getResult();
}

std::optional<double> mlir::fuse::getSplatConstant(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(getViewSource(value), m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble();
  if (auto type = dyn_cast<IntegerType>(elements.getElementType())) {
    APInt number = elements.getSplatValue<APInt>();
    return type.isUnsigned() || type.isInteger(1) ? number.roundToDouble()
                                                  : number.signedRoundToDouble();
  }
  return std::nullopt;
}

//===- Dimensions ---------------------------------------------------------------------------===//

/// A reshape keeps a dimension that has as many elements before it, and as many in it, as before.
static std::optional<int64_t> findReshapedDim(RankedTensorType from, RankedTensorType to,
                                              int64_t dim) {
  int64_t extent = from.getDimSize(dim), before = 1, dynamicBefore = 0;
  for (int64_t size : from.getShape().take_front(dim)) {
    dynamicBefore += ShapedType::isDynamic(size);
    before *= ShapedType::isDynamic(size) ? 1 : size;
  }
  int64_t product = 1, dynamic = 0;
  for (auto [position, size] : llvm::enumerate(to.getShape())) {
    if (size == extent && product == before && dynamic == dynamicBefore && size != 1)
      return position;
    dynamic += ShapedType::isDynamic(size);
    product *= ShapedType::isDynamic(size) ? 1 : size;
  }
  return std::nullopt;
}

std::optional<int64_t> mlir::fuse::getViewSourceDim(Operation *view, int64_t dim) {
  auto source = cast<RankedTensorType>(view->getOperand(0).getType());
  auto result = cast<RankedTensorType>(view->getResult(0).getType());
  if (auto transpose = dyn_cast<TransposeOp>(view))
    return transpose.getPermutation()[dim];
  if (isa<SliceOp>(view))
    return dim;
  if (auto broadcast = dyn_cast<BroadcastOp>(view)) {
    if (llvm::is_contained(broadcast.getDimensions(), dim))
      return std::nullopt;
    return dim - llvm::count_if(broadcast.getDimensions(), [&](int64_t d) { return d < dim; });
  }
  if (isa<ReshapeOp>(view))
    return findReshapedDim(result, source, dim);
  return std::nullopt;
}

std::optional<int64_t> mlir::fuse::getViewResultDim(Operation *view, int64_t dim) {
  auto result = cast<RankedTensorType>(view->getResult(0).getType());
  if (isa<ReshapeOp>(view))
    return findReshapedDim(cast<RankedTensorType>(view->getOperand(0).getType()), result, dim);
  for (int64_t position = 0; position < result.getRank(); ++position)
    if (getViewSourceDim(view, position) == dim)
      return position;
  return std::nullopt;
}

/// How many ops above a value are looked at.
static constexpr unsigned kMostDepth = 8;

static llvm::SmallBitVector computeVaryingDims(Value value, unsigned depth) {
  auto type = cast<RankedTensorType>(value.getType());
  llvm::SmallBitVector varying(type.getRank());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    varying[dim] = size != 1;
  if (getSplatConstant(value))
    return varying.reset();
  if (depth == kMostDepth)
    return varying;
  Operation *def = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp()))
      return computeVaryingDims(kernel.getInputs()[argument.getArgNumber()], depth + 1);
    return varying;
  }
  auto fusable = dyn_cast<FusableOpInterface>(def);
  if (fusable && fusable.isElementwise()) {
    llvm::SmallBitVector all(type.getRank());
    for (Value operand : def->getOperands()) {
      llvm::SmallBitVector part = computeVaryingDims(operand, depth + 1);
      for (unsigned dim : part.set_bits())
        all.set(dim + type.getRank() - part.size());
    }
    return all &= varying;
  }
  if (classifyNode(def) != NodeKind::View)
    return varying;
  llvm::SmallBitVector source = computeVaryingDims(def->getOperand(0), depth + 1);
  if (source.none())
    return varying.reset();
  if (isa<BroadcastOp>(def))
    for (unsigned dim : varying.set_bits()) {
      std::optional<int64_t> below = getViewSourceDim(def, dim);
      if (!below || !source.test(*below))
        varying.reset(dim);
    }
  if (isa<TransposeOp, SliceOp>(def))
    for (unsigned dim : varying.set_bits())
      if (!source.test(*getViewSourceDim(def, dim)))
        varying.reset(dim);
  if (isa<ReshapeOp>(def) && source.count() == 1)
    if (std::optional<int64_t> dim = getViewResultDim(def, source.find_first())) {
      varying.reset();
      varying.set(*dim);
    }
  return varying;
}

llvm::SmallBitVector mlir::fuse::getVaryingDims(Value value) {
  return computeVaryingDims(value, 0);
}
