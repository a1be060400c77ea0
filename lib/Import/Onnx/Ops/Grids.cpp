//===- Grids.cpp - Images read where a grid of coordinates says -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {

/// Reads [N, C, H, W] at a grid [N, H', W', 2] of x and y in [−1, 1].
class GridSampler {
public:
  explicit GridSampler(Node &n) : n(n), b(n.b) {}

  LogicalResult run();

private:
  /// Coordinates along one axis of `extent` elements, in elements.
  Value getCoordinates(int64_t part, int64_t extent);
  /// The elements at whole coordinates, [N, H', W', C]: zero outside, where that is asked for.
  Value read(Value y, Value x);

  Node &n;
  FuseBuilder &b;
  bool alignsCorners = false, isBorder = false;
  int64_t batch = 0, channels = 0, height = 0, width = 0;
  Value pixels, starts; ///< [N · H · W, C]; the first of each image, [N, 1, 1]
};

} // namespace

Value GridSampler::getCoordinates(int64_t part, int64_t extent) {
  Value grid = b.slice(n.getInput(1), 3, part, 1);
  Value at = b.reshape(grid, b.shapeOf(grid).drop_back());
  if (alignsCorners)
    at = b.mul(b.add(at, 1.0), double(extent - 1) / 2);
  else
    at = b.div(b.sub(b.mul(b.add(at, 1.0), double(extent)), 1.0), 2.0);
  if (isBorder)
    at = b.clamp(at, b.scalarLike(0, at), b.scalarLike(double(extent - 1), at));
  // Two elements beyond are as good as any further ones, and are numbers of any integer type.
  return b.clamp(at, b.scalarLike(-2, at), b.scalarLike(double(extent + 1), at));
}

Value GridSampler::read(Value y, Value x) {
  Type index = b.getBuilder().getI64Type();
  Value isInside;
  auto place = [&](Value at, int64_t extent) {
    Value whole = b.cast(at, index), zero = b.scalarLike(0, whole),
          last = b.scalarLike(double(extent - 1), whole);
    Value held = b.binary(BinaryKind::Min, b.binary(BinaryKind::Max, whole, zero), last);
    Value fits = b.compare(ComparePredicate::Eq, held, whole);
    isInside = isInside ? b.binary(BinaryKind::And, isInside, fits) : fits;
    return held;
  };
  Value row = place(y, height), column = place(x, width);
  Value places = b.add(b.add(b.mul(row, double(width)), column), starts);
  Value elements = b.gather(pixels, places, 0);
  return b.select(b.insertUnitDims(isInside, {3}), elements, b.scalarLike(0, elements));
}

LogicalResult GridSampler::run() {
  std::string mode = n.getString("mode", n.getOpset() < 20 ? "bilinear" : "linear");
  std::string padding = n.getString("padding_mode", "zeros");
  bool isNearest = mode == "nearest";
  if (!isNearest && mode != "linear" && mode != "bilinear")
    return n.fail("mode = " + mode + " is not supported");
  if (padding != "zeros" && padding != "border")
    return n.fail("padding_mode = " + padding + " is not supported");
  if (n.getRank(0) != 4 || n.getRank(1) != 4 || !n.getType(0).hasStaticShape() ||
      !n.getType(1).hasStaticShape() || n.getShape(1)[3] != 2 ||
      n.getShape(1)[0] != n.getShape(0)[0])
    return n.fail("expected images of rank 4 and a grid of two coordinates, of static shapes");
  alignsCorners = n.getInt("align_corners", 0);
  isBorder = padding == "border";
  ArrayRef<int64_t> shape = n.getShape(0);
  batch = shape[0], channels = shape[1], height = shape[2], width = shape[3];
  if (height < 1 || width < 1)
    return n.fail("expected images of one element or more");
  pixels = b.reshape(b.transpose(n.getInput(0), {0, 2, 3, 1}), {batch * height * width, channels});
  Type index = b.getBuilder().getI64Type();
  starts = b.mul(b.iota({batch, 1, 1}, 0, index), double(height * width));
  Value x = getCoordinates(0, width), y = getCoordinates(1, height), result;
  if (isNearest) {
    result = read(b.unary(UnaryKind::RoundEven, y), b.unary(UnaryKind::RoundEven, x));
  } else {
    Value top = b.unary(UnaryKind::Floor, y), left = b.unary(UnaryKind::Floor, x);
    Value down = b.sub(y, top), right = b.sub(x, left);
    auto weigh = [&](Value part, bool isFar) {
      return isFar ? part : b.sub(b.scalarLike(1, part), part);
    };
    for (bool isLower : {false, true})
      for (bool isRight : {false, true}) {
        Value corner = read(isLower ? b.add(top, 1.0) : top, isRight ? b.add(left, 1.0) : left);
        Value weight = b.mul(weigh(down, isLower), weigh(right, isRight));
        Value part = b.mul(corner, b.cast(b.insertUnitDims(weight, {3}), b.elementOf(corner)));
        result = result ? b.add(result, part) : part;
      }
  }
  return n.setResult(b.transpose(result, {0, 3, 1, 2}));
}

/// theta · (x, y[, z], 1) for each place of a grid whose axes go from −1 to 1.
static LogicalResult importAffineGrid(Node &n) {
  SmallVector<int64_t> size = n.getIntegers(1, "size");
  auto axes = static_cast<int64_t>(size.size()) - 2;
  if ((axes != 2 && axes != 3) || n.getRank(0) != 3 || n.getShape(0)[0] != size[0] ||
      n.getShape(0)[1] != axes || n.getShape(0)[2] != axes + 1)
    return n.fail("expected a size of 4 or 5 extents, and a matrix for each of a batch");
  ArrayRef<int64_t> extents = ArrayRef(size).drop_front(2);
  SmallVector<int64_t> all{axes + 1};
  all.append(extents.begin(), extents.end());
  Type element = n.getElementType(0);
  if (std::optional<std::string> problem = findShapeProblem(*toElementType(element), all))
    return n.fail(*problem);
  int64_t places = 1;
  for (int64_t extent : extents)
    places *= extent;
  if (failed(n.takeListed(places * (axes + 1))))
    return failure();
  bool alignsCorners = n.getInt("align_corners", 0);
  HostArray base(*toElementType(element), {places, axes + 1});
  for (int64_t place = 0; place < places; ++place) {
    int64_t rest = place;
    for (int64_t axis = axes; axis-- > 0; rest /= extents[axis]) {
      auto at = double(rest % extents[axis]), extent = double(extents[axis]);
      double value = !alignsCorners ? (2 * at + 1) / extent - 1
                     : extent > 1   ? 2 * at / (extent - 1) - 1
                                    : 0;
      base.setFloat(place * (axes + 1) + axes - 1 - axis, value); // x is the last axis
    }
    base.setFloat(place * (axes + 1) + axes, 1);
  }
  Value grid = n.b.matmul(n.b.constant(base), n.getInput(0), false, /*transposeRhs=*/true);
  SmallVector<int64_t> shape{size[0]};
  shape.append(extents.begin(), extents.end());
  shape.push_back(axes);
  return n.setResult(n.b.reshape(grid, shape));
}

void mlir::fuse::onnx::addGridOps(OpTable &table) {
  table.add("GridSample", 2, 2, [](Node &n) { return GridSampler(n).run(); });
  table.add("AffineGrid", 2, 2, importAffineGrid, {1});
}
