//===- LazyTensor.cpp - A tensor and how its dimensions lie in memory -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LazyTensor.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<int64_t> fuse::dropUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> kept;
  for (int64_t extent : shape)
    if (extent != 1)
      kept.push_back(extent);
  return kept;
}

LazyTensor LazyTensor::inOrder(Value base, ArrayRef<int64_t> shape, Type element) {
  LazyTensor value;
  value.base = base;
  value.element = element;
  auto type = cast<RankedTensorType>(base.getType());
  int64_t next = 0;
  for (int64_t extent : shape) {
    auto &factors = value.factors.emplace_back();
    // The tensor may know an extent that the value's type does not.
    value.shape.push_back(extent == 1 ? 1 : type.getDimSize(next));
    if (extent != 1)
      factors.push_back({next++, value.shape.back()});
  }
  return value;
}

static SmallVector<TensorFactor, 1> makeRepeated(int64_t extent) {
  if (extent == 1)
    return {};
  return {{TensorFactor::kRepeated, extent}};
}

LazyTensor LazyTensor::ofSplat(TypedAttr splat, ArrayRef<int64_t> shape, Type element) {
  LazyTensor value;
  value.splat = splat;
  value.shape.assign(shape.begin(), shape.end());
  value.element = element;
  for (int64_t extent : shape)
    value.factors.push_back(makeRepeated(extent));
  return value;
}

bool LazyTensor::isInOrder() const {
  if (!base)
    return false;
  int64_t next = 0;
  for (ArrayRef<TensorFactor> dim : factors)
    for (const TensorFactor &factor : dim)
      if (factor.dim != next++)
        return false;
  return true;
}

bool LazyTensor::isRepeated(int64_t dim) const {
  return llvm::all_of(factors[dim], [](const TensorFactor &factor) {
    return factor.dim == TensorFactor::kRepeated;
  });
}

bool fuse::isComputed(Value tensor, bool throughReshapes, bool throughSlices) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (isa<linalg::GenericOp, ScatterRowsOp, tensor::PadOp>(op))
      return true;
    bool isView = isa<tensor::CastOp>(op) || (throughSlices && isa<tensor::ExtractSliceOp>(op)) ||
                  (throughReshapes && isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op));
    if (!isView)
      return false;
    tensor = op->getOperand(0);
  }
  return false;
}

OpFoldResult fuse::getExtent(ImplicitLocOpBuilder &b, const LazyTensor &value, int64_t dim) {
  if (!ShapedType::isDynamic(value.shape[dim]))
    return b.getIndexAttr(value.shape[dim]);
  if (Value size = value.getSize(dim))
    return size;
  return tensor::DimOp::create(b, value.base, value.factors[dim].front().dim).getResult();
}

/// Per dimension that is no unit, its position and those of the units beside it.
static SmallVector<ReassociationIndices> groupUnits(ArrayRef<int64_t> shape) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [position, extent] : llvm::enumerate(shape)) {
    if (extent != 1) {
      groups.emplace_back();
      if (groups.size() == 1)
        groups.back() = leading;
    }
    (groups.empty() ? leading : groups.back()).push_back(position);
  }
  return groups;
}

LazyTensor fuse::collapseUnits(ImplicitLocOpBuilder &b, Value whole, Type element) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(whole.getType()).getShape();
  if (llvm::is_contained(shape, 1))
    whole = tensor::CollapseShapeOp::create(b, whole, groupUnits(shape));
  return LazyTensor::inOrder(whole, shape, element);
}

Value fuse::expandUnits(ImplicitLocOpBuilder &b, const LazyTensor &value, RankedTensorType type) {
  Value whole = value.base;
  if (llvm::is_contained(value.shape, 1)) {
    auto known = RankedTensorType::get(value.shape, type.getElementType());
    SmallVector<OpFoldResult> extents;
    for (int64_t dim = 0; dim < value.getRank(); ++dim)
      extents.push_back(getExtent(b, value, dim));
    whole = tensor::ExpandShapeOp::create(b, known, whole, groupUnits(value.shape), extents);
  }
  return whole.getType() == type ? whole : tensor::CastOp::create(b, type, whole).getResult();
}

LazyTensor fuse::transpose(const LazyTensor &value, ArrayRef<int64_t> permutation) {
  LazyTensor result = value;
  for (auto [to, from] : llvm::enumerate(permutation)) {
    result.factors[to] = value.factors[from];
    result.shape[to] = value.shape[from];
    if (!value.sizes.empty())
      result.sizes[to] = value.sizes[from];
  }
  return result;
}

LazyTensor fuse::broadcast(const LazyTensor &value, ArrayRef<int64_t> added,
                           ArrayRef<int64_t> shape, ValueRange sizes) {
  LazyTensor result = value;
  bool hasSizes = !sizes.empty() || !result.sizes.empty();
  if (hasSizes)
    result.sizes.resize(value.getRank());
  for (int64_t dim : added) {
    result.factors.insert(result.factors.begin() + dim, makeRepeated(shape[dim]));
    result.shape.insert(result.shape.begin() + dim, shape[dim]);
    if (!hasSizes)
      continue;
    bool isOpen = ShapedType::isDynamic(shape[dim]);
    result.sizes.insert(result.sizes.begin() + dim, isOpen ? sizes.front() : Value());
    sizes = isOpen ? sizes.drop_front() : sizes;
  }
  return result;
}

LazyTensor fuse::joinDims(const LazyTensor &value, int64_t first) {
  LazyTensor joined = value;
  llvm::append_range(joined.factors[first], value.factors[first + 1]);
  joined.factors.erase(joined.factors.begin() + first + 1);
  joined.shape[first] *= value.shape[first + 1];
  joined.shape.erase(joined.shape.begin() + first + 1);
  if (!joined.sizes.empty())
    joined.sizes.erase(joined.sizes.begin() + first + 1);
  return joined;
}

//===- slice --------------------------------------------------------------------------------===//

namespace {
/// What is taken of one factor: `size` elements from `offset` on.
struct FactorRange {
  int64_t offset, size, stride;
};
} // namespace

/// What a slice of a dimension takes of its factors. Of the 24 elements of the factors [4, 6] the 12 from 6
/// on are the rows 1 and 2, and the 3 from 7 on lie in row 1. Fails where it takes parts of several rows,
/// or takes steps.
static LogicalResult sliceFactors(ArrayRef<TensorFactor> factors, FactorRange range,
                                  SmallVectorImpl<FactorRange> &ranges) {
  if (range.stride != 1 && range.size != 1)
    return failure();
  int64_t row = 1;
  for (const TensorFactor &factor : factors)
    row *= factor.extent;
  for (const TensorFactor &factor : factors) {
    row /= factor.extent;
    int64_t first = range.offset / row, last = (range.offset + range.size - 1) / row;
    if (first != last && (range.offset % row != 0 || range.size % row != 0))
      return failure();
    ranges.push_back({first, last - first + 1, 1});
    range.offset %= row;
    range.size = std::min(range.size, row);
  }
  return success();
}

/// Splits each dimension of which one of several equal parts is taken, so that the part is an
/// element of a dimension of parts: such a slice hides no loop. What a member computes lies in such
/// parts already where its loops are factored so.
static LazyTensor splitParts(ImplicitLocOpBuilder &b, const LazyTensor &value, const SliceRange &range) {
  if (isComputed(value.base))
    return value;
  SmallVector<int64_t> shape, partDims;
  for (int64_t dim = 0; dim < value.getRank(); ++dim) {
    std::optional<int64_t> offset, taken;
    if (range.sizes[dim]) {
      offset = getConstantIntValue(range.offsets[dim]);
      taken = getConstantIntValue(range.sizes[dim]);
    }
    int64_t extent = value.shape[dim], size = taken.value_or(0);
    bool isPart = value.factors[dim].size() == 1 && !value.isRepeated(dim) && offset &&
                  !ShapedType::isDynamic(extent) && size > 1 && size < extent &&
                  range.strides[dim] == 1 && extent % size == 0 && *offset % size == 0;
    if (isPart) {
      partDims.push_back(shape.size());
      shape.push_back(extent / size);
    }
    shape.push_back(isPart ? size : extent);
  }
  if (partDims.empty())
    return value;
  FailureOr<LazyTensor> split = reshape(b, value, shape);
  if (failed(split))
    return value;
  for (int64_t dim : llvm::reverse(partDims))
    split = joinDims(*split, dim);
  return *split;
}

FailureOr<LazyTensor> fuse::slice(ImplicitLocOpBuilder &b, const LazyTensor &whole, const SliceRange &range) {
  LazyTensor result = whole;
  SmallVector<bool> isWhole(whole.getRank());
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    // All of a dimension of unknown extent is asked for by its extent.
    std::optional<int64_t> size;
    if (range.sizes[dim])
      size = getConstantIntValue(range.sizes[dim]);
    isWhole[dim] = size ? *size == whole.shape[dim] : !range.sizes[dim];
    if (isWhole[dim])
      continue;
    result.shape[dim] = size.value_or(ShapedType::kDynamic);
    if (result.sizes.empty())
      result.sizes.resize(whole.getRank());
    bool isGiven = whole.isRepeated(dim) || whole.factors[dim].empty();
    result.sizes[dim] = size || !isGiven ? Value() : cast<Value>(range.sizes[dim]);
  }
  if (!whole.base) {
    LazyTensor splat = LazyTensor::ofSplat(whole.splat, result.shape, whole.element);
    splat.sizes = result.sizes;
    return splat;
  }
  if (!llvm::is_contained(isWhole, false))
    return result;
  Type storage = getElementTypeOrSelf(whole.base);
  if (llvm::is_contained(result.shape, 0)) {
    // An empty part may lie behind the last element, where upstream's slices must not.
    SmallVector<OpFoldResult> extents;
    for (auto [dim, extent] : llvm::enumerate(result.shape))
      if (extent != 1)
        extents.push_back(isWhole[dim] ? getExtent(b, whole, dim) : range.sizes[dim]);
    return LazyTensor::inOrder(tensor::EmptyOp::create(b, extents, storage), result.shape,
                               whole.element);
  }

  LazyTensor value = splitParts(b, whole, range);
  auto baseType = cast<RankedTensorType>(value.base.getType());
  int64_t baseRank = baseType.getRank();
  SmallVector<OpFoldResult> from(baseRank, b.getIndexAttr(0)), step(baseRank, b.getIndexAttr(1));
  SmallVector<OpFoldResult> extents;
  for (int64_t position = 0; position < baseRank; ++position)
    extents.push_back(tensor::getMixedSize(b, b.getLoc(), value.base, position));
  SmallVector<int64_t> baseShape(baseType.getShape());
  bool isCut = false;
  for (auto [dim, factors] : llvm::enumerate(value.factors)) {
    if (isWhole[dim]) {
      result.factors[dim] = factors;
      continue;
    }
    result.factors[dim].clear();
    if (factors.empty() && ShapedType::isDynamic(result.shape[dim])) { // the one element, or none of one
      result.factors[dim].push_back({TensorFactor::kRepeated, result.shape[dim]});
      continue;
    }
    if (factors.size() == 1) {
      const TensorFactor &factor = factors.front();
      if (result.shape[dim] != 1)
        result.factors[dim].push_back({factor.dim, result.shape[dim]});
      if (factor.dim == TensorFactor::kRepeated)
        continue;
      isCut = true;
      from[factor.dim] = range.offsets[dim];
      extents[factor.dim] = range.sizes[dim];
      // One element takes no step; upstream tells a dimension that left by its stride.
      if (result.shape[dim] != 1)
        step[factor.dim] = b.getIndexAttr(range.strides[dim]);
      baseShape[factor.dim] = result.shape[dim];
      continue;
    }
    std::optional<int64_t> offset = getConstantIntValue(range.offsets[dim]),
                           size = getConstantIntValue(range.sizes[dim]);
    SmallVector<FactorRange> ranges;
    if (!offset || !size || failed(sliceFactors(factors, {*offset, *size, range.strides[dim]}, ranges)))
      return failure();
    for (auto [factor, taken] : llvm::zip_equal(factors, ranges)) {
      if (taken.size != 1)
        result.factors[dim].push_back({factor.dim, taken.size});
      if (factor.dim == TensorFactor::kRepeated)
        continue;
      isCut |= taken.size != baseShape[factor.dim];
      from[factor.dim] = b.getIndexAttr(taken.offset);
      extents[factor.dim] = b.getIndexAttr(taken.size);
      if (taken.size != 1)
        step[factor.dim] = b.getIndexAttr(taken.stride);
      baseShape[factor.dim] = taken.size;
    }
  }
  // A dimension that shrank to one element leaves the tensor; those behind it move up.
  SmallVector<int64_t> moved(baseRank, TensorFactor::kRepeated);
  int64_t next = 0;
  for (auto [position, extent] : llvm::enumerate(baseShape))
    if (extent != 1)
      moved[position] = next++;
  for (auto &factors : result.factors)
    for (TensorFactor &factor : factors)
      if (factor.dim != TensorFactor::kRepeated)
        factor.dim = moved[factor.dim];
  auto type = RankedTensorType::get(dropUnits(baseShape), storage);
  result.base = value.base;
  if (isCut)
    result.base = tensor::ExtractSliceOp::create(b, type, value.base, from, extents, step);
  return result;
}
