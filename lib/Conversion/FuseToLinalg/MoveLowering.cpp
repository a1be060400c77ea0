//===- MoveLowering.cpp - Data movement: bodies that read at computed indices -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// All loops are parallel, and the body reads whole tensors at indices that it keeps in bounds, so
// that every lane may execute it; what was read out of place is replaced by arith.select.
//
//===----------------------------------------------------------------------------------------===//

#include "Lowerings.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/ScalarBody.h"
#include "fuse/IR/ScatterShape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

Value constantIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value asValue(ImplicitLocOpBuilder &b, OpFoldResult extent) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), extent);
}

/// `index` moved into [0, extent); 0 where the extent is 0.
Value clampIndex(ImplicitLocOpBuilder &b, Value index, Value extent) {
  Value last = arith::SubIOp::create(b, extent, constantIndex(b, 1));
  return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, index, last), constantIndex(b, 0));
}

/// The sum of two extents, a number where both are.
OpFoldResult addExtents(ImplicitLocOpBuilder &b, OpFoldResult left, OpFoldResult right) {
  std::optional<int64_t> one = getConstantIntValue(left), other = getConstantIntValue(right);
  if (one && other)
    return b.getIndexAttr(*one + *other);
  return arith::AddIOp::create(b, asValue(b, left), asValue(b, right)).getResult();
}

SmallVector<ElementIndex> getIndices(BodyContext &context) {
  SmallVector<ElementIndex> indices;
  for (unsigned loop = 0; loop < context.loops.size(); ++loop)
    indices.push_back(context.getDigits(loop));
  return indices;
}

SmallVector<OpFoldResult> getStaticExtents(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape) {
  return getAsIndexOpFoldResult(b.getContext(), shape);
}

} // namespace

LazyTensor fuse::lowerPad(ImplicitLocOpBuilder &b, const LazyTensor &whole, ArrayRef<int64_t> low,
                          ArrayRef<int64_t> high, TypedAttr value, const DimFactors &factors) {
  LazyTensor operand = prepareForReads(b, whole);
  SmallVector<OpFoldResult> extents = getExtents(b, operand);
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (low[dim] || high[dim]) {
      if (std::optional<int64_t> fixed = getConstantIntValue(extent)) {
        extent = b.getIndexAttr(*fixed + low[dim] + high[dim]);
        continue;
      }
      Value more = constantIndex(b, low[dim] + high[dim]);
      extent = arith::AddIOp::create(b, cast<Value>(extent), more).getResult();
    }
  SmallVector<OpFoldResult> sizes = getExtents(b, operand);
  return buildMap(
      b, extents, {}, operand.element,
      [&](BodyContext &context) -> Value {
        ImplicitLocOpBuilder &inner = context.b;
        Value border = arith::ConstantOp::create(inner, value);
        if (llvm::is_contained(operand.shape, 0))
          return border;
        SmallVector<ElementIndex> position = getIndices(context);
        Value inside;
        for (auto [dim, digits] : llvm::enumerate(position)) {
          if (!low[dim] && !high[dim])
            continue;
          Value index = digits.getWhole(inner);
          if (low[dim])
            index = arith::SubIOp::create(inner, index, constantIndex(inner, low[dim]));
          digits = index;
          if (low[dim] <= 0 && high[dim] <= 0)
            continue;
          // One unsigned comparison for both ends.
          Value size = asValue(inner, sizes[dim]);
          Value fits = arith::CmpIOp::create(inner, arith::CmpIPredicate::ult, index, size);
          inside = inside ? arith::AndIOp::create(inner, inside, fits).getResult() : fits;
          digits = clampIndex(inner, index, size);
        }
        Value element = readElement(inner, operand, position);
        return inside ? arith::SelectOp::create(inner, inside, element, border).getResult()
                      : element;
      },
      factors);
}

/// Equal parts: each is read along the loops of the result, and one is selected by the number of the
/// part. So the loops of the parts are those of the result, and vectors serve.
static LazyTensor concatEqualParts(ImplicitLocOpBuilder &b, int64_t dimension,
                                   ArrayRef<LazyTensor> operands, const DimFactors &factors) {
  SmallVector<OpFoldResult> extents = getExtents(b, operands.front());
  int64_t part = operands.front().shape[dimension];
  extents.insert(extents.begin() + dimension, b.getIndexAttr(operands.size()));
  Domain domain = Domain::parallel(extents);
  AffineMap map = AffineMap::getMultiDimIdentityMap(domain.size(), b.getContext());
  map = map.dropResult(dimension);
  SmallVector<Input> inputs;
  for (const LazyTensor &operand : operands)
    inputs.push_back({operand, map});
  Output output{operands.front().element, llvm::to_vector(llvm::seq<unsigned>(0, domain.size())),
                {}, factors};
  splitFactors(output.factors, dimension, part);
  LazyTensor parts =
      buildGeneric(b, domain, inputs, output, [&](BodyContext &context) -> SmallVector<Value> {
        ImplicitLocOpBuilder &inner = context.b;
        Value number = context.getIndex(dimension), result = context.inputs[0];
        for (size_t i = 1; i < operands.size(); ++i) {
          Value here = arith::CmpIOp::create(inner, arith::CmpIPredicate::uge, number,
                                             constantIndex(inner, i));
          result = arith::SelectOp::create(inner, here, context.inputs[i], result);
        }
        return {result};
      }).front();
  return joinDims(parts, dimension);
}

LazyTensor fuse::lowerConcat(ImplicitLocOpBuilder &b, ConcatOp op, ArrayRef<LazyTensor> sources,
                             const DimFactors &factors) {
  int64_t dimension = op.getDimension();
  if (op.getEqualParts())
    return concatEqualParts(b, dimension, sources, factors);
  SmallVector<LazyTensor> operands;
  for (const LazyTensor &source : sources)
    operands.push_back(prepareForReads(b, source));
  SmallVector<OpFoldResult> extents = getExtents(b, operands.front());
  for (const LazyTensor &operand : operands)
    for (int64_t dim = 0; dim < operand.getRank(); ++dim)
      if (!isa<Attribute>(extents[dim]) && !ShapedType::isDynamic(operand.shape[dim]))
        extents[dim] = b.getIndexAttr(operand.shape[dim]);
  // Where each operand begins along the dimension, and the end of the last.
  SmallVector<OpFoldResult> starts = {b.getIndexAttr(0)};
  for (const LazyTensor &operand : operands)
    starts.push_back(addExtents(b, starts.back(), getExtent(b, operand, dimension)));
  extents[dimension] = starts.back();
  auto body = [&](BodyContext &context) {
    ImplicitLocOpBuilder &inner = context.b;
    SmallVector<ElementIndex> position = getIndices(context);
    Value index = position[dimension].getWhole(inner), result;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      OpFoldResult extent = getExtent(b, operand, dimension);
      if (isConstantIntValue(extent, 0))
        continue;
      Value start = asValue(inner, starts[number]);
      Value local = arith::SubIOp::create(inner, index, start);
      position[dimension] = clampIndex(inner, local, asValue(inner, extent));
      Value element = readElement(inner, operand, position);
      if (result) {
        Value here = arith::CmpIOp::create(inner, arith::CmpIPredicate::sge, index, start);
        element = arith::SelectOp::create(inner, here, element, result);
      }
      result = element;
    }
    if (!result) // nothing but empty operands: the body never runs
      result = buildReduceNeutral(inner, ReduceKind::Max, operands.front().element);
    return result;
  };
  return buildMap(b, extents, {}, operands.front().element, body, factors);
}

LazyTensor fuse::lowerGather(ImplicitLocOpBuilder &b, GatherOp op, const LazyTensor &whole,
                             const LazyTensor &indices, const DimFactors &factors) {
  LazyTensor operand = prepareForReads(b, whole);
  int64_t dimension = op.getDimension(), indexRank = indices.getRank();
  SmallVector<OpFoldResult> extents = getExtents(b, operand);
  OpFoldResult extent = extents[dimension];
  extents.erase(extents.begin() + dimension);
  SmallVector<OpFoldResult> inserted = getExtents(b, indices);
  extents.insert(extents.begin() + dimension, inserted.begin(), inserted.end());
  Domain domain = Domain::parallel(extents);
  Input input{indices, AffineMap::getMultiDimIdentityMap(domain.size(), b.getContext())
                           .getSliceMap(dimension, indexRank)};
  Output output{operand.element, llvm::to_vector(llvm::seq<unsigned>(0, domain.size())), {}, factors};
  auto body = [&](BodyContext &context) -> SmallVector<Value> {
    ImplicitLocOpBuilder &inner = context.b;
    if (llvm::is_contained(operand.shape, 0))
      return {buildReduceNeutral(inner, ReduceKind::Sum, operand.element)};
    Value index = arith::IndexCastOp::create(inner, inner.getIndexType(), context.inputs[0]);
    Value negative = arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, index,
                                           constantIndex(inner, 0));
    Value size = asValue(inner, extent);
    Value wrapped = arith::AddIOp::create(inner, index, size);
    index = arith::SelectOp::create(inner, negative, wrapped, index);
    SmallVector<ElementIndex> position = getIndices(context);
    position.erase(position.begin() + dimension, position.begin() + dimension + indexRank);
    position.insert(position.begin() + dimension, clampIndex(inner, index, size));
    return {readElement(inner, operand, position)};
  };
  return buildGeneric(b, domain, input, output, body).front();
}

/// `value`, whose dimensions from `first` on are `count` ones of indices (or the one that they are of), as
/// a tensor of `shape`: those before as one, these, and those behind, without units around.
static Value joinAround(ImplicitLocOpBuilder &b, const LazyTensor &value, int64_t first,
                        int64_t count, ArrayRef<int64_t> shape) {
  Type storage = getStorageType(value.element);
  auto type = RankedTensorType::get(shape, storage);
  bool hasBefore = llvm::any_of(ArrayRef(value.shape).take_front(first),
                                [](int64_t extent) { return extent != 1; });
  bool hasBehind = shape.size() > 1 + unsigned(hasBefore);
  if (!value.base) { // a constant of one value
    SmallVector<OpFoldResult> extents = getExtents(b, value), joined;
    auto join = [&](ArrayRef<OpFoldResult> part) {
      OpFoldResult all = b.getIndexAttr(1);
      for (OpFoldResult extent : part) {
        std::optional<int64_t> one = getConstantIntValue(all), other = getConstantIntValue(extent);
        if (one && other)
          all = b.getIndexAttr(*one * *other);
        else
          all = arith::MulIOp::create(b, asValue(b, all), asValue(b, extent)).getResult();
      }
      joined.push_back(all);
    };
    if (hasBefore)
      join(ArrayRef(extents).take_front(first));
    join(ArrayRef(extents).slice(first, count));
    if (hasBehind)
      join(ArrayRef(extents).drop_front(first + count));
    Value empty = tensor::EmptyOp::create(b, joined, storage);
    TypedAttr element = value.splat;
    if (value.element.isInteger(1))
      element = b.getIntegerAttr(storage, cast<IntegerAttr>(element).getValue().isZero() ? 0 : 1);
    return linalg::FillOp::create(b, arith::ConstantOp::create(b, element).getResult(), empty)
        .getResult(0);
  }
  LazyTensor whole = joinOrCopy(b, value.isInOrder() ? value : materialize(b, value));
  if (llvm::count_if(value.shape, ShapedType::isDynamic) < 2) {
    whole = joinOrCopy(b, reshapeOrCopy(b, whole, shape));
    return expandUnits(b, whole, type);
  }
  // Which unknown extent becomes which, shapes alone do not tell.
  int64_t rank = value.getRank();
  Value tensor = expandUnits(b, whole, RankedTensorType::get(whole.shape, storage));
  SmallVector<ReassociationIndices> groups;
  if (count == 0) { // one slice
    SmallVector<int64_t> inserted(whole.shape);
    SmallVector<OpFoldResult> extents = getExtents(b, whole);
    inserted.insert(inserted.begin() + first, 1);
    extents.insert(extents.begin() + first, b.getIndexAttr(1));
    for (int64_t dim = 0; dim < rank; ++dim)
      groups.push_back({dim < first ? dim : dim + 1});
    ReassociationIndices &beside = groups[first == 0 ? 0 : first - 1];
    beside.insert(first == 0 ? beside.begin() : beside.end(), first);
    tensor = tensor::ExpandShapeOp::create(b, RankedTensorType::get(inserted, storage), tensor,
                                           groups, extents);
    groups.clear();
    count = 1;
    ++rank;
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == 0 || (hasBefore && dim == first) || (hasBehind && dim == first + count))
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  if (groups.size() < static_cast<size_t>(rank))
    tensor = tensor::CollapseShapeOp::create(b, tensor, groups);
  return tensor.getType() == type ? tensor : tensor::CastOp::create(b, type, tensor).getResult();
}

LazyTensor fuse::lowerScatter(ImplicitLocOpBuilder &b, ScatterOp op,
                              ArrayRef<LazyTensor> operands) {
  const LazyTensor &operand = operands[0], &indices = operands[1], &updates = operands[2];
  ArrayRef<int64_t> into = operand.shape;
  if (ScatterShape::isCopy(into, updates.shape))
    return materialize(b, operand);
  int64_t dimension = op.getDimension(), indexRank = indices.getRank();
  ScatterShape shape = ScatterShape::get(into, indices.shape, dimension);
  Value init = joinAround(b, operand, dimension, 1, shape.extents);
  Value list = joinAround(b, indices, 0, indexRank, shape.updates);
  Value rows = joinAround(b, updates, dimension, indexRank, shape.getUpdateExtents());
  Value result = ScatterRowsOp::create(b, init.getType(), op.getKind(), operand.element, init, list,
                                       rows, shape.dimension);
  if (llvm::count_if(into, ShapedType::isDynamic) < 2)
    return reshapeOrCopy(b, collapseUnits(b, result, operand.element), into);
  SmallVector<ReassociationIndices> groups;
  bool hasBefore = shape.dimension > 0, hasBehind = shape.extents.size() > shape.dimension + 1;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    if (dim == 0 || (hasBefore && dim == dimension) || (hasBehind && dim == dimension + 1))
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  if (groups.size() < into.size())
    result = tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(into, getStorageType(operand.element)), result, groups,
        getExtents(b, operand));
  return collapseUnits(b, result, operand.element);
}

LazyTensor fuse::lowerIota(ImplicitLocOpBuilder &b, IotaOp op, ValueRange sizes,
                           const DimFactors &factors) {
  auto type = cast<RankedTensorType>(op.getType());
  Type i64 = b.getI64Type();
  auto body = [&](BodyContext &context) {
    Value index =
        arith::IndexCastOp::create(context.b, i64, context.getIndex(op.getDimension()));
    return buildCast(context.b, i64, type.getElementType(), index);
  };
  return buildMap(b, getMixedValues(type.getShape(), sizes, b), {}, type.getElementType(), body, factors);
}

LazyTensor fuse::lowerFromIndex(ImplicitLocOpBuilder &b, FromIndexOp op, Value number) {
  Type i64 = b.getI64Type(), element = getElementTypeOrSelf(op.getType());
  return buildMap(b, {}, {}, element, [&](BodyContext &context) {
    return buildCast(context.b, i64, element, arith::IndexCastOp::create(context.b, i64, number));
  });
}

LazyTensor fuse::lowerResizeNearest(ImplicitLocOpBuilder &b, ResizeNearestOp op,
                                    const LazyTensor &whole, ValueRange sizes,
                                    const DimFactors &factors) {
  LazyTensor operand = prepareForReads(b, whole);
  SmallVector<OpFoldResult> before = getExtents(b, operand), extents = before;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  if (!sizes.empty())
    extents = getMixedValues(shape, sizes, b);
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (!ShapedType::isDynamic(extent))
      extents[dim] = b.getIndexAttr(extent);
  auto body = [&](BodyContext &context) {
    ImplicitLocOpBuilder &inner = context.b;
    SmallVector<ElementIndex> position = getIndices(context);
    for (auto [dim, index] : llvm::enumerate(position)) {
      if (before[dim] == extents[dim])
        continue;
      Value scaled =
          arith::MulIOp::create(inner, index.getWhole(inner), asValue(inner, before[dim]));
      index = arith::DivUIOp::create(inner, scaled, asValue(inner, extents[dim])).getResult();
    }
    return readElement(inner, operand, position);
  };
  return buildMap(b, extents, {}, operand.element, body, factors);
}
