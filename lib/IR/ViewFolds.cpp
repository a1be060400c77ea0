//===- ViewFolds.cpp - Folds of views -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/Views.h"
#include "fuse/IR/FuseOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// A view of a splat is a splat.
static OpFoldResult foldSplat(Attribute operand, Value result) {
  auto constant = dyn_cast_if_present<DenseElementsAttr>(operand);
  auto type = cast<RankedTensorType>(result.getType());
  if (!constant || !constant.isSplat() || constant.getNumElements() == 0 || !type.hasStaticShape())
    return {};
  return constant.resizeSplat(type);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult splat = foldSplat(adaptor.getOperand(), getResult()))
    return splat;
  auto type = cast<RankedTensorType>(getOperand().getType());
  // Dynamic dimensions keep their order, unless sizes say otherwise.
  if (type == getResult().getType() && !hasFreeSizes())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>();
      inner && type.hasStaticShape() &&
      cast<RankedTensorType>(getResult().getType()).hasStaticShape() &&
      cast<RankedTensorType>(inner.getOperand().getType()).hasStaticShape()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult splat = foldSplat(adaptor.getOperand(), getResult()))
    return splat;
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return getOperand();
  auto inner = getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> composed;
  for (int64_t dim : permutation)
    composed.push_back(inner.getPermutation()[dim]);
  setPermutation(composed);
  getOperandMutable().assign(inner.getOperand());
  return getResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult splat = foldSplat(adaptor.getOperand(), getResult()))
    return splat;
  bool whole = llvm::all_of(llvm::seq<int64_t>(0, getOffsets().size()),
                            [&](int64_t dim) { return isWhole(dim); });
  return whole ? OpFoldResult(getOperand()) : OpFoldResult();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult splat = foldSplat(adaptor.getOperand(), getResult()))
    return splat;
  return getDimensions().empty() ? OpFoldResult(getOperand()) : OpFoldResult();
}

Value mlir::fuse::getReshapeSource(ReshapeOp reshape) {
  auto isStatic = [](Value value) { return cast<ShapedType>(value.getType()).hasStaticShape(); };
  Value source = reshape.getOperand();
  for (Value value = source; isStatic(value) && isStatic(reshape);) {
    Operation *view = value.getDefiningOp();
    bool takesAll = isa_and_nonnull<SliceOp>(view) && view->getOperand(0).getType() == value.getType();
    if (!takesAll && !isa_and_nonnull<ReshapeOp>(view))
      break;
    value = view->getOperand(0);
    if (!takesAll && isStatic(value))
      source = value;
  }
  return source;
}

std::optional<int64_t> mlir::fuse::getStep(AffineExpr expr, unsigned loop, unsigned numDims) {
  AffineExpr dim = getAffineDimExpr(loop, expr.getContext());
  AffineExpr step = simplifyAffineExpr(expr.replace(dim, dim + 1) - expr, numDims, 0);
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

bool mlir::fuse::readsWindowsAlongVectors(FusableOpInterface op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap read = dropUnitLoops(maps.front(), op.getStaticLoopRanges());
  auto vectors = dyn_cast<AffineDimExpr>(maps.back().getResults().back());
  if (!read || !vectors)
    return false;
  unsigned numLoops = read.getNumDims();
  auto movesAlong = [&](AffineExpr expr, unsigned loop) {
    return getStep(expr, loop, numLoops).value_or(0) != 0;
  };
  auto isWindow = [&](AffineExpr expr) {
    return llvm::count_if(llvm::seq<unsigned>(0, numLoops),
                          [&](unsigned loop) { return movesAlong(expr, loop); }) > 1;
  };
  return llvm::any_of(read.getResults(), isWindow) &&
         llvm::any_of(read.getResults(),
                      [&](AffineExpr expr) { return movesAlong(expr, vectors.getPosition()); });
}

AffineMap mlir::fuse::dropUnitLoops(AffineMap map, ArrayRef<int64_t> extents) {
  if (!map || !llvm::is_contained(extents, 1))
    return map;
  SmallVector<AffineExpr> dims;
  for (auto [loop, extent] : llvm::enumerate(extents))
    dims.push_back(extent == 1 ? getAffineConstantExpr(0, map.getContext())
                               : getAffineDimExpr(loop, map.getContext()));
  return map.replaceDimsAndSymbols(dims, {}, extents.size(), map.getNumSymbols());
}
