//===- TileViews.cpp - Tiles of views and of elements that bodies read ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "KernelTiler.h"
#include "PadSlice.h"
#include "fuse/Analysis/MemberReads.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

bool KernelTiler::isFromMember(Value value) {
  Operation *def = getViewedTensor(value).getDefiningOp();
  return def && def->getParentOp() == function.getOperation() &&
         isa<linalg::LinalgOp, tensor::EmptyOp, tensor::PadOp>(def);
}

FailureOr<Value> KernelTiler::resolvePad(tensor::PadOp pad, ArrayRef<OpFoldResult> wantedOffsets,
                                         ArrayRef<OpFoldResult> wantedSizes) {
  if (!pad.getConstantPaddingValue())
    return pad.emitError("expected a constant border");
  PadSlice part = slicePad(rewriter, pad, wantedOffsets, wantedSizes);
  FailureOr<Value> inside = resolve(pad.getSource(), part.offsets, part.sizes, std::nullopt);
  if (failed(inside))
    return failure();
  return Value(padSlice(rewriter, pad, *inside, part, wantedSizes));
}

/// Where the element of a joined dimension that is at `place` lies along the dimensions that were joined: of 512 x 8 rows, row
/// `place` is at place / 8 and place mod 8. None where extents behind the first are not known, or where there are none.
static std::optional<SmallVector<OpFoldResult>> splitPlace(RewriterBase &rewriter, Location loc, OpFoldResult place,
                                                           ArrayRef<int64_t> extents) {
  if (ShapedType::isDynamicShape(extents.drop_front()) || llvm::is_contained(extents, 0))
    return std::nullopt;
  SmallVector<OpFoldResult> places(extents.size());
  AffineExpr rest = rewriter.getAffineDimExpr(0);
  for (unsigned dim = extents.size(); dim-- > 0;) {
    AffineExpr own = dim == 0 ? rest : rest % extents[dim];
    places[dim] = affine::makeComposedFoldedAffineApply(rewriter, loc, own, {place});
    if (dim > 0)
      rest = rest.floorDiv(extents[dim]);
  }
  return places;
}

FailureOr<Value> KernelTiler::resolveView(Operation *view, ArrayRef<OpFoldResult> wantedOffsets,
                                          ArrayRef<OpFoldResult> wantedSizes) {
  Value source = view->getOperand(0);
  SmallVector<int64_t> same = getSameDims(view);
  OpFoldResults sourceOffsets;
  OpFoldResults sourceSizes = tensor::getMixedSizes(rewriter, loc, source);
  for (auto [dim, from] : llvm::enumerate(same)) {
    sourceOffsets.push_back(from < 0 ? rewriter.getIndexAttr(0) : wantedOffsets[from]);
    if (from >= 0)
      sourceSizes[dim] = wantedSizes[from];
  }
  // One element of a joined dimension is one of each that was joined.
  llvm::SmallBitVector isOne(wantedSizes.size());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view))
    for (auto [position, joined] : llvm::enumerate(collapse.getReassociationIndices())) {
      bool isWhole = llvm::all_of(joined, [&](int64_t dim) { return same[dim] < 0; });
      if (joined.size() < 2 || !isWhole || !isConstantIntValue(wantedSizes[position], 1))
        continue;
      ArrayRef<int64_t> extents = collapse.getSrcType().getShape().slice(joined.front(), joined.size());
      std::optional<SmallVector<OpFoldResult>> places = splitPlace(rewriter, loc, wantedOffsets[position], extents);
      if (!places)
        continue;
      for (auto [dim, place] : llvm::zip(joined, *places)) {
        sourceOffsets[dim] = place;
        sourceSizes[dim] = rewriter.getIndexAttr(1);
      }
      isOne.set(position);
    }
  FailureOr<Value> tile = resolve(source, sourceOffsets, sourceSizes, std::nullopt);
  if (failed(tile))
    return failure();
  auto tileType = cast<RankedTensorType>(tile->getType());
  unsigned rank = wantedSizes.size();
  SmallVector<int64_t> shape;
  for (OpFoldResult size : wantedSizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto wantedType = RankedTensorType::get(shape, tileType.getElementType());
  if (isa<tensor::CastOp>(view))
    return *tile;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view)) {
    // One slice of the tile: what the view cuts and what is wanted of it.
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    OpFoldResults offsets, sizes, strides;
    AffineExpr d0, d1, d2;
    bindDims(rewriter.getContext(), d0, d1, d2);
    unsigned next = 0;
    for (auto [dim, from] : llvm::enumerate(same)) {
      bool isDropped = dropped.test(dim);
      unsigned position = isDropped ? 0 : next++;
      // One element takes no step; upstream tells a dimension that left by its stride.
      bool isOne = isDropped || isConstantIntValue(wantedSizes[position], 1);
      strides.push_back(isOne ? rewriter.getIndexAttr(1) : slice.getMixedStrides()[dim]);
      if (from >= 0) {
        offsets.push_back(rewriter.getIndexAttr(0));
        sizes.push_back(wantedSizes[position]);
      } else if (isDropped) {
        offsets.push_back(slice.getMixedOffsets()[dim]);
        sizes.push_back(rewriter.getIndexAttr(1));
      } else {
        std::optional<int64_t> stride = getConstantIntValue(slice.getMixedStrides()[dim]);
        if (!stride)
          return failure();
        offsets.push_back(affine::makeComposedFoldedAffineApply(
            rewriter, loc, d0 + d1 * *stride,
            {slice.getMixedOffsets()[dim], wantedOffsets[position]}));
        sizes.push_back(wantedSizes[position]);
      }
    }
    return Value(
        tensor::ExtractSliceOp::create(rewriter, loc, wantedType, *tile, offsets, sizes, strides));
  }
  // Joined and split dimensions stand whole in the rebuilt view.
  auto viewType = cast<RankedTensorType>(view->getResult(0).getType());
  OpFoldResults rebuilt = tensor::getMixedSizes(rewriter, loc, view->getResult(0));
  OpFoldResults inside(wantedOffsets.begin(), wantedOffsets.end());
  for (int64_t from : same)
    if (from >= 0) {
      rebuilt[from] = wantedSizes[from];
      inside[from] = rewriter.getIndexAttr(0);
    }
  for (unsigned position : isOne.set_bits()) {
    rebuilt[position] = rewriter.getIndexAttr(1);
    inside[position] = rewriter.getIndexAttr(0);
  }
  Value whole;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
    whole =
        tensor::CollapseShapeOp::create(rewriter, loc, *tile, collapse.getReassociationIndices());
  } else {
    SmallVector<int64_t> known;
    for (OpFoldResult size : rebuilt)
      known.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    whole = tensor::ExpandShapeOp::create(
        rewriter, loc, RankedTensorType::get(known, viewType.getElementType()), *tile,
        cast<tensor::ExpandShapeOp>(view).getReassociationIndices(), rebuilt);
  }
  if (llvm::all_of(llvm::zip(wantedSizes, rebuilt), [](auto pair) {
        return isEqualConstantIntOrValue(std::get<0>(pair), std::get<1>(pair));
      }))
    return whole;
  SmallVector<OpFoldResult> ones(rank, rewriter.getIndexAttr(1));
  return Value(tensor::ExtractSliceOp::create(rewriter, loc, whole, inside, wantedSizes, ones));
}

/// Elements that the body reads of members' values come from tiles: whole along computed positions.
LogicalResult KernelTiler::redirectBodyReads(Operation *original, Operation *tiled,
                                             ArrayRef<OpFoldResult> loopOffsets,
                                             ArrayRef<OpFoldResult> loopSizes) {
  auto member = dyn_cast<linalg::LinalgOp>(original);
  if (!member)
    return success();
  SmallVector<tensor::ExtractOp> extracts;
  tiled->walk([&](tensor::ExtractOp extract) {
    if (!tiled->isAncestor(extract.getTensor().getParentBlock()->getParentOp()))
      extracts.push_back(extract);
  });
  SmallVector<BodyRead> reads = getBodyReads(member);
  if (reads.size() != extracts.size())
    return reads.empty() ? success() : original->emitError("cannot be tiled");
  for (unsigned i = 0; i < reads.size(); ++i) {
    BodyRead &read = reads[i];
    tensor::ExtractOp extract = extracts[i];
    Value full = read.op.getTensor();
    if (!isFromMember(full))
      continue;
    rewriter.setInsertionPoint(tiled);
    OpFoldResults wantedOffsets, wantedSizes = tensor::getMixedSizes(rewriter, loc, full);
    SmallVector<Value> indices(extract.getIndices());
    for (auto [dim, expr] : llvm::enumerate(read.map.getResults())) {
      wantedOffsets.push_back(rewriter.getIndexAttr(0));
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop) {
        // All of it: as the tile says, for an unknown extent has several names.
        if (auto tile = tiles.find(full);
            tile != tiles.end() && isConstantIntValue(tile->second.offsets[dim], 0))
          wantedSizes[dim] = tile->second.sizes[dim];
        continue;
      }
      wantedOffsets.back() = loopOffsets[loop.getPosition()];
      wantedSizes[dim] = loopSizes[loop.getPosition()];
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(extract);
      indices[dim] = linalg::IndexOp::create(rewriter, loc, loop.getPosition());
    }
    FailureOr<Value> tile = resolve(full, wantedOffsets, wantedSizes, std::nullopt);
    if (failed(tile))
      return original->emitError("reads an element outside the tile of its producer");
    rewriter.modifyOpInPlace(extract, [&] {
      extract.getTensorMutable().set(*tile);
      extract.getIndicesMutable().assign(indices);
    });
  }
  return success();
}
