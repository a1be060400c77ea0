//===- EvaluatePads.cpp - Paddings that compute one element at a time -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MergeMembers.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

Value fuse::evaluateBody(OpBuilder &builder, linalg::GenericOp op, ValueRange inputs,
                         llvm::function_ref<Value(unsigned)> getIndex) {
  IRMapping mapping;
  mapping.map(op.getRegionInputArgs(), inputs);
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), getIndex(index.getDim()));
    else
      builder.clone(inner, mapping);
  }
  return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
}

Value fuse::evaluateAt(OpBuilder &builder, linalg::GenericOp producer, ValueRange position) {
  SmallVector<Value> loops(producer.getNumLoops()), inputs;
  AffineMap written = producer.getIndexingMapMatchingResult(producer->getOpResult(0));
  for (auto [index, expr] : llvm::zip(position, written.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;
  for (OpOperand *operand : producer.getDpsInputOperands()) {
    SmallVector<Value> at;
    for (AffineExpr expr : producer.getMatchingIndexingMap(operand).getResults())
      at.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
    inputs.push_back(tensor::ExtractOp::create(builder, producer.getLoc(), operand->get(), at));
  }
  return evaluateBody(builder, producer, inputs, [&](unsigned loop) { return loops[loop]; });
}

bool fuse::isElementwise(linalg::GenericOp op) {
  return op && op->getNumResults() == 1 && op.getNumReductionLoops() == 0 &&
         op.getIndexingMapMatchingResult(op->getOpResult(0)).isPermutation() &&
         llvm::all_of(op.getDpsInputOperands(),
                      [&](OpOperand *operand) {
                        return isa<RankedTensorType>(operand->get().getType()) &&
                               op.getMatchingIndexingMap(operand).isProjectedPermutation();
                      }) &&
         llvm::all_of(op.getRegionOutputArgs(),
                      [](BlockArgument argument) { return argument.use_empty(); });
}

/// An element of the padded tensor, at the position that the loops of the body have:
///   inside ? source[clamped position] : border
static Value evaluatePad(OpBuilder &builder, tensor::PadOp pad, Value border,
                         ArrayRef<OpFoldResult> sizes) {
  Location loc = pad.getLoc();
  if (llvm::is_contained(pad.getSourceType().getShape(), 0))
    return border;
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> position;
  Value isInside;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    Value index = linalg::IndexOp::create(builder, loc, dim);
    if (pad.getPaddedDims().test(dim)) {
      if (int64_t low = pad.getStaticLow()[dim])
        index = arith::SubIOp::create(builder, loc, index, constant(low));
      // One unsigned comparison for both ends.
      Value extent = getValueOrCreateConstantIndexOp(builder, loc, size);
      Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, extent);
      isInside = isInside ? arith::AndIOp::create(builder, loc, isInside, fits).getResult() : fits;
      Value last = arith::SubIOp::create(builder, loc, extent, constant(1));
      index = arith::MaxSIOp::create(
          builder, loc, arith::MinSIOp::create(builder, loc, index, last), constant(0));
    }
    position.push_back(index);
  }
  auto source = pad.getSource().getDefiningOp<linalg::GenericOp>();
  Value element = source && source->hasAttr(attr::kRecompute)
                      ? evaluateAt(builder, source, position)
                      : tensor::ExtractOp::create(builder, loc, pad.getSource(), position);
  return isInside ? arith::SelectOp::create(builder, loc, isInside, element, border) : element;
}

void fuse::evaluatePads(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  SmallVector<tensor::PadOp> pads;
  func.walk([&](tensor::PadOp pad) {
    if (pad.getConstantPaddingValue() && pad.getLow().empty() && pad.getHigh().empty())
      pads.push_back(pad);
  });
  for (tensor::PadOp pad : pads) {
    rewriter.setInsertionPoint(pad);
    Location loc = pad.getLoc();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, pad.getSource());
    SmallVector<OpFoldResult> extents = tensor::getMixedSizes(rewriter, loc, pad.getResult());
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (!pad.getPaddedDims().test(dim))
        extents[dim] = sizes[dim];
    Value border = pad.getConstantPaddingValue();
    Value empty = tensor::EmptyOp::create(rewriter, loc, extents, getElementTypeOrSelf(border));
    AffineMap identity = rewriter.getMultiDimIdentityMap(sizes.size());
    SmallVector<utils::IteratorType> loops(sizes.size(), utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, pad.getType(), ValueRange(), empty, identity, loops,
        [&](OpBuilder &builder, Location, ValueRange) {
          linalg::YieldOp::create(builder, loc, evaluatePad(builder, pad, border, sizes));
        });
    generic->setDiscardableAttr(attr::kRecompute, rewriter.getUnitAttr());
    readExtentsOffInits(func); // those of the padded tensor, and of what the elements compute
    Operation *source = pad.getSource().getDefiningOp();
    rewriter.replaceOp(pad, generic);
    if (source && isOpTriviallyDead(source))
      rewriter.eraseOp(source);
  }
}
