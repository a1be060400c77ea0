//===- CompositeOps.cpp - Composites: verifiers and decompositions -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Each composite is its decomposition. The primitives carry the composite's location; who calls
// decompose() records the origin.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/Decompose.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/TypeOf.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

LogicalResult verifySameType(Operation *op, Value operand) {
  if (operand.getType() == op->getResult(0).getType())
    return success();
  return op->emitOpError() << "expected result type " << operand.getType() << ", found "
                           << op->getResult(0).getType();
}

LogicalResult verifyOperandElementType(Operation *op, Value operand, StringRef what) {
  Type wanted = getElementTypeOrSelf(op->getResult(0));
  if (getElementTypeOrSelf(operand) == wanted)
    return success();
  return op->emitOpError() << "expected " << what << " of element type " << wanted << ", found "
                           << getElementTypeOrSelf(operand);
}

LogicalResult verifyEpsilon(Operation *op, const APFloat &epsilon) {
  if (epsilon.isFinite() && !epsilon.isNegative())
    return success();
  return op->emitOpError() << "expected a finite epsilon that is not negative, found "
                           << epsilon.convertToDouble();
}

Value buildSoftmax(FuseBuilder &b, Value x, int64_t dim) {
  Value e = b.unary(UnaryKind::Exp, b.sub(x, b.reduce(ReduceKind::Max, x, dim, true)));
  return b.div(e, b.reduce(ReduceKind::Sum, e, dim, true));
}

} // namespace

//===- batch_norm ---------------------------------------------------------------------------===//

LogicalResult BatchNormOp::verify() {
  RankedTensorType input = typeOf(getInput());
  int64_t dimension = getFeatureDimension();
  if (dimension < 0 || dimension >= input.getRank())
    return emitOpError() << "feature_dimension " << dimension << " is outside rank "
                         << input.getRank();
  int64_t features = input.getDimSize(dimension);
  const char *names[] = {"a scale", "an offset", "a mean", "a variance"};
  for (auto [name, vector] :
       llvm::zip(names, ValueRange{getScale(), getOffset(), getMean(), getVariance()})) {
    if (failed(verifyOperandElementType(*this, vector, name)))
      return failure();
    if (failed(verifyCompatibleShape(typeOf(vector).getShape(), ArrayRef<int64_t>{features})))
      return emitOpError() << "expected " << name << " of shape "
                           << formatShape(ArrayRef<int64_t>{features}) << ", found "
                           << formatShape(typeOf(vector).getShape());
  }
  if (failed(verifyEpsilon(*this, getEpsilon())))
    return failure();
  return verifySameType(*this, getInput());
}

SmallVector<Value> BatchNormOp::decompose(OpBuilder &builder) {
  FuseBuilder p(builder, getLoc());
  RankedTensorType input = typeOf(getInput());
  int64_t dimension = getFeatureDimension();
  SmallVector<int64_t> shape(input.getRank() - dimension, 1);
  shape[0] = input.getDimSize(dimension);
  auto spread = [&](Value vector) { return p.reshape(vector, shape); };
  Value epsilon = p.scalar(getEpsilon().convertToDouble(), input.getElementType());
  Value centered = p.sub(getInput(), spread(getMean()));
  Value deviation = p.unary(UnaryKind::Sqrt, p.add(spread(getVariance()), epsilon));
  Value normal = p.div(centered, deviation);
  Value scaled = p.mul(normal, spread(getScale()));
  return {p.add(scaled, spread(getOffset()))};
}

int64_t BatchNormOp::getFlopsPerElement() { return 4; }

//===- softmax ------------------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  int64_t rank = typeOf(getInput()).getRank(), dimension = getDimension();
  if (dimension < -rank || dimension >= rank)
    return emitOpError() << "dimension " << dimension << " is outside rank " << rank;
  return verifySameType(*this, getInput());
}

SmallVector<Value> SoftmaxOp::decompose(OpBuilder &builder) {
  int64_t dimension = getDimension();
  if (dimension < 0)
    dimension += typeOf(getInput()).getRank();
  FuseBuilder p(builder, getLoc());
  return {buildSoftmax(p, getInput(), dimension)};
}

int64_t SoftmaxOp::getFlopsPerElement() { return 20; }

//===- layer_norm ---------------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  RankedTensorType input = typeOf(getInput());
  int64_t previous = -1;
  for (int64_t dimension : getDimensions()) {
    if (dimension < 0 || dimension >= input.getRank())
      return emitOpError() << "dimension " << dimension << " is outside rank " << input.getRank();
    if (dimension <= previous)
      return emitOpError() << "dimensions must be sorted and distinct, found " << dimension
                           << " after " << previous;
    previous = dimension;
  }
  if (getDimensions().empty())
    return emitOpError() << "expected at least one dimension";
  if (getOffset() && !getScale())
    return emitOpError() << "an offset needs a scale";
  for (auto [name, value] :
       {std::pair<const char *, Value>{"a scale", getScale()}, {"an offset", getOffset()}})
    if (value && (failed(verifyOperandElementType(*this, value, name)) ||
                  failed(verifyBroadcastsTo(*this, name, typeOf(value), input.getShape()))))
      return failure();
  if (failed(verifyEpsilon(*this, getEpsilon())))
    return failure();
  return verifySameType(*this, getInput());
}

SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder) {
  FuseBuilder p(builder, getLoc());
  Type element = typeOf(getInput()).getElementType();
  Value mean = p.reduce(ReduceKind::Mean, getInput(), getDimensions(), true);
  Value centered = p.sub(getInput(), mean);
  Value variance = p.reduce(ReduceKind::Mean, p.mul(centered, centered), getDimensions(), true);
  Value epsilon = p.scalar(getEpsilon().convertToDouble(), element);
  // Once for each row, as everybody computes it: a quotient takes six times as long as a product.
  Value inverse = p.unary(UnaryKind::Rsqrt, p.add(variance, epsilon));
  Value result = p.mul(centered, inverse);
  if (getScale())
    result = p.mul(result, getScale());
  if (getOffset())
    result = p.add(result, getOffset());
  return {result};
}

int64_t LayerNormOp::getFlopsPerElement() { return 8; }

//===- attention ----------------------------------------------------------------------------===//

LogicalResult AttentionOp::verify() {
  RankedTensorType q = typeOf(getQuery()), k = typeOf(getKey()), v = typeOf(getValue());
  int64_t rank = q.getRank();
  if (rank < 3 || k.getRank() != rank || v.getRank() != rank)
    return emitOpError() << "expected query, key and value of one rank, 3 at least, found ranks "
                         << rank << ", " << k.getRank() << ", " << v.getRank();
  for (auto [name, value] : {std::pair<const char *, Value>{"a query", getQuery()},
                             {"a key", getKey()},
                             {"a value", getValue()}})
    if (failed(verifyOperandElementType(*this, value, name)))
      return failure();
  auto differ = [](int64_t a, int64_t b) {
    return a != b && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b);
  };
  int64_t heads = q.getDimSize(rank - 3), groups = k.getDimSize(rank - 3);
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(groups) || groups < 1 ||
      heads % groups != 0 || v.getDimSize(rank - 3) != groups)
    return emitOpError() << "expected static heads, a multiple of the key's and value's groups, "
                            "found "
                         << formatShape(q.getShape()) << ", " << formatShape(k.getShape()) << ", "
                         << formatShape(v.getShape());
  bool fits = !differ(q.getDimSize(rank - 1), k.getDimSize(rank - 1)) &&
              !differ(k.getDimSize(rank - 2), v.getDimSize(rank - 2));
  for (int64_t dim = 0; dim < rank - 3; ++dim)
    fits &= !differ(q.getDimSize(dim), k.getDimSize(dim)) &&
            !differ(q.getDimSize(dim), v.getDimSize(dim));
  if (!fits)
    return emitOpError() << "shapes of query, key and value do not fit: "
                         << formatShape(q.getShape()) << ", " << formatShape(k.getShape()) << ", "
                         << formatShape(v.getShape());
  SmallVector<int64_t> scores(q.getShape());
  scores.back() = k.getDimSize(rank - 2);
  if (Value mask = getMask()) {
    Type element = typeOf(mask).getElementType();
    if (element != q.getElementType() && !element.isInteger(1))
      return emitOpError() << "expected a mask of element type " << q.getElementType()
                           << " or i1, found " << element;
    if (failed(verifyBroadcastsTo(*this, "mask", typeOf(mask), scores)))
      return failure();
  }
  SmallVector<int64_t> wanted(q.getShape());
  wanted.back() = v.getDimSize(rank - 1);
  if (typeOf(getResult()).getShape() != ArrayRef<int64_t>(wanted))
    return emitOpError() << "expected result shape " << formatShape(wanted) << ", found "
                         << formatShape(typeOf(getResult()).getShape());
  // Splitting the heads reshapes each of them, which leaves one unknown extent at most.
  if (groups != heads)
    for (Value value : getOperands())
      if (typeOf(value).getNumDynamicDims() > 1)
        return emitOpError() << "grouped heads allow one dynamic dimension in each operand, found "
                             << formatShape(typeOf(value).getShape());
  if (getCausal() &&
      (ShapedType::isDynamic(scores[rank - 2]) || ShapedType::isDynamic(scores.back())))
    return emitOpError() << "'causal' needs static lengths, found " << formatShape(scores);
  return success();
}

// Grouped heads: the query's heads H are read as G groups of H/G, and keys broadcast along the
// new dimension.
SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  FuseBuilder p(builder, getLoc());
  RankedTensorType q = typeOf(getQuery()), k = typeOf(getKey());
  Type element = q.getElementType();
  int64_t rank = q.getRank(), heads = q.getDimSize(rank - 3), groups = k.getDimSize(rank - 3);
  auto split = [&](Value x, int64_t outer, int64_t inner) {
    SmallVector<int64_t> shape(typeOf(x).getShape());
    shape[rank - 3] = inner;
    shape.insert(shape.begin() + rank - 3, outer);
    return p.reshape(x, shape);
  };
  bool grouped = groups != heads;
  Value query = getQuery(), key = getKey(), value = getValue(), mask = getMask();
  if (grouped) {
    query = split(query, groups, heads / groups);
    key = split(key, groups, 1);
    value = split(value, groups, 1);
    if (mask && typeOf(mask).getRank() >= 3) {
      int64_t at = typeOf(mask).getRank() - 3;
      SmallVector<int64_t> shape(typeOf(mask).getShape());
      bool perHead = shape[at] != 1;
      shape[at] = perHead ? heads / groups : 1;
      shape.insert(shape.begin() + at, perHead ? groups : 1);
      mask = p.reshape(mask, shape);
    }
  }
  Value scores = p.matmul(query, key, /*transposeLhs=*/false, /*transposeRhs=*/true);
  scores = p.mul(scores, getScale().convertToDouble());
  auto keepWhere = [&](Value condition) {
    scores =
        p.select(condition, scores, p.scalar(-std::numeric_limits<double>::infinity(), element));
  };
  if (mask && typeOf(mask).getElementType().isInteger(1))
    keepWhere(mask);
  else if (mask)
    scores = p.add(scores, mask);
  if (getCausal()) {
    SmallVector<int64_t> shape{q.getDimSize(rank - 2), k.getDimSize(rank - 2)};
    Value row = p.iota(shape, 0, builder.getI64Type()),
          column = p.iota(shape, 1, builder.getI64Type());
    keepWhere(p.compare(ComparePredicate::Le, column, row));
  }
  Value weights = buildSoftmax(p, scores, typeOf(scores).getRank() - 1);
  return {p.reshape(p.matmul(weights, value), typeOf(getResult()).getShape())};
}

int64_t AttentionOp::getFlopsPerElement() { return 4 * typeOf(getQuery()).getShape().back(); }

void mlir::fuse::decomposeAll(Operation *root) {
  SmallVector<DecomposableOpInterface> composites;
  do { // a decomposition may hold composites
    composites.clear();
    root->walk([&](DecomposableOpInterface op) { composites.push_back(op); });
    for (DecomposableOpInterface op : composites) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
    }
  } while (!composites.empty());
}
