//===- SplitPads.cpp - Paddings as what lies inside, and its borders ------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The input of a padded window is laid out anew for each tile (see PadTile.h). What lies inside the
// image is a rectangle of the tile. It becomes a copy, whose rows are as long as memory has them in
// one piece, and the rest of the tile fills. Where elements are computed, or dimensions turned, it
// becomes an element-wise member over the same rectangle of each source:
//
//   tile = inside ? relu(image[clamped position] * scale[channel]) : border
//
//   rectangle of tile = relu(rectangle of image * scale)
//   strips around it  = border
//
//===----------------------------------------------------------------------------------------===//

#include "PadTile.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITPADS
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

class SplitPad {
public:
  SplitPad(RewriterBase &b, const PadTile &tile) : b(b), pad(tile), loc(tile.op->getLoc()) {
    b.setInsertionPoint(pad.op);
  }

  void emit() {
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, pad.tile);
    from.assign(sizes.size(), b.getIndexAttr(0));
    extent = sizes;
    for (auto [dim, dimension] : llvm::enumerate(pad.dimensions)) {
      if (!dimension.isPadded)
        continue;
      OpFoldResult start = apply(dimension.start, getAsOpFoldResult(dimension.symbols));
      // Elements low to high of the tile are those at positions start + low to start + high.
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
    }
    emitInside();
    b.eraseOp(pad.op);
  }

private:
  void emitInside() {
    SmallVector<Value> sources;
    SmallVector<AffineMap> maps;
    for (PadTile::Read &read : pad.reads)
      sources.push_back(viewSource(read, maps));
    Value inside = view(pad.tile, from, extent);
    if (pad.source) {
      linalg::CopyOp::create(b, loc, sources, inside);
      return;
    }
    maps.push_back(b.getMultiDimIdentityMap(extent.size()));
    SmallVector<utils::IteratorType> iterators(extent.size(), utils::IteratorType::parallel);
    llvm::SetVector<Operation *> ops;
    collect(pad.element, ops);
    auto body = [&](OpBuilder &inner, Location, ValueRange arguments) {
      IRMapping mapping;
      for (auto [number, read] : llvm::enumerate(pad.reads))
        mapping.map(read.load.getResult(), arguments[number]);
      for (Operation *op : ops)
        inner.clone(*op, mapping);
      linalg::YieldOp::create(inner, loc, mapping.lookupOrDefault(pad.element));
    };
    linalg::GenericOp::create(b, loc, sources, inside, maps, iterators, body);
  }

  /// What an element is computed by behind its loads, in order.
  void collect(Value value, llvm::SetVector<Operation *> &ops) {
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != pad.op.getBody() || isa<memref::LoadOp>(def) ||
        ops.contains(def))
      return;
    for (Value operand : def->getOperands())
      collect(operand, ops);
    ops.insert(def);
  }

  /// The rectangle of what is read; adds the map of its dimensions, those that count along a loop.
  Value viewSource(PadTile::Read &read, SmallVector<AffineMap> &maps) {
    SmallVector<OpFoldResult> at, sizes, counted;
    SmallVector<AffineExpr> loops;
    auto [s, t] = std::pair(b.getAffineSymbolExpr(0), b.getAffineSymbolExpr(1));
    for (const BodyPosition &index : read.indices) {
      at.push_back(apply(index.start, getAsOpFoldResult(index.symbols)));
      sizes.push_back(b.getIndexAttr(1));
      if (!index.loop)
        continue;
      at.back() = apply(s + t, {at.back(), from[*index.loop]});
      sizes.back() = extent[*index.loop];
      counted.push_back(sizes.back());
      loops.push_back(b.getAffineDimExpr(*index.loop));
    }
    maps.push_back(AffineMap::get(extent.size(), 0, loops, b.getContext()));
    Value source = read.load.getMemRef();
    if (at.empty())
      return source;
    SmallVector<OpFoldResult> ones(at.size(), b.getIndexAttr(1));
    SmallVector<int64_t> shape;
    std::tie(shape, std::ignore) = decomposeMixedValues(counted);
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(
        shape, read.load.getMemRefType(), at, sizes, ones);
    return memref::SubViewOp::create(b, loc, type, source, at, sizes, ones);
  }

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
  PadTile pad;
  Location loc;
  SmallVector<OpFoldResult> from, extent; ///< of the rectangle inside, in the tile
};

struct SplitPads : fuse::impl::FuseSplitPadsBase<SplitPads> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> members;
    getOperation().walk([&](linalg::GenericOp op) { members.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : members)
      if (std::optional<PadTile> pad = PadTile::match(op))
        SplitPad(rewriter, *pad).emit();
  }
};

} // namespace
