//===- BodyBuilder.cpp - Bodies over tensors of some of the loops -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// The element of `x` at `indices`, where these are constants within a static shape.
static FailureOr<Value> takeElement(FuseBuilder &g, Value x, ValueRange indices) {
  RankedTensorType type = getStaticTensorType(x);
  if (!type)
    return failure();
  for (auto [dim, index] : llvm::enumerate(indices)) {
    APInt place;
    if (!matchPattern(index, m_ConstantInt(&place)) || place.isNegative() ||
        place.getSExtValue() >= type.getDimSize(dim))
      return failure();
    x = g.slice(x, dim, place.getSExtValue(), 1);
  }
  return g.reshape(x, ArrayRef<int64_t>{});
}

/// How many scalar ops may follow each other.
static constexpr unsigned kMostScalarOps = 64;

/// `built` has what was built before: a scalar may be read by several ops.
static FailureOr<Value> buildScalar(FuseBuilder &g, Value scalar, llvm::DenseMap<Value, Value> &built, unsigned depth) {
  Attribute constant;
  if (getTypeClass(scalar.getType()) == NoTypes || depth > kMostScalarOps)
    return failure();
  if (matchPattern(scalar, m_Constant(&constant)))
    return g.constant(cast<TypedAttr>(constant));
  if (Value before = built.lookup(scalar))
    return before;
  Operation *op = scalar.getDefiningOp();
  if (auto extract = dyn_cast_or_null<tensor::ExtractOp>(op))
    return takeElement(g, extract.getTensor(), extract.getIndices());
  if (!op || op->getNumResults() != 1 || op->getNumRegions() > 0)
    return failure();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> value = buildScalar(g, operand, built, depth + 1);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  Value result = buildBodyOp(g, op, operands);
  if (!result)
    return failure();
  built[scalar] = result;
  return result;
}

FailureOr<Value> fuse::buildScalar(FuseBuilder &g, Value scalar) {
  llvm::DenseMap<Value, Value> built;
  return ::buildScalar(g, scalar, built, /*depth=*/0);
}

BodyBuilder::BodyBuilder(OpBuilder &b, linalg::LinalgOp op)
    : graph(b, op.getLoc()), op(op), extents(op.getStaticLoopRanges()) {}

LogicalResult BodyBuilder::readOperand(OpOperand &operand, Value scalar) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value value = operand.get();
  if (!isa<RankedTensorType>(value.getType())) {
    FailureOr<Value> built = buildScalar(graph, value);
    if (failed(built))
      return failure();
    tensors[scalar] = {*built, {}};
    return success();
  }
  RankedTensorType type = getTensorType(value);
  if (!type)
    return failure();
  // Unit dimensions that are read at 0 go.
  SmallVector<int64_t> loops, shape;
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), type.getShape())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() == 0 && extent == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(loops, dim.getPosition()) ||
        extents[dim.getPosition()] != extent)
      return failure();
    loops.push_back(dim.getPosition());
    shape.push_back(extent);
  }
  if (llvm::count_if(shape, ShapedType::isDynamic) > 1 && shape.size() != type.getShape().size())
    return failure();
  tensors[scalar] = {graph.reshape(value, shape),
                     SmallVector<int64_t, 4>(loops.begin(), loops.end())};
  return success();
}

LoopTensor BodyBuilder::sort(const LoopTensor &x) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, x.loops.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return x.loops[a] < x.loops[b]; });
  LoopTensor sorted = {graph.transpose(x.tensor, order), x.loops};
  llvm::sort(sorted.loops);
  return sorted;
}

LogicalResult BodyBuilder::readOperands(bool withInits) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input) &&
        failed(readOperand(*input, op.getMatchingBlockArgument(input))))
      return failure();
  if (!withInits)
    return success();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init) &&
        failed(readOperand(init, op.getMatchingBlockArgument(&init))))
      return failure();
  return success();
}

const LoopTensor *BodyBuilder::lookup(Value scalar) {
  auto it = tensors.find(scalar);
  if (it != tensors.end())
    return &it->second;
  // A constant, or a scalar from around the op.
  bool isWithin = op->isAncestor(scalar.getParentBlock()->getParentOp());
  if (isWithin && !matchPattern(scalar, m_Constant()))
    return nullptr;
  FailureOr<Value> built = buildScalar(graph, scalar);
  return failed(built) ? nullptr : &(tensors[scalar] = {*built, {}});
}

FailureOr<Value> BodyBuilder::expandTo(const LoopTensor &any, ArrayRef<int64_t> loops) {
  LoopTensor x = sort(any);
  ArrayRef<int64_t> have = FuseBuilder::typeOf(x.tensor).getShape();
  SmallVector<int64_t> shape;
  size_t next = 0;
  for (int64_t loop : loops) {
    if (next < x.loops.size() && x.loops[next] == loop)
      shape.push_back(have[next++]);
    else if (!shape.empty())
      shape.push_back(1);
  }
  if (shape.size() != have.size() && llvm::count_if(shape, ShapedType::isDynamic) > 1)
    return failure();
  return graph.reshape(x.tensor, shape);
}

FailureOr<Value> BodyBuilder::broadcastTo(const LoopTensor &any, ArrayRef<int64_t> loops) {
  LoopTensor x = sort(any);
  SmallVector<int64_t> added, wanted;
  for (auto [position, loop] : llvm::enumerate(loops))
    if (!llvm::is_contained(x.loops, loop)) {
      if (ShapedType::isDynamic(extents[loop]))
        return failure();
      added.push_back(position);
      wanted.push_back(extents[loop]);
    }
  return graph.broadcast(x.tensor, added, wanted);
}

FailureOr<LoopTensor> BodyBuilder::apply(ArrayRef<LoopTensor> operands,
                                         llvm::function_ref<Value(ArrayRef<Value>)> function) {
  SmallVector<int64_t, 4> loops;
  bool isOrdered = true;
  for (const LoopTensor &operand : operands) {
    isOrdered &= loops.empty() || operand.loops.empty() || loops == operand.loops;
    for (int64_t loop : operand.loops)
      if (!llvm::is_contained(loops, loop))
        loops.push_back(loop);
  }
  // Where all have one order it is kept: a product may read its factors as they lie.
  if (!isOrdered)
    llvm::sort(loops);
  SmallVector<Value> values;
  for (const LoopTensor &operand : operands) {
    FailureOr<Value> value = operand.tensor;
    if (!isOrdered)
      value = expandTo(operand, loops);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  Value result = function(values);
  if (!result)
    return failure();
  return LoopTensor{result, loops};
}

LogicalResult BodyBuilder::build(Operation *bodyOp) {
  SmallVector<LoopTensor> operands;
  for (Value operand : bodyOp->getOperands()) {
    const LoopTensor *tensor = lookup(operand);
    if (!tensor)
      return failure();
    operands.push_back(*tensor);
  }
  FailureOr<LoopTensor> result =
      apply(operands, [&](ArrayRef<Value> values) { return buildBodyOp(graph, bodyOp, values); });
  if (failed(result))
    return failure();
  tensors[bodyOp->getResult(0)] = *result;
  return success();
}
