//===- ExpandMembers.cpp - No reshapes between members -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A reshape between two members hides which loops are the same: loop 0 of the one is loops (0, 1)
// of the other. Both are rewritten to run over the finest factors, so that every value between
// members is read through an index map, and reshapes remain of arguments and results alone, where
// they are free. A slice between a value and its reader takes part: dimensions that it leaves whole
// are split before it and joined behind it. Copies (transposes that had to be brought in order
// before a reshape) then fold into the maps of their readers.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_EXPANDMEMBERS
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static bool isView(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp,
                         tensor::CastOp>(op);
}

/// Whether a member computes what `value` is a view of.
static bool isComputed(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.getDefiningOp<linalg::GenericOp>();
}

/// Whether a member reads `value`, or a view of it.
static bool isReadByMember(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isView(user))
      return isReadByMember(user->getResult(0));
    return isa<linalg::LinalgOp>(user);
  });
}

/// Reshapes of arguments and results are free; between members they go.
static bool shouldExpand(OpOperand *reshaped) {
  Operation *reader = reshaped->getOwner();
  if (isa<tensor::ExpandShapeOp>(reader)) // of a member's result
    return isReadByMember(reader->getResult(0));
  return isComputed(reshaped->get());
}

namespace {

/// reader(copy(x)) → reader(x): the reader's map goes through the copy's.
struct FoldCopyIntoReader : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp reader,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : reader.getDpsInputOperands()) {
      auto copy = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!copy || !isCopy(copy))
        continue;
      OpOperand *source = copy.getDpsInputOperand(0);
      AffineMap written = copy.getIndexingMapMatchingResult(copy->getOpResult(0));
      AffineMap map = copy.getMatchingIndexingMap(source)
                          .compose(inversePermutation(written))
                          .compose(reader.getMatchingIndexingMap(operand));
      SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
      maps[operand->getOperandNumber()] = map;
      // Each loop of the reader must still run along some operand.
      if (!inversePermutation(concatAffineMaps(maps, rewriter.getContext())))
        continue;
      rewriter.modifyOpInPlace(reader, [&] {
        reader.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
        operand->set(source->get());
      });
      return success();
    }
    return rewriter.notifyMatchFailure(reader, "reads no copy");
  }

private:
  static bool isCopy(linalg::GenericOp op) {
    if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
        op.getNumReductionLoops() != 0 || op->hasAttr(attr::kRecompute))
      return false;
    auto yielded = dyn_cast<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
    return yielded && yielded.getArgNumber() == 0 &&
           op.getIndexingMapMatchingResult(op->getOpResult(0)).isPermutation();
  }
};

} // namespace

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

/// The size of a slice's dimension; dropped ones are not counted.
static OpFoldResult getKeptSize(tensor::ExtractSliceOp slice, int64_t position) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped.test(dim) && position-- == 0)
      return size;
  return {};
}

void fuse::readExtentsOffInits(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  SmallVector<tensor::DimOp> dims;
  func.walk([&](tensor::DimOp dim) { dims.push_back(dim); });
  for (tensor::DimOp dim : dims) {
    std::optional<int64_t> position = dim.getConstantIndex();
    if (!position)
      continue;
    Value source = dim.getSource();
    OpFoldResult size;
    while (!size) {
      if (auto member = source.getDefiningOp<linalg::LinalgOp>())
        source = member.getDpsInits()[cast<OpResult>(source).getResultNumber()];
      else if (auto empty = source.getDefiningOp<tensor::EmptyOp>())
        size = empty.getMixedSizes()[*position];
      else if (auto expand = source.getDefiningOp<tensor::ExpandShapeOp>())
        size = expand.getMixedOutputShape()[*position];
      else if (auto slice = source.getDefiningOp<tensor::ExtractSliceOp>())
        size = getKeptSize(slice, *position);
      else if (auto collapse = source.getDefiningOp<tensor::CollapseShapeOp>();
               collapse && collapse.getReassociationIndices()[*position].size() == 1) {
        position = collapse.getReassociationIndices()[*position].front();
        source = collapse.getSrc();
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

void fuse::expandMembers(func::FuncOp func) {
  readExtentsOffInits(func);
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, shouldExpand);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  patterns.add<FoldCopyIntoReader, JoinBehindSlice, SplitBeforeSlice>(context);
  GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  config.enableFolding(true);
  (void)applyPatternsGreedily(func, std::move(patterns), config);
}

namespace {
struct ExpandMembersPass : fuse::impl::ExpandMembersBase<ExpandMembersPass> {
  void runOnOperation() override { expandMembers(getOperation()); }
};
} // namespace
