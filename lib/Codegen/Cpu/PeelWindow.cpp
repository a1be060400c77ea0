//===- PeelWindow.cpp - Windows that read an image where it lies ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PeelWindow.h"
#include "../Kernel/IndexMath.h"
#include "../Kernel/PadSlice.h"
#include "../Kernel/TileScratch.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

using OpFoldResults = SmallVector<OpFoldResult>;

//===- Which windows are peeled -------------------------------------------------------------===//

/// The only op that reads `value`; extents of it may be asked for.
static linalg::GenericOp getReader(Value value) {
  linalg::GenericOp reader;
  for (OpOperand &use : value.getUses()) {
    if (auto dim = dyn_cast<tensor::DimOp>(use.getOwner()); dim && dim.getConstantIndex())
      continue;
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user || reader || !user.isDpsInput(&use) ||
        user->getBlock() != value.getDefiningOp()->getBlock())
      return {};
    reader = user;
  }
  return reader;
}

/// The element-wise op that alone reads the sums of `window`, each sum once: its loops are the
/// window's parallel loops, which come first.
static linalg::GenericOp getEpilogue(linalg::GenericOp window) {
  linalg::GenericOp epilogue = getReader(window->getResult(0));
  if (!epilogue || epilogue.getNumReductionLoops() != 0 ||
      epilogue.getNumLoops() != window.getNumParallelLoops() || !window->getResult(0).hasOneUse())
    return {};
  OpOperand &sums = *window->getResult(0).use_begin();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(window.getNumLoops(), window.getContext());
  bool readsInits = llvm::any_of(epilogue.getRegionOutputArgs(),
                                 [](Value argument) { return !argument.use_empty(); });
  if (readsInits || !epilogue.getMatchingIndexingMap(&sums).isIdentity() ||
      window.getMatchingIndexingMap(window.getDpsInitOperand(0)) !=
          identity.getMajorSubMap(epilogue.getNumLoops()))
    return {};
  return epilogue;
}

/// Whether neighbours along the last dimension of a slice of a kernel's operand are neighbours in
/// memory.
static bool isContiguous(Value image) {
  while (Operation *def = image.getDefiningOp()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def)) {
      int64_t last = slice.getSourceType().getRank() - 1;
      if (last < 0 || slice.getDroppedDims().test(last) ||
          !isConstantIntValue(slice.getMixedStrides().back(), 1))
        return false;
    } else if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def)) {
      break;
    }
    image = def->getOperand(0);
  }
  return true;
}

/// The factors of all dims in `expr`, and at last what is added; empty where it is not linear.
static SmallVector<int64_t> getSteps(AffineExpr expr, unsigned numDims) {
  SmallVector<int64_t> steps;
  if (failed(getFlattenedAffineExpr(expr, numDims, 0, &steps)) || steps.size() != numDims + 1)
    return {};
  return steps;
}

/// Whether the windows at the border take less than making the tile, as far as that is known
/// beforehand: dims that are cut into tiles are long beside their borders. On a core of Zen 5 an
/// element of such a window costs half of one of the tile: 3x3 windows of 14x14 pixels take the
/// same time either way, those of 7x7 20 % longer.
static bool isWorthwhile(const PeeledWindow &peeled) {
  constexpr int64_t kReadPerCopied = 2;
  linalg::GenericOp op = peeled.window;
  tensor::PadOp pad = peeled.pad;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  ArrayRef<int64_t> sizes = pad.getSourceType().getShape();
  int64_t points = 1, inside = 1, elements = 1, window = 1;
  for (const PeeledWindow::Cut &cut : peeled.cuts) {
    int64_t extent = ranges[cut.loop], before = pad.getStaticLow()[cut.dim];
    int64_t size = sizes[cut.dim];
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(before) ||
        ShapedType::isDynamic(size)) {
      elements *= cut.step;
      continue;
    }
    int64_t first = cut.base - before;
    int64_t low = std::clamp<int64_t>(llvm::divideCeilSigned(-first, cut.step), 0, extent);
    int64_t high = llvm::divideFloorSigned(size - 1 - cut.reach - first, cut.step) + 1;
    points *= extent;
    inside *= std::clamp<int64_t>(high, low, extent) - low;
    elements *= cut.step * (extent - 1) + cut.reach + 1;
  }
  for (auto [range, iterator] : llvm::zip_equal(ranges, op.getIteratorTypesArray()))
    if (iterator == IteratorType::reduction)
      window *= range;
  return (points - inside) * window < kReadPerCopied * elements;
}

/// The cut along padded dimension `dim` of the tile, which the window reads at `steps` (see
/// getSteps).
static std::optional<PeeledWindow::Cut> getCut(linalg::GenericOp window, unsigned dim,
                                               ArrayRef<int64_t> steps) {
  SmallVector<IteratorType> iterators = window.getIteratorTypesArray();
  SmallVector<int64_t> ranges = window.getStaticLoopRanges();
  PeeledWindow::Cut cut;
  cut.dim = dim;
  cut.base = steps.back();
  bool isFound = false;
  for (auto [loop, step] : llvm::enumerate(steps.drop_back())) {
    if (step == 0)
      continue;
    bool isParallel = iterators[loop] == IteratorType::parallel;
    if (step < 0 || (isParallel && isFound))
      return std::nullopt;
    if (!isParallel) {
      cut.reach += step * (ranges[loop] - 1);
      continue;
    }
    isFound = true;
    cut.loop = loop;
    cut.step = step;
  }
  return isFound ? std::optional(cut) : std::nullopt;
}

std::optional<PeeledWindow> PeeledWindow::get(tensor::PadOp pad, StringRef &reason) {
  auto refuse = [&](StringRef why) {
    reason = why;
    return std::nullopt;
  };
  PeeledWindow peeled;
  peeled.pad = pad;
  Operation *producer = pad.getSource().getDefiningOp();
  if (producer && producer->hasAttr(attr::kRecompute))
    return refuse("its elements are computed for it");
  linalg::GenericOp window = peeled.window = getReader(pad.getResult());
  if (!window || window.hasIndexSemantics() || window.getNumReductionLoops() == 0 ||
      window.getNumDpsInits() != 1)
    return refuse("it is not read by one window alone");
  OpOperand &tile = *llvm::find_if(window->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == pad.getResult();
  });
  peeled.operand = tile.getOperandNumber();
  AffineMap map = window.getMatchingIndexingMap(&tile);
  SmallVector<IteratorType> iterators = window.getIteratorTypesArray();
  SmallVector<int64_t> ranges = window.getStaticLoopRanges();
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    if (iterator == IteratorType::parallel && !map.isFunctionOfDim(loop))
      return refuse("several results share a window");
    if (iterator == IteratorType::reduction && ShapedType::isDynamic(ranges[loop]))
      return refuse("its windows are of unknown size");
  }
  OpOperand *init = window.getDpsInitOperand(0);
  auto vectors = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!vectors || iterators[vectors.getPosition()] != IteratorType::parallel ||
      pad.getPaddedDims().test(map.getNumResults() - 1) || !isContiguous(pad.getSource()) ||
      window.getMatchingIndexingMap(init).getResults().back() != vectors ||
      !window.getMatchingIndexingMap(init).isProjectedPermutation())
    return refuse("its windows have no vectors along a dimension that is not padded");
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    SmallVector<int64_t> steps = getSteps(expr, window.getNumLoops());
    if (steps.empty())
      return refuse("it is read at positions that are not linear in loops");
    if (!pad.getPaddedDims().test(dim))
      continue;
    std::optional<Cut> cut = getCut(window, dim, steps);
    if (!cut ||
        llvm::any_of(peeled.cuts, [&](const Cut &other) { return other.loop == cut->loop; }))
      return refuse("windows do not go along one loop for each padded dimension");
    peeled.cuts.push_back(*cut);
  }
  if (peeled.cuts.empty())
    return refuse("nothing of it is a border");
  if (!isWorthwhile(peeled))
    return refuse("much of it is border");
  peeled.fill = init->get().getDefiningOp<linalg::FillOp>();
  if (peeled.fill && !init->get().hasOneUse())
    peeled.fill = {};
  peeled.epilogue = getEpilogue(window);
  return peeled;
}

//===- How they are peeled ------------------------------------------------------------------===//

namespace {

/// Points of the window: where they begin and how many there are along each loop.
struct Rectangle {
  OpFoldResults offsets, sizes;
};

class Peeling {
public:
  Peeling(RewriterBase &b, const PeeledWindow &peeled)
      : b(b), peeled(peeled), pad(peeled.pad), window(peeled.window), epilogue(peeled.epilogue),
        fill(peeled.fill), loc(window->getLoc()), math{b, loc} {}

  void emit() {
    b.setInsertionPoint(pad);
    padded = getPaddedSizes(b, pad);
    low = getLowPad(b, pad);
    linalg::GenericOp last = epilogue ? epilogue : window;
    b.setInsertionPoint(last);
    // Reductions have known extents, and the other loops are the sums' dimensions.
    extents = getAsIndexOpFoldResult(b.getContext(), window.getStaticLoopRanges());
    AffineMap written = window.getMatchingIndexingMap(window.getDpsInitOperand(0));
    for (auto [expr, size] :
         llvm::zip_equal(written.getResults(), getSizes(b, window.getDpsInits().front())))
      extents[cast<AffineDimExpr>(expr).getPosition()] = size;
    SmallVector<Value> places(last.getDpsInits());
    if (!epilogue && fill)
      places = {fill.output()};
    // The strips are cut off dimension by dimension; what is left lies inside.
    Rectangle rest{OpFoldResults(extents.size(), b.getIndexAttr(0)), extents};
    for (const PeeledWindow::Cut &cut : peeled.cuts) {
      auto [front, back] = cutStrips(cut, rest);
      places = emitStrips(cut, front, back, places);
    }
    if (!hasZero(rest.sizes))
      places = emitPiece(rest, /*largest=*/{}, places);
    b.replaceOp(last, places);
    if (epilogue)
      b.eraseOp(window);
    if (fill)
      b.eraseOp(fill);
    for (Operation *user : llvm::make_early_inc_range(pad->getUsers())) {
      b.setInsertionPoint(user);
      int64_t dim = *cast<tensor::DimOp>(user).getConstantIndex();
      b.replaceOp(user, getValueOrCreateConstantIndexOp(b, loc, padded[dim]));
    }
    b.eraseOp(pad);
  }

private:
  /// Cuts the strips at both ends of a loop off `rest`.
  std::pair<Rectangle, Rectangle> cutStrips(const PeeledWindow::Cut &cut, Rectangle &rest) {
    // The points from `first` to below `end` read elements low to low + inside - 1 of the tile.
    OpFoldResult extent = extents[cut.loop], before = low[cut.dim];
    OpFoldResult inside = getSizes(b, pad.getSource())[cut.dim];
    AffineExpr s0 = math.symbol(0), s1 = math.symbol(1);
    OpFoldResult first =
        math.clamp((s0 - cut.base).ceilDiv(cut.step), {before}, b.getIndexAttr(0), extent);
    OpFoldResult end = math.clamp((s0 + s1 - 1 - cut.reach - cut.base).floorDiv(cut.step) + 1,
                                  {before, inside}, first, extent);
    Rectangle front = rest, back = rest;
    front.sizes[cut.loop] = first;
    back.offsets[cut.loop] = end;
    back.sizes[cut.loop] = math.apply(s0 - s1, {extent, end});
    rest.offsets[cut.loop] = first;
    rest.sizes[cut.loop] = math.apply(s0 - s1, {end, first});
    return {front, back};
  }

  /// The most that the padded tile of a strip has along each dimension: as many points as the
  /// border is wide.
  OpFoldResults getLargest(const PeeledWindow::Cut &cut) {
    OpFoldResults largest = padded, high = getHighPad(b, pad);
    std::optional<int64_t> front = getMost(low[cut.dim]), back = getMost(high[cut.dim]);
    if (front && back) {
      int64_t points = llvm::divideCeil(std::max<int64_t>({*front - cut.base, *back, 1}), cut.step);
      largest[cut.dim] = b.getIndexAttr(cut.step * (points - 1) + cut.reach + 1);
    }
    return largest;
  }

  /// One loop over the two strips of a dimension: there is one code for both. It leaves out a strip
  /// without points, as most tiles of a large image have them.
  SmallVector<Value> emitStrips(const PeeledWindow::Cut &cut, const Rectangle &front,
                                const Rectangle &back, ValueRange places) {
    bool hasFront = !hasZero(front.sizes), hasBack = !hasZero(back.sizes);
    if (!hasFront && !hasBack)
      return places;
    OpFoldResults largest = getLargest(cut);
    const Rectangle &only = hasFront ? front : back;
    if (hasFront != hasBack && getConstantIntValue(only.sizes[cut.loop]))
      return emitPiece(only, largest, places);
    OpBuilder::InsertionGuard guard(b);
    auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
    auto ifAny = [&](const Rectangle &strip, int64_t some, int64_t none) -> Value {
      if (std::optional<int64_t> points = getConstantIntValue(strip.sizes[cut.loop]))
        return index(*points ? some : none);
      Value points = cast<Value>(strip.sizes[cut.loop]);
      Value isNone = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, points, index(0));
      return arith::SelectOp::create(b, loc, isNone, index(none), index(some));
    };
    auto loop = scf::ForOp::create(b, loc, ifAny(front, 0, 1), ifAny(back, 2, 1), index(1), places);
    b.setInsertionPointToStart(loop.getBody());
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, loop.getInductionVar(), index(0));
    auto choose = [&](OpFoldResult first, OpFoldResult second) -> OpFoldResult {
      if (isEqualConstantIntOrValue(first, second))
        return first;
      return arith::SelectOp::create(b, loc, isFirst,
                                     getValueOrCreateConstantIndexOp(b, loc, first),
                                     getValueOrCreateConstantIndexOp(b, loc, second))
          .getResult();
    };
    Rectangle strip{llvm::map_to_vector(llvm::zip_equal(front.offsets, back.offsets),
                                        [&](auto pair) { return std::apply(choose, pair); }),
                    llvm::map_to_vector(llvm::zip_equal(front.sizes, back.sizes),
                                        [&](auto pair) { return std::apply(choose, pair); })};
    scf::YieldOp::create(b, loc, emitPiece(strip, largest, loop.getRegionIterArgs()));
    return loop.getResults();
  }

  /// Computes the points `at` into `places`, one for each result; returns these. Leaves the builder
  /// behind. `largest`: of the padded tile of a strip (see getLargest), empty for the points
  /// inside.
  SmallVector<Value> emitPiece(const Rectangle &at, ArrayRef<OpFoldResult> largest,
                               ValueRange places) {
    linalg::GenericOp piece = tile(window, at);
    b.setInsertionPoint(piece);
    readImage(piece->getOpOperand(peeled.operand), largest);
    if (epilogue) {
      // Sums that nobody else reads stay in registers, which takes a buffer that nobody else knows.
      OpOperand &sums = *piece.getDpsInitOperand(0);
      b.setInsertionPoint(piece);
      if (fill) {
        auto part = sums.get().getDefiningOp<tensor::ExtractSliceOp>();
        OpFoldResults largest = getSizes(b, fill.output());
        Value room =
            makeScratch(b, loc, part.getType().getElementType(), part.getMixedSizes(), largest);
        replace(sums, linalg::FillOp::create(b, loc, fill.value(), room).getResult(0));
      }
      b.setInsertionPointAfter(piece);
      Value made = piece->getResult(0);
      piece = tile(epilogue, at);
      for (OpOperand &operand : piece->getOpOperands())
        if (auto part = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
            part && part.getSource() == window->getResult(0))
          replace(operand, made);
    }
    b.setInsertionPoint(piece);
    SmallVector<tensor::ExtractSliceOp> parts;
    for (auto [init, place] : llvm::zip_equal(piece.getDpsInitsMutable(), places)) {
      auto part = parts.emplace_back(init.get().getDefiningOp<tensor::ExtractSliceOp>());
      part.getSourceMutable().set(place);
      if (!epilogue && fill)
        init.set(linalg::FillOp::create(b, loc, fill.value(), part.getResult()).getResult(0));
    }
    b.setInsertionPointAfter(piece);
    SmallVector<Value> written;
    for (auto [part, result, place] : llvm::zip_equal(parts, piece->getResults(), places))
      written.push_back(tensor::InsertSliceOp::create(b, loc, result, place, part.getMixedOffsets(),
                                                      part.getMixedSizes(),
                                                      part.getMixedStrides()));
    return written;
  }

  /// Leaves the builder behind the piece.
  linalg::GenericOp tile(linalg::GenericOp op, const Rectangle &at) {
    OpFoldResults offsets(at.offsets), sizes(at.sizes);
    offsets.resize(op.getNumLoops());
    sizes.resize(op.getNumLoops());
    FailureOr<TilingResult> tiled =
        cast<TilingInterface>(op.getOperation()).getTiledImplementation(b, offsets, sizes);
    auto piece = cast<linalg::GenericOp>(tiled->tiledOps.front());
    b.setInsertionPointAfter(piece);
    return piece;
  }

  /// Lets the operand, a part of the padded tile, be the part of the image itself, or a padded tile
  /// of its own.
  void readImage(OpOperand &operand, ArrayRef<OpFoldResult> largest) {
    auto part = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
    OpFoldResults offsets = part.getMixedOffsets(), sizes = part.getMixedSizes();
    OpFoldResults ones(offsets.size(), b.getIndexAttr(1));
    if (largest.empty()) {
      for (auto [offset, before] : llvm::zip_equal(offsets, low))
        offset = math.apply(math.symbol(0) - math.symbol(1), {offset, before});
      return replace(operand,
                     tensor::ExtractSliceOp::create(b, loc, pad.getSource(), offsets, sizes, ones));
    }
    PadSlice slice = slicePad(b, pad, offsets, sizes);
    Value image;
    if (hasZero(slice.sizes))
      image = makeScratch(b, loc, part.getType().getElementType(), slice.sizes);
    else
      image =
          tensor::ExtractSliceOp::create(b, loc, pad.getSource(), slice.offsets, slice.sizes, ones);
    Type element = part.getType().getElementType();
    Value room = makeScratch(b, loc, element, sizes, largest);
    replace(operand, lowerPad(b, padSlice(b, pad, image, slice, sizes), sizes, room));
  }

  /// Drops the slice that was the operand before.
  void replace(OpOperand &operand, Value value) {
    Operation *before = operand.get().getDefiningOp();
    operand.set(value);
    b.eraseOp(before);
  }

  RewriterBase &b;
  const PeeledWindow &peeled;
  tensor::PadOp pad;
  linalg::GenericOp window, epilogue;
  linalg::FillOp fill;
  Location loc;
  IndexMath math;
  OpFoldResults extents;     ///< of the window's loops
  OpFoldResults padded, low; ///< sizes of the tile, and of the border in front
};

} // namespace

void mlir::fuse::peel(RewriterBase &rewriter, const PeeledWindow &peeled) {
  Peeling(rewriter, peeled).emit();
}
