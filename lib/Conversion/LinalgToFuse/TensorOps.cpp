//===- TensorOps.cpp - Views and moved data of the tensor dialect -----------------------------===//
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

/// Reassociations keep each dynamic extent beside at most static ones; with one it is inferred.
template <typename Op>
static LogicalResult convertReshape(Op op, PatternRewriter &rewriter) {
  RankedTensorType from = getTensorType(op.getSrc()), to = getTensorType(op.getResult());
  if (!from || !to || from.getNumDynamicDims() > 1 || to.getNumDynamicDims() > 1)
    return rewriter.notifyMatchFailure(op, "several dynamic extents, or a type without a form");
  rewriter.replaceOpWithNewOp<fuse::ReshapeOp>(op, to, op.getSrc());
  return success();
}

static LogicalResult convertExtractSlice(tensor::ExtractSliceOp op, PatternRewriter &rewriter) {
  RankedTensorType from = getStaticTensorType(op.getSource());
  RankedTensorType to = getStaticTensorType(op.getResult());
  auto isKnown = [](ArrayRef<int64_t> list) { return !ShapedType::isDynamicShape(list); };
  auto isPositive = [](int64_t stride) { return stride > 0; };
  if (!from || !to || !isKnown(op.getStaticOffsets()) || !isKnown(op.getStaticSizes()) ||
      !isKnown(op.getStaticStrides()) || !llvm::all_of(op.getStaticStrides(), isPositive))
    return rewriter.notifyMatchFailure(op, "positions that are not known, or dynamic extents");
  FuseBuilder g(rewriter, op.getLoc());
  // Unit dimensions may be dropped.
  Value slice =
      fuse::SliceOp::create(rewriter, op.getLoc(), from.clone(op.getStaticSizes()), op.getSource(),
                            op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides());
  rewriter.replaceOp(op, g.reshape(slice, to.getShape()));
  return success();
}

static LogicalResult convertPad(tensor::PadOp op, PatternRewriter &rewriter) {
  RankedTensorType from = getStaticTensorType(op.getSource());
  RankedTensorType to = getStaticTensorType(op.getResult());
  Value padding = op.getConstantPaddingValue();
  Attribute value;
  if (!from || !to || !padding || !matchPattern(padding, m_Constant(&value)) ||
      ShapedType::isDynamicShape(op.getStaticLow()) ||
      ShapedType::isDynamicShape(op.getStaticHigh()))
    return rewriter.notifyMatchFailure(op, "a value or extents that are not known");
  rewriter.replaceOpWithNewOp<fuse::PadOp>(op, to, op.getSource(), op.getStaticLow(),
                                           op.getStaticHigh(), cast<TypedAttr>(value));
  return success();
}

static LogicalResult convertConcat(tensor::ConcatOp op, PatternRewriter &rewriter) {
  auto isStatic = [](Value value) { return bool(getStaticTensorType(value)); };
  if (!getStaticTensorType(op.getResult()) || !llvm::all_of(op.getInputs(), isStatic))
    return rewriter.notifyMatchFailure(op, "dynamic extents, or a type without a form");
  rewriter.replaceOpWithNewOp<fuse::ConcatOp>(op, op.getResult().getType(), op.getInputs(),
                                              op.getDim());
  return success();
}

void fuse::populateTensorOpPatterns(RewritePatternSet &patterns) {
  patterns.add(convertReshape<tensor::ExpandShapeOp>);
  patterns.add(convertReshape<tensor::CollapseShapeOp>);
  patterns.add(convertExtractSlice);
  patterns.add(convertPad);
  patterns.add(convertConcat);
}
