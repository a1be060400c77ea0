//===- SplitExtrema.cpp - The pass fuse-split-extrema -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITEXTREMA
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Longer last dimensions are cut into parts of the first of these extents that divides them: the widths of blocks of packed
/// weights and multiples of them, so that a tile of a product holds whole parts.
static constexpr int64_t kLongDim = 128, kPartExtents[] = {64, 32, 16};
/// Others are one part, with the dimensions before them up to so many elements: images of 14x14.
static constexpr int64_t kMostOfWholeDims = 256;
/// Fewer elements are folded by each reader of the result.
static constexpr int64_t kFewElements = 256;
/// Each block of a reader folds the partial results again: of so many, in one or two microseconds.
static constexpr int64_t kMostPartials = 1 << 14;

namespace {

struct SplitExtrema : fuse::impl::FuseSplitExtremaBase<SplitExtrema> {
  void runOnOperation() override {
    SmallVector<ReduceOp> reductions;
    getOperation().walk([&](ReduceOp op) {
      if (isSplit(op))
        reductions.push_back(op);
    });
    for (ReduceOp op : reductions)
      split(op);
  }

  /// Whether an order in which elements are folded changes nothing, and all of a computed tensor are.
  static bool isSplit(ReduceOp op) {
    if (!llvm::is_contained({ReduceKind::Max, ReduceKind::Min, ReduceKind::Any, ReduceKind::All}, op.getKind()))
      return false;
    ArrayRef<int64_t> shape = FuseBuilder::shapeOf(op.getOperand());
    Operation *producer = op.getOperand().getDefiningOp();
    bool isKept = op->hasAttr(attr::kGroup) || op->hasAttr(attr::kTogether) || op->hasAttr(attr::kAlone) ||
                  op->getParentOfType<KernelOp>() || op->getParentOfType<ScanOp>();
    if (isKept || shape.size() != op.getDimensions().size() || shape.empty() || !isComputed(producer))
      return false;
    int64_t elements = 1;
    for (int64_t extent : shape)
      if (!ShapedType::isDynamic(extent))
        elements *= extent;
    std::optional<Part> part = getPart(shape);
    return part && elements > kFewElements && elements / part->elements <= kMostPartials;
  }

  /// Whether a kernel makes what `producer` gives, so that it can fold parts of it.
  static bool isComputed(Operation *producer) {
    while (producer && classifyNode(producer) == NodeKind::View)
      producer = producer->getOperand(0).getDefiningOp();
    return producer && classifyNode(producer) == NodeKind::Device;
  }

  /// What one partial result is made of: `elements` of the last dimension, or of `dims` whole dimensions, from the last one.
  struct Part {
    int64_t dims, elements;
  };

  static std::optional<Part> getPart(ArrayRef<int64_t> shape) {
    int64_t extent = shape.back();
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    for (int64_t part : kPartExtents)
      if (extent > kLongDim && extent % part == 0)
        return Part{0, part};
    Part part{1, extent};
    for (int64_t outer : llvm::reverse(shape.drop_back())) {
      if (ShapedType::isDynamic(outer) || part.elements * outer > kMostOfWholeDims)
        break;
      part = {part.dims + 1, part.elements * outer};
    }
    // Nothing is left for a second stage.
    if (part.dims == static_cast<int64_t>(shape.size()) || part.elements == 1)
      return std::nullopt;
    return part;
  }

  static void split(ReduceOp op) {
    ArrayRef<int64_t> shape = FuseBuilder::shapeOf(op.getOperand());
    Part part = *getPart(shape);
    int64_t rank = shape.size();
    OpBuilder builder(op);
    FuseBuilder b(builder, op.getLoc());
    Value value = op.getOperand();
    if (part.dims == 0) {
      SmallVector<int64_t> cut(shape);
      cut.back() /= part.elements;
      cut.push_back(part.elements);
      value = b.reshape(value, cut);
      part.dims = 1;
      ++rank;
    }
    SmallVector<int64_t> inner = llvm::to_vector(llvm::seq(rank - part.dims, rank)),
                         rest = llvm::to_vector(llvm::seq<int64_t>(0, rank - part.dims));
    Value parts = b.reduce(op.getKind(), value, inner, /*keepDims=*/false);
    Value result = b.reduce(op.getKind(), parts, rest, /*keepDims=*/false);
    if (op.getKeepDims())
      result = b.reshape(result, FuseBuilder::shapeOf(op.getResult()));
    op.getResult().replaceAllUsesWith(result);
    op.erase();
  }
};

} // namespace
