//===- LowerExpandShapes.cpp - Views whose dimensions have several open extents ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Upstream's expand-strided-metadata computes the one open extent of a group of dimensions by a division and has no answer
// for two of them, although memref.expand_shape carries all extents as operands.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSELOWEREXPANDSHAPES
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {

/// Whether some dimension of the source becomes dimensions of which two or more have open extents.
bool hasGroupOfOpenExtents(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(op.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
    return llvm::count_if(group, [&](int64_t dim) { return type.isDynamicDim(dim); }) > 1;
  });
}

/// The strides of the result: of a source dimension with stride s that becomes [a, b, c], they are [b * c * s, c * s, s].
SmallVector<OpFoldResult> getExpandedStrides(OpBuilder &builder, memref::ExpandShapeOp op,
                                             ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> sourceStrides) {
  AffineExpr size, stride;
  bindSymbols(builder.getContext(), size, stride);
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [group, sourceStride] : llvm::zip_equal(op.getReassociationIndices(), sourceStrides)) {
    strides[group.back()] = sourceStride;
    for (int64_t dim : llvm::reverse(ArrayRef(group).drop_back()))
      strides[dim] = affine::makeComposedFoldedAffineApply(builder, op.getLoc(), size * stride,
                                                           {sizes[dim + 1], strides[dim + 1]});
  }
  return strides;
}

void lower(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides =
      getExpandedStrides(builder, op, sizes, source.getConstifiedMixedStrides());
  auto view = memref::ReinterpretCastOp::create(builder, loc, op.getResultType(), source.getBaseBuffer(),
                                                source.getConstifiedMixedOffset(), sizes, strides);
  op.replaceAllUsesWith(view.getResult());
  op.erase();
}

struct LowerExpandShapes : fuse::impl::FuseLowerExpandShapesBase<LowerExpandShapes> {
  void runOnOperation() override {
    getOperation()->walk([](memref::ExpandShapeOp op) {
      if (hasGroupOfOpenExtents(op))
        lower(op);
    });
  }
};

} // namespace
