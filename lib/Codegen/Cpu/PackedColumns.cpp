//===- PackedColumns.cpp - Columns of a contraction, copied as they are read --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PackedColumns.h"
#include "TransposeTile.h"
#include "fuse/Analysis/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

PackedColumns::PackedColumns(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan, ArrayRef<unsigned> inner)
    : VectorBody(b, op, plan.loop, plan.hasFma), plan(plan), inner(inner) {
  for (unsigned number : plan.packed) {
    SmallVector<int64_t> shape;
    if (plan.columnRun > 1)
      shape.push_back(plan.columnRun);
    for (unsigned loop : inner)
      shape.push_back(plan.reductionBlock ? plan.reductionBlock : ranges[loop]);
    shape.push_back(plan.lanes);
    Type element = getElementTypeOrSelf(op->getOperand(number));
    if (plan.dot && plan.dot->kind == DotPlan::Kind::Copied)
      element = b.getF32Type();
    copies[number] = memref::AllocOp::create(b, loc, MemRefType::get(shape, element));
  }
}

void PackedColumns::pack(ArrayRef<Value> positions, ArrayRef<Value> begin, ArrayRef<Value> end, int64_t lanes,
                         Value mask) {
  llvm::copy(positions, ivs.begin());
  from.assign(begin.begin(), begin.end());
  to.assign(end.begin(), end.end());
  for (auto [number, copy] : copies) {
    OpOperand &operand = op->getOpOperand(number);
    if (getAccess(op, operand, plan.loop) != Access::Other)
      forSteps(0, [&, copy = copy] {
        Value line = widen(VectorBody::load(operand, lanes, mask), copy);
        vector::StoreOp::create(b, loc, line, copy, getPlace(ivs, from));
      });
    else
      packScattered(operand, copy, lanes, mask);
  }
}

Value PackedColumns::load(unsigned number, ArrayRef<Value> positions, ArrayRef<Value> begin, int64_t lanes) {
  auto *copy = copies.find(number);
  if (copy == copies.end())
    return {};
  auto type = VectorType::get({lanes}, getElementTypeOrSelf(copy->second));
  return vector::LoadOp::create(b, loc, type, copy->second, getPlace(positions, begin));
}

/// Runs through the steps that are copied, but for the innermost `left` of the reductions.
void PackedColumns::forSteps(unsigned depth, llvm::function_ref<void()> emit, unsigned left) {
  OpBuilder::InsertionGuard guard(b);
  if (depth + left == inner.size())
    return emit();
  ivs[inner[depth]] = makeFor(from[depth], to[depth], 1).getInductionVar();
  forSteps(depth + 1, emit, left);
}

/// Scattered columns: memory runs along the reductions. Square tiles of them are transposed in registers, and what is left
/// comes element by element. The keys of attention, 128 rows of 64 f16 to [64, 128]: a fifth of the time of elements.
void PackedColumns::packScattered(OpOperand &operand, Value copy, int64_t lanes, Value mask) {
  constexpr int64_t kMostLanes = 16;
  int64_t tile = std::min<int64_t>(plan.tailLanes, kMostLanes);
  bool isTiled = !mask && !inner.empty() && tile > 1 && lanes % tile == 0 &&
                 getAccess(op, operand, inner.back()) == Access::Contiguous;
  if (!isTiled)
    return packElements(operand, copy, lanes, mask);
  Value begin = from.back(), end = to.back(), first = ivs[plan.loop];
  Value steps = arith::SubIOp::create(b, loc, end, begin);
  Value rest = b.createOrFold<arith::RemUIOp>(loc, steps, index(tile));
  Value whole = b.createOrFold<arith::SubIOp>(loc, end, rest);
  forSteps(0, [&] {
    OpBuilder::InsertionGuard guard(b);
    Value column = makeFor(index(0), index(lanes), tile).getInductionVar();
    Value step = makeFor(begin, whole, tile).getInductionVar();
    packTransposed(operand, copy, tile, step, column);
  }, /*left=*/1);
  ivs[plan.loop] = first;
  int64_t extent = ranges[inner.back()];
  if (extent % tile == 0 && plan.reductionBlock % tile == 0)
    return;
  // What is left of the steps: places in the copy count from where all of them begin.
  OpBuilder::InsertionGuard guard(b);
  Value lane = makeFor(index(0), index(lanes), 1).getInductionVar();
  ivs[plan.loop] = arith::AddIOp::create(b, loc, first, lane);
  forSteps(0, [&] {
    ivs[inner.back()] = makeFor(whole, end, 1).getInductionVar();
    copyElement(operand, copy, lane);
  }, /*left=*/1);
  ivs[plan.loop] = first;
}

/// A tile from a step of the innermost reduction, and from `column` of the columns at hand.
void PackedColumns::packTransposed(OpOperand &operand, Value copy, int64_t tile, Value step, Value column) {
  Value first = ivs[plan.loop];
  auto type = VectorType::get({tile}, getElementTypeOrSelf(operand.get()));
  SmallVector<Value> vectors;
  ivs[inner.back()] = step;
  Value base = arith::AddIOp::create(b, loc, first, column);
  for (int64_t lane = 0; lane < tile; ++lane) {
    ivs[plan.loop] = arith::AddIOp::create(b, loc, base, index(lane));
    vectors.push_back(vector::LoadOp::create(b, loc, type, operand.get(), indices(operand)));
  }
  ivs[plan.loop] = first;
  transposeTile(b, loc, vectors);
  for (auto [lane, vector] : llvm::enumerate(vectors)) {
    ivs[inner.back()] = arith::AddIOp::create(b, loc, step, index(lane));
    SmallVector<Value> at = getPlace(ivs, from);
    at.back() = column;
    vector::StoreOp::create(b, loc, widen(vector, copy), copy, at);
  }
}

/// Columns one after the other. Behind the last column nobody looks.
void PackedColumns::packElements(OpOperand &operand, Value copy, int64_t lanes, Value mask) {
  OpBuilder::InsertionGuard guard(b);
  Value first = ivs[plan.loop], count = index(lanes);
  if (mask)
    count = arith::MinUIOp::create(b, loc, count,
                                   arith::SubIOp::create(b, loc, extents[plan.loop], first));
  Value lane = makeFor(index(0), count, 1).getInductionVar();
  ivs[plan.loop] = arith::AddIOp::create(b, loc, first, lane);
  forSteps(0, [&] { copyElement(operand, copy, lane); });
  ivs[plan.loop] = first;
}

void PackedColumns::copyElement(OpOperand &operand, Value copy, Value lane) {
  Value value = memref::LoadOp::create(b, loc, operand.get(), indices(operand));
  SmallVector<Value> at = getPlace(ivs, from);
  at.back() = lane;
  memref::StoreOp::create(b, loc, widen(value, copy), copy, at);
}

/// As the copies have it.
Value PackedColumns::widen(Value value, Value copy) {
  Type element = getElementTypeOrSelf(copy);
  if (getElementTypeOrSelf(value) == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  return arith::ExtFOp::create(b, loc, type, value);
}

/// Of the first column at hand.
SmallVector<Value> PackedColumns::getPlace(ArrayRef<Value> positions, ArrayRef<Value> begin) {
  SmallVector<Value> at;
  if (plan.columnRun > 1)
    at.push_back(panel);
  for (auto [depth, loop] : llvm::enumerate(inner))
    at.push_back(plan.reductionBlock ? Value(arith::SubIOp::create(b, loc, positions[loop], begin[depth]))
                                     : positions[loop]);
  at.push_back(index(0));
  return at;
}
