//===- SourceAccess.cpp - How a loop nest touches a value behind views -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/SourceAccess.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/Shapes.h"
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

Positions throughReshape(Operation *view, const Positions &seen) {
  ArrayRef<int64_t> from = shapeOf(view->getOperand(0)), to = shapeOf(view->getResult(0));
  Positions positions;
  for (int64_t extent : from)
    positions.push_back(unknownPosition(extent));
  for (const ReshapeGroup &group : matchReshape(from, to)) {
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
    if (ShapedType::isDynamicShape(extents) || failed(redistribute(read, extents, written)))
      continue;
    for (auto [dim, position] : llvm::zip(group.from, written))
      positions[dim] = position;
  }
  return positions;
}

/// How the source of a slice is touched along a dimension that is not taken whole.
PositionAccess throughSlice(SliceOp slice, unsigned dim, const PositionAccess &seen,
                            bool throughFronts) {
  int64_t extent = slice.getOperand().getType().getShape()[dim];
  bool isFront = slice.getOffsets()[dim] == 0 && slice.getStrides()[dim] == 1;
  if (!throughFronts || !isFront || seen.digits.size() != 1 || !seen.digits.front().isLoop() ||
      seen.digits.front().divisor != 1)
    return unknownPosition(extent);
  PositionAccess position = seen;
  position.digits.front().extent = extent;
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
          if (!ShapedType::isDynamic(extent) && op.getSizes()[dim] != extent)
            positions[dim] = throughSlice(op, dim, seen[dim], throughFronts);
        return positions;
      })
      .Case([&](ReshapeOp op) { return throughReshape(op, seen); })
      .Default([&](Operation *op) {
        return llvm::map_to_vector<4>(shapeOf(op->getOperand(0)), unknownPosition);
      });
}

/// The innermost factor of a loop, where an op reads its operand at `d mod extent`.
std::optional<LoopDigit> getRemainder(AffineExpr expr, int64_t extent,
                                      ArrayRef<int64_t> loopExtents) {
  if (!expr || expr.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  auto remainder = cast<AffineBinaryOpExpr>(expr);
  auto loop = dyn_cast<AffineDimExpr>(remainder.getLHS());
  if (!loop || remainder.getRHS() != getAffineConstantExpr(extent, expr.getContext()) ||
      ShapedType::isDynamic(loopExtents[loop.getPosition()]) ||
      loopExtents[loop.getPosition()] % extent != 0)
    return std::nullopt;
  return LoopDigit{loop.getPosition(), 1, extent};
}

} // namespace

SourceAccess mlir::fuse::getSourceAccess(Value operand, AffineMap map,
                                         ArrayRef<int64_t> loopExtents, bool throughFronts) {
  SourceAccess access;
  ArrayRef<int64_t> shape = shapeOf(operand);
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    PositionAccess &position = access.positions.emplace_back();
    if (extent == 1)
      continue;
    AffineExpr expr = map ? map.getResult(dim) : AffineExpr();
    auto loop = dyn_cast_if_present<AffineDimExpr>(expr);
    if (std::optional<LoopDigit> digit = getRemainder(expr, extent, loopExtents))
      position.digits.push_back(*digit);
    else if (loop)
      position.digits.push_back({loop.getPosition(), 1, loopExtents[loop.getPosition()]});
    else
      position = unknownPosition(extent);
  }
  access.source = operand;
  while (Operation *view = access.source.getDefiningOp()) {
    if (classifyNode(view) != NodeKind::View)
      break;
    access.positions = throughView(view, access.positions, throughFronts);
    access.source = view->getOperand(0);
  }
  for (const PositionAccess &position : access.positions)
    access.isPlain &= position.digits.size() <= 1 &&
                      llvm::all_of(position.digits, [&](const LoopDigit &digit) {
                        return !digit.isLoop() ||
                               (digit.divisor == 1 && digit.extent == loopExtents[digit.loop]);
                      });
  return access;
}
