//===- SplitPads.cpp - Paddings as a copy and its borders -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The input of a padded window is laid out anew for each tile (see PadTile.h). What lies inside the
// image is a rectangle of the tile. It becomes a copy, whose rows are as long as memory has them in
// one piece, and the rest of the tile fills.
//
//===----------------------------------------------------------------------------------------===//

#include "PadTile.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITPADS
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

class SplitPad {
public:
  SplitPad(RewriterBase &b, const PadTile &pad) : b(b), pad(pad), loc(pad.op->getLoc()) {
    b.setInsertionPoint(pad.op);
  }

  void emit() {
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, pad.tile);
    SmallVector<OpFoldResult> from(sizes.size(), b.getIndexAttr(0)), extent = sizes, starts;
    for (auto [dim, dimension] : llvm::enumerate(pad.dimensions)) {
      SmallVector<OpFoldResult> symbols = getAsOpFoldResult(dimension.symbols);
      OpFoldResult start = apply(dimension.start, symbols);
      if (!dimension.isPadded) {
        starts.push_back(start);
        continue;
      }
      // Elements low to high of the tile are elements start + low to start + high of the source.
      auto [s, size] = std::pair(b.getAffineSymbolExpr(0), b.getAffineSymbolExpr(1));
      AffineExpr zero = b.getAffineConstantExpr(0);
      OpFoldResult low = extreme(true, {-s, zero}, {start});
      low = extreme(false, {s, size}, {low, sizes[dim]});
      OpFoldResult high = extreme(false, {-s + dimension.size, size}, {start, sizes[dim]});
      high = extreme(true, {s, size}, {high, low});
      // In front of the rectangle and behind it, in what earlier dimensions left.
      SmallVector<OpFoldResult> before = extent, after = extent, behind = from;
      before[dim] = low;
      fill(from, before);
      after[dim] = apply(s - size, {sizes[dim], high});
      behind[dim] = high;
      fill(behind, after);
      from[dim] = low;
      extent[dim] = apply(s - size, {high, low});
      starts.push_back(apply(s + size, {start, low}));
    }
    linalg::CopyOp::create(b, loc, view(pad.source, starts, extent), view(pad.tile, from, extent));
    b.eraseOp(pad.op);
  }

private:
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> symbols) {
    return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(0, symbols.size(), expr),
                                                 symbols);
  }

  OpFoldResult extreme(bool isMax, ArrayRef<AffineExpr> exprs, ArrayRef<OpFoldResult> symbols) {
    AffineMap map = AffineMap::get(0, symbols.size(), exprs, b.getContext());
    return isMax ? affine::makeComposedFoldedAffineMax(b, loc, map, symbols)
                 : affine::makeComposedFoldedAffineMin(b, loc, map, symbols);
  }

  Value view(Value buffer, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> extent) {
    SmallVector<OpFoldResult> ones(from.size(), b.getIndexAttr(1));
    return memref::SubViewOp::create(b, loc, buffer, from, extent, ones);
  }

  void fill(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> extent) {
    if (llvm::none_of(extent, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
      linalg::FillOp::create(b, loc, pad.border, view(pad.tile, from, extent));
  }

  RewriterBase &b;
  const PadTile &pad;
  Location loc;
};

struct SplitPads : fuse::impl::FuseSplitPadsBase<SplitPads> {
  void runOnOperation() override {
    SmallVector<PadTile> pads;
    getOperation().walk([&](linalg::GenericOp op) {
      if (std::optional<PadTile> pad = PadTile::match(op))
        pads.push_back(*pad);
    });
    IRRewriter rewriter(&getContext());
    for (const PadTile &pad : pads)
      SplitPad(rewriter, pad).emit();
  }
};

} // namespace
