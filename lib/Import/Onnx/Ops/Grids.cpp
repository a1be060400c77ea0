//===- Grids.cpp - Images read where a grid of coordinates says -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Grids.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Reads [N, C, H, W] at a grid [N, H', W', 2] of x and y in [−1, 1].
static LogicalResult importGridSample(Node &n) {
  std::string mode = n.getString("mode", n.getOpset() < 20 ? "bilinear" : "linear");
  std::string padding = n.getString("padding_mode", "zeros");
  GridSampling sampling;
  sampling.isNearest = mode == "nearest";
  sampling.alignsCorners = n.getInt("align_corners", 0);
  if (!sampling.isNearest && mode != "linear" && mode != "bilinear")
    return n.fail("mode = " + mode + " is not supported");
  if (padding == "border")
    sampling.padding = GridSampling::Border;
  else if (padding == "reflection")
    sampling.padding = GridSampling::Reflection;
  else if (padding != "zeros")
    return n.fail("padding_mode = " + padding + " is not supported");
  return n.setResult(sampleGrid(n, n.getInput(0), n.getInput(1), sampling));
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
  table.add("GridSample", 2, 2, importGridSample);
  table.add("AffineGrid", 2, 2, importAffineGrid, {1});
}
