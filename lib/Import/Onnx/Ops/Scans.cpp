//===- Scans.cpp - Sums and products of all elements so far -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../ComputedNumbers.h"
#include "../../Common/Scans.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

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
  return n.setResult(scanAxis(n, n.getInput(0), kind, axis, exclusive, isReversed));
}

void mlir::fuse::onnx::addScanOps(OpTable &table) {
  table.add("CumSum", 2, 2, [](Node &n) { return importScan(n, BinaryKind::Add); }, {1});
  table.add("CumProd", 2, 2, [](Node &n) { return importScan(n, BinaryKind::Mul); }, {1});
}
