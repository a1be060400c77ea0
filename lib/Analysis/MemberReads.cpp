//===- MemberReads.cpp - What a member reads, and along which loops ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/MemberReads.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

/// The loop whose iteration number `index` is.
static std::optional<unsigned> getLoop(Value index, linalg::LinalgOp op) {
  if (auto number = index.getDefiningOp<linalg::IndexOp>())
    return number->getParentOp() == op.getOperation() ? std::optional<unsigned>(number.getDim())
                                                      : std::nullopt;
  // What merging leaves behind: the identity of a number.
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>())
    if (auto dim = dyn_cast<AffineDimExpr>(apply.getAffineMap().getResult(0)))
      return getLoop(apply.getMapOperands()[dim.getPosition()], op);
  return std::nullopt;
}

SmallVector<BodyRead> fuse::getBodyReads(linalg::LinalgOp op) {
  SmallVector<BodyRead> reads;
  MLIRContext *context = op.getContext();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  op->walk([&](tensor::ExtractOp extract) {
    if (op->isAncestor(extract.getTensor().getParentBlock()->getParentOp()))
      return;
    SmallVector<AffineExpr> exprs;
    ArrayRef<int64_t> shape = extract.getTensor().getType().getShape();
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      std::optional<unsigned> loop = getLoop(index, op);
      // The front of a longer dimension is another loop.
      if (loop && ranges[*loop] != shape[dim] && !ShapedType::isDynamic(ranges[*loop]) &&
          !ShapedType::isDynamic(shape[dim]))
        loop = std::nullopt;
      exprs.push_back(loop ? getAffineDimExpr(*loop, context)
                           : getAffineConstantExpr(0, context));
    }
    reads.push_back({extract, AffineMap::get(op.getNumLoops(), 0, exprs, context)});
  });
  return reads;
}

bool fuse::isTensorView(Operation *op) {
  if (isa_and_nonnull<tensor::CastOp>(op)) // may give or take the rank
    return isa<RankedTensorType>(op->getOperand(0).getType()) &&
           isa<RankedTensorType>(op->getResult(0).getType());
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op);
}

/// The one dimension of a group that is more than a unit; none if there are several.
static std::optional<int64_t> getOnlyDim(ArrayRef<int64_t> group, ArrayRef<int64_t> shape) {
  if (group.size() == 1)
    return group.front();
  std::optional<int64_t> only;
  for (int64_t dim : group) {
    if (shape[dim] == 1)
      continue;
    if (only)
      return std::nullopt;
    only = dim;
  }
  return only;
}

/// Where a number or an extent comes from: a dimension of a value, or a number itself with the dimension -1.
using Origin = std::pair<Value, int64_t>;

static Origin getExtentOrigin(Value value, int64_t dim);

static Origin getNumberOrigin(Value number) {
  if (auto dim = number.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return getExtentOrigin(dim.getSource(), *index);
  return {number, -1};
}

static Origin getExtentOrigin(Value value, int64_t dim) {
  auto fromSize = [&](OpFoldResult size) -> Origin {
    auto number = dyn_cast_if_present<Value>(size);
    return number ? getNumberOrigin(number) : Origin(value, dim);
  };
  while (Operation *op = value.getDefiningOp()) {
    if (auto writer = dyn_cast<DestinationStyleOpInterface>(op))
      value = writer.getTiedOpOperand(cast<OpResult>(value))->get();
    else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return fromSize(empty.getMixedSizes()[dim]);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return fromSize(expand.getMixedOutputShape()[dim]);
    else if (isa<tensor::CastOp>(op))
      value = op->getOperand(0);
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      for (auto [from, size] : llvm::enumerate(slice.getMixedSizes()))
        if (!dropped.test(from) && dim-- == 0)
          return fromSize(size);
      return {value, -1};
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
               collapse && collapse.getReassociationIndices()[dim].size() == 1) {
      dim = collapse.getReassociationIndices()[dim].front();
      value = collapse.getSrc();
    } else
      break;
  }
  return {value, dim};
}

SmallVector<int64_t> fuse::getSameDims(Operation *view) {
  auto source = cast<RankedTensorType>(view->getOperand(0).getType());
  SmallVector<int64_t> same(source.getRank(), -1);
  if (isa<tensor::CastOp>(view)) {
    std::iota(same.begin(), same.end(), 0);
  } else if (auto pad = dyn_cast<tensor::PadOp>(view)) {
    llvm::SmallBitVector padded = pad.getPaddedDims();
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      if (!padded.test(dim))
        same[dim] = dim;
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
    for (auto [dim, group] : llvm::enumerate(collapse.getReassociationIndices()))
      if (std::optional<int64_t> only = getOnlyDim(group, source.getShape()))
        same[*only] = dim;
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view)) {
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      if (std::optional<int64_t> only = getOnlyDim(group, expand.getResultType().getShape()))
        same[dim] = *only;
  } else {
    auto slice = cast<tensor::ExtractSliceOp>(view);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t next = 0;
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      if (dropped.test(dim))
        continue;
      int64_t position = next++;
      std::optional<int64_t> size = getConstantIntValue(slice.getMixedSizes()[dim]);
      OpFoldResult wanted = slice.getMixedSizes()[dim];
      bool isWhole = size ? *size == source.getDimSize(dim)
                          : source.isDynamicDim(dim) && getNumberOrigin(cast<Value>(wanted)) ==
                                                            getExtentOrigin(slice.getSource(), dim);
      if (isWhole && isConstantIntValue(slice.getMixedOffsets()[dim], 0) &&
          isConstantIntValue(slice.getMixedStrides()[dim], 1))
        same[dim] = position;
    }
  }
  return same;
}

AffineMap fuse::mapThroughView(Operation *view, AffineMap map) {
  MLIRContext *context = view->getContext();
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : getSameDims(view))
    exprs.push_back(dim < 0 ? getAffineConstantExpr(0, context) : map.getResult(dim));
  return AffineMap::get(map.getNumDims(), 0, exprs, context);
}

Value fuse::getViewedTensor(Value value) {
  while (isTensorView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}
