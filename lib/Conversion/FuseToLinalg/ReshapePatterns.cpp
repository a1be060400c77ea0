//===- ReshapePatterns.cpp - Reshapes next to members, past what lies between -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ReshapePatterns.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

bool fuse::isView(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp,
                         tensor::CastOp>(op);
}

bool fuse::isComputed(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.getDefiningOp<linalg::GenericOp>();
}

/// Whether a slice takes all of its source's dimension `dim`.
static bool takesAll(tensor::ExtractSliceOp slice, int64_t dim) {
  return isConstantIntValue(slice.getMixedOffsets()[dim], 0) &&
         isConstantIntValue(slice.getMixedSizes()[dim], slice.getSourceType().getDimSize(dim)) &&
         isConstantIntValue(slice.getMixedStrides()[dim], 1);
}

/// `slice`, taken of `source` instead, which has the dimensions `groups[i]` where the slice's
/// source has dimension i. Where those are several they are taken whole.
static Value sliceParts(PatternRewriter &rewriter, tensor::ExtractSliceOp slice, Value source,
                        ArrayRef<ReassociationIndices> groups) {
  auto type = cast<RankedTensorType>(source.getType());
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> kept;
  for (auto [dim, group] : llvm::enumerate(groups)) {
    for (int64_t part : group) {
      bool isPart = group.size() > 1;
      offsets.push_back(isPart ? rewriter.getIndexAttr(0) : slice.getMixedOffsets()[dim]);
      sizes.push_back(isPart ? rewriter.getIndexAttr(type.getDimSize(part))
                             : slice.getMixedSizes()[dim]);
      strides.push_back(isPart ? rewriter.getIndexAttr(1) : slice.getMixedStrides()[dim]);
      if (!dropped.test(dim))
        kept.push_back(isPart ? type.getDimSize(part) : slice.getStaticSize(dim));
    }
  }
  return tensor::ExtractSliceOp::create(rewriter, slice.getLoc(), type.clone(kept), source, offsets,
                                        sizes, strides);
}

namespace {

/// slice(collapse(x)) → collapse(slice(x)) where what was joined is taken whole: the reader can
/// then run over the parts.
struct JoinBehindSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto collapse = slice.getSource().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || !isComputed(collapse.getSrc()) || !collapse.getSrcType().hasStaticShape())
      return rewriter.notifyMatchFailure(slice, "of no reshaped value of a member");
    SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices(), joined;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t next = 0;
    for (auto [dim, group] : llvm::enumerate(groups)) {
      if (group.size() > 1 && (dropped.test(dim) || !takesAll(slice, dim)))
        return rewriter.notifyMatchFailure(slice, "cuts what was joined");
      if (dropped.test(dim))
        continue;
      for (ReassociationIndices &parts = joined.emplace_back(); parts.size() < group.size();)
        parts.push_back(next++);
    }
    Value parts = sliceParts(rewriter, slice, collapse.getSrc(), groups);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(slice, slice.getType(), parts, joined);
    return success();
  }
};

/// expand(slice(x)) → slice(expand(x)) where what is split was taken whole: the member that
/// computes x can then run over the parts.
struct SplitBeforeSlice : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto slice = expand.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !isComputed(slice.getSource()) || !slice.getSourceType().hasStaticShape())
      return rewriter.notifyMatchFailure(expand, "of no slice of a member's value");
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<ReassociationIndices> groups, known = expand.getReassociationIndices();
    SmallVector<int64_t> split;
    unsigned next = 0;
    for (auto [dim, extent] : llvm::enumerate(slice.getSourceType().getShape())) {
      ReassociationIndices parts;
      if (!dropped.test(dim))
        parts = known[next++];
      if (parts.size() > 1 && !takesAll(slice, dim))
        return rewriter.notifyMatchFailure(expand, "splits what was cut");
      ReassociationIndices &group = groups.emplace_back();
      for (size_t i = 0, end = std::max<size_t>(1, parts.size()); i < end; ++i) {
        group.push_back(split.size());
        split.push_back(parts.size() > 1 ? expand.getResultType().getDimSize(parts[i]) : extent);
      }
    }
    Value whole = tensor::ExpandShapeOp::create(
        rewriter, expand.getLoc(), slice.getSourceType().clone(split), slice.getSource(), groups);
    rewriter.replaceOp(expand, sliceParts(rewriter, slice, whole, groups));
    return success();
  }
};

} // namespace

/// The factors that both lists of extents, of one product, are products of; none if there are no
/// such factors.
static std::optional<SmallVector<int64_t>> getFactors(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> cuts;
  for (ArrayRef<int64_t> extents : {a, b}) {
    int64_t cut = 1;
    for (int64_t extent : llvm::reverse(extents))
      cuts.push_back(cut *= extent);
  }
  llvm::sort(cuts);
  SmallVector<int64_t> factors;
  int64_t last = 1;
  for (int64_t cut : cuts) {
    if (cut == last)
      continue;
    if (cut % last != 0)
      return std::nullopt;
    factors.push_back(cut / last);
    last = cut;
  }
  std::reverse(factors.begin(), factors.end());
  return factors;
}

/// Appends the numbers, from `next` on, of the factors that each of `extents` is the product of.
static void groupFactors(ArrayRef<int64_t> factors, ArrayRef<int64_t> extents, int64_t next,
                         SmallVectorImpl<ReassociationIndices> &groups) {
  for (int64_t extent : extents) {
    ReassociationIndices &group = groups.emplace_back();
    for (int64_t product = 1; product < extent; factors = factors.drop_front()) {
      product *= factors.front();
      group.push_back(next++);
    }
  }
}

namespace {

/// expand(collapse(x)) → collapse(expand(x)) where neither reshape alone has the factors of both.
struct FactorReshapes : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand,
                                PatternRewriter &rewriter) const override {
    auto collapse = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || !isComputed(collapse.getSrc()))
      return rewriter.notifyMatchFailure(expand, "of no reshaped value of a member");
    RankedTensorType source = collapse.getSrcType(), result = expand.getResultType();
    auto hasFactors = [](int64_t extent) { return extent > 1; }; // and is known
    if (!llvm::all_of(source.getShape(), hasFactors) ||
        !llvm::all_of(result.getShape(), hasFactors))
      return rewriter.notifyMatchFailure(expand, "has extents that are not known, or units");
    SmallVector<int64_t> factors;
    SmallVector<ReassociationIndices> split, joined;
    for (auto [from, to] :
         llvm::zip_equal(collapse.getReassociationIndices(), expand.getReassociationIndices())) {
      ArrayRef<int64_t> a = source.getShape().slice(from.front(), from.size());
      ArrayRef<int64_t> b = result.getShape().slice(to.front(), to.size());
      std::optional<SmallVector<int64_t>> common = getFactors(a, b);
      if (!common)
        return rewriter.notifyMatchFailure(expand, "has no common factors");
      groupFactors(*common, a, factors.size(), split);
      groupFactors(*common, b, factors.size(), joined);
      factors.append(*common);
    }
    if (ArrayRef(factors) == source.getShape() || ArrayRef(factors) == result.getShape())
      return rewriter.notifyMatchFailure(expand, "is one reshape");
    Value parts = tensor::ExpandShapeOp::create(rewriter, expand.getLoc(), source.clone(factors),
                                                collapse.getSrc(), split);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(expand, result, parts, joined);
    return success();
  }
};

} // namespace

void fuse::populateReshapePatterns(RewritePatternSet &patterns) {
  patterns.add<JoinBehindSlice, SplitBeforeSlice, FactorReshapes>(patterns.getContext());
}
