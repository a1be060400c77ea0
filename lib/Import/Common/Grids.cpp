//===- Grids.cpp - Images read where a grid of coordinates says -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Grids.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

namespace {

class GridSampler {
public:
  GridSampler(OpContext &n, const GridSampling &sampling) : n(n), b(n.b), sampling(sampling) {}

  FailureOr<Value> run(Value images, Value grid);

private:
  /// An extent times a number, of the type that a tensor's elements have.
  Value getNumber(AffineExpr extent, Value like, double times = 1) {
    if (auto known = dyn_cast<AffineConstantExpr>(extent))
      return b.scalarLike(double(known.getValue()) * times, like);
    Value number = n.getNumber(extent, b.elementOf(like));
    return times == 1 ? number : b.mul(number, times);
  }
  /// Coordinates along one axis of `extent` elements, in elements.
  Value getCoordinates(Value grid, int64_t part, AffineExpr extent);
  /// Coordinates beyond the ends run back and forth between them.
  Value reflect(Value at, AffineExpr extent);
  /// The elements at whole coordinates, [N, H', W', C]: zero outside, where that is asked for.
  Value read(Value y, Value x);

  OpContext &n;
  FuseBuilder &b;
  GridSampling sampling;
  AffineExpr height, width;
  Value pixels, starts; ///< [N · H · W, C]; the first of each image, [N, 1, 1]
};

} // namespace

Value GridSampler::reflect(Value at, AffineExpr extent) {
  double low = sampling.alignsCorners ? 0 : -0.5;
  AffineExpr spanned = sampling.alignsCorners ? extent - 1 : extent;
  if (spanned == n.getConstant(0))
    return b.mul(at, 0.0);
  Value span = getNumber(spanned, at);
  if (sampling.alignsCorners && !isa<AffineConstantExpr>(spanned)) // of one element all coordinates are 0
    span = b.binary(BinaryKind::Max, span, b.scalarLike(1, at));
  Value from = b.unary(UnaryKind::Abs, b.sub(at, low));
  Value turns = b.unary(UnaryKind::Floor, b.div(from, span)), rest = b.sub(from, b.mul(turns, span));
  Value half = b.mul(turns, 0.5);
  Value isBack = b.compare(ComparePredicate::Ne, b.unary(UnaryKind::Floor, half), half);
  return b.add(b.select(isBack, b.sub(span, rest), rest), low);
}

Value GridSampler::getCoordinates(Value grid, int64_t part, AffineExpr extent) {
  grid = b.slice(grid, 3, part, 1);
  Value at = n.reshape(grid, ArrayRef(n.getExtents(grid)).drop_back());
  if (sampling.alignsCorners)
    at = b.mul(b.add(at, 1.0), getNumber(extent - 1, at, 0.5));
  else
    at = b.div(b.sub(b.mul(b.add(at, 1.0), getNumber(extent, at)), 1.0), 2.0);
  if (sampling.padding == GridSampling::Reflection)
    at = reflect(at, extent);
  if (sampling.padding != GridSampling::Zeros)
    at = b.clamp(at, b.scalarLike(0, at), getNumber(extent - 1, at));
  // Two elements beyond are as good as any further ones, and are numbers of any integer type.
  return b.clamp(at, b.scalarLike(-2, at), getNumber(extent + 1, at));
}

Value GridSampler::read(Value y, Value x) {
  Type index = b.getBuilder().getI64Type();
  Value isInside;
  auto place = [&](Value at, AffineExpr extent) {
    Value whole = b.cast(at, index), zero = b.scalarLike(0, whole), last = getNumber(extent - 1, whole);
    Value held = b.binary(BinaryKind::Min, b.binary(BinaryKind::Max, whole, zero), last);
    Value fits = b.compare(ComparePredicate::Eq, held, whole);
    isInside = isInside ? b.binary(BinaryKind::And, isInside, fits) : fits;
    return held;
  };
  Value row = place(y, height), column = place(x, width);
  Value places = b.add(b.add(b.mul(row, getNumber(width, row)), column), starts);
  Value elements = b.gather(pixels, places, 0);
  return b.select(b.insertUnitDims(isInside, {3}), elements, b.scalarLike(0, elements));
}

FailureOr<Value> GridSampler::run(Value images, Value grid) {
  if (b.rankOf(images) != 4 || b.rankOf(grid) != 4 || b.shapeOf(grid)[3] != 2)
    return n.fail("expected images of rank 4 and a grid of two coordinates");
  SmallVector<AffineExpr> shape = n.getExtents(images);
  AffineExpr batch = shape[0], channels = shape[1], grids = n.getExtents(grid)[0];
  if (isa<AffineConstantExpr>(batch) && isa<AffineConstantExpr>(grids) && batch != grids)
    return n.fail("expected as many grids as images");
  n.assumeEqual(grids, batch);
  height = shape[2], width = shape[3];
  for (AffineExpr extent : {height, width}) {
    if (auto known = dyn_cast<AffineConstantExpr>(extent); known && known.getValue() < 1)
      return n.fail("expected images of one element or more");
    n.assumeAtLeast(extent, n.getConstant(1));
  }
  pixels = n.reshape(b.transpose(images, {0, 2, 3, 1}), {n.getProduct({batch, height, width}), channels});
  Type index = b.getBuilder().getI64Type();
  AffineExpr one = n.getConstant(1);
  Value first = b.iota(n.getSizes({batch, one, one}), 0, index);
  starts = b.mul(first, getNumber(height * width, first));
  Value x = getCoordinates(grid, 0, width), y = getCoordinates(grid, 1, height), result;
  if (sampling.isNearest) {
    result = read(b.unary(UnaryKind::RoundEven, y), b.unary(UnaryKind::RoundEven, x));
  } else {
    Value top = b.unary(UnaryKind::Floor, y), left = b.unary(UnaryKind::Floor, x);
    Value down = b.sub(y, top), right = b.sub(x, left);
    auto weigh = [&](Value part, bool isFar) { return isFar ? part : b.sub(b.scalarLike(1, part), part); };
    for (bool isLower : {false, true})
      for (bool isRight : {false, true}) {
        Value corner = read(isLower ? b.add(top, 1.0) : top, isRight ? b.add(left, 1.0) : left);
        Value weight = b.mul(weigh(down, isLower), weigh(right, isRight));
        Value part = b.mul(corner, b.cast(b.insertUnitDims(weight, {3}), b.elementOf(corner)));
        result = result ? b.add(result, part) : part;
      }
  }
  return b.transpose(result, {0, 3, 1, 2});
}

FailureOr<Value> mlir::fuse::importer::sampleGrid(OpContext &n, Value images, Value grid,
                                                  const GridSampling &sampling) {
  return GridSampler(n, sampling).run(images, grid);
}
