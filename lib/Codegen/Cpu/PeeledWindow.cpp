//===- PeeledWindow.cpp - Which windows read a padded image where it lies ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PeeledWindow.h"
#include "../Kernel/BodyAccess.h"
#include "Neighbours.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

/// The one reader of what `pad` writes, in its block.
static linalg::GenericOp getReader(const PadTile &pad) {
  // A tile that is smaller than the largest one is a part of its buffer.
  Value buffer = pad.tile;
  if (auto part = buffer.getDefiningOp<memref::SubViewOp>(); part && buffer != part.getSource()) {
    buffer = part.getSource();
    if (!buffer.hasOneUse())
      return {};
  }
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return {};
  linalg::GenericOp reader;
  for (OpOperand &use : pad.tile.getUses()) {
    if (use.getOwner() == pad.op)
      continue;
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user || reader || user.isDpsInit(&use) || user->getBlock() != pad.op->getBlock() ||
        !pad.op->isBeforeInBlock(user))
      return {};
    reader = user;
  }
  return reader;
}

/// Whether nothing between `first` and `last` writes to the memory behind `source`, nor do they.
static bool isLeftAlone(Value source, Operation *first, Operation *last) {
  Value root = getBase(source);
  for (Operation *op = first;; op = op->getNextNode()) {
    if (auto member = dyn_cast<linalg::LinalgOp>(op)) {
      if (llvm::any_of(member.getDpsInits(), [&](Value init) { return getBase(init) == root; }))
        return false;
    } else if (!isMemoryEffectFree(op) && !isa<memref::AllocOp>(op)) {
      return false;
    }
    if (op == last)
      return true;
  }
}

/// The factors of all dims in `expr`, and at last what is added; empty where it is not linear.
static SmallVector<int64_t> getSteps(AffineExpr expr, unsigned numDims) {
  SmallVector<int64_t> steps;
  if (failed(getFlattenedAffineExpr(expr, numDims, 0, &steps)) || steps.size() != numDims + 1)
    return {};
  return steps;
}

/// Whether another operand than the tile tells the extent of each loop.
static bool knowsExtents(linalg::GenericOp window, OpOperand &tile) {
  for (unsigned loop = 0; loop < window.getNumLoops(); ++loop)
    if (llvm::none_of(window->getOpOperands(), [&](OpOperand &operand) {
          AffineExpr dim = getAffineDimExpr(loop, window.getContext());
          return &operand != &tile &&
                 llvm::is_contained(window.getMatchingIndexingMap(&operand).getResults(), dim);
        }))
      return false;
  return true;
}

/// Whether asking for each element of the windows at the border takes less than laying out the
/// tile, as far as that is known beforehand: dims that are cut into tiles are long beside their
/// borders. On a core of Zen 5 an element of such a window costs half of one that is laid out: 3x3
/// windows of 14x14 pixels take the same time either way, those of 7x7 20 % longer.
static bool isWorthwhile(const PeeledWindow &peeled) {
  constexpr int64_t kAskedPerCopied = 2;
  linalg::GenericOp op = peeled.window;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t points = 1, inside = 1, elements = 1, window = 1;
  for (const PeeledWindow::Cut &cut : peeled.cuts) {
    const PadTile::Dimension &dimension = peeled.pad.dimensions[cut.dim];
    auto start = dyn_cast<AffineConstantExpr>(dimension.start);
    int64_t extent = ranges[cut.loop];
    if (ShapedType::isDynamic(extent) || !start) {
      elements *= cut.step;
      continue;
    }
    int64_t first = start.getValue() + cut.base;
    int64_t low = std::clamp<int64_t>(llvm::divideCeilSigned(-first, cut.step), 0, extent);
    int64_t high = llvm::divideFloorSigned(dimension.size - 1 - cut.reach - first, cut.step) + 1;
    points *= extent;
    inside *= std::clamp<int64_t>(high, low, extent) - low;
    elements *= cut.step * (extent - 1) + cut.reach + 1;
  }
  for (auto [range, iterator] : llvm::zip_equal(ranges, op.getIteratorTypesArray()))
    if (iterator == IteratorType::reduction)
      window *= range;
  return (points - inside) * window < kAskedPerCopied * elements;
}

std::optional<PeeledWindow> PeeledWindow::get(const PadTile &pad) {
  if (!pad.source)
    return std::nullopt;
  PeeledWindow peeled;
  peeled.pad = pad;
  linalg::GenericOp window = peeled.window = getReader(pad);
  if (!window || window.hasIndexSemantics() || !window.hasPureBufferSemantics() ||
      window.getNumReductionLoops() == 0 || window.getNumDpsInits() != 1)
    return std::nullopt;
  OpOperand &tile = *llvm::find_if(window->getOpOperands(),
                                   [&](OpOperand &operand) { return operand.get() == pad.tile; });
  peeled.operand = tile.getOperandNumber();
  AffineMap map = window.getMatchingIndexingMap(&tile);
  SmallVector<IteratorType> iterators = window.getIteratorTypesArray();
  SmallVector<int64_t> ranges = window.getStaticLoopRanges();
  unsigned numLoops = window.getNumLoops();
  // A window that several results share is worth laying out.
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if (iterator == IteratorType::parallel ? !map.isFunctionOfDim(loop)
                                           : ShapedType::isDynamic(ranges[loop]))
      return std::nullopt;
  // Vectors lie in the image, or in its border.
  auto vectors = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!vectors || iterators[vectors.getPosition()] != IteratorType::parallel ||
      pad.dimensions.back().isPadded ||
      !cast<MemRefType>(pad.source.getType()).isLastDimUnitStride() ||
      window.getMatchingIndexingMap(window.getDpsInitOperand(0)).getResults().back() != vectors)
    return std::nullopt;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    SmallVector<int64_t> steps = getSteps(expr, numLoops);
    if (steps.empty())
      return std::nullopt;
    int64_t base = steps.pop_back_val();
    peeled.steps.push_back(steps);
    if (!pad.dimensions[dim].isPadded) {
      if (base != 0)
        return std::nullopt;
      continue;
    }
    Cut cut;
    cut.dim = dim;
    cut.base = base;
    bool isFound = false;
    for (auto [loop, step] : llvm::enumerate(steps)) {
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
    if (!isFound ||
        llvm::any_of(peeled.cuts, [&](const Cut &other) { return other.loop == cut.loop; }))
      return std::nullopt;
    peeled.cuts.push_back(cut);
  }
  if (peeled.cuts.empty() || !knowsExtents(window, tile) || !isWorthwhile(peeled))
    return std::nullopt;
  linalg::GenericOp epilogue = findEpilogue(window);
  Operation *last = epilogue ? epilogue : window;
  if (!isLeftAlone(pad.source, pad.op->getNextNode(), last))
    return std::nullopt;
  return peeled;
}
