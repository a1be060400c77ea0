//===- GraphBuilder.cpp - Ops of the dialect with inferred types ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "fuse/IR/Shapes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

RankedTensorType fuse::getTensorType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isOurs = type && !type.getEncoding() && getTypeClass(type.getElementType()) != NoTypes;
  return isOurs ? type : RankedTensorType();
}

RankedTensorType fuse::getStaticTensorType(Value value) {
  RankedTensorType type = getTensorType(value);
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

bool fuse::isBroadcastOf(ValueRange operands, RankedTensorType result) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value operand : operands) {
    RankedTensorType type = getTensorType(operand);
    if (!type)
      return false;
    shapes.push_back(type.getShape());
  }
  FailureOr<SmallVector<int64_t>> shape = inferBroadcastShape(shapes);
  return succeeded(shape) && llvm::equal(*shape, result.getShape());
}

bool fuse::canBeConstant(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || getTypeClass(tensor.getElementType()) == NoTypes)
    return false;
  auto integer = dyn_cast<IntegerType>(tensor.getElementType());
  return !integer || integer.isSignless();
}

Value GraphBuilder::constant(TypedAttr scalar) {
  auto type = RankedTensorType::get({}, scalar.getType());
  return arith::ConstantOp::create(b, loc, SplatElementsAttr::get(type, Attribute(scalar)));
}

Value GraphBuilder::constant(Type element, double value) {
  return constant(b.getFloatAttr(element, value));
}

Value GraphBuilder::constant(Type element, int64_t value) {
  return constant(b.getIntegerAttr(element, value));
}

Value GraphBuilder::constant(ArrayRef<int64_t> values, Type element, ArrayRef<int64_t> shape) {
  SmallVector<Attribute> elements;
  for (int64_t value : values)
    elements.push_back(b.getIntegerAttr(element, value));
  auto type = RankedTensorType::get(shape, element);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, elements));
}

static RankedTensorType inferResult(ValueRange operands, Type element, RankedTensorType result) {
  if (result)
    return result;
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value operand : operands)
    shapes.push_back(GraphBuilder::typeOf(operand).getShape());
  FailureOr<SmallVector<int64_t>> shape = inferBroadcastShape(shapes);
  // A mismatch is the verifier's to report.
  return succeeded(shape) ? RankedTensorType::get(*shape, element)
                          : GraphBuilder::typeOf(operands.front()).clone(element);
}

Value GraphBuilder::unary(UnaryKind kind, Value x) { return UnaryOp::create(b, loc, kind, x); }

Value GraphBuilder::binary(BinaryKind kind, Value l, Value r, RankedTensorType result) {
  Type type = inferResult({l, r}, typeOf(l).getElementType(), result);
  return BinaryOp::create(b, loc, type, kind, l, r, arith::FastMathFlagsAttr());
}

Value GraphBuilder::compare(ComparePredicate predicate, Value l, Value r, RankedTensorType result) {
  return CompareOp::create(b, loc, inferResult({l, r}, b.getI1Type(), result), predicate, l, r);
}

Value GraphBuilder::select(Value condition, Value yes, Value no, RankedTensorType result) {
  Type type = inferResult({condition, yes, no}, typeOf(yes).getElementType(), result);
  return SelectOp::create(b, loc, type, condition, yes, no);
}

Value GraphBuilder::cast(Value x, Type element) {
  RankedTensorType type = typeOf(x);
  return type.getElementType() == element
             ? x
             : CastOp::create(b, loc, type.clone(element), x).getResult();
}

Value GraphBuilder::bitcast(Value x, Type element) {
  RankedTensorType type = typeOf(x);
  if (type.getElementType() == element)
    return x;
  return BitcastOp::create(b, loc, type.clone(element), x);
}

Value GraphBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(x);
  return type.getShape() == shape ? x : ReshapeOp::create(b, loc, type.clone(shape), x).getResult();
}

Value GraphBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return x;
  RankedTensorType type = typeOf(x);
  SmallVector<int64_t> shape;
  for (int64_t dimension : permutation)
    shape.push_back(type.getDimSize(dimension));
  return TransposeOp::create(b, loc, type.clone(shape), x, permutation);
}

Value GraphBuilder::broadcast(Value x, ArrayRef<int64_t> added, ArrayRef<int64_t> extents) {
  if (added.empty())
    return x;
  SmallVector<int64_t> shape(typeOf(x).getShape());
  for (auto [dimension, extent] : llvm::zip_equal(added, extents))
    shape.insert(shape.begin() + dimension, extent);
  return BroadcastOp::create(b, loc, typeOf(x).clone(shape), x, added);
}

Value GraphBuilder::gather(Value x, Value indices, int64_t dimension) {
  SmallVector<int64_t> shape(typeOf(x).getShape());
  shape.erase(shape.begin() + dimension);
  ArrayRef<int64_t> inner = typeOf(indices).getShape();
  shape.insert(shape.begin() + dimension, inner.begin(), inner.end());
  return GatherOp::create(b, loc, typeOf(x).clone(shape), x, indices, uint64_t(dimension));
}

Value GraphBuilder::reverse(Value x, int64_t dimension) {
  int64_t extent = typeOf(x).getDimSize(dimension);
  if (extent == 1)
    return x;
  SmallVector<int64_t> indices = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, extent)));
  return gather(x, constant(indices, b.getI64Type(), {extent}), dimension);
}

static void eraseDeadOps(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (!isa_and_nonnull<FuseDialect>(op.getDialect()) && isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      for (Region &inner : op.getRegions())
        ::eraseDeadOps(inner);
    }
}

void fuse::eraseDeadOps(func::FuncOp function) { ::eraseDeadOps(function.getBody()); }
