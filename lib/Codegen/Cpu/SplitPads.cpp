//===- SplitPads.cpp - Paddings as a copy and its borders -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The input of a padded window is laid out anew for each tile, by a member whose body asks at every
// element whether it lies in the border (see MoveLowering.cpp):
//
//   %position = index(d) + offset − low        of each padded dimension d
//   %inside   = %position <u size  (and so on)
//   %element  = load source[..., max(min(%position, size − 1), 0), ...]
//   yield select %inside, %element, %border
//
// What lies inside is a rectangle of the tile. It becomes a copy, whose rows are as long as memory
// has them in one piece, and the rest of the tile fills.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Cpu/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITPADS
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A position of the source along one dimension of the tile: `start` at the tile's first element,
/// and one more with each element.
struct Dimension {
  unsigned loop = 0;
  AffineExpr start; ///< of symbols
  SmallVector<Value> symbols;
  bool isPadded = false;
};

class Pad {
public:
  explicit Pad(linalg::GenericOp op) : op(op) {}

  bool match() {
    if (op.getNumDpsInputs() != 0 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
        !op.getIndexingMapsArray().front().isIdentity())
      return false;
    auto choice = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
    if (!choice || !matchPattern(choice.getFalseValue(), m_Constant()))
      return false;
    border = choice.getFalseValue();
    load = choice.getTrueValue().getDefiningOp<memref::LoadOp>();
    if (!load || load->getBlock() != op.getBody() || !collectConditions(choice.getCondition()))
      return false;
    unsigned numPadded = 0;
    for (auto [dim, at] : llvm::enumerate(load.getIndices())) {
      std::optional<Dimension> dimension = matchIndex(at, dim);
      if (!dimension || dimension->loop != dim)
        return false;
      numPadded += dimension->isPadded;
      dimensions.push_back(*dimension);
    }
    // Each condition is about one padded dimension.
    return dimensions.size() == op.getNumLoops() && numPadded == conditions.size();
  }

  void emit(RewriterBase &rewriter) {
    b = &rewriter;
    rewriter.setInsertionPoint(op);
    tile = op.getDpsInits().front();
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(rewriter, op.getLoc(), tile);
    SmallVector<OpFoldResult> from(sizes.size(), rewriter.getIndexAttr(0)), extent = sizes, starts;
    for (auto [dim, dimension] : llvm::enumerate(dimensions)) {
      SmallVector<OpFoldResult> symbols = getAsOpFoldResult(dimension.symbols);
      OpFoldResult start = apply(dimension.start, symbols);
      if (!dimension.isPadded) {
        starts.push_back(start);
        continue;
      }
      // Elements low to high of the tile are elements start + low to start + high of the source.
      auto [s, size] = std::pair(rewriter.getAffineSymbolExpr(0), rewriter.getAffineSymbolExpr(1));
      AffineExpr zero = rewriter.getAffineConstantExpr(0);
      int64_t bound = cast<MemRefType>(load.getMemRef().getType()).getDimSize(dim);
      OpFoldResult low = extreme(true, {-s, zero}, {start});
      low = extreme(false, {s, size}, {low, sizes[dim]});
      OpFoldResult high = extreme(false, {-s + bound, size}, {start, sizes[dim]});
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
    linalg::CopyOp::create(rewriter, op.getLoc(), view(load.getMemRef(), starts, extent),
                           view(tile, from, extent));
    rewriter.eraseOp(op);
  }

private:
  bool collectConditions(Value condition) {
    if (auto both = condition.getDefiningOp<arith::AndIOp>())
      return collectConditions(both.getLhs()) && collectConditions(both.getRhs());
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
      return false;
    conditions.push_back(compare);
    return true;
  }

  std::optional<Dimension> matchIndex(Value at, unsigned dim) {
    Dimension dimension;
    if (auto lower = at.getDefiningOp<arith::MaxSIOp>()) {
      auto upper = lower.getLhs().getDefiningOp<arith::MinSIOp>();
      int64_t bound = cast<MemRefType>(load.getMemRef().getType()).getDimSize(dim);
      bool isClamped = upper && isConstant(lower.getRhs(), 0) && !ShapedType::isDynamic(bound) &&
                       isConstant(upper.getRhs(), bound - 1);
      if (!isClamped)
        return std::nullopt;
      at = upper.getLhs();
      // The clamp hides what the condition tells.
      if (llvm::none_of(conditions, [&](arith::CmpIOp compare) {
            return compare.getLhs() == at && isConstant(compare.getRhs(), bound);
          }))
        return std::nullopt;
      dimension.isPadded = true;
    }
    std::optional<unsigned> loop;
    AffineExpr position = describe(at, dimension.symbols, loop);
    if (!position || !loop)
      return std::nullopt;
    dimension.loop = *loop;
    MLIRContext *context = op.getContext();
    auto at0 = position.replace(getAffineDimExpr(0, context), getAffineConstantExpr(0, context));
    auto at1 = position.replace(getAffineDimExpr(0, context), getAffineConstantExpr(1, context));
    AffineExpr step = simplifyAffineExpr(at1 - at0, 0, dimension.symbols.size());
    auto one = dyn_cast<AffineConstantExpr>(step);
    if (!one || one.getValue() != 1)
      return std::nullopt;
    dimension.start = at0;
    return dimension;
  }

  /// `value` as an expression of d0, the number of an iteration of `loop`, and of `symbols`.
  AffineExpr describe(Value value, SmallVectorImpl<Value> &symbols, std::optional<unsigned> &loop) {
    MLIRContext *context = op.getContext();
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return getAffineConstantExpr(constant.getInt(), context);
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != op.getBody()) {
      symbols.push_back(value);
      return getAffineSymbolExpr(symbols.size() - 1, context);
    }
    if (auto index = dyn_cast<linalg::IndexOp>(def)) {
      if (loop && *loop != index.getDim())
        return {};
      loop = index.getDim();
      return getAffineDimExpr(0, context);
    }
    SmallVector<AffineExpr> operands;
    for (Value operand : def->getOperands()) {
      operands.push_back(describe(operand, symbols, loop));
      if (!operands.back())
        return {};
    }
    if (isa<arith::SubIOp>(def))
      return operands[0] - operands[1];
    if (isa<arith::AddIOp>(def))
      return operands[0] + operands[1];
    if (auto applied = dyn_cast<affine::AffineApplyOp>(def)) {
      AffineMap map = applied.getMap();
      auto all = ArrayRef(operands);
      return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                                    all.drop_front(map.getNumDims()));
    }
    return {};
  }

  static bool isConstant(Value value, int64_t expected) {
    IntegerAttr constant;
    return matchPattern(value, m_Constant(&constant)) && constant.getInt() == expected;
  }

  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> symbols) {
    return affine::makeComposedFoldedAffineApply(*b, op.getLoc(),
                                                 AffineMap::get(0, symbols.size(), expr), symbols);
  }

  OpFoldResult extreme(bool isMax, ArrayRef<AffineExpr> exprs, ArrayRef<OpFoldResult> symbols) {
    AffineMap map = AffineMap::get(0, symbols.size(), exprs, op.getContext());
    return isMax ? affine::makeComposedFoldedAffineMax(*b, op.getLoc(), map, symbols)
                 : affine::makeComposedFoldedAffineMin(*b, op.getLoc(), map, symbols);
  }

  Value view(Value buffer, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> extent) {
    SmallVector<OpFoldResult> ones(from.size(), b->getIndexAttr(1));
    return memref::SubViewOp::create(*b, op.getLoc(), buffer, from, extent, ones);
  }

  void fill(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> extent) {
    if (llvm::none_of(extent, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
      linalg::FillOp::create(*b, op.getLoc(), border, view(tile, from, extent));
  }

  linalg::GenericOp op;
  RewriterBase *b = nullptr;
  Value border, tile;
  memref::LoadOp load;
  SmallVector<arith::CmpIOp> conditions;
  SmallVector<Dimension> dimensions;
};

struct SplitPads : fuse::impl::FuseSplitPadsBase<SplitPads> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> members;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(attr::kRecompute))
        members.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : members)
      if (Pad pad(op); pad.match())
        pad.emit(rewriter);
  }
};

} // namespace
