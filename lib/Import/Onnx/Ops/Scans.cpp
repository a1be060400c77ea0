//===- Scans.cpp - Sums and products of all elements so far -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../ComputedNumbers.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// For an extent along the axis that is not known: a scan of one step for each element.
static Value scanOpen(Node &n, Value x, BinaryKind kind, int64_t axis, bool exclusive, bool isReversed) {
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

/// Along an axis that is known when the model runs, the second of three: what lies before it and behind it is joined.
static LogicalResult importComputedScan(Node &n, BinaryKind kind) {
  ComputedNumbers a(n);
  Value axis = n.getNumber(1, "axis"), one = a.number(1), place = a.number(0);
  if (n.hasFailed())
    return failure();
  SmallVector<Value> extents = a.numbers(n.getExtents(0)), parts = {one, one, one};
  int64_t rank = n.getRank(0);
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    Value isAxis = a.contains(axis, static_cast<int64_t>(dim), rank), isBefore = a.equal(place, a.number(0));
    parts[0] = a.select(isAxis, parts[0], a.select(isBefore, a.mul(parts[0], extent), parts[0]));
    parts[1] = a.select(isAxis, extent, parts[1]);
    parts[2] = a.select(isAxis, parts[2], a.select(isBefore, parts[2], a.mul(parts[2], extent)));
    place = a.select(isAxis, one, place);
  }
  a.require(a.equal(place, one), "expected an axis within the rank");
  Value x = n.b.reshape(n.getInput(0), a.extents(parts));
  Value scanned = scanOpen(n, x, kind, 1, n.getInt("exclusive", 0), n.getInt("reverse", 0));
  return n.setResult(n.b.reshape(scanned, a.extents(extents)));
}

/// After step s each element holds the fold of the 2^s last ones: log₂ n steps, each element-wise.
static LogicalResult importScan(Node &n, BinaryKind kind) {
  if (n.isComputed(1))
    return importComputedScan(n, kind);
  int64_t given = n.getInteger(1, "axis");
  int64_t rank = n.getRank(0), axis = n.normalizeAxis(given, rank);
  bool exclusive = n.getInt("exclusive", 0), isReversed = n.getInt("reverse", 0);
  if (n.hasFailed())
    return failure();
  int64_t extent = n.getShape(0)[axis];
  if (ShapedType::isDynamic(extent))
    return n.setResult(scanOpen(n, n.getInput(0), kind, axis, exclusive, isReversed));
  FuseBuilder &b = n.b;
  double neutral = kind == BinaryKind::Mul ? 1 : 0;
  // The same elements, `by` places further on, with neutral ones where nothing came from.
  auto shift = [&](Value x, int64_t by) {
    SmallVector<int64_t> low(rank, 0), high(rank, 0);
    (isReversed ? high : low)[axis] = by;
    (isReversed ? low : high)[axis] = -by;
    return b.pad(x, low, high, neutral);
  };
  Value x = n.getInput(0);
  if (exclusive && extent > 0)
    x = shift(x, 1);
  for (int64_t step = 1; step < extent; step *= 2)
    x = b.binary(kind, shift(x, step), x);
  return n.setResult(x);
}

void mlir::fuse::onnx::addScanOps(OpTable &table) {
  table.add("CumSum", 2, 2, [](Node &n) { return importScan(n, BinaryKind::Add); }, {1});
  table.add("CumProd", 2, 2, [](Node &n) { return importScan(n, BinaryKind::Mul); }, {1});
}
