//===- FuseBuilder.cpp - Ops of the dialect, with the types that follow -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

RankedTensorType FuseBuilder::makeType(ArrayRef<int64_t> shape, Type element) {
  std::optional<std::string> problem = check ? check(*toElementType(element), shape) : std::nullopt;
  if (!problem)
    return RankedTensorType::get(shape, element);
  if (error.empty())
    error = *problem;
  return RankedTensorType::get(SmallVector<int64_t>(shape.size(), 1), element);
}

//===- Constants ----------------------------------------------------------------------------===//

Value FuseBuilder::splat(double value, RankedTensorType type) {
  std::optional<ElementType> element = toElementType(type.getElementType());
  DenseElementsAttr one = HostArray::splat(*element, {}, value).toAttribute(getContext());
  return arith::ConstantOp::create(b, one.resizeSplat(type));
}

Value FuseBuilder::scalar(double value, Type element) {
  return splat(value, RankedTensorType::get({}, element));
}

Value FuseBuilder::constant(DenseElementsAttr value) { return arith::ConstantOp::create(b, value); }

Value FuseBuilder::constant(const HostArray &array) {
  return constant(array.toAttribute(getContext()));
}

Value FuseBuilder::constant(TypedAttr scalar) {
  auto type = RankedTensorType::get({}, scalar.getType());
  return constant(SplatElementsAttr::get(type, Attribute(scalar)));
}

Value FuseBuilder::constant(ArrayRef<int64_t> values, Type element, ArrayRef<int64_t> shape) {
  return constant(HostArray::fromInts(*toElementType(element), shape, values));
}

Value FuseBuilder::constant(ArrayRef<int64_t> values) {
  return constant(values, b.getI64Type(), {int64_t(values.size())});
}

//===- Element-wise -------------------------------------------------------------------------===//

RankedTensorType FuseBuilder::inferType(ValueRange operands, Type element) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value operand : operands)
    shapes.push_back(FuseBuilder::shapeOf(operand));
  FailureOr<SmallVector<int64_t>> shape = inferBroadcastShape(shapes);
  // The verifier shows both shapes.
  return makeType(succeeded(shape) ? ArrayRef<int64_t>(*shape) : shapes.front(), element);
}

/// A number that is computed from numbers known here is a constant: scales of quantized tensors are divided by each other.
static Value foldNumber(OpBuilder &b, Value value) {
  if (cast<RankedTensorType>(value.getType()).getRank() != 0)
    return value;
  Operation *op = value.getDefiningOp();
  SmallVector<Value, 1> folded;
  if (failed(b.tryFold(op, folded)) || folded.size() != 1)
    return value;
  op->erase();
  return folded.front();
}

Value FuseBuilder::unary(UnaryKind kind, Value x) { return foldNumber(b, UnaryOp::create(b, kind, x)); }

Value FuseBuilder::unary(UnaryKind kind, Value x, double alpha, std::optional<double> beta) {
  auto op = UnaryOp::create(b, kind, x);
  op.setAlphaAttr(b.getF64FloatAttr(alpha));
  if (beta)
    op.setBetaAttr(b.getF64FloatAttr(*beta));
  return op;
}

Value FuseBuilder::binary(BinaryKind kind, Value x, Value y, RankedTensorType result) {
  Type type = result ? result : inferType({x, y}, elementOf(x));
  return foldNumber(b, BinaryOp::create(b, type, kind, x, y, arith::FastMathFlagsAttr()));
}

Value FuseBuilder::compare(ComparePredicate predicate, Value x, Value y, RankedTensorType result) {
  Type type = result ? result : inferType({x, y}, b.getI1Type());
  return CompareOp::create(b, type, predicate, x, y);
}

Value FuseBuilder::select(Value condition, Value onTrue, Value onFalse, RankedTensorType result) {
  Type type = result ? result : inferType({condition, onTrue, onFalse}, elementOf(onTrue));
  return SelectOp::create(b, type, condition, onTrue, onFalse);
}

Value FuseBuilder::clamp(Value x, Value low, Value high) {
  return ClampOp::create(b, inferType({x, low, high}, elementOf(x)), x, low, high);
}

Value FuseBuilder::widen(Value x) {
  Type element = elementOf(x);
  return element.isF16() || element.isBF16() ? cast(x, getBuilder().getF32Type()) : x;
}

Value FuseBuilder::cast(Value x, Type element) {
  if (elementOf(x) == element)
    return x;
  return foldNumber(b, CastOp::create(b, typeOf(x).clone(element), x));
}

Value FuseBuilder::bitcast(Value x, Type element) {
  if (elementOf(x) == element)
    return x;
  return BitcastOp::create(b, typeOf(x).clone(element), x);
}

//===- Reductions and products --------------------------------------------------------------===//

static SmallVector<int64_t> reduceShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes,
                                        bool keepDims) {
  SmallVector<int64_t> result;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      result.push_back(extent);
    else if (keepDims)
      result.push_back(1);
  }
  return result;
}

Value FuseBuilder::reduce(ReduceKind kind, Value x, ArrayRef<int64_t> axes, bool keepDims) {
  if (axes.empty())
    return x;
  SmallVector<int64_t> sorted(axes);
  llvm::sort(sorted);
  auto type = makeType(reduceShape(shapeOf(x), sorted, keepDims), elementOf(x));
  return ReduceOp::create(b, type, kind, x, sorted, keepDims);
}

Value FuseBuilder::argmax(Value x, int64_t axis, bool keepDims) {
  auto type = makeType(reduceShape(shapeOf(x), {axis}, keepDims), b.getI64Type());
  return ArgmaxOp::create(b, type, x, axis, keepDims);
}

Value FuseBuilder::argmin(Value x, int64_t axis, bool keepDims) {
  auto type = makeType(reduceShape(shapeOf(x), {axis}, keepDims), b.getI64Type());
  return ArgminOp::create(b, type, x, axis, keepDims);
}

Value FuseBuilder::matmul(Value x, Value y, bool transposeLhs, bool transposeRhs, Type element) {
  ArrayRef<int64_t> lhs = shapeOf(x), rhs = shapeOf(y);
  FailureOr<SmallVector<int64_t>> batch = inferBroadcastShape({lhs.drop_back(2), rhs.drop_back(2)});
  SmallVector<int64_t> shape(succeeded(batch) ? *batch : SmallVector<int64_t>(lhs.drop_back(2)));
  shape.push_back(lhs[lhs.size() - (transposeLhs ? 1 : 2)]);
  shape.push_back(rhs[rhs.size() - (transposeRhs ? 2 : 1)]);
  auto type = makeType(shape, element ? element : elementOf(x));
  return MatmulOp::create(b, type, x, y, transposeLhs, transposeRhs);
}

//===- Views and moves ----------------------------------------------------------------------===//

Value FuseBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  if (shapeOf(x) == shape)
    return x;
  if (llvm::count_if(shape, ShapedType::isDynamic) > 1 && pairDynamicDims(shapeOf(x), shape).empty() &&
      error.empty())
    error = "expected at most one open extent, found " + formatShape(shapeOf(x));
  // Extents that were multiplied although one is open are 0 or no numbers.
  bool losesElements = llvm::is_contained(shape, 0) && !llvm::is_contained(shapeOf(x), 0);
  if ((losesElements || llvm::any_of(shape, [](int64_t extent) {
         return extent < 0 && !ShapedType::isDynamic(extent);
       })) && error.empty())
    error = "expected extents of as many elements as " + formatShape(shapeOf(x)) + " has, found " + formatShape(shape);
  return ReshapeOp::create(b, withShape(x, shape), x);
}

/// A shape with its numbers, and the values of what is open.
static std::pair<SmallVector<int64_t>, SmallVector<Value>> split(ArrayRef<OpFoldResult> extents) {
  std::pair<SmallVector<int64_t>, SmallVector<Value>> parts;
  dispatchIndexOpFoldResults(extents, parts.second, parts.first);
  return parts;
}

Value FuseBuilder::reshape(Value x, ArrayRef<OpFoldResult> extents) {
  auto [shape, sizes] = split(extents);
  if (sizes.empty() || (sizes.size() < 2 && !llvm::is_contained(shape, 0))) // follow from the number of elements
    return reshape(x, shape);
  return ReshapeOp::create(b, withShape(x, shape), x, sizes);
}

Value FuseBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  bool isIdentity = true;
  for (auto [dim, from] : llvm::enumerate(permutation)) {
    shape.push_back(shapeOf(x)[from]);
    isIdentity &= from == static_cast<int64_t>(dim);
  }
  if (isIdentity)
    return x;
  return TransposeOp::create(b, withShape(x, shape), x, permutation);
}

Value FuseBuilder::swap(Value x, int64_t first, int64_t second) {
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  std::swap(permutation[first], permutation[second]);
  return transpose(x, permutation);
}

Value FuseBuilder::slice(Value x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                         ArrayRef<int64_t> strides) {
  bool isWhole =
      sizes == shapeOf(x) && llvm::all_of(offsets, [](int64_t offset) { return offset == 0; });
  if (isWhole)
    return x;
  // A dynamic dimension is taken whole.
  SmallVector<int64_t> attribute(sizes);
  for (int64_t &size : attribute)
    if (ShapedType::isDynamic(size))
      size = -1;
  return SliceOp::create(b, withShape(x, sizes), x, offsets, attribute, strides);
}

Value FuseBuilder::slice(Value x, int64_t axis, int64_t offset, int64_t size, int64_t stride) {
  SmallVector<int64_t> offsets(rankOf(x), 0), sizes(shapeOf(x)), strides(rankOf(x), 1);
  offsets[axis] = offset;
  sizes[axis] = size;
  strides[axis] = stride;
  return slice(x, offsets, sizes, strides);
}

Value FuseBuilder::slice(Value x, int64_t axis, OpFoldResult offset, OpFoldResult size, int64_t stride) {
  std::optional<int64_t> from = getConstantIntValue(offset), count = getConstantIntValue(size);
  if (from && count)
    return slice(x, axis, *from, *count, stride);
  SmallVector<OpFoldResult> offsets(rankOf(x), b.getIndexAttr(0)), sizes;
  SmallVector<int64_t> strides(rankOf(x), 1), shape(shapeOf(x));
  for (int64_t extent : shape)
    sizes.push_back(b.getIndexAttr(ShapedType::isDynamic(extent) ? -1 : extent));
  offsets[axis] = offset;
  sizes[axis] = size;
  strides[axis] = stride;
  shape[axis] = count.value_or(ShapedType::kDynamic);
  auto [staticOffsets, dynamicOffsets] = split(offsets);
  auto [staticSizes, dynamicSizes] = split(sizes);
  return SliceOp::create(b, withShape(x, shape), x, dynamicOffsets, dynamicSizes, staticOffsets, staticSizes,
                         strides);
}

Value FuseBuilder::sliceFrom(Value x, int64_t axis, int64_t offset) {
  int64_t extent = shapeOf(x)[axis];
  return offset == 0 ? x : slice(x, axis, offset, ShapedType::isDynamic(extent) ? extent : extent - offset);
}

Value FuseBuilder::broadcast(Value x, ArrayRef<int64_t> added, ArrayRef<int64_t> extents) {
  if (added.empty())
    return x;
  SmallVector<int64_t> shape(shapeOf(x));
  for (auto [axis, extent] : llvm::zip_equal(added, extents))
    shape.insert(shape.begin() + axis, extent);
  return BroadcastOp::create(b, withShape(x, shape), x, added);
}

Value FuseBuilder::broadcastTo(Value x, ArrayRef<int64_t> shape) {
  if (shapeOf(x) == shape)
    return x;
  int64_t added = static_cast<int64_t>(shape.size()) - rankOf(x);
  SmallVector<int64_t> kept, dimensions;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    bool isNew = dim < added || (shapeOf(x)[dim - added] == 1 && shape[dim] != 1);
    if (isNew)
      dimensions.push_back(dim);
    else
      kept.push_back(shapeOf(x)[dim - added]);
  }
  Value reduced = reshape(x, kept);
  if (dimensions.empty())
    return reduced;
  return BroadcastOp::create(b, withShape(x, shape), reduced, dimensions);
}

Value FuseBuilder::broadcastTo(Value x, ArrayRef<OpFoldResult> extents) {
  auto [shape, sizes] = split(extents);
  if (sizes.empty())
    return broadcastTo(x, shape);
  int64_t added = static_cast<int64_t>(shape.size()) - rankOf(x);
  SmallVector<int64_t> kept, dimensions;
  SmallVector<Value> addedSizes;
  ArrayRef<Value> rest = sizes;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    bool isOpen = ShapedType::isDynamic(shape[dim]);
    bool isNew = dim < added || (shapeOf(x)[dim - added] == 1 && shape[dim] != 1);
    if (isNew)
      dimensions.push_back(dim);
    else
      kept.push_back(shape[dim] = shapeOf(x)[dim - added]);
    if (isNew && isOpen)
      addedSizes.push_back(rest.front());
    rest = isOpen ? rest.drop_front() : rest;
  }
  Value reduced = reshape(x, kept);
  if (dimensions.empty())
    return reduced;
  return BroadcastOp::create(b, withShape(x, shape), reduced, addedSizes, dimensions);
}

Value FuseBuilder::insertUnitDims(Value x, ArrayRef<int64_t> axes) {
  int64_t rank = rankOf(x) + static_cast<int64_t>(axes.size());
  SmallVector<int64_t> shape;
  for (int64_t dim = 0, from = 0; dim < rank; ++dim)
    shape.push_back(llvm::is_contained(axes, dim) ? 1 : shapeOf(x)[from++]);
  return reshape(x, shape);
}

Value FuseBuilder::concat(ValueRange parts, int64_t axis) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<int64_t> shape(shapeOf(parts.front()));
  shape[axis] = 0;
  for (Value part : parts) {
    int64_t extent = shapeOf(part)[axis];
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(shape[axis]))
      shape[axis] = ShapedType::kDynamic;
    else if (llvm::AddOverflow(shape[axis], extent, shape[axis])) // an error in any case
      shape[axis] = std::numeric_limits<int64_t>::max();
  }
  return ConcatOp::create(b, withShape(parts.front(), shape), parts, axis);
}

Value FuseBuilder::pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high, TypedAttr value) {
  SmallVector<int64_t> shape(shapeOf(x));
  bool changes = false;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    changes |= low[dim] || high[dim];
    if (!ShapedType::isDynamic(shape[dim]))
      shape[dim] += low[dim] + high[dim];
  }
  return changes ? PadOp::create(b, withShape(x, shape), x, low, high, value).getResult() : x;
}

Value FuseBuilder::pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high, double value) {
  DenseElementsAttr one =
      HostArray::splat(*toElementType(elementOf(x)), {}, value).toAttribute(getContext());
  return pad(x, low, high, llvm::cast<TypedAttr>(one.getSplatValue<Attribute>()));
}

Value FuseBuilder::spread(Value x, int64_t axis, int64_t stride) {
  SmallVector<int64_t> shape(shapeOf(x)), split(shape);
  int64_t extent = shape[axis];
  if (stride == 1 || extent == 0)
    return x;
  split.insert(split.begin() + axis + 1, 1);
  SmallVector<int64_t> low(split.size(), 0), high(low);
  high[axis + 1] = stride - 1;
  shape[axis] = extent * stride;
  Value wide = reshape(pad(reshape(x, split), low, high, 0.0), shape);
  return slice(wide, axis, 0, (extent - 1) * stride + 1);
}

Value FuseBuilder::gather(Value x, Value indices, int64_t axis) {
  SmallVector<int64_t> shape(shapeOf(x).take_front(axis));
  llvm::append_range(shape, shapeOf(indices));
  llvm::append_range(shape, shapeOf(x).drop_front(axis + 1));
  return GatherOp::create(b, withShape(x, shape), x, indices, axis);
}

Value FuseBuilder::gather(Value x, ArrayRef<int64_t> indices, int64_t axis) {
  return gather(x, constant(indices), axis);
}

Value FuseBuilder::reverse(Value x, int64_t axis) {
  int64_t extent = shapeOf(x)[axis];
  if (extent <= 1)
    return x;
  return gather(x, llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(extent))), axis);
}

Value FuseBuilder::scatter(ScatterKind kind, Value x, Value indices, Value updates, int64_t axis) {
  return ScatterOp::create(b, x.getType(), kind, x, indices, updates, axis);
}

Value FuseBuilder::iota(ArrayRef<OpFoldResult> extents, int64_t axis, Type element) {
  auto [shape, sizes] = split(extents);
  return IotaOp::create(b, makeType(shape, element), sizes, axis);
}

Value FuseBuilder::fromIndex(OpFoldResult number, Type element) {
  if (std::optional<int64_t> known = getConstantIntValue(number))
    return constant({*known}, element, {});
  return FromIndexOp::create(b, RankedTensorType::get({}, element), llvm::cast<Value>(number));
}

Value FuseBuilder::iota(ArrayRef<int64_t> shape, int64_t axis, Type element) {
  return IotaOp::create(b, makeType(shape, element), axis);
}
