//===- Determinants.cpp - Determinants of square matrices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Gaussian elimination, one step for each row. The row with the largest element of the first column
/// is taken out, and the first row takes its place.
static LogicalResult importDet(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0);
  ArrayRef<int64_t> given = n.getShape(0);
  if (rank < 2 || !n.getType(0).hasStaticShape() || given[rank - 1] != given[rank - 2])
    return n.fail("expected square matrices of a static shape");
  int64_t size = given.back(), batch = 1;
  SmallVector<int64_t> batchShape(given.drop_back(2));
  for (int64_t extent : batchShape)
    batch *= extent;
  if (size == 0)
    return n.fail("expected matrices of one row or more");
  if (failed(n.takeUnrolled(size)))
    return failure();
  Type index = b.getBuilder().getI64Type();
  Value rest = b.reshape(n.getInput(0), {batch, size, size}), result;
  for (int64_t left = size; left > 0; --left) {
    Value column = b.slice(rest, 2, 0, 1); // [B, left, 1]
    Value pivot, row, sign;
    if (left == 1) {
      pivot = column;
    } else {
      Value place = b.argmax(b.unary(UnaryKind::Abs, column), 1, /*keepDims=*/true);
      Value isPivot = b.compare(ComparePredicate::Eq, b.iota({batch, left, 1}, 1, index), place);
      row = b.reduce(ReduceKind::Sum, b.select(isPivot, rest, b.scalarLike(0, rest)), {1}, true);
      pivot = b.slice(row, 2, 0, 1);
      Value isFirst = b.compare(ComparePredicate::Eq, place, 0.0);
      sign = b.select(isFirst, b.scalarLike(1, pivot), b.scalarLike(-1, pivot));
      rest = b.slice(b.select(isPivot, b.slice(rest, 1, 0, 1), rest), 1, 1, left - 1);
      // Where all of the column is zero, so is the determinant.
      Value isZero = b.compare(ComparePredicate::Eq, pivot, 0.0);
      Value divisor = b.select(isZero, b.scalarLike(1, pivot), pivot);
      Value factor = b.div(b.slice(rest, 2, 0, 1), divisor);
      rest = b.sub(b.slice(rest, 2, 1, left - 1), b.mul(factor, b.slice(row, 2, 1, left - 1)));
    }
    Value step = sign ? b.mul(pivot, sign) : pivot;
    result = result ? b.mul(result, step) : step;
  }
  return n.setResult(b.reshape(result, batchShape));
}

void mlir::fuse::onnx::addDeterminantOps(OpTable &table) { table.add("Det", 1, 1, importDet); }
