//===- Places.cpp - Slices at places that the program computes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Places.h"
#include "../../Common/Indices.h"
#include "Movements.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

static SmallVector<int64_t> getOrder(const Blocks &blocks) {
  SmallVector<int64_t> order(blocks.placed);
  llvm::append_range(order, blocks.rows);
  return order;
}

Value mlir::fuse::stablehlo::joinPlaced(Node &n, Value x, const Blocks &blocks) {
  return joinFirst(n, n.b.transpose(x, getOrder(blocks)), blocks.placed.size());
}

Value mlir::fuse::stablehlo::splitPlaced(Node &n, Value rows, const Blocks &blocks, ArrayRef<AffineExpr> extents) {
  SmallVector<int64_t> order = getOrder(blocks);
  SmallVector<AffineExpr> split;
  for (int64_t dim : order)
    split.push_back(extents[dim]);
  return n.b.transpose(n.reshape(rows, split), invert(order));
}

/// A tensor of the batch's shape with dimensions of extent 1 behind.
static Value addBehind(FuseBuilder &b, Value x, int64_t count) {
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < count; ++i)
    axes.push_back(b.rankOf(x) + i);
  return b.insertUnitDims(x, axes);
}

Value mlir::fuse::stablehlo::computeRows(Node &n, const Blocks &blocks, ArrayRef<AffineExpr> extents) {
  FuseBuilder &b = n.b;
  auto count = static_cast<int64_t>(blocks.placed.size());
  Type index = b.getBuilder().getI64Type();
  Value rows;
  for (auto [i, dim] : llvm::enumerate(blocks.placed)) {
    AffineExpr stride = n.getConstant(1);
    for (int64_t later : ArrayRef(blocks.placed).drop_front(i + 1))
      stride = stride * extents[later];
    Value at = addBehind(b, blocks.starts[i], count);
    if (blocks.sizes[dim] != n.getConstant(1)) {
      SmallVector<AffineExpr> within(count - i, n.getConstant(1));
      within[0] = blocks.sizes[dim];
      at = b.add(at, b.iota(n.getSizes(within), 0, index));
    }
    at = scale(n, at, stride);
    rows = rows ? b.add(rows, at) : at;
  }
  SmallVector<AffineExpr> shape(blocks.batch);
  for (int64_t dim : blocks.placed)
    shape.push_back(blocks.sizes[dim]);
  return b.broadcastTo(rows, n.getSizes(shape));
}

Value mlir::fuse::stablehlo::writeBlock(Node &n, ScatterKind kind, Value x, Value block, const Blocks &blocks,
                                        bool checks) {
  FuseBuilder &b = n.b;
  Type index = b.getBuilder().getI64Type();
  SmallVector<AffineExpr> extents = n.getExtents(x);
  Value isInBlock = checks ? b.reshape(isInside(n, blocks, extents), ArrayRef<int64_t>()) : Value();
  for (auto [i, dim] : llvm::enumerate(blocks.placed)) {
    Value start = b.reshape(blocks.starts[i], ArrayRef<int64_t>());
    Value at = b.sub(b.iota(n.getSizes({extents[dim]}), 0, index), start);
    Value last = n.getNumber(blocks.sizes[dim] - 1, index);
    Value fits =
        b.binary(BinaryKind::And, b.compare(ComparePredicate::Ge, at, 0.0), b.compare(ComparePredicate::Le, at, last));
    if (blocks.sizes[dim] != n.getConstant(1))
      block = b.gather(block, b.clamp(at, b.scalar(0, index), last), dim);
    SmallVector<int64_t> behind;
    for (int64_t later = dim + 1; later < b.rankOf(x); ++later)
      behind.push_back(later - dim);
    fits = b.insertUnitDims(fits, behind);
    isInBlock = isInBlock ? b.binary(BinaryKind::And, isInBlock, fits) : fits;
  }
  static constexpr std::pair<ScatterKind, BinaryKind> kKinds[] = {{ScatterKind::Add, BinaryKind::Add},
                                                                  {ScatterKind::Mul, BinaryKind::Mul},
                                                                  {ScatterKind::Max, BinaryKind::Max},
                                                                  {ScatterKind::Min, BinaryKind::Min}};
  for (auto [scatter, binary] : kKinds)
    if (scatter == kind)
      block = b.binary(binary, x, block);
  return isInBlock ? b.select(isInBlock, block, x) : block;
}

Value mlir::fuse::stablehlo::clampStart(Node &n, Value start, AffineExpr extent, AffineExpr size) {
  FuseBuilder &b = n.b;
  Type index = b.elementOf(start);
  return b.clamp(start, b.scalar(0, index), n.getNumber(extent - size, index));
}

Value mlir::fuse::stablehlo::isInside(Node &n, const Blocks &blocks, ArrayRef<AffineExpr> extents) {
  FuseBuilder &b = n.b;
  Value all;
  for (auto [i, dim] : llvm::enumerate(blocks.placed)) {
    Value start = blocks.starts[i], last = n.getNumber(extents[dim] - blocks.sizes[dim], b.elementOf(start));
    Value fits = b.binary(BinaryKind::And, b.compare(ComparePredicate::Ge, start, 0.0),
                          b.compare(ComparePredicate::Le, start, last));
    all = all ? b.binary(BinaryKind::And, all, fits) : fits;
  }
  return all;
}
