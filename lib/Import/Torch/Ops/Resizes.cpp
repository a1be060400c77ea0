//===- Resizes.cpp - Resampling -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Resizes.h"
#include "../../Common/Grids.h"
#include "../OpTable.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

/// The last `rank` dimensions become 'output_size', or are scaled.
static LogicalResult importUpsample(Node &n, int64_t rank, StringRef mode, bool isExact) {
  FuseBuilder &b = n.b;
  Value x = n.tensor(n.has("self") ? "self" : "input");
  if (b.rankOf(x) != rank + 2)
    return n.fail("expected rank " + Twine(rank + 2) + ", found " + Twine(b.rankOf(x)));
  if (mode != "nearest" && !isa<FloatType>(b.elementOf(x)))
    return n.fail("expected floats");
  bool alignsCorners = n.getBool("align_corners", false);
  Resampler resampler(n);
  resampler.mode = mode.str();
  if (mode == "nearest") {
    resampler.transformation = isExact ? "half_pixel" : "asymmetric";
    resampler.rounding = isExact ? "round_prefer_ceil" : "floor";
  } else {
    resampler.transformation = alignsCorners ? "align_corners" : "half_pixel";
  }
  SmallVector<double> scales = n.getFloats("scale_factors");
  static constexpr StringRef kAxes[] = {"scales_d", "scales_h", "scales_w"};
  for (StringRef name : ArrayRef(kAxes).take_back(rank))
    if (n.has(name))
      scales.push_back(n.getFloat(name, 1));
  if (rank == 1 && n.has("scales"))
    scales.push_back(n.getFloat("scales", 1));
  SmallVector<AffineExpr> sizes = n.getExprs("output_size"), from = n.getExtents(x), to(from);
  if (n.hasFailed())
    return failure();
  if (static_cast<int64_t>(scales.size()) != rank)
    scales.clear();
  if (sizes.empty() ? scales.empty() : static_cast<int64_t>(sizes.size()) != rank)
    return n.fail("expected one size or one scale for each of " + Twine(rank) + " dimensions");
  for (int64_t i = 0; i < rank; ++i) {
    if (!sizes.empty()) {
      to[2 + i] = sizes[i];
      continue;
    }
    FailureOr<AffineExpr> scaled = resampler.scaleExtent(from[2 + i], scales[i]);
    if (failed(scaled))
      return failure();
    to[2 + i] = *scaled;
  }
  bool isOpen = false, areMultiples = true;
  for (int64_t axis = 2; axis < rank + 2; ++axis) {
    isOpen |= !isa<AffineConstantExpr>(from[axis]) || !isa<AffineConstantExpr>(to[axis]);
    std::optional<AffineExpr> times = divideExactly(to[axis], from[axis], b.getContext());
    areMultiples &= times && isa<AffineConstantExpr>(*times);
  }
  if (isOpen && areMultiples && resampler.repeats()) {
    SmallVector<int64_t> shape;
    SmallVector<Value> values;
    dispatchIndexOpFoldResults(n.getSizes(to), values, shape);
    return n.setResult(ResizeNearestOp::create(b.getBuilder(), b.makeType(shape, b.elementOf(x)), x, values));
  }
  Type element = b.elementOf(x);
  x = mode == "nearest" ? x : b.widen(x);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t axis = 2 + i;
    auto source = dyn_cast<AffineConstantExpr>(from[axis]), target = dyn_cast<AffineConstantExpr>(to[axis]);
    bool hasScale = !scales.empty() && !alignsCorners;
    if (source && target) {
      if (source.getValue() < 1 || target.getValue() < 1)
        return n.fail("expected extents of at least 1");
      double scale = hasScale ? scales[i] : double(target.getValue()) / double(source.getValue());
      if (source == target && scale == 1)
        continue;
      FailureOr<Value> resampled = resampler.resample(x, axis, {source.getValue(), target.getValue(), scale});
      if (failed(resampled))
        return failure();
      x = *resampled;
    } else if (from[axis] != to[axis]) {
      Value scale = hasScale ? b.scalar(scales[i], b.getBuilder().getF64Type()) : Value();
      x = resampler.resampleOpenAxis(x, axis, from[axis], to[axis], scale);
    }
  }
  return n.setResult(b.cast(x, element));
}

static LogicalResult importGridSample(Node &n) {
  FuseBuilder &b = n.b;
  Value images = n.tensor("input"), grid = n.tensor("grid");
  int64_t mode = n.getInt("interpolation_mode", 0), padding = n.getInt("padding_mode", 0);
  GridSampling sampling;
  sampling.isNearest = mode == 1;
  sampling.alignsCorners = n.getBool("align_corners", false);
  if (n.hasFailed() || mode < 0 || mode > 1 || padding < 0 || padding > 2)
    return n.fail("expected bilinear interpolation or the nearest element");
  sampling.padding = static_cast<GridSampling::Padding>(padding);
  FailureOr<Value> sampled = sampleGrid(n, b.widen(images), b.widen(grid), sampling);
  return failed(sampled) ? failure() : n.setResult(b.cast(*sampled, b.elementOf(images)));
}

void mlir::fuse::torch::addResizeOps(OpTable &table) {
  table.add("grid_sampler.default grid_sampler_2d.default", "input grid", importGridSample);
  for (int64_t rank = 1; rank <= 3; ++rank) {
    std::string dims = std::to_string(rank) + "d";
    table.add("upsample_nearest" + dims + ".default upsample_nearest" + dims + ".vec", "",
              [rank](Node &n) { return importUpsample(n, rank, "nearest", false); });
    table.add("_upsample_nearest_exact" + dims + ".default _upsample_nearest_exact" + dims + ".vec", "",
              [rank](Node &n) { return importUpsample(n, rank, "nearest", true); });
    std::string linear = rank == 1 ? "upsample_linear1d" : rank == 2 ? "upsample_bilinear2d" : "upsample_trilinear3d";
    table.add(linear + ".default " + linear + ".vec", "",
              [rank](Node &n) { return importUpsample(n, rank, "linear", false); });
  }
  table.add("upsample_bicubic2d.default upsample_bicubic2d.vec", "",
            [](Node &n) { return importUpsample(n, 2, "cubic", false); });
}
