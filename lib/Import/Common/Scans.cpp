//===- Scans.cpp - Running sums and products -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Scans.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

SmallVector<Value> mlir::fuse::importer::scanSteps(OpContext &n, ArrayRef<Value> sequences, ArrayRef<Value> starts,
                                                   ArrayRef<Type> elements, int64_t axis, bool isReversed,
                                                   StepBuilder step) {
  FuseBuilder &b = n.b;
  int64_t rank = b.rankOf(sequences.front());
  SmallVector<int64_t> first = {axis}, back;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      first.push_back(dim);
  for (int64_t dim = 0; dim < rank; ++dim)
    back.push_back(llvm::find(first, dim) - first.begin());
  SmallVector<Value> over, states;
  for (Value sequence : sequences)
    over.push_back(b.transpose(sequence, first));
  ArrayRef<int64_t> shape = b.shapeOf(over.front());
  SmallVector<AffineExpr> extents = n.getExtents(sequences.front());
  extents.erase(extents.begin() + axis);
  SmallVector<Type> types;
  for (Value start : starts) {
    types.push_back(RankedTensorType::get(shape.drop_front(), b.elementOf(start)));
    // A scan takes its states from memory.
    states.push_back(CopyOp::create(b.getBuilder(), types.back(), b.broadcastTo(start, n.getSizes(extents))));
  }
  for (Type element : elements)
    types.push_back(RankedTensorType::get(shape, element));
  auto scan = ScanOp::create(b.getBuilder(), types, states, over, ValueRange(), isReversed);
  {
    OpBuilder::InsertionGuard guard(b.getBuilder());
    Block *body = scan.getBlock();
    b.getBuilder().setInsertionPointToStart(body);
    ValueRange arguments = body->getArguments();
    YieldOp::create(b.getBuilder(), step(arguments.take_front(states.size()), arguments.slice(states.size(), over.size())));
  }
  return llvm::map_to_vector(scan.getResults().drop_front(states.size()),
                             [&](Value result) { return b.transpose(result, back); });
}

Value mlir::fuse::importer::scanOpen(OpContext &n, Value x, BinaryKind kind, int64_t axis, bool exclusive,
                                     bool isReversed) {
  FuseBuilder &b = n.b;
  Type element = b.elementOf(x);
  Value start = b.scalar(kind == BinaryKind::Mul ? 1 : 0, element);
  SmallVector<Type> elements(exclusive ? 2 : 1, element);
  auto step = [&](ValueRange states, ValueRange rows) -> SmallVector<Value> {
    Value before = states[0], after = b.binary(kind, before, rows[0]);
    if (exclusive)
      return {after, before, after};
    return {after, after};
  };
  return scanSteps(n, x, start, elements, axis, isReversed, step).front();
}

Value mlir::fuse::importer::scanAxis(OpContext &n, Value x, BinaryKind kind, int64_t axis, bool exclusive,
                                     bool isReversed) {
  int64_t rank = n.b.rankOf(x), extent = n.b.shapeOf(x)[axis];
  if (ShapedType::isDynamic(extent))
    return scanOpen(n, x, kind, axis, exclusive, isReversed);
  FuseBuilder &b = n.b;
  double neutral = kind == BinaryKind::Mul ? 1 : 0;
  // The same elements, `by` places further on, with neutral ones where nothing came from.
  auto shift = [&](Value x, int64_t by) {
    SmallVector<int64_t> low(rank, 0), high(rank, 0);
    (isReversed ? high : low)[axis] = by;
    (isReversed ? low : high)[axis] = -by;
    return b.pad(x, low, high, neutral);
  };
  if (exclusive && extent > 0)
    x = shift(x, 1);
  for (int64_t step = 1; step < extent; step *= 2)
    x = b.binary(kind, shift(x, step), x);
  return x;
}
