//===- Scans.cpp - Sums and products of all elements so far -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// After step s each element holds the fold of the 2^s last ones: log₂ n steps, each element-wise.
static LogicalResult importScan(Node &n, BinaryKind kind) {
  int64_t given = n.getInteger(1, "axis");
  int64_t rank = n.getRank(0), axis = n.normalizeAxis(given, rank);
  bool exclusive = n.getInt("exclusive", 0), isReversed = n.getInt("reverse", 0);
  if (n.hasFailed())
    return failure();
  int64_t extent = n.getShape(0)[axis];
  if (ShapedType::isDynamic(extent))
    return n.fail("expected a static extent along the axis");
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
