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

Value mlir::fuse::importer::scanOpen(OpContext &n, Value x, BinaryKind kind, int64_t axis, bool exclusive,
                                     bool isReversed) {
  FuseBuilder &b = n.b;
  int64_t rank = b.rankOf(x);
  SmallVector<int64_t> first = {axis}, back;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      first.push_back(dim);
  for (int64_t dim = 0; dim < rank; ++dim)
    back.push_back(llvm::find(first, dim) - first.begin());
  Value sequence = b.transpose(x, first);
  auto type = cast<RankedTensorType>(sequence.getType());
  RankedTensorType row = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
  SmallVector<AffineExpr> extents = n.getExtents(x);
  extents.erase(extents.begin() + axis);
  Value start = b.broadcastTo(b.scalar(kind == BinaryKind::Mul ? 1 : 0, type.getElementType()), n.getSizes(extents));
  start = CopyOp::create(b.getBuilder(), row, start); // a scan takes its states from memory
  // A state of unknown size needs a result that has its value in each step.
  SmallVector<Type> types = {row, type};
  if (exclusive)
    types.push_back(type);
  auto scan = ScanOp::create(b.getBuilder(), types, start, sequence, ValueRange(), isReversed);
  {
    OpBuilder::InsertionGuard guard(b.getBuilder());
    Block *body = scan.getBlock();
    b.getBuilder().setInsertionPointToStart(body);
    Value before = body->getArgument(0), after = b.binary(kind, before, body->getArgument(1));
    SmallVector<Value> yielded = {after, exclusive ? before : after};
    if (exclusive)
      yielded.push_back(after);
    YieldOp::create(b.getBuilder(), yielded);
  }
  return b.transpose(scan.getResult(1), back);
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
