//===- LowerPads.cpp - Padded tiles as rectangles ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A padded tile is the part inside, which lies in the image or is computed for the tile, and the
// border around:
//
//   %tile = tensor.pad %inside low[%low, 0] high[%high, 0] { yield %border }
//
// It becomes a temporary of the size of the largest tile, whose rectangles are written in place:
//
//   %0 = tensor.empty
//   %1 = insert_slice %inside into %0[%low, 0]           // or computed into that slice
//   %2 = insert_slice (fill %border) into %1[0, 0]       // the rows in front of it
//   %3 = insert_slice (fill %border) into %2[%end, 0]    // the rows behind it
//
// Windows that had better not have such a tile are peeled (see PeelWindow.h).
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/IndexMath.h"
#include "../Kernel/PadSlice.h"
#include "../Kernel/TileScratch.h"
#include "PeelWindow.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSELOWERPADS
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

using OpFoldResults = SmallVector<OpFoldResult>;

/// The element-wise op that computes what `pad` pads, for nobody else and into memory of its own;
/// null if there is none.
static linalg::GenericOp getOwnProducer(tensor::PadOp pad) {
  auto producer = pad.getSource().getDefiningOp<linalg::GenericOp>();
  if (!producer || producer->getBlock() != pad->getBlock() || !pad.getSource().hasOneUse() ||
      producer->getNumResults() != 1 || producer.getNumReductionLoops() != 0 ||
      !producer.getRegionOutputArgs().front().use_empty())
    return {};
  // Where the rectangle lies is known before it is computed.
  for (Value size : pad->getOperands().drop_front())
    if (Operation *def = size.getDefiningOp();
        def && def->getBlock() == pad->getBlock() && !def->isBeforeInBlock(producer))
      return {};
  Value init = producer.getDpsInits().front();
  if (auto slice = init.getDefiningOp<tensor::ExtractSliceOp>())
    init = slice.getSource();
  return init.getDefiningOp<tensor::EmptyOp>() ? producer : linalg::GenericOp();
}

Value mlir::fuse::lowerPad(RewriterBase &rewriter, tensor::PadOp pad, ArrayRef<OpFoldResult> sizes,
                           Value tile) {
  Location loc = pad.getLoc();
  IndexMath math{rewriter, loc};
  linalg::GenericOp producer = getOwnProducer(pad);
  rewriter.setInsertionPoint(producer ? producer : pad);
  OpFoldResults low = getLowPad(rewriter, pad);
  OpFoldResults inside = getSizes(rewriter, pad.getSource());
  OpFoldResults ones(sizes.size(), rewriter.getIndexAttr(1));
  Value border = pad.getConstantPaddingValue();
  if (!hasZero(inside)) {
    if (producer) {
      Value place = tensor::ExtractSliceOp::create(rewriter, loc, tile, low, inside, ones);
      auto init = producer.getDpsInits().front();
      if (place.getType() != init.getType())
        place = tensor::CastOp::create(rewriter, loc, init.getType(), place);
      producer.getDpsInitsMutable()[0].set(place);
    }
    rewriter.setInsertionPoint(pad);
    tile = tensor::InsertSliceOp::create(rewriter, loc, pad.getSource(), tile, low, inside, ones);
  }
  rewriter.setInsertionPoint(pad);
  auto fill = [&](const OpFoldResults &from, const OpFoldResults &extent) {
    if (hasZero(extent))
      return;
    Value place = tensor::ExtractSliceOp::create(rewriter, loc, tile, from, extent, ones);
    Value filled = linalg::FillOp::create(rewriter, loc, border, place).getResult(0);
    tile = tensor::InsertSliceOp::create(rewriter, loc, filled, tile, from, extent, ones);
  };
  // In front of the rectangle and behind it, in what earlier dimensions left.
  OpFoldResults from(sizes.size(), rewriter.getIndexAttr(0)), extent(sizes);
  llvm::SmallBitVector padded = pad.getPaddedDims();
  for (unsigned dim : padded.set_bits()) {
    OpFoldResults before = extent, behind = from, after = extent;
    AffineExpr s0 = math.symbol(0), s1 = math.symbol(1), s2 = math.symbol(2);
    before[dim] = low[dim];
    fill(from, before);
    behind[dim] = math.apply(s0 + s1, {low[dim], inside[dim]});
    after[dim] = math.apply(s0 - s1 - s2, {sizes[dim], low[dim], inside[dim]});
    fill(behind, after);
    from[dim] = low[dim];
    extent[dim] = inside[dim];
  }
  if (tile.getType() != pad.getType())
    tile = tensor::CastOp::create(rewriter, loc, pad.getType(), tile);
  rewriter.replaceOp(pad, tile);
  return tile;
}

namespace {
struct LowerPads : fuse::impl::FuseLowerPadsBase<LowerPads> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) { pads.push_back(pad); });
    for (tensor::PadOp pad : pads) {
      if (!pad.getConstantPaddingValue())
        continue;
      StringRef reason;
      if (std::optional<PeeledWindow> window = PeeledWindow::get(pad, reason)) {
        peel(rewriter, *window);
        continue;
      }
      remark::missed(pad.getLoc(), remark::RemarkOpts::name("peel").category("fuse-lower-pads"))
          << remark::reason("a padded tile is made: {0}", reason);
      linalg::GenericOp producer = getOwnProducer(pad);
      rewriter.setInsertionPoint(producer ? producer : pad);
      OpFoldResults sizes = getPaddedSizes(rewriter, pad);
      Type element = pad.getResultType().getElementType();
      lowerPad(rewriter, pad, sizes, makeScratch(rewriter, pad.getLoc(), element, sizes));
    }
  }
};
} // namespace
