//===- TransposeTile.cpp - Square tiles, transposed in registers ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TransposeTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

static void exchangeBlocks(OpBuilder &b, Location loc, SmallVectorImpl<Value> &rows) {
  int64_t lanes = rows.size();
  for (int64_t size = lanes / 2; size > 0; size /= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isFirst = (lane & size) == 0;
      upper.push_back(isFirst ? lane : lanes + lane - size);
      lower.push_back(isFirst ? lane + size : lanes + lane);
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & size)
        continue;
      Value above = rows[row], below = rows[row + size];
      rows[row] = vector::ShuffleOp::create(b, loc, above, below, upper);
      rows[row + size] = vector::ShuffleOp::create(b, loc, above, below, lower);
    }
  }
}

void mlir::fuse::transposeTile(OpBuilder &b, Location loc, SmallVectorImpl<Value> &rows) {
  auto type = cast<VectorType>(rows.front().getType());
  auto floats = dyn_cast<FloatType>(type.getElementType());
  bool isShort = floats && floats.getWidth() == 16;
  auto cast = [&](VectorType to) {
    for (Value &row : rows)
      row = arith::BitcastOp::create(b, loc, to, row);
  };
  if (isShort)
    cast(type.clone(b.getI16Type()));
  exchangeBlocks(b, loc, rows);
  if (isShort)
    cast(type);
}
