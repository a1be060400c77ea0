//===- SourceAccess.cpp - How a loop nest touches a value behind views -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/SourceAccess.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/Views.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

using Positions = SmallVector<PositionAccess, 4>;

PositionAccess unknownPosition(int64_t extent) {
  PositionAccess position;
  if (extent != 1)
    position.digits.push_back({LoopDigit::kNoLoop, 1, extent});
  return position;
}

ArrayRef<int64_t> shapeOf(Value value) { return cast<ShapedType>(value.getType()).getShape(); }

/// Gives the digits of some positions of a reshape's result, read as one number, to the positions of
/// its source that hold the same elements. Fails where a digit would have to be cut unevenly.
LogicalResult redistribute(ArrayRef<PositionAccess> from, ArrayRef<int64_t> extents,
                           MutableArrayRef<PositionAccess> to) {
  SmallVector<LoopDigit, 4> digits; // the innermost is last
  for (const PositionAccess &position : from)
    llvm::append_range(digits, position.digits);
  for (size_t at = extents.size(); at-- > 0;) {
    int64_t need = extents[at];
    to[at] = {};
    while (need > 1) {
      if (digits.empty())
        return failure();
      LoopDigit &last = digits.back();
      if (ShapedType::isDynamic(last.extent) || last.extent == 0)
        return failure();
      if (need % last.extent == 0) {
        need /= last.extent;
        to[at].digits.insert(to[at].digits.begin(), last);
        digits.pop_back();
      } else if (last.extent % need == 0) {
        if (!last.isLoop())
          return failure();
        to[at].digits.insert(to[at].digits.begin(), {last.loop, last.divisor, need});
        last.divisor *= need;
        last.extent /= need;
        need = 1;
      } else {
        return failure();
      }
    }
  }
  return success(digits.empty());
}

Positions throughReshape(ReshapeOp reshape, Value source, const Positions &seen) {
  ArrayRef<int64_t> from = shapeOf(source), to = shapeOf(reshape);
  Positions positions;
  for (int64_t extent : from)
    positions.push_back(unknownPosition(extent));
  for (const ReshapeGroup &group : reshape.hasFreeSizes() ? reshape.getGroups() : matchReshape(from, to)) {
    if (group.from.size() == 1 && group.to.size() == 1) {
      positions[group.from.front()] = seen[group.to.front()];
      continue;
    }
    Positions read, written(group.from.size());
    SmallVector<int64_t> extents;
    for (int64_t dim : group.to)
      read.push_back(seen[dim]);
    for (int64_t dim : group.from)
      extents.push_back(from[dim]);
    if (group.from.empty()) // the source is one element there: what the sizes say is 1
      continue;
    if (ShapedType::isDynamicShape(extents) || failed(redistribute(read, extents, written))) {
      auto &hidden = positions[group.from.front()].hidden;
      for (const PositionAccess &position : read)
        llvm::append_range(hidden, position.isKnown() ? position.digits : position.hidden);
      continue;
    }
    for (auto [dim, position] : llvm::zip(group.from, written))
      positions[dim] = position;
  }
  return positions;
}

/// How the source of a slice is touched along a dimension that is not taken whole. One of several equal
/// parts is an element of a dimension of parts: the source is factored so, and such a slice hides no loop.
PositionAccess throughSlice(SliceOp slice, unsigned dim, const PositionAccess &seen,
                            bool throughFronts) {
  int64_t extent = slice.getOperand().getType().getShape()[dim];
  int64_t offset = slice.getOffsets()[dim], size = slice.getSizes()[dim];
  PositionAccess unknown = unknownPosition(extent);
  unknown.hidden = seen.isKnown() ? seen.digits : seen.hidden;
  unknown.isStrided = slice.getStrides()[dim] != 1 && size != 1;
  if (slice.getStrides()[dim] != 1 || ShapedType::isDynamic(extent) || ShapedType::isDynamic(offset) ||
      ShapedType::isDynamic(size))
    return unknown;
  if (throughFronts && offset == 0 && seen.digits.size() == 1 && seen.digits.front().isLoop() &&
      seen.digits.front().divisor == 1) {
    PositionAccess position = seen;
    position.digits.front().extent = extent;
    return position;
  }
  if (size < 2 || extent % size != 0 || offset % size != 0)
    return unknown;
  PositionAccess position = unknownPosition(extent / size);
  llvm::append_range(position.digits, seen.digits);
  return position;
}

/// From how a view's result is touched to how its operand is.
Positions throughView(Operation *view, const Positions &seen, bool throughFronts) {
  return llvm::TypeSwitch<Operation *, Positions>(view)
      .Case([&](TransposeOp op) {
        Positions positions(seen.size());
        for (auto [to, from] : llvm::enumerate(op.getPermutation()))
          positions[from] = seen[to];
        return positions;
      })
      .Case([&](BroadcastOp op) {
        Positions positions;
        for (auto [dim, position] : llvm::enumerate(seen))
          if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim)))
            positions.push_back(position);
        return positions;
      })
      .Case([&](SliceOp op) {
        Positions positions(seen);
        for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getOperand())))
          if (!op.isWhole(dim))
            positions[dim] = throughSlice(op, dim, seen[dim], throughFronts);
        return positions;
      })
      .Default([&](Operation *op) {
        return llvm::map_to_vector<4>(shapeOf(op->getOperand(0)), unknownPosition);
      });
}

/// `d`, `d floordiv n` or `d mod n` as a factor of a loop that n divides.
std::optional<LoopDigit> getDigit(AffineExpr expr, ArrayRef<int64_t> loopExtents) {
  auto whole = [&](AffineExpr expr) -> std::optional<LoopDigit> {
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      return LoopDigit{loop.getPosition(), 1, loopExtents[loop.getPosition()]};
    return std::nullopt;
  };
  bool isQuotient = expr.getKind() == AffineExprKind::FloorDiv;
  if (!isQuotient && expr.getKind() != AffineExprKind::Mod)
    return whole(expr);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<LoopDigit> digit = whole(binary.getLHS());
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!digit || !divisor || ShapedType::isDynamic(digit->extent) || divisor.getValue() < 1 ||
      digit->extent % divisor.getValue() != 0)
    return std::nullopt;
  if (isQuotient)
    return LoopDigit{digit->loop, divisor.getValue(), digit->extent / divisor.getValue()};
  return LoopDigit{digit->loop, 1, divisor.getValue()};
}

/// The digits of a position of `extent`: a factor of a loop, or the number that two of them are, as a
/// convolution in groups of F filters and C channels reads its channel `(f floordiv F) * C + c`. A sum of
/// whole loops is a window, and none.
std::optional<PositionAccess> getDigits(AffineExpr expr, int64_t extent,
                                        ArrayRef<int64_t> loopExtents) {
  PositionAccess position;
  if (expr.getKind() == AffineExprKind::Add) {
    auto sum = cast<AffineBinaryOpExpr>(expr);
    auto product = dyn_cast<AffineBinaryOpExpr>(sum.getLHS());
    std::optional<LoopDigit> inner = getDigit(sum.getRHS(), loopExtents), outer;
    if (product && product.getKind() == AffineExprKind::Mul && !isa<AffineDimExpr>(product.getLHS()))
      outer = getDigit(product.getLHS(), loopExtents);
    if (!inner || !outer || ShapedType::isDynamic(inner->extent) ||
        product.getRHS() != getAffineConstantExpr(inner->extent, expr.getContext()) ||
        outer->extent * inner->extent != extent)
      return std::nullopt;
    position.digits = {*outer, *inner};
    return position;
  }
  std::optional<LoopDigit> digit = getDigit(expr, loopExtents);
  bool isFront = digit && digit->extent != extent && !ShapedType::isDynamic(digit->extent) &&
                 !ShapedType::isDynamic(extent);
  if (!digit || isFront) // a window's taps may reach the front of an image alone
    return std::nullopt;
  position.digits.push_back(*digit);
  return position;
}

} // namespace

SmallVector<PositionAccess, 4> mlir::fuse::getPositions(ArrayRef<int64_t> shape, AffineMap map,
                                                        ArrayRef<int64_t> loopExtents) {
  SmallVector<PositionAccess, 4> positions;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    PositionAccess &position = positions.emplace_back();
    if (extent == 1)
      continue;
    std::optional<PositionAccess> digits;
    if (AffineExpr expr = map ? map.getResult(dim) : AffineExpr())
      digits = getDigits(expr, extent, loopExtents);
    position = digits ? *digits : unknownPosition(extent);
  }
  return positions;
}

SourceAccess mlir::fuse::getSourceAccess(Value operand, AffineMap map,
                                         ArrayRef<int64_t> loopExtents, bool throughFronts) {
  SourceAccess access;
  access.positions = getPositions(shapeOf(operand), map, loopExtents);
  access.source = operand;
  while (Operation *view = access.source.getDefiningOp()) {
    if (classifyNode(view) != NodeKind::View)
      break;
    if (auto reshape = dyn_cast<ReshapeOp>(view)) {
      Value source = getReshapeSource(reshape);
      access.positions = throughReshape(reshape, source, access.positions);
      access.source = source;
      continue;
    }
    access.positions = throughView(view, access.positions, throughFronts);
    access.source = view->getOperand(0);
  }
  for (const PositionAccess &position : access.positions)
    access.isPlain &= llvm::count_if(position.digits, std::mem_fn(&LoopDigit::isLoop)) <= 1 &&
                      llvm::all_of(position.digits, [&](const LoopDigit &digit) {
                        return !digit.isLoop() ||
                               (digit.divisor == 1 && digit.extent == loopExtents[digit.loop]);
                      });
  return access;
}
