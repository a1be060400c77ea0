//===- BlockPosition.cpp - Where a block's tiles begin, and how long they are ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The members of KernelTiler that turn a block's number into offsets and sizes: of the dims that blocks cut, and of the loops
// of each member.
//
//===----------------------------------------------------------------------------------------===//

#include "KernelTiler.h"
#include "fuse/Analysis/MemberReads.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::fuse;

OpFoldResult KernelTiler::tileSize(int64_t size, OpFoldResult extent, OpFoldResult offset, Value evenStep) {
  if (size == 1) // where there is a tile, there is an element
    return rewriter.getIndexAttr(1);
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    if (*known > 0 && *known % size == 0)
      return rewriter.getIndexAttr(size);
  AffineExpr position, end, even;
  bindDims(rewriter.getContext(), position, end, even);
  SmallVector<AffineExpr> bounds = {rewriter.getAffineConstantExpr(size), end - position};
  SmallVector<OpFoldResult> operands = {offset, extent};
  if (evenStep) {
    bounds.push_back(even);
    operands.push_back(evenStep);
  }
  auto map = AffineMap::get(operands.size(), 0, bounds, rewriter.getContext());
  return affine::makeComposedFoldedAffineMin(rewriter, loc, map, operands);
}

bool mlir::fuse::isUncut(const KernelMembers &members, ArrayRef<int64_t> tileSizes, int64_t dim) {
  return tileSizes[dim] >= LevelAttr::kUncut && ShapedType::isDynamic(members.staticExtent(dim));
}

/// Offsets and sizes of block number `block`, the last dim fastest.
void KernelTiler::positionBlock(Value block) {
  unsigned rank = tileSizes.size();
  offsets.resize(rank);
  sizes.resize(rank);
  AffineExpr d0;
  bindDims(rewriter.getContext(), d0);
  Value rest = block;
  for (int64_t d : llvm::reverse(blockOrder)) {
    if (isUncut(members, tileSizes, d)) {
      offsets[d] = rewriter.getIndexAttr(0);
      sizes[d] = extents[d];
      continue;
    }
    Value index = rest;
    if (d != blockOrder.front()) {
      Value count = getValueOrCreateConstantIndexOp(
          rewriter, loc,
          affine::makeComposedFoldedAffineApply(rewriter, loc, d0.ceilDiv(tileSizes[d]),
                                                {extents[d]}));
      index = arith::RemUIOp::create(rewriter, loc, rest, count);
      rest = arith::DivUIOp::create(rewriter, loc, rest, count);
    }
    std::optional<int64_t> extent = getConstantIntValue(extents[d]);
    Value evenStep = canBeEven(d) ? makeEvenStep(d) : Value();
    if (extent && *extent <= tileSizes[d])
      offsets[d] = rewriter.getIndexAttr(0);
    else // Opaque to affine composition: slices of equal tiles are known by equal values.
      offsets[d] = Value(arith::MulIOp::create(
          rewriter, loc, index,
          evenStep ? evenStep : Value(arith::ConstantIndexOp::create(rewriter, loc, tileSizes[d]))));
    sizes[d] = tileSize(tileSizes[d], extents[d], offsets[d], evenStep);
  }
}

/// Whether tiles along a dim may be smaller than the schedule says, so that few of them are as long as each other: where the
/// extent is known when the kernel runs, and no memory runs along the dim, whose tiles begin where vectors do.
bool KernelTiler::canBeEven(int64_t dim) {
  if (members.ops().empty() || stream || tileSizes[dim] == 1 || !ShapedType::isDynamic(members.staticExtent(dim)))
    return false;
  auto schedule = function->getAttrOfType<ScheduleAttr>(attr::kSchedule);
  if (schedule && schedule.getThreads() > 0) // a GPU has blocks enough
    return false;
  for (auto [number, member] : llvm::enumerate(members.ops())) {
    linalg::LinalgOp op = member;
    // Of temporaries there is one tile, which has no place among others.
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isResult = op.isDpsInit(&operand) && members.resultNumber(op.getTiedOpResult(&operand));
      if (isResult || !isFromMember(operand.get()))
        maps.push_back(op.getMatchingIndexingMap(&operand));
    }
    for (BodyRead &read : getBodyReads(op))
      maps.push_back(read.map);
    for (AffineMap map : maps)
      for (auto [loop, carried] : llvm::enumerate(members.domain().loops[number]))
        if (carried == dim && map.getNumResults() > 0 && map.getResults().back().isFunctionOfDim(loop))
          return false;
  }
  return true;
}

/// Of 17 rows in tiles of 16 the first would have 16 and the second one: of two tiles, the rows of the first are half of
/// them, here 9.
Value KernelTiler::makeEvenStep(int64_t dim) {
  int64_t size = tileSizes[dim];
  AffineExpr half = rewriter.getAffineDimExpr(0).ceilDiv(2);
  Value rows = getValueOrCreateConstantIndexOp(rewriter, loc, extents[dim]);
  Value even = affine::makeComposedAffineApply(rewriter, loc, half, {extents[dim]});
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(rewriter, loc, value); };
  auto is = [&](arith::CmpIPredicate predicate, int64_t value) -> Value {
    return arith::CmpIOp::create(rewriter, loc, predicate, rows, constant(value));
  };
  Value areTwo = arith::AndIOp::create(rewriter, loc, is(arith::CmpIPredicate::ugt, size),
                                       is(arith::CmpIPredicate::ule, 2 * size));
  return arith::SelectOp::create(rewriter, loc, areTwo, even, constant(size));
}

OpFoldResult KernelTiler::privateExtent(unsigned member, unsigned loop) {
  linalg::LinalgOp op = members.ops()[member];
  if (!ShapedType::isDynamic(op.getStaticLoopRanges()[loop]))
    return members.loopExtent(rewriter, member, loop);
  auto [it, isNew] = privateExtents.try_emplace(members.loopSource(member, loop));
  if (isNew) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(blockLoop);
    it->second = members.loopExtent(rewriter, member, loop);
  }
  return it->second;
}

void KernelTiler::tileDomain(unsigned member, OpFoldResults &tileOffsets,
                             OpFoldResults &tileSizes) {
  for (auto [loop, dim] : llvm::enumerate(members.domain().loops[member])) {
    if (stream && members.domain().classes[member][loop] == stream->dimClass) {
      tileOffsets.push_back(streamOffset);
      tileSizes.push_back(streamSize);
    } else if (dim == SharedDomain::kPrivate) {
      tileOffsets.push_back(rewriter.getIndexAttr(0));
      tileSizes.push_back(privateExtent(member, loop));
    } else {
      tileOffsets.push_back(offsets[dim]);
      tileSizes.push_back(sizes[dim]);
    }
  }
}
