//===- LazyTensor.cpp - A tensor and how its dimensions lie in memory -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LazyTensor.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/SmallBitVector.h"

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
    value.dims.push_back(extent == 1 ? -1 : next);
    // The tensor may know an extent that the value's type does not.
    value.shape.push_back(extent == 1 ? 1 : type.getDimSize(next++));
  }
  return value;
}

LazyTensor LazyTensor::ofSplat(TypedAttr splat, ArrayRef<int64_t> shape, Type element) {
  LazyTensor value;
  value.splat = splat;
  value.dims.assign(shape.size(), -1);
  value.shape.assign(shape.begin(), shape.end());
  value.element = element;
  return value;
}

bool LazyTensor::isInOrder() const {
  if (!base)
    return false;
  int64_t next = 0;
  for (auto [dim, extent] : llvm::zip(dims, shape))
    if (dim == -1 ? extent != 1 : dim != next++)
      return false;
  return true;
}

OpFoldResult fuse::getExtent(ImplicitLocOpBuilder &b, const LazyTensor &value, int64_t dim) {
  if (!ShapedType::isDynamic(value.shape[dim]))
    return b.getIndexAttr(value.shape[dim]);
  return tensor::DimOp::create(b, value.base, value.dims[dim]).getResult();
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
    result.dims[to] = value.dims[from];
    result.shape[to] = value.shape[from];
  }
  return result;
}

LazyTensor fuse::broadcast(const LazyTensor &value, ArrayRef<int64_t> added,
                           ArrayRef<int64_t> shape) {
  LazyTensor result = value;
  for (int64_t dim : added) {
    result.dims.insert(result.dims.begin() + dim, -1);
    result.shape.insert(result.shape.begin() + dim, shape[dim]);
  }
  return result;
}

/// Splits each dimension of which one of several equal parts is taken, so that the part is an
/// element of a dimension of parts: such a slice hides no loop (see ExpandMembers.cpp).
static LazyTensor splitParts(ImplicitLocOpBuilder &b, LazyTensor value,
                             SmallVectorImpl<int64_t> &offsets, SmallVectorImpl<int64_t> &sizes,
                             SmallVectorImpl<int64_t> &strides,
                             SmallVectorImpl<int64_t> &partDims) {
  for (int64_t dim = 0; dim < value.getRank(); ++dim) {
    int64_t extent = value.shape[dim], size = sizes[dim];
    if (value.dims[dim] < 0 || ShapedType::isDynamic(extent) || size <= 1 || size >= extent ||
        strides[dim] != 1 || extent % size != 0 || offsets[dim] % size != 0)
      continue;
    SmallVector<int64_t> shape(value.shape);
    shape[dim] = extent / size;
    shape.insert(shape.begin() + dim + 1, size);
    FailureOr<LazyTensor> split = reshape(b, value, shape);
    if (failed(split))
      continue;
    value = *split;
    offsets[dim] /= size;
    sizes[dim] = 1;
    partDims.push_back(dim);
    ++dim;
    offsets.insert(offsets.begin() + dim, 0);
    sizes.insert(sizes.begin() + dim, size);
    strides.insert(strides.begin() + dim, 1);
  }
  return value;
}

LazyTensor fuse::slice(ImplicitLocOpBuilder &b, const LazyTensor &whole,
                       ArrayRef<int64_t> wantedOffsets, ArrayRef<int64_t> wantedSizes,
                       ArrayRef<int64_t> wantedStrides) {
  SmallVector<int64_t> offsets(wantedOffsets), sizes(wantedSizes), strides(wantedStrides);
  SmallVector<int64_t> partDims;
  LazyTensor value = whole;
  if (whole.base && !llvm::is_contained(whole.shape, 0) && !llvm::is_contained(sizes, 0))
    value = splitParts(b, whole, offsets, sizes, strides, partDims);
  if (!partDims.empty()) {
    LazyTensor part = slice(b, value, offsets, sizes, strides);
    for (int64_t dim : llvm::reverse(partDims)) {
      part.dims.erase(part.dims.begin() + dim);
      part.shape.erase(part.shape.begin() + dim);
    }
    return part;
  }
  LazyTensor result = value;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!ShapedType::isDynamic(value.shape[dim]) && size >= 0)
      result.shape[dim] = size;
  if (!value.base || result.shape == value.shape)
    return result;

  auto baseType = cast<RankedTensorType>(value.base.getType());
  int64_t baseRank = baseType.getRank();
  SmallVector<OpFoldResult> from(baseRank, b.getIndexAttr(0)), step(baseRank, b.getIndexAttr(1));
  SmallVector<OpFoldResult> extents(baseRank);
  SmallVector<int64_t> baseShape(baseType.getShape());
  for (int64_t dim = 0; dim < value.getRank(); ++dim) {
    int64_t position = value.dims[dim];
    if (position < 0)
      continue;
    extents[position] = getExtent(b, result.shape[dim] == value.shape[dim] ? value : result, dim);
    if (result.shape[dim] == value.shape[dim])
      continue;
    from[position] = b.getIndexAttr(offsets[dim]);
    // One element takes no step; upstream tells a dimension that left by its stride.
    if (result.shape[dim] != 1)
      step[position] = b.getIndexAttr(strides[dim]);
    baseShape[position] = result.shape[dim];
  }
  // A dimension that shrank to one element leaves the tensor; those behind it move up.
  SmallVector<int64_t> moved(baseRank, -1);
  int64_t next = 0;
  for (auto [position, extent] : llvm::enumerate(baseShape))
    if (extent != 1)
      moved[position] = next++;
  for (int64_t &dim : result.dims)
    dim = dim < 0 ? -1 : moved[dim];
  auto type = RankedTensorType::get(dropUnits(baseShape), baseType.getElementType());
  if (llvm::is_contained(baseShape, 0)) {
    // An empty part may lie behind the last element, where upstream's slices must not.
    SmallVector<OpFoldResult> kept;
    for (auto [position, extent] : llvm::enumerate(extents))
      if (moved[position] >= 0)
        kept.push_back(extent);
    result.base = tensor::EmptyOp::create(b, kept, baseType.getElementType());
    return result;
  }
  result.base = tensor::ExtractSliceOp::create(b, type, value.base, from, extents, step);
  return result;
}

//===- reshape ------------------------------------------------------------------------------===//

namespace {

/// `shape` with its one dynamic extent computed from the static shape that it comes from.
SmallVector<int64_t> resolveShape(ArrayRef<int64_t> from, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> resolved(shape);
  if (ShapedType::isDynamicShape(from) || !ShapedType::isDynamicShape(shape))
    return resolved;
  int64_t rest = 1;
  for (int64_t extent : shape)
    rest *= ShapedType::isDynamic(extent) ? 1 : extent;
  for (int64_t &extent : resolved)
    if (ShapedType::isDynamic(extent))
      extent = rest == 0 ? 0 : ShapedType::getNumElements(from) / rest;
  return resolved;
}

/// Splits dimension `position` of `source` into `shape`, dynamic in one entry at most.
void appendSplit(ImplicitLocOpBuilder &b, Value source, int64_t position, ArrayRef<int64_t> shape,
                 SmallVectorImpl<OpFoldResult> &extents) {
  int64_t rest = 1;
  for (int64_t extent : shape)
    rest *= ShapedType::isDynamic(extent) ? 1 : extent;
  for (int64_t extent : shape) {
    if (!ShapedType::isDynamic(extent)) {
      extents.push_back(b.getIndexAttr(extent));
      continue;
    }
    Value whole = tensor::DimOp::create(b, source, position);
    if (rest != 1)
      whole = arith::DivUIOp::create(b, whole, arith::ConstantIndexOp::create(b, rest));
    extents.push_back(whole);
  }
}

} // namespace

/// The finest factors that two static shapes of equally many elements have in common: (2, 400) and
/// (8, 10, 10) are (2, 4, 10, 10). Empty where a boundary of one lies within no multiple of the other.
static SmallVector<int64_t> refineShapes(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<int64_t> refined;
  size_t i = 0, j = 0;
  int64_t left = 1, right = 1; // what remains of from[i] and to[j]
  while (true) {
    if (left == 1 && i < from.size())
      left = from[i++];
    if (right == 1 && j < to.size())
      right = to[j++];
    int64_t factor = std::min(left, right);
    if (factor == 1)
      return refined;
    if (left % factor != 0 || right % factor != 0)
      return {};
    refined.push_back(factor);
    left /= factor;
    right /= factor;
  }
}

/// For each dimension of a tensor whether one step along it leads behind the last element of the
/// next dimension: then the two can be joined without a copy. Slices part what they cut.
///
/// Example: of tensor<2x6x4xf32>, cut to tensor<2x3x4xf32>, the last two can be joined.
static llvm::SmallBitVector findJoinable(Value tensor) {
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  llvm::SmallBitVector joinable(rank, true);
  Operation *view = tensor.getDefiningOp();
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(view))
    return findJoinable(cast.getSource());
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(view)) {
    llvm::SmallBitVector source = findJoinable(collapse.getSrc());
    for (auto [dim, group] : llvm::enumerate(collapse.getReassociationIndices()))
      joinable[dim] = source[group.back()];
  } else if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(view)) {
    llvm::SmallBitVector source = findJoinable(expand.getSrc());
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      joinable[group.back()] = source[dim];
  } else if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(view)) {
    llvm::SmallBitVector source = findJoinable(slice.getSource()), dropped = slice.getDroppedDims();
    ArrayRef<int64_t> shape = slice.getSourceType().getShape();
    unsigned position = 0;
    for (unsigned dim = 0; dim + 1 < shape.size(); ++dim) {
      if (dropped.test(dim))
        continue;
      // Unknown extents are never cut.
      bool isWhole = !dropped.test(dim + 1) && slice.getStaticSizes()[dim + 1] == shape[dim + 1];
      joinable[position++] = source[dim] && isWhole && slice.getStaticStrides()[dim] == 1;
    }
  }
  return joinable;
}

FailureOr<LazyTensor> fuse::reshape(ImplicitLocOpBuilder &b, const LazyTensor &value,
                                    ArrayRef<int64_t> wanted) {
  SmallVector<int64_t> shape = resolveShape(value.shape, wanted);
  // By way of the common factors: a split, then a join, which members can follow where they cannot
  // follow a join and then a split.
  if (value.base && !ShapedType::isDynamicShape(value.shape) &&
      !ShapedType::isDynamicShape(shape) && !llvm::is_contained(value.shape, 0)) {
    SmallVector<int64_t> from = dropUnits(value.shape), to = dropUnits(shape);
    SmallVector<int64_t> refined = refineShapes(from, to);
    if (!refined.empty() && refined != from && refined != to) {
      FailureOr<LazyTensor> split = reshape(b, value, refined);
      return succeeded(split) ? reshape(b, *split, shape) : split;
    }
  }
  if (!value.base)
    return LazyTensor::ofSplat(value.splat, shape, value.element);
  Type storage = getElementTypeOrSelf(value.base);
  if (llvm::is_contained(value.shape, 0)) {
    // Nothing to move.
    SmallVector<OpFoldResult> extents;
    for (int64_t extent : dropUnits(shape))
      extents.push_back(b.getIndexAttr(ShapedType::isDynamic(extent) ? 0 : extent));
    return LazyTensor::inOrder(tensor::EmptyOp::create(b, extents, storage), shape, value.element);
  }

  LazyTensor result;
  result.element = value.element;
  llvm::SmallBitVector joinable = findJoinable(value.base);
  SmallVector<ReshapeGroup> inBase;
  for (const ReshapeGroup &group : matchReshape(value.shape, shape)) {
    auto dimOf = [&](int64_t position) { return value.dims[position]; };
    if (llvm::all_of(group.from, [&](int64_t position) { return dimOf(position) < 0; }))
      continue;
    for (auto [offset, position] : llvm::enumerate(group.from))
      if (dimOf(position) < 0 ||
          dimOf(position) != dimOf(group.from.front()) + static_cast<int64_t>(offset) ||
          (offset > 0 && !joinable[dimOf(position) - 1]))
        return failure();
    inBase.push_back(group);
  }
  llvm::sort(inBase, [&](const ReshapeGroup &l, const ReshapeGroup &r) {
    return value.dims[l.from.front()] < value.dims[r.from.front()];
  });

  Value base = value.base;
  SmallVector<ReassociationIndices> joined, split;
  SmallVector<int64_t> splitShape, toDims(shape.size(), -1);
  for (const ReshapeGroup &group : inBase) {
    joined.emplace_back();
    for (int64_t position : group.from)
      joined.back().push_back(value.dims[position]);
    split.emplace_back();
    for (int64_t position : group.to) {
      toDims[position] = splitShape.size();
      split.back().push_back(splitShape.size());
      splitShape.push_back(shape[position]);
    }
  }
  if (llvm::any_of(joined, [](const ReassociationIndices &group) { return group.size() > 1; }))
    base = tensor::CollapseShapeOp::create(b, base, joined);
  auto joinedType = cast<RankedTensorType>(base.getType());
  // Where the result knows an extent, so must the tensor that is split.
  SmallVector<int64_t> joinedShape(joinedType.getShape());
  SmallVector<OpFoldResult> extents;
  bool splits = false;
  for (auto [position, group] : llvm::enumerate(split)) {
    ArrayRef<int64_t> parts =
        ArrayRef<int64_t>(splitShape).slice(group.front(), group.size());
    if (!ShapedType::isDynamicShape(parts))
      joinedShape[position] = ShapedType::getNumElements(parts);
    else if (parts.size() == 1 && !joinedType.isDynamicDim(position))
      splitShape[group.front()] = joinedShape[position];
    splits |= group.size() > 1;
  }
  if (joinedType.getShape() != ArrayRef<int64_t>(joinedShape))
    base = tensor::CastOp::create(b, RankedTensorType::get(joinedShape, storage), base);
  if (splits) {
    for (auto [position, group] : llvm::enumerate(split))
      appendSplit(b, base, position,
                  ArrayRef<int64_t>(splitShape).slice(group.front(), group.size()), extents);
    base = tensor::ExpandShapeOp::create(b, RankedTensorType::get(splitShape, storage), base,
                                         split, extents);
  }
  result.base = base;
  for (auto [extent, dim] : llvm::zip(shape, toDims)) {
    result.dims.push_back(dim);
    result.shape.push_back(dim < 0 ? extent : splitShape[dim]);
  }
  return result;
}
