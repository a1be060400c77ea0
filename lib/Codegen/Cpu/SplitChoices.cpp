//===- SplitChoices.cpp - Members cut where their bodies choose by position ------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A concatenation or a padding that its reader computes element by element asks at every point which
// source it comes from:
//
//   %position = index(d) + offset
//   %a  = load a[max(min(%position, 3), 0)]
//   %b  = load b[max(min(%position − 4, 95), 0)]
//   y[d] = exp(select %position >= 4, %b, %a)
//
// Such a body has no vectors along d. The loop's iterations are cut where the answers change (index set
// splitting). In each piece comparisons and clamps have one answer, choices go, and so do loads that
// nothing needs; the loads that are left run along d from a place of their own:
//
//   y[0..4)  = exp(a[0..4))
//   y[4..100) = exp(b[0..96))
//
// Where the member is a tile at an unknown offset, the pieces' bounds are computed, and some are empty.
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/IndexMath.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITCHOICES
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// The most pieces that a member is cut into: each is a copy of its code. A piece of a concatenation keeps one source of
/// many, so there may be as many pieces as sources, up to a bound on what is copied before it goes.
static constexpr size_t kMostPieces = 16, kMostSources = 256;

/// What a body computes from the number of an iteration: `start` and one more with each iteration
/// of `loop`, if there is one.
struct BodyPosition {
  std::optional<unsigned> loop;
  AffineExpr start; ///< of symbols
  SmallVector<Value> symbols;
};

/// `value` as an expression of d0, the number of an iteration of the position's loop, and of its
/// symbols.
static AffineExpr describe(linalg::GenericOp op, Value value, BodyPosition &position) {
  MLIRContext *context = op.getContext();
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return getAffineConstantExpr(constant.getInt(), context);
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op.getBody()) {
    position.symbols.push_back(value);
    return getAffineSymbolExpr(position.symbols.size() - 1, context);
  }
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    if (position.loop && *position.loop != index.getDim())
      return {};
    position.loop = index.getDim();
    return getAffineDimExpr(0, context);
  }
  SmallVector<AffineExpr> operands;
  for (Value operand : def->getOperands()) {
    operands.push_back(describe(op, operand, position));
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

static std::optional<BodyPosition> getBodyPosition(linalg::GenericOp op, Value value) {
  BodyPosition position;
  AffineExpr expr = describe(op, value, position);
  if (!expr)
    return std::nullopt;
  MLIRContext *context = op.getContext();
  auto at = [&](int64_t iteration) {
    return expr.replace(getAffineDimExpr(0, context), getAffineConstantExpr(iteration, context));
  };
  position.start = at(0);
  AffineExpr step = simplifyAffineExpr(at(1) - at(0), 0, position.symbols.size());
  if (step != getAffineConstantExpr(position.loop ? 1 : 0, context))
    return std::nullopt;
  return position;
}

namespace {

/// A position in the coordinates of one loop: what all positions that are compared have in common (the
/// loop's iteration and the symbols of a tile's offset), and a constant.
struct Place {
  AffineExpr symbolic;
  SmallVector<Value> symbols;
  int64_t constant = 0;

  bool isAlong(const Place &other) const {
    return symbolic == other.symbolic && symbols == other.symbols;
  }
};

/// Positions from `low` to below `high` in the coordinates that places are constants in; none: open.
struct Interval {
  std::optional<int64_t> low, high;
};

class SplitChoice {
public:
  SplitChoice(RewriterBase &b, linalg::GenericOp op)
      : b(b), op(op), loc(op.getLoc()), math{b, loc} {}

  /// Cuts the innermost loop of `op` that choices ask about into at most `most` pieces; returns
  /// these, or none.
  SmallVector<linalg::GenericOp> emit(size_t most) {
    for (unsigned candidate = op.getNumLoops(); candidate-- > 0;) {
      loop = candidate;
      common.reset();
      cuts.clear();
      if (mayCut() && findCuts() && cuts.size() < most)
        return emitPieces();
    }
    return {};
  }

private:
  /// All operands have the loop as one dimension or not at all.
  bool mayCut() {
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      return !map.isFunctionOfDim(loop) ||
             (map.isProjectedPermutation() && isa<MemRefType>(operand.get().getType()));
    });
  }

  std::optional<Place> getPlace(Value value) {
    // Clamps that have gone stand for what they clamp.
    for (Value known = passed.lookup(value); known; known = passed.lookup(value))
      value = known;
    std::optional<BodyPosition> position = getBodyPosition(op, value);
    if (!position || position->loop != loop)
      return std::nullopt;
    MLIRContext *context = op.getContext();
    AffineExpr zeroed = position->start;
    for (unsigned i = 0; i < position->symbols.size(); ++i)
      zeroed = zeroed.replace(getAffineSymbolExpr(i, context), getAffineConstantExpr(0, context));
    auto constant = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(zeroed, 0, position->symbols.size()));
    if (!constant)
      return std::nullopt;
    AffineExpr symbolic = simplifyAffineExpr(position->start - constant.getValue(), 0,
                                             position->symbols.size());
    return Place{symbolic, position->symbols, constant.getValue()};
  }

  /// Where the answer of `compare` changes, in the coordinates of `common`, which the first comparison sets:
  /// the first position of each interval. Nothing where it does not compare such a position.
  std::optional<SmallVector<int64_t, 2>> getCuts(arith::CmpIOp compare) {
    std::optional<Place> place = getPlace(compare.getLhs());
    IntegerAttr bound;
    if (!place || !matchPattern(compare.getRhs(), m_Constant(&bound)))
      return std::nullopt;
    if (!common)
      common = *place;
    if (!place->isAlong(*common))
      return std::nullopt;
    int64_t zero = -place->constant, at = bound.getInt() - place->constant;
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::ult:
    case arith::CmpIPredicate::uge:
      return SmallVector<int64_t, 2>{zero, at};
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sge:
      return SmallVector<int64_t, 2>{at};
    case arith::CmpIPredicate::ule:
    case arith::CmpIPredicate::ugt:
      return SmallVector<int64_t, 2>{zero, at + 1};
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::sgt:
      return SmallVector<int64_t, 2>{at + 1};
    case arith::CmpIPredicate::eq:
    case arith::CmpIPredicate::ne:
      return SmallVector<int64_t, 2>{at, at + 1};
    }
    llvm_unreachable("a predicate of integers");
  }

  bool findCuts() {
    for (auto compare : op.getBody()->getOps<arith::CmpIOp>())
      if (auto found = getCuts(compare))
        llvm::append_range(cuts, *found);
    llvm::sort(cuts);
    cuts.erase(llvm::unique(cuts), cuts.end());
    // A whole loop begins at position 0 and ends at its extent.
    int64_t extent = op.getStaticLoopRanges()[loop];
    if (common && common->symbols.empty() && !ShapedType::isDynamic(extent))
      llvm::erase_if(cuts, [&](int64_t cut) { return cut <= 0 || cut >= extent; });
    return !cuts.empty();
  }

  SmallVector<linalg::GenericOp> emitPieces() {
    b.setInsertionPoint(op);
    OpFoldResult extent = getExtent();
    Interval whole = getWhole();
    AffineExpr s = math.symbol(0), t = math.symbol(1);
    SmallVector<OpFoldResult> bounds = {b.getIndexAttr(0)};
    for (int64_t cut : cuts) {
      OpFoldResult at = math.apply(b.getAffineConstantExpr(cut) - common->symbolic,
                                   getAsOpFoldResult(common->symbols));
      at = math.max({s, b.getAffineConstantExpr(0)}, {at});
      bounds.push_back(math.min({s, t}, {at, extent}));
    }
    bounds.push_back(extent);
    SmallVector<linalg::GenericOp> pieces;
    for (unsigned i = 0; i + 1 < bounds.size(); ++i) {
      OpFoldResult size = math.apply(t - s, {bounds[i], bounds[i + 1]});
      if (isConstantIntValue(size, 0))
        continue;
      Interval interval = {i == 0 ? whole.low : cuts[i - 1],
                           i < cuts.size() ? std::optional<int64_t>(cuts[i]) : whole.high};
      pieces.push_back(emitPiece(bounds[i], size, interval));
      hideConstants(pieces.back());
    }
    b.eraseOp(op);
    return pieces;
  }

  /// Borders may leave a function of nothing but constants, such as `exp(0.5)`. Folding would take the value of the
  /// compiler's mathematical library, which may differ by an ulp from the one that code computes of any other
  /// element: the constants are hidden from folding until functions are expanded into arithmetic.
  void hideConstants(linalg::GenericOp piece) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(piece);
    auto isConstant = [](Value value) { return matchPattern(value, m_Constant()); };
    for (Operation &inner : *piece.getBody()) {
      if (!isa_and_nonnull<math::MathDialect>(inner.getDialect()) ||
          !llvm::all_of(inner.getOperands(), isConstant))
        continue;
      for (OpOperand &operand : inner.getOpOperands()) {
        Attribute constant;
        matchPattern(operand.get(), m_Constant(&constant));
        Value visible = arith::ConstantOp::create(b, loc, cast<TypedAttr>(constant));
        operand.set(LLVM::FreezeOp::create(b, loc, visible));
      }
    }
  }

  OpFoldResult getExtent() {
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (std::optional<unsigned> position =
              map.getResultPosition(getAffineDimExpr(loop, op.getContext())))
        return memref::getMixedSize(b, loc, operand.get(), *position);
    }
    llvm_unreachable("a parallel loop that no result is written along");
  }

  /// The positions that the loop has, where they are known: those of a tile lie in the buffer that it
  /// is a part of.
  Interval getWhole() {
    int64_t extent = op.getStaticLoopRanges()[loop];
    if (common->symbols.empty())
      return {0, ShapedType::isDynamic(extent) ? std::nullopt : std::optional<int64_t>(extent)};
    for (OpOperand &operand : op.getDpsInitsMutable()) {
      auto tile = operand.get().getDefiningOp<memref::SubViewOp>();
      if (!tile || tile.getType().getRank() != tile.getSourceType().getRank())
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      std::optional<unsigned> dim = map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
      auto offset = dim ? dyn_cast<Value>(tile.getMixedOffsets()[*dim]) : Value();
      bool isOffset = offset && common->symbols.size() == 1 && common->symbols.front() == offset &&
                      isa<AffineSymbolExpr>(common->symbolic);
      int64_t size = dim ? tile.getSourceType().getDimSize(*dim) : 0;
      if (isOffset && isConstantIntValue(tile.getMixedStrides()[*dim], 1))
        return {0, ShapedType::isDynamic(size) ? std::nullopt : std::optional<int64_t>(size)};
    }
    return {};
  }

  linalg::GenericOp emitPiece(OpFoldResult from, OpFoldResult size, Interval interval) {
    OpBuilder::InsertionGuard guard(b);
    passed.clear();
    SmallVector<Value> ins, outs;
    for (OpOperand *operand : op.getDpsInputOperands())
      ins.push_back(view(*operand, from, size));
    for (OpOperand &operand : op.getDpsInitsMutable())
      outs.push_back(view(operand, from, size));
    auto piece = linalg::GenericOp::create(b, loc, TypeRange(), ins, outs, op.getIndexingMapsArray(),
                                           op.getIteratorTypesArray());
    piece->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    Block *body = b.createBlock(&piece.getRegion(), {}, op.getBody()->getArgumentTypes(),
                                SmallVector<Location>(op.getBody()->getNumArguments(), loc));
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments(), body->getArguments());
    for (Operation &inner : *op.getBody())
      cloneKnown(inner, from, interval, mapping);
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*body)))
      if (isOpTriviallyDead(&inner))
        b.eraseOp(&inner);
    return piece;
  }

  /// Clones an op of the body, unless its answer is known where positions lie in `interval`.
  void cloneKnown(Operation &inner, OpFoldResult from, Interval interval, IRMapping &mapping) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner); index && index.getDim() == loop) {
      Value local = linalg::IndexOp::create(b, loc, loop);
      auto [d, s] = std::pair(b.getAffineDimExpr(0), b.getAffineSymbolExpr(0));
      if (isConstantIntValue(from, 0))
        return mapping.map(index.getResult(), local);
      return mapping.map(index.getResult(), getValueOrCreateConstantIndexOp(
                                                b, loc,
                                                affine::makeComposedFoldedAffineApply(
                                                    b, loc, AffineMap::get(1, 1, d + s),
                                                    {OpFoldResult(local), from})));
    }
    if (auto compare = dyn_cast<arith::CmpIOp>(inner))
      if (std::optional<bool> answer = answerIn(compare, interval))
        return mapping.map(compare.getResult(),
                           arith::ConstantIntOp::create(b, loc, b.getI1Type(), *answer));
    if (isa<arith::MinSIOp, arith::MaxSIOp>(inner) && passes(inner, interval)) {
      passed[inner.getResult(0)] = inner.getOperand(0);
      return mapping.map(inner.getResult(0), mapping.lookupOrDefault(inner.getOperand(0)));
    }
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      if (Value moved = loadMoved(load, from, mapping))
        return mapping.map(load.getResult(), moved);
    Operation *clone = b.clone(inner, mapping);
    SmallVector<Value> folded;
    bool isFunction = isa_and_nonnull<math::MathDialect>(inner.getDialect());
    if (!isFunction && clone->getNumResults() == 1 && succeeded(b.tryFold(clone, folded)) && !folded.empty()) {
      mapping.map(inner.getResult(0), folded.front());
      b.eraseOp(clone);
    }
  }

  /// Positions of `value`, in its own coordinates.
  std::optional<Interval> intervalOf(Value value, Interval interval) {
    std::optional<Place> place = getPlace(value);
    if (!place || !place->isAlong(*common))
      return std::nullopt;
    Interval own;
    if (interval.low)
      own.low = *interval.low + place->constant;
    if (interval.high)
      own.high = *interval.high + place->constant;
    return own;
  }

  /// The answer of a comparison that changes nowhere in the piece: that of any of its positions. A clamped
  /// position is compared as it is where the clamp has gone in this piece, which no cut knew of.
  std::optional<bool> answerIn(arith::CmpIOp compare, Interval interval) {
    IntegerAttr bound;
    std::optional<Interval> own = intervalOf(compare.getLhs(), interval);
    auto changes = getCuts(compare);
    if (!own || !changes || !(own->low || own->high) ||
        !matchPattern(compare.getRhs(), m_Constant(&bound)))
      return std::nullopt;
    bool isOneAnswer = llvm::none_of(*changes, [&](int64_t cut) {
      return (!interval.low || cut > *interval.low) && (!interval.high || cut < *interval.high);
    });
    if (!isOneAnswer)
      return std::nullopt;
    int64_t position = own->low ? *own->low : *own->high - 1;
    return arith::applyCmpPredicate(compare.getPredicate(),
                                    APInt(64, position, /*isSigned=*/true),
                                    APInt(64, bound.getInt(), /*isSigned=*/true));
  }

  /// Whether a minimum or maximum with a constant gives its first operand throughout.
  bool passes(Operation &clamp, Interval interval) {
    IntegerAttr constant;
    std::optional<Interval> own = intervalOf(clamp.getOperand(0), interval);
    if (!own || !matchPattern(clamp.getOperand(1), m_Constant(&constant)))
      return false;
    return isa<arith::MinSIOp>(clamp) ? own->high && *own->high <= constant.getInt() + 1
                                      : own->low && *own->low >= constant.getInt();
  }

  /// The load, from a view that begins where the piece does: its index is the iteration's number.
  Value loadMoved(memref::LoadOp load, OpFoldResult from, IRMapping &mapping) {
    SmallVector<OpFoldResult> offsets, sizes;
    SmallVector<Value> indices;
    bool isMoved = false;
    if (load.getMemRef().getParentBlock() == op.getBody())
      return {};
    OpBuilder::InsertionGuard guard(b);
    Operation *inside = &*b.getInsertionBlock()->getParent()->getParentOp()->getIterator();
    for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
      std::optional<Place> place = getPlace(index);
      b.setInsertionPoint(inside);
      offsets.push_back(b.getIndexAttr(0));
      sizes.push_back(memref::getMixedSize(b, loc, load.getMemRef(), dim));
      if (!place) {
        indices.push_back(mapping.lookupOrDefault(index));
        continue;
      }
      isMoved = true;
      auto symbols = getAsOpFoldResult(place->symbols);
      OpFoldResult start = math.apply(place->symbolic + place->constant, symbols);
      AffineExpr s = math.symbol(0), t = math.symbol(1);
      offsets.back() = math.apply(s + t, {start, from});
      sizes.back() = math.apply(s - t, {sizes.back(), offsets.back()});
      indices.push_back({});
    }
    if (!isMoved)
      return {};
    SmallVector<OpFoldResult> ones(offsets.size(), b.getIndexAttr(1));
    Value moved = memref::SubViewOp::create(b, loc, load.getMemRef(), offsets, sizes, ones);
    b.setInsertionPointToEnd(&cast<linalg::GenericOp>(inside).getRegion().front());
    for (Value &index : indices)
      if (!index)
        index = linalg::IndexOp::create(b, loc, loop);
    return memref::LoadOp::create(b, loc, moved, indices);
  }

  Value view(OpOperand &operand, OpFoldResult from, OpFoldResult size) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    std::optional<unsigned> position =
        map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    if (!position)
      return operand.get();
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, operand.get());
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
    offsets[*position] = from;
    sizes[*position] = size;
    return memref::SubViewOp::create(b, loc, operand.get(), offsets, sizes, ones);
  }

  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  IndexMath math;
  unsigned loop = 0;
  std::optional<Place> common;
  SmallVector<int64_t> cuts;
  DenseMap<Value, Value> passed; ///< what a clamp that does nothing in the piece clamps
};

struct SplitChoices : fuse::impl::FuseSplitChoicesBase<SplitChoices> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> members;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumReductionLoops() == 0 && op.hasPureBufferSemantics() && op.hasIndexSemantics())
        members.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp member : members) {
      SmallVector<linalg::GenericOp> open = {member};
      size_t sources = llvm::range_size(member.getBody()->getOps<memref::LoadOp>());
      size_t most = std::clamp(sources, kMostPieces, kMostSources);
      for (size_t pieces = 1; !open.empty();) {
        linalg::GenericOp op = open.pop_back_val();
        auto cut = SplitChoice(rewriter, op).emit(most - std::min(most, pieces) + 1);
        pieces += cut.empty() ? 0 : cut.size() - 1;
        llvm::append_range(open, cut);
      }
    }
  }
};

} // namespace
