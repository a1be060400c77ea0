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
// before a reshape) then fold into the maps of their readers, and into the positions that bodies
// read at.
//
//===----------------------------------------------------------------------------------------===//

#include "ReshapePatterns.h"
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

/// Whether a member only turns its one operand, or repeats it.
static bool isCopy(linalg::GenericOp op) {
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || op->hasAttr(attr::kRecompute))
    return false;
  auto yielded = dyn_cast<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
  return yielded && yielded.getArgNumber() == 0 &&
         op.getIndexingMapMatchingResult(op->getOpResult(0)).isPermutation();
}

/// Where a copy's operand holds what its result holds at the position that a map gives.
static AffineMap getCopiedPosition(linalg::GenericOp copy, AffineMap position) {
  return copy.getMatchingIndexingMap(copy.getDpsInputOperand(0))
      .compose(inversePermutation(copy.getIndexingMapMatchingResult(copy->getOpResult(0))))
      .compose(position);
}

namespace {

/// reader(copy(x)) → reader(x): the reader's map goes through the copy's.
struct FoldCopyIntoReader : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp reader,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : reader.getDpsInputOperands()) {
      auto copy = operand->get().getDefiningOp<linalg::GenericOp>();
      if (!isCopy(copy))
        continue;
      OpOperand *source = copy.getDpsInputOperand(0);
      SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
      AffineMap &map = maps[operand->getOperandNumber()];
      map = getCopiedPosition(copy, map);
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
};

/// extract(collapse(copy(x)))[i] → extract(x)[i / n, i mod n] where i depends on an element, as a
/// gather's index does: no vector reads there, so nothing need lie in order first.
struct ReadThroughCopy : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp read, PatternRewriter &rewriter) const override {
    auto reader = read->getParentOfType<linalg::GenericOp>();
    if (!reader)
      return rewriter.notifyMatchFailure(read, "is in no body");
    Value source = read.getTensor();
    SmallVector<Operation *> views;
    while (Operation *view = source.getDefiningOp<tensor::CollapseShapeOp>()) {
      if (!cast<RankedTensorType>(view->getOperand(0).getType()).hasStaticShape())
        break;
      views.push_back(view);
      source = view->getOperand(0);
    }
    auto copy = source.getDefiningOp<linalg::GenericOp>();
    if (!isCopy(copy))
      return rewriter.notifyMatchFailure(read, "reads no copy");
    int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
    AffineMap map =
        getCopiedPosition(copy, AffineMap::getMultiDimIdentityMap(rank, rewriter.getContext()));
    if (!map.isProjectedPermutation())
      return rewriter.notifyMatchFailure(read, "reads a copy of no permutation");
    ImplicitLocOpBuilder b(read.getLoc(), rewriter);
    SmallVector<Value> position(read.getIndices()), copied;
    if (!areSplitOnlyComputed(reader, views, position))
      return rewriter.notifyMatchFailure(read, "reads what was joined along loops");
    for (Operation *view : views)
      position = splitPosition(b, cast<tensor::CollapseShapeOp>(view), position);
    for (AffineExpr expr : map.getResults())
      copied.push_back(position[cast<AffineDimExpr>(expr).getPosition()]);
    rewriter.modifyOpInPlace(read, [&] {
      read.getTensorMutable().assign(copy.getDpsInputs().front());
      read.getIndicesMutable().assign(copied);
    });
    return success();
  }

private:
  /// Whether an index of a body depends on an element.
  static bool dependsOnElement(Value index, linalg::GenericOp reader) {
    llvm::SetVector<Value> values;
    values.insert(index);
    for (unsigned i = 0; i < values.size(); ++i) {
      Operation *def = values[i].getDefiningOp();
      if (isa_and_nonnull<tensor::ExtractOp>(def) ||
          (!def && cast<BlockArgument>(values[i]).getOwner() == reader.getBody()))
        return true;
      if (def && reader->isProperAncestor(def))
        values.insert(def->operand_begin(), def->operand_end());
    }
    return false;
  }

  /// Whether the views split indices, and none that is a loop's: vectors read along loops.
  static bool areSplitOnlyComputed(linalg::GenericOp reader, ArrayRef<Operation *> views,
                                   ArrayRef<Value> position) {
    SmallVector<bool> computed;
    for (Value index : position)
      computed.push_back(dependsOnElement(index, reader));
    for (Operation *view : views) {
      SmallVector<bool> split;
      for (auto [hasElement, group] : llvm::zip_equal(
               computed, cast<tensor::CollapseShapeOp>(view).getReassociationIndices())) {
        if (group.size() > 1 && !hasElement)
          return false;
        split.append(group.size(), hasElement);
      }
      computed = split;
    }
    return !views.empty();
  }

  /// The position in what is joined of one in the result.
  static SmallVector<Value> splitPosition(ImplicitLocOpBuilder &b, tensor::CollapseShapeOp view,
                                          ArrayRef<Value> joined) {
    SmallVector<Value> position(view.getSrcType().getRank());
    for (auto [rest, group] : llvm::zip_equal(joined, view.getReassociationIndices())) {
      Value index = rest;
      for (int64_t dim : llvm::reverse(ArrayRef<int64_t>(group).drop_front())) {
        Value extent = arith::ConstantIndexOp::create(b, view.getSrcType().getDimSize(dim));
        position[dim] = arith::RemUIOp::create(b, index, extent);
        index = arith::DivUIOp::create(b, index, extent);
      }
      position[group.front()] = index;
    }
    return position;
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
  patterns.add<FoldCopyIntoReader, ReadThroughCopy>(context);
  populateReshapePatterns(patterns);
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
