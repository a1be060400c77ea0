//===- DotColumns.cpp - Columns in groups of steps ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What sums of groups of short products read of the columns: as memory has them in groups, or laid out so by the kernel.
//
//===----------------------------------------------------------------------------------------===//

#include "../Kernel/LoopCode.h"
#include "DotBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<Value> mlir::fuse::createGroupIndices(OpBuilder &b, linalg::GenericOp op, const DotPlan &dot,
                                                  unsigned vectorLoop, ArrayRef<Value> ivs, int64_t column) {
  Location loc = op.getLoc();
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(dot.columns));
  AffineExpr step = getAffineDimExpr(dot.loop, b.getContext());
  // The number of the group is a loop of its own as far as indices go, so that LLVM sees how they grow.
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    exprs.push_back(expr == step.floorDiv(dot.group) ? step : expr);
  exprs.back() = b.getAffineConstantExpr(0);
  SmallVector<Value> at(ivs);
  at[dot.loop] = arith::DivUIOp::create(b, loc, at[dot.loop], arith::ConstantIndexOp::create(b, loc, dot.group));
  if (column)
    at[vectorLoop] = arith::AddIOp::create(b, loc, at[vectorLoop], arith::ConstantIndexOp::create(b, loc, column));
  return createIndices(b, op, AffineMap::get(map.getNumDims(), 0, exprs, b.getContext()), at);
}

//===- Columns ------------------------------------------------------------------------------===//

void DotBody::pack(ArrayRef<Value> positions, Range at, int64_t lanes, Value mask) {
  llvm::copy(positions, ivs.begin());
  range = at;
  this->mask = mask;
  OpOperand &operand = op->getOpOperand(dot.columns);
  if (dot.packsColumns() && getAccess(op, operand, plan.loop) == Access::Other)
    packScattered(operand, lanes, mask);
  else if (dot.packsColumns())
    packRows(operand, lanes, mask);
  if (shifts)
    addUpShift(lanes);
}

bool mlir::fuse::hasWholeRegisters(OpOperand &operand, int64_t group, int64_t lanes) {
  for (Value value = operand.get(); auto tile = value.getDefiningOp<memref::SubViewOp>(); value = tile.getSource()) {
    SmallVector<OpFoldResult> offsets = tile.getMixedOffsets();
    std::optional<int64_t> column = offsets.size() < 2 ? std::nullopt : getConstantIntValue(offsets[offsets.size() - 2]);
    if (!column || *column % lanes != 0)
      return false;
  }
  auto whole = dyn_cast<MemRefType>(getBase(operand.get()).getType());
  return whole && whole.getRank() >= 2 && whole.getLayout().isIdentity() && whole.getShape().back() == group &&
         whole.getDimSize(whole.getRank() - 2) % lanes == 0;
}

Value DotBody::asBits(Value vector) {
  auto type = cast<VectorType>(vector.getType()).clone(bits);
  return type == vector.getType() ? vector : Value(vector::BitCastOp::create(b, loc, type, vector));
}

/// Rows of the columns, one per step, become groups.
void DotBody::packRows(OpOperand &operand, int64_t lanes, Value mask) {
  forGroups(0, {}, [&](ArrayRef<Value>, int64_t count) {
    Values steps;
    Value first = ivs[dot.loop];
    auto type = VectorType::get({lanes}, bits);
    for (int64_t step = 0; step < dot.group; ++step) {
      if (step >= count) {
        steps.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
        continue;
      }
      ivs[dot.loop] = step ? Value(arith::AddIOp::create(b, loc, first, index(step))) : first;
      steps.push_back(asBits(load(operand, lanes, mask)));
    }
    ivs[dot.loop] = first;
    // 0 and 2, 1 and 3, then both.
    while (steps.size() > 1) {
      Values pairs;
      for (size_t i = 0, half = steps.size() / 2; i < half; ++i)
        pairs.push_back(vector::InterleaveOp::create(b, loc, steps[i], steps[i + half]));
      steps = pairs;
    }
    vector::StoreOp::create(b, loc, steps.front(), packed, packIndices(0));
    return Values();
  });
}

/// `count` elements of an operand from the current step on, as bits; behind them zeros.
Value DotBody::loadGroup(OpOperand &operand, int64_t count) {
  auto type = VectorType::get({dot.group}, bits);
  Type element = getElementTypeOrSelf(operand.get());
  if (getAccess(op, operand, dot.loop) == Access::Contiguous &&
      !getBlock(op.getMatchingIndexingMap(&operand), dot.loop)) {
    Value there = asBits(vector::LoadOp::create(b, loc, VectorType::get({count}, element),
                                                operand.get(), indices(operand)));
    if (count == dot.group)
      return there;
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return vector::InsertStridedSliceOp::create(b, loc, there, zeros, ArrayRef<int64_t>{0},
                                                ArrayRef<int64_t>{1});
  }
  Value group = arith::ConstantOp::create(b, loc, b.getZeroAttr(type.clone(element)));
  Value first = ivs[dot.loop];
  for (int64_t step = 0; step < count; ++step) {
    ivs[dot.loop] = arith::AddIOp::create(b, loc, first, index(step));
    Value value = memref::LoadOp::create(b, loc, operand.get(), indices(operand));
    group = vector::InsertOp::create(b, loc, value, group, step);
  }
  ivs[dot.loop] = first;
  return asBits(group);
}

/// Columns that lie apart, one after the other. Behind the last one nobody looks.
void DotBody::packScattered(OpOperand &operand, int64_t lanes, Value mask) {
  Value first = ivs[plan.loop], end = index(lanes);
  if (mask)
    end = arith::MinUIOp::create(b, loc, end,
                                 arith::SubIOp::create(b, loc, extents[plan.loop], first));
  OpBuilder::InsertionGuard guard(b);
  Value lane = makeFor(index(0), end, 1).getInductionVar();
  ivs[plan.loop] = arith::AddIOp::create(b, loc, first, lane);
  forGroups(0, {}, [&](ArrayRef<Value>, int64_t count) {
    Value group = loadGroup(operand, count);
    Values at = packIndices(0);
    at.back() = arith::MulIOp::create(b, loc, lane, index(dot.group));
    vector::StoreOp::create(b, loc, group, packed, at);
    return Values();
  });
  ivs[plan.loop] = first;
}

/// A register of columns in groups, as words.
Value DotBody::loadWords(int64_t piece) {
  int64_t elements = dot.lanes * dot.group;
  OpOperand &operand = op->getOpOperand(dot.columns);
  auto type = VectorType::get({elements}, getElementTypeOrSelf(operand.get()));
  auto at = [&] { return createGroupIndices(b, op, dot, plan.loop, ivs, piece * dot.lanes); };
  Value value;
  if (!dot.areGrouped) {
    value = vector::LoadOp::create(b, loc, type.clone(bits), packed, packIndices(piece * elements));
  } else if (!mask || hasWholeRegisters(operand, dot.group, dot.lanes)) {
    // Behind the group of one column lies that of the next.
    value = vector::LoadOp::create(b, loc, type, operand.get(), at());
  } else {
    Value column = arith::AddIOp::create(b, loc, ivs[plan.loop], index(piece * dot.lanes));
    Value left = arith::SubIOp::create(b, loc, arith::MaxUIOp::create(b, loc, extents[plan.loop], column), column);
    Value there = vector::CreateMaskOp::create(b, loc, maskType(elements),
                                               Value(arith::MulIOp::create(b, loc, left, index(dot.group))));
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    value = vector::MaskedLoadOp::create(b, loc, type, operand.get(), at(), there, zeros);
  }
  if (dot.unpacked) {
    IRMapping scalars;
    value = unpack(dot.unpacked, value, scalars);
  }
  return vector::BitCastOp::create(b, loc, words, value);
}

/// What the body computes as `value` from `elements` of the columns; a scalar where that is the same for all of them.
Value DotBody::unpack(Value value, Value elements, IRMapping &scalars) {
  if (value == op.getMatchingBlockArgument(&op->getOpOperand(dot.columns)))
    return elements;
  if (isUniform(op, value, plan.loop))
    return getScalar(value, scalars);
  int64_t lanes = cast<VectorType>(elements.getType()).getNumElements();
  Operation *def = value.getDefiningOp();
  IRMapping mapping;
  for (OpOperand &operand : def->getOpOperands()) {
    Value part = unpack(operand.get(), elements, scalars);
    bool isCondition = isa<arith::SelectOp>(def) && operand.getOperandNumber() == 0;
    mapping.map(operand.get(), isCondition ? part : spread(part, lanes));
  }
  Operation *clone = b.clone(*def, mapping);
  clone->getResult(0).setType(VectorType::get({lanes}, value.getType()));
  return clone->getResult(0);
}

/// 128 times the sum of each column.
void DotBody::addUpShift(int64_t lanes) {
  int64_t pieces = lanes / dot.lanes;
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(words));
  Value shift = splatWords(kShift);
  ways = getWays(pieces);
  readsBehind = true; // of columns
  Values sums = forGroups(0, Values(ways * pieces, zeros), [&](ArrayRef<Value> before, int64_t) {
    Values after;
    for (int64_t piece = 0; piece < pieces; ++piece)
      after.push_back(callInt8(before[piece], shift, loadWords(piece)));
    return after;
  });
  readsBehind = false;
  sums = joinWays(sums);
  for (int64_t piece = 0; piece < pieces; ++piece)
    vector::StoreOp::create(b, loc, sums[piece], shifts, index(piece * dot.lanes));
}
