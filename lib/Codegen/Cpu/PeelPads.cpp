//===- PeelPads.cpp - Windows that read a padded image where it lies ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A member that goes over windows of a padded image reads a tile of it that was laid out for this
// alone (see PadTile.h). Where windows share nothing but what they overlap in (depthwise
// convolutions, pools), writing that tile costs as much as reading the windows. Their points are
// cut instead, along each padded dimension, into those whose windows lie inside the image and those
// at its border:
//
//   for (strip : strips around the rectangle)  // the border
//     window reads `inside ? image[clamped position] : border`
//   window of the rectangle reads a view of the image
//
// The fill in front of the member and the one that its sums go through (see Neighbours.h) are cut
// like it. All sums are made in the same order from the same elements.
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/BodyAccess.h"
#include "Neighbours.h"
#include "PadTile.h"
#include "PeeledWindow.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPEELPADS
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

using OpFoldResults = SmallVector<OpFoldResult>;

class PeelPad {
public:
  PeelPad(RewriterBase &b, const PeeledWindow &peeled)
      : b(b), peeled(peeled), pad(peeled.pad), window(peeled.window), loc(window->getLoc()) {}

  void emit() {
    fill = findStart(window);
    epilogue = findEpilogue(window);
    b.setInsertionPoint(epilogue ? epilogue : window);
    for (Range range : cast<TilingInterface>(window.getOperation()).getIterationDomain(b))
      extents.push_back(range.size);
    for (const PadTile::Dimension &dimension : pad.dimensions)
      starts.push_back(apply(dimension.start, getAsOpFoldResult(dimension.symbols)));
    Rectangle inside = cut();
    emitStrips();
    if (!isEmpty(inside))
      emitPiece(inside, /*isInside=*/true);
    erase();
  }

private:
  /// Points of the window: where they begin and how many there are along each loop.
  struct Rectangle {
    OpFoldResults offsets, sizes;
  };

  static bool isEmpty(const Rectangle &rectangle) {
    return llvm::any_of(rectangle.sizes,
                        [](OpFoldResult size) { return isConstantIntValue(size, 0); });
  }

  /// Cuts the strips off, and returns what is left.
  Rectangle cut() {
    Rectangle rest{OpFoldResults(extents.size(), b.getIndexAttr(0)), extents};
    auto [s, t] = std::pair(b.getAffineSymbolExpr(0), b.getAffineSymbolExpr(1));
    for (const PeeledWindow::Cut &cut : peeled.cuts) {
      const PadTile::Dimension &dimension = pad.dimensions[cut.dim];
      OpFoldResult extent = extents[cut.loop], start = starts[cut.dim];
      // Point p reads what lies from start + base + step * p on, and `reach` elements behind that.
      AffineExpr first = s + cut.base, last = -s - cut.base - cut.reach + dimension.size - 1;
      OpFoldResult low = extreme(true, {(-first).ceilDiv(cut.step), constant(0)}, {start});
      low = extreme(false, {s, t}, {low, extent});
      OpFoldResult high = extreme(false, {last.floorDiv(cut.step) + 1, t}, {start, extent});
      high = extreme(true, {s, t}, {high, low});
      Rectangle before = rest, after = rest;
      before.sizes[cut.loop] = low;
      after.offsets[cut.loop] = high;
      after.sizes[cut.loop] = apply(s - t, {extent, high});
      for (Rectangle &strip : {std::ref(before), std::ref(after)})
        if (!isEmpty(strip))
          strips.push_back(strip);
      rest.offsets[cut.loop] = low;
      rest.sizes[cut.loop] = apply(s - t, {high, low});
    }
    return rest;
  }

  /// One loop over the strips: there is one code for all of them.
  void emitStrips() {
    if (strips.empty())
      return;
    if (strips.size() == 1)
      return emitPiece(strips.front(), /*isInside=*/false);
    OpBuilder::InsertionGuard guard(b);
    auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
    auto loop = scf::ForOp::create(b, loc, index(0), index(strips.size()), index(1));
    b.setInsertionPoint(loop.getBody()->getTerminator());
    SmallVector<Value> isStrip;
    for (unsigned i = 0; i + 1 < strips.size(); ++i)
      isStrip.push_back(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              loop.getInductionVar(), index(i)));
    auto choose = [&](llvm::function_ref<OpFoldResult(const Rectangle &)> get) {
      OpFoldResult chosen = get(strips.back());
      if (llvm::all_of(strips, [&](const Rectangle &strip) {
            return isEqualConstantIntOrValue(get(strip), chosen);
          }))
        return chosen;
      for (unsigned i = isStrip.size(); i-- > 0;)
        chosen = Value(arith::SelectOp::create(
            b, loc, isStrip[i], getValueOrCreateConstantIndexOp(b, loc, get(strips[i])),
            getValueOrCreateConstantIndexOp(b, loc, chosen)));
      return chosen;
    };
    Rectangle strip;
    for (unsigned i = 0; i < extents.size(); ++i) {
      strip.offsets.push_back(choose([&](const Rectangle &r) { return r.offsets[i]; }));
      strip.sizes.push_back(choose([&](const Rectangle &r) { return r.sizes[i]; }));
    }
    emitPiece(strip, /*isInside=*/false);
  }

  void emitPiece(const Rectangle &at, bool isInside) {
    auto piece = cast<linalg::GenericOp>(tile(window, at));
    OpOperand &sums = *piece.getDpsInitOperand(0);
    bool isTemporary =
        epilogue && !llvm::is_contained(epilogue.getDpsInits(), window.getDpsInits()[0]);
    b.setInsertionPoint(piece);
    // Sums that nobody else reads stay in registers, which takes a buffer that nobody else knows.
    if (isTemporary)
      replace(sums, makeTemporary(sums.get()));
    if (fill)
      linalg::FillOp::create(b, loc, fill.value(), sums.get());
    Value kept = sums.get();
    (isInside ? readView(piece) : readAsking(piece));
    if (!epilogue)
      return;
    Operation *behind = tile(epilogue, at);
    for (auto [before, operand] :
         llvm::zip_equal(epilogue->getOpOperands(), behind->getOpOperands()))
      if (before.get() == window.getDpsInits()[0])
        replace(operand, kept);
  }

  void replace(OpOperand &operand, Value value) {
    Value before = operand.get();
    operand.set(value);
    eraseUnused(before);
  }

  /// Leaves the builder behind the piece.
  Operation *tile(linalg::GenericOp op, const Rectangle &at) {
    OpFoldResults offsets(at.offsets), sizes(at.sizes);
    offsets.resize(op.getNumLoops());
    sizes.resize(op.getNumLoops());
    FailureOr<TilingResult> tiled =
        cast<TilingInterface>(op.getOperation()).getTiledImplementation(b, offsets, sizes);
    Operation *piece = tiled->tiledOps.front();
    b.setInsertionPointAfter(piece);
    return piece;
  }

  /// Room for what `sums` has, at the beginning of a buffer like the one that it is part of.
  Value makeTemporary(Value sums) {
    auto type = cast<MemRefType>(sums.getType());
    auto alloc = cast<memref::AllocOp>(b.clone(*getBase(sums).getDefiningOp()));
    OpFoldResults zeros(type.getRank(), b.getIndexAttr(0)), ones(type.getRank(), b.getIndexAttr(1));
    return memref::SubViewOp::create(b, loc, alloc, zeros, memref::getMixedSizes(b, loc, sums),
                                     ones);
  }

  /// Where the operand of `piece` that is a part of the padded tile begins in the image.
  OpFoldResults getPosition(Value part) {
    OpFoldResults position = starts;
    if (part == pad.tile)
      return position;
    auto [s, t] = std::pair(b.getAffineSymbolExpr(0), b.getAffineSymbolExpr(1));
    for (auto [at, offset] :
         llvm::zip_equal(position, part.getDefiningOp<memref::SubViewOp>().getMixedOffsets()))
      at = apply(s + t, {at, offset});
    return position;
  }

  void readView(linalg::GenericOp piece) {
    OpOperand &operand = piece->getOpOperand(peeled.operand);
    OpFoldResults ones(pad.dimensions.size(), b.getIndexAttr(1));
    replace(operand, memref::SubViewOp::create(b, loc, pad.source, getPosition(operand.get()),
                                               memref::getMixedSizes(b, loc, operand.get()), ones));
    b.setInsertionPointAfter(piece);
  }

  /// Each element that the window reads is loaded in its body, or is the border's.
  void readAsking(linalg::GenericOp piece) {
    OpOperand &operand = piece->getOpOperand(peeled.operand);
    OpFoldResults position = getPosition(operand.get());
    AffineMap map = piece.getMatchingIndexingMap(&operand);
    SmallVector<AffineMap> maps = piece.getIndexingMapsArray();
    maps.erase(maps.begin() + peeled.operand);
    SmallVector<Value> inputs = piece.getDpsInputs();
    inputs.erase(inputs.begin() + peeled.operand);
    // The body counts from the image's first element where it has to ask, else from the tile's.
    OpFoldResults from, extent, ones(position.size(), b.getIndexAttr(1));
    OpFoldResults image = memref::getMixedSizes(b, loc, pad.source);
    Value part = operand.get();
    OpFoldResults sizes = memref::getMixedSizes(b, loc, part);
    SmallVector<Value> bases;
    for (auto [dim, dimension] : llvm::enumerate(pad.dimensions)) {
      from.push_back(dimension.isPadded ? b.getIndexAttr(0) : position[dim]);
      extent.push_back(dimension.isPadded ? image[dim] : sizes[dim]);
      bases.push_back(dimension.isPadded ? getValueOrCreateConstantIndexOp(b, loc, position[dim])
                                         : Value());
    }
    Value view = memref::SubViewOp::create(b, loc, pad.source, from, extent, ones);
    auto body = [&](OpBuilder &inner, Location, ValueRange arguments) {
      Value element = load(inner, view, map, bases);
      IRMapping mapping;
      unsigned next = 0;
      for (BlockArgument argument : piece.getBody()->getArguments())
        mapping.map(argument,
                    argument.getArgNumber() == peeled.operand ? element : arguments[next++]);
      for (Operation &op : *piece.getBody())
        inner.clone(op, mapping);
    };
    auto asking = linalg::GenericOp::create(b, loc, inputs, piece.getDpsInits(), maps,
                                            piece.getIteratorTypesArray(), body);
    asking->setDiscardableAttrs(piece->getDiscardableAttrDictionary());
    b.eraseOp(piece);
    eraseUnused(part);
    b.setInsertionPointAfter(asking);
  }

  /// The element of `view` that `map` says, in a body; `bases`: added to it along padded
  /// dimensions.
  Value load(OpBuilder &inner, Value view, AffineMap map, ArrayRef<Value> bases) {
    SmallVector<Value> at;
    Value isInside;
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(inner, loc, value);
    };
    for (auto [dim, dimension] : llvm::enumerate(pad.dimensions)) {
      Value position = bases[dim];
      for (auto [loop, step] : llvm::enumerate(peeled.steps[dim])) {
        if (step == 0)
          continue;
        Value term = linalg::IndexOp::create(inner, loc, loop);
        if (step != 1)
          term = arith::MulIOp::create(inner, loc, term, constant(step));
        position = position ? Value(arith::AddIOp::create(inner, loc, position, term)) : term;
      }
      if (dimension.isPadded) {
        Value isHere = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ult, position,
                                             constant(dimension.size));
        isInside = isInside ? Value(arith::AndIOp::create(inner, loc, isInside, isHere)) : isHere;
        position = arith::MinSIOp::create(inner, loc, position, constant(dimension.size - 1));
        position = arith::MaxSIOp::create(inner, loc, position, constant(0));
      }
      at.push_back(position ? position : constant(0));
    }
    Value element = memref::LoadOp::create(inner, loc, view, at);
    return arith::SelectOp::create(inner, loc, isInside, element, pad.border);
  }

  /// Erases what the pieces do instead.
  void erase() {
    Value sums = window.getDpsInits()[0];
    for (Operation *op : {epilogue.getOperation(), window.getOperation(), fill.getOperation(),
                          pad.op.getOperation()})
      if (op)
        b.eraseOp(op);
    eraseUnused(pad.tile);
    eraseUnused(sums);
  }

  /// A buffer, or a part of one, that nobody looks at any more.
  void eraseUnused(Value buffer) {
    Operation *def = buffer.getDefiningOp();
    if (!isa_and_nonnull<memref::AllocOp, memref::SubViewOp>(def) || !def->use_empty())
      return;
    Value source = isa<memref::SubViewOp>(def) ? def->getOperand(0) : Value();
    b.eraseOp(def);
    if (source)
      eraseUnused(source);
  }

  AffineExpr constant(int64_t value) { return b.getAffineConstantExpr(value); }

  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> symbols) {
    return affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(0, symbols.size(), expr),
                                                 symbols);
  }

  OpFoldResult extreme(bool isMax, ArrayRef<AffineExpr> exprs, ArrayRef<OpFoldResult> symbols) {
    AffineMap map = AffineMap::get(0, symbols.size(), exprs, b.getContext());
    return isMax ? affine::makeComposedFoldedAffineMax(b, loc, map, symbols)
                 : affine::makeComposedFoldedAffineMin(b, loc, map, symbols);
  }

  RewriterBase &b;
  const PeeledWindow &peeled;
  PadTile pad;
  linalg::GenericOp window, epilogue;
  linalg::FillOp fill;
  Location loc;
  OpFoldResults extents, starts; ///< of the window's loops; of the tile in the image
  SmallVector<Rectangle> strips;
};

/// The ops that a rewriter has erased.
struct ErasedOps : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override { ops.insert(op); }
  llvm::SmallPtrSet<Operation *, 16> ops;
};

struct PeelPads : fuse::impl::FusePeelPadsBase<PeelPads> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> members;
    getOperation().walk([&](linalg::GenericOp op) { members.push_back(op); });
    ErasedOps erased;
    IRRewriter rewriter(&getContext(), &erased);
    // Windows and epilogues that a tile before was peeled with are gone.
    for (linalg::GenericOp op : members)
      if (erased.ops.contains(op))
        continue;
      else if (std::optional<PadTile> pad = PadTile::match(op))
        if (std::optional<PeeledWindow> window = PeeledWindow::get(*pad))
          PeelPad(rewriter, *window).emit();
  }
};

} // namespace
