//===- Indices.cpp - Elements and slices that are read and written where indices say -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Indices.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

bool mlir::fuse::importer::differ(AffineExpr one, AffineExpr other) {
  return one != other && isa<AffineConstantExpr>(one) && isa<AffineConstantExpr>(other);
}

Value mlir::fuse::importer::scale(OpContext &n, Value x, AffineExpr factor) {
  return factor == n.getConstant(1) ? x : n.b.mul(x, n.getNumber(factor, n.b.elementOf(x)));
}

SmallVector<AffineExpr> mlir::fuse::importer::getStrides(OpContext &n, ArrayRef<AffineExpr> extents) {
  SmallVector<AffineExpr> strides;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    strides.push_back(n.getProduct(extents.drop_front(dim + 1)));
  return strides;
}

Value mlir::fuse::importer::flatten(OpContext &n, Value x) {
  return n.b.reshape(x, n.getSizes({n.getProduct(n.getExtents(x))}));
}

Value mlir::fuse::importer::joinFirst(OpContext &n, Value x, size_t count) {
  SmallVector<AffineExpr> extents = n.getExtents(x), joined = {n.getProduct(ArrayRef(extents).take_front(count))};
  llvm::append_range(joined, ArrayRef(extents).drop_front(count));
  return count == 1 ? x : n.b.reshape(x, n.getSizes(joined));
}

Value mlir::fuse::importer::normalizeIndices(OpContext &n, Value indices, AffineExpr extent) {
  FuseBuilder &b = n.b;
  Value wide = b.cast(indices, b.getBuilder().getI64Type());
  Value isNegative = b.compare(ComparePredicate::Lt, wide, 0.0);
  return b.select(isNegative, b.add(wide, n.getNumber(extent, b.elementOf(wide))), wide);
}

Value mlir::fuse::importer::checkIndices(OpContext &n, Value indices, AffineExpr extent) {
  return n.b.gather(n.b.iota(n.getSizes({extent}), 0, n.b.getBuilder().getI64Type()), indices, 0);
}

Value mlir::fuse::importer::getPlaces(OpContext &n, Value indices, ArrayRef<AffineExpr> extents, int64_t axis) {
  FuseBuilder &b = n.b;
  SmallVector<OpFoldResult> shape = n.getSizes(n.getExtents(indices));
  Value places;
  for (auto [dim, stride] : llvm::enumerate(getStrides(n, extents))) {
    bool isIndexed = static_cast<int64_t>(dim) == axis;
    Value part = scale(n, isIndexed ? indices : b.iota(shape, dim, b.getBuilder().getI64Type()), stride);
    places = places ? b.add(places, part) : part;
  }
  return places;
}

/// Indices of data's elements along `axis`: they may not be wider than the data along the others.
static LogicalResult checkElementwise(OpContext &n, Value operand, Value places, int64_t axis) {
  ArrayRef<int64_t> shape = n.b.shapeOf(operand), wanted = n.b.shapeOf(places);
  int64_t rank = n.b.rankOf(operand);
  if (rank == 0 || n.b.rankOf(places) != rank)
    return n.fail("expected data and indices of one rank, which is at least 1");
  SmallVector<AffineExpr> data = n.getExtents(operand), indices = n.getExtents(places);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis)
      continue;
    if (differ(data[dim], indices[dim]) && wanted[dim] > shape[dim])
      return n.fail("expected at most " + Twine(shape[dim]) + " indices along axis " + Twine(dim) + ", found " +
                    Twine(wanted[dim]));
    n.assumeAtLeast(data[dim], indices[dim]);
  }
  return success();
}

FailureOr<Value> mlir::fuse::importer::gatherElements(OpContext &n, Value data, Value indices, int64_t axis) {
  if (failed(checkElementwise(n, data, indices, axis)))
    return failure();
  SmallVector<AffineExpr> extents = n.getExtents(data);
  Value checked = checkIndices(n, indices, extents[axis]);
  return n.b.gather(flatten(n, data), getPlaces(n, checked, extents, axis), 0);
}

FailureOr<Value> mlir::fuse::importer::scatterElements(OpContext &n, ScatterKind kind, Value data, Value indices,
                                                       Value updates, int64_t axis) {
  if (failed(checkElementwise(n, data, indices, axis)))
    return failure();
  FuseBuilder &b = n.b;
  if (llvm::is_contained(b.shapeOf(indices), 0))
    return data;
  SmallVector<AffineExpr> extents = n.getExtents(data);
  Value places = getPlaces(n, checkIndices(n, indices, extents[axis]), extents, axis);
  Value flat = b.scatter(kind, flatten(n, data), flatten(n, places), flatten(n, updates), 0);
  return b.reshape(flat, n.getSizes(extents));
}

std::pair<Value, Value> mlir::fuse::importer::findTop(OpContext &n, Value operand, AffineExpr k, int64_t axis,
                                                      bool largest) {
  FuseBuilder &b = n.b;
  int64_t rank = b.rankOf(operand);
  AffineExpr extent = n.getExtents(operand)[axis];
  Value x = b.swap(operand, axis, rank - 1);
  Type index = b.getBuilder().getI64Type();
  // [..., 1, n]: the others; [..., n, 1]: the element.
  Value others = b.insertUnitDims(x, {rank - 1}), own = b.insertUnitDims(x, {rank});
  // The numbers below a count along one dimension of such.
  auto enumerate = [&](AffineExpr count, int64_t dim) {
    SmallVector<AffineExpr> extents(rank + 1, n.getConstant(1));
    extents[dim] = count;
    return b.iota(n.getSizes(extents), dim, index);
  };
  Value isBefore = b.compare(ComparePredicate::Lt, enumerate(extent, rank), enumerate(extent, rank - 1));
  Value isBetter = b.compare(largest ? ComparePredicate::Gt : ComparePredicate::Lt, others, own);
  Value isEqual = b.compare(ComparePredicate::Eq, others, own);
  if (isa<FloatType>(b.elementOf(operand))) { // NaN is the largest
    Value otherIsNan = b.unary(UnaryKind::IsNan, others), isNan = b.unary(UnaryKind::IsNan, own);
    Value first = largest ? otherIsNan : isNan, second = largest ? isNan : otherIsNan;
    Value wins = b.binary(BinaryKind::And, first, b.unary(UnaryKind::LogicalNot, second));
    isBetter = b.binary(BinaryKind::Or, isBetter, wins);
    isEqual = b.binary(BinaryKind::Or, isEqual, b.binary(BinaryKind::And, otherIsNan, isNan));
  }
  Value isTied = b.binary(BinaryKind::And, isEqual, isBefore);
  Value goesBefore = b.cast(b.binary(BinaryKind::Or, isBetter, isTied), index);
  Value place = b.reduce(ReduceKind::Sum, goesBefore, {rank}, false);
  // [..., k, n]: which element has the place.
  Value isAt = b.compare(ComparePredicate::Eq, enumerate(k, rank - 1), b.insertUnitDims(place, {rank - 1}));
  Value which = b.select(isAt, enumerate(extent, rank), b.scalar(0, index));
  Value indices = b.reduce(ReduceKind::Sum, which, {rank}, false);
  Value flat = flatten(n, x);
  Value values = b.gather(flat, getPlaces(n, indices, n.getExtents(x), rank - 1), 0);
  return {b.swap(values, axis, rank - 1), b.swap(indices, axis, rank - 1)};
}
