//===- TurnOperands.cpp - Operands that lie across a member's lines ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TurnOperands.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fuse;

/// With shorter lines, the caches do as well; larger tiles leave no room for several blocks.
static constexpr int64_t kLeastLine = 8, kMostElements = 8192;

static bool isArgument(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return isa<BlockArgument>(buffer);
}

/// The largest shape of the operand's tile, if it is to be turned.
static std::optional<SmallVector<int64_t>> getTurnedShape(linalg::GenericOp op,
                                                          OpOperand &operand,
                                                          const ThreadMapping &mapping) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !map.isProjectedPermutation() || map.getNumResults() < 2 ||
      !type.isLastDimUnitStride() || !isArgument(operand.get()))
    return std::nullopt;
  auto position = [&](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); };
  unsigned line = position(map.getResults().back());
  bool isAcross = line != mapping.chunkLoop() && map.isFunctionOfDim(mapping.chunkLoop()) &&
                  llvm::is_contained(mapping.spread.loops, line);
  if (!isAcross)
    return std::nullopt;
  SmallVector<int64_t> shape;
  int64_t elements = 1;
  for (AffineExpr expr : map.getResults()) {
    shape.push_back(mapping.bounds[position(expr)]);
    if (ShapedType::isDynamic(shape.back()))
      return std::nullopt;
    elements *= shape.back();
  }
  if (shape.back() < kLeastLine || elements > kMostElements ||
      mapping.bounds[mapping.chunkLoop()] < kLeastLine)
    return std::nullopt;
  return shape;
}

SmallVector<linalg::GenericOp> mlir::fuse::turnOperands(RewriterBase &rewriter,
                                                        linalg::GenericOp op,
                                                        const ThreadMapping &mapping,
                                                        ArrayRef<int64_t> loopDims) {
  SmallVector<linalg::GenericOp> copies;
  if (mapping.spread.empty() || mapping.folds)
    return copies;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<SmallVector<int64_t>> shape = getTurnedShape(op, *operand, mapping);
    if (!shape)
      continue;
    Value from = operand->get();
    auto type = cast<MemRefType>(from.getType());
    SmallVector<OpFoldResult> zeros, ones, sizes;
    for (unsigned dim = 0; dim < shape->size(); ++dim) {
      zeros.push_back(rewriter.getIndexAttr(0));
      ones.push_back(rewriter.getIndexAttr(1));
      sizes.push_back(memref::getMixedSize(rewriter, loc, from, dim));
    }
    ++shape->back();
    Value memory =
        memref::AllocOp::create(rewriter, loc, MemRefType::get(*shape, type.getElementType()));
    Value tile = memref::SubViewOp::create(rewriter, loc, memory, zeros, sizes, ones);
    AffineMap identity = rewriter.getMultiDimIdentityMap(shape->size());
    auto copy = linalg::GenericOp::create(
        rewriter, loc, from, tile, ArrayRef<AffineMap>{identity, identity},
        SmallVector<utils::IteratorType>(shape->size(), utils::IteratorType::parallel),
        [](OpBuilder &b, Location at, ValueRange values) {
          linalg::YieldOp::create(b, at, values.front());
        });
    SmallVector<int64_t> dims;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      dims.push_back(loop < loopDims.size() ? loopDims[loop] : -1);
    }
    copy->setAttr(attr::kLoopDims, rewriter.getDenseI64ArrayAttr(dims));
    rewriter.modifyOpInPlace(op, [&, operand = operand] { operand->set(tile); });
    copies.push_back(copy);
  }
  return copies;
}
