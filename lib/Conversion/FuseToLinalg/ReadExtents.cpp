//===- ReadExtents.cpp - Extents of what members compute, off their inits -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// The size of a slice's dimension; dropped ones are not counted.
static OpFoldResult getKeptSize(tensor::ExtractSliceOp slice, int64_t position) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped.test(dim) && position-- == 0)
      return size;
  return {};
}

/// The product of the extents of `source` along `joined`. Those that are asked of `source` are added to `dims`, so that they
/// are traced in turn.
static OpFoldResult joinExtents(OpBuilder &builder, Location loc, Value source,
                                ArrayRef<int64_t> joined, SmallVectorImpl<tensor::DimOp> &dims) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(source.getType()).getShape();
  Value product;
  int64_t known = 1;
  for (int64_t dim : joined) {
    if (!ShapedType::isDynamic(shape[dim])) {
      known *= shape[dim];
      continue;
    }
    auto extent = tensor::DimOp::create(builder, loc, source, dim);
    dims.push_back(extent);
    product = product ? arith::MulIOp::create(builder, loc, product, extent).getResult()
                      : extent.getResult();
  }
  if (!product)
    return builder.getIndexAttr(known);
  if (known != 1)
    product = arith::MulIOp::create(builder, loc, product,
                                    arith::ConstantIndexOp::create(builder, loc, known));
  return product;
}

void fuse::readExtentsOffInits(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  SmallVector<tensor::DimOp> dims;
  func.walk([&](tensor::DimOp dim) { dims.push_back(dim); });
  for (size_t i = 0; i < dims.size(); ++i) {
    tensor::DimOp dim = dims[i];
    std::optional<int64_t> position = dim.getConstantIndex();
    if (!position)
      continue;
    Value source = dim.getSource();
    OpFoldResult size;
    while (!size) {
      if (auto member = source.getDefiningOp<DestinationStyleOpInterface>())
        source = member.getTiedOpOperand(cast<OpResult>(source))->get();
      else if (auto scatter = source.getDefiningOp<ScatterRowsOp>())
        source = scatter.getInit();
      else if (auto cast = source.getDefiningOp<tensor::CastOp>();
               cast && isa<RankedTensorType>(cast.getSource().getType()))
        source = cast.getSource();
      else if (auto empty = source.getDefiningOp<tensor::EmptyOp>())
        size = empty.getMixedSizes()[*position];
      else if (auto expand = source.getDefiningOp<tensor::ExpandShapeOp>())
        size = expand.getMixedOutputShape()[*position];
      else if (auto reshape = source.getDefiningOp<tensor::ReshapeOp>())
        size = reshape.getShape().getDefiningOp<tensor::FromElementsOp>().getElements()[*position];
      else if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>())
        size = getKeptSize(slice, *position);
      else if (auto pad = source.getDefiningOp<tensor::PadOp>()) {
        int64_t low = pad.getStaticLow()[*position], high = pad.getStaticHigh()[*position];
        if (ShapedType::isDynamic(low) || ShapedType::isDynamic(high))
          break;
        source = pad.getSource();
        if (low == 0 && high == 0)
          continue;
        rewriter.setInsertionPoint(dim);
        auto inside = tensor::DimOp::create(rewriter, dim.getLoc(), source, *position);
        auto more = arith::ConstantIndexOp::create(rewriter, dim.getLoc(), low + high);
        size = arith::AddIOp::create(rewriter, dim.getLoc(), inside, more).getResult();
        dims.push_back(inside);
      } else if (auto collapse = source.getDefiningOp<tensor::CollapseShapeOp>()) {
        ReassociationIndices joined = collapse.getReassociationIndices()[*position];
        source = collapse.getSrc();
        position = joined.front();
        if (joined.size() == 1)
          continue;
        rewriter.setInsertionPoint(dim);
        size = joinExtents(rewriter, dim.getLoc(), source, joined, dims);
      } else
        break;
    }
    rewriter.setInsertionPoint(dim);
    if (size)
      rewriter.replaceOp(dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(), size));
    else if (source != dim.getSource())
      rewriter.replaceOpWithNewOp<tensor::DimOp>(dim, source, *position);
  }
}
