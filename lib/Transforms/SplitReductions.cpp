//===- SplitReductions.cpp - The pass fuse-split-reductions -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITREDUCTIONS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Fewer elements take few blocks no longer than a second launch, and so do shorter folds.
static constexpr int64_t kManyElements = 1 << 18, kLongFold = 1024;
/// Columns that a block sums up side by side.
static constexpr int64_t kColumns = 128;
/// Blocks wanted for each multiprocessor, and partial results that one block folds in no time.
static constexpr int64_t kBlocksPerProcessor = 2, kMostPartials = 4096;
/// Multiprocessors of a target that does not say.
static constexpr int64_t kUnknownProcessors = 108;

namespace {

/// How a reduction is cut: `dim` in `parts`, which the second reduction folds.
struct Split {
  int64_t dim, parts;
};

int64_t countElements(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims, bool isFolded) {
  int64_t count = 1;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (llvm::is_contained(dims, static_cast<int64_t>(dim)) == isFolded &&
        llvm::MulOverflow(count, extent, count))
      return std::numeric_limits<int64_t>::max();
  return count;
}

std::optional<Split> findSplit(ReduceOp op, int64_t processors) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> shape = type.getShape(), dims = op.getDimensions();
  if (!type.hasStaticShape() || dims.empty() || llvm::is_contained(shape, 0) ||
      countElements(shape, dims, /*isFolded=*/true) < kLongFold ||
      countElements(shape, {}, /*isFolded=*/false) < kManyElements)
    return std::nullopt;
  int64_t points = countElements(shape, dims, /*isFolded=*/false);
  bool foldsRows = llvm::is_contained(dims, type.getRank() - 1);
  int64_t blocks = foldsRows ? points : llvm::divideCeil(points, kColumns);
  if (blocks >= processors / 2)
    return std::nullopt;
  int64_t wanted = llvm::divideCeil(kBlocksPerProcessor * processors, blocks);
  // The outermost dim that has a divisor of about that size.
  for (int64_t dim : dims)
    for (int64_t parts = wanted; parts <= std::min(shape[dim], kMostPartials); ++parts)
      if (shape[dim] % parts == 0)
        return Split{dim, parts};
  return std::nullopt;
}

void split(ReduceOp op, Split split) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  Type element = type.getElementType();
  Value operand = op.getOperand();
  // Partial results keep the type that a reduction adds up in.
  bool isShort = element.isF16() || element.isBF16();
  Type wide = isShort ? Type(builder.getF32Type()) : element;
  if (isShort)
    operand = CastOp::create(builder, loc, type.clone(wide), operand);

  SmallVector<int64_t> shape(type.getShape()), partShape, folded;
  shape[split.dim] /= split.parts;
  shape.insert(shape.begin() + split.dim, split.parts);
  for (int64_t dim : op.getDimensions())
    folded.push_back(dim < split.dim ? dim : dim + 1);
  int64_t partsDim = 0;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (static_cast<int64_t>(dim) == split.dim)
      partsDim = partShape.size();
    if (!llvm::is_contained(folded, static_cast<int64_t>(dim)))
      partShape.push_back(extent);
  }
  Value cut = ReshapeOp::create(builder, loc, RankedTensorType::get(shape, wide), operand);
  Value parts = ReduceOp::create(builder, loc, RankedTensorType::get(partShape, wide), op.getKind(),
                                 cut, folded, /*keep_dims=*/false);
  partShape.erase(partShape.begin() + partsDim);
  Value result = ReduceOp::create(builder, loc, RankedTensorType::get(partShape, wide),
                                  op.getKind(), parts, ArrayRef<int64_t>{partsDim},
                                  /*keep_dims=*/false);
  auto resultType = cast<RankedTensorType>(op.getResult().getType());
  if (isShort)
    result = CastOp::create(builder, loc, cast<RankedTensorType>(result.getType()).clone(element),
                            result);
  if (result.getType() != resultType)
    result = ReshapeOp::create(builder, loc, resultType, result);
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

struct SplitReductions : fuse::impl::FuseSplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    if (target.getKind() != TargetKind::Gpu)
      return;
    auto processors = static_cast<int64_t>(target.getFigure("max_threads"));
    if (processors <= 1)
      processors = kUnknownProcessors;
    SmallVector<ReduceOp> reductions;
    getOperation().walk([&](ReduceOp op) { reductions.push_back(op); });
    for (ReduceOp op : reductions) {
      // Integers of 8 bits are added up in wider ones, which no cast here would undo alike.
      bool isKept = op->hasAttr(attr::kGroup) || op->hasAttr(attr::kTogether) ||
                    op->hasAttr(attr::kAlone) || op->getParentOfType<KernelOp>() ||
                    getElementTypeOrSelf(op.getOperand()).isInteger(8);
      if (isKept)
        continue;
      if (std::optional<Split> cut = findSplit(op, processors))
        split(op, *cut);
    }
  }
};

} // namespace
