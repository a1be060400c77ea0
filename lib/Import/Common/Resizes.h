//===- Resizes.h - Resampling -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_RESIZES_H
#define FUSE_IMPORT_COMMON_RESIZES_H

#include "OpContext.h"

#include <string>

namespace mlir::fuse::importer {

/// How one axis is resampled.
struct AxisResize {
  int64_t from, to;
  double scale;              ///< result over operand
  double begin = 0, end = 1; ///< of the region, for tf_crop_and_resize
};

/// Greater extents, coordinates and scales are not computed with.
inline constexpr double kMostExtent = 2147483648.0;

/// Resamples tensors along one axis after the other.
class Resampler {
public:
  explicit Resampler(OpContext &n) : n(n), b(n.b) {}

  std::string mode = "nearest"; ///< or linear, cubic
  /// Where the middle of an element of the result lies in the operand, as ONNX names it: half_pixel,
  /// half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, tf_half_pixel_for_nn, tf_crop_and_resize.
  std::string transformation = "half_pixel";
  std::string rounding = "round_prefer_floor"; ///< of nearest; or round_prefer_ceil, floor, ceil
  double cubic = -0.75, extrapolation = 0;
  bool excludesOutside = false, antialias = false;

  /// Whether element i of an axis that is k times as long is element ⌊i / k⌋ of the operand, whatever the extent.
  bool repeats() const;
  /// ⌊extent · scale⌋: an expression where the scale is a whole number over a power of two, else computed in f64.
  FailureOr<AffineExpr> scaleExtent(AffineExpr extent, double scale);
  Value resampleOpenAxis(Value x, int64_t axis, AffineExpr from, AffineExpr to, Value scale);
  FailureOr<Value> resample(Value x, int64_t axis, const AxisResize &r);

private:
  /// What an element of the result takes of the operand: as many elements as all others, with weights.
  struct Taps {
    SmallVector<SmallVector<int64_t>> indices; ///< by tap, then by element
    SmallVector<SmallVector<double>> weights;
    SmallVector<bool> isOutside;
  };

  /// mapCoordinate() of all elements of the result, in f64.
  Value mapCoordinates(AffineExpr from, AffineExpr to, Value given);
  /// roundNearest() of coordinates.
  Value roundCoordinates(Value at);
  /// weigh() of distances that are between 0 and 1 (`isNear`), or 1 and 2.
  Value weighDistances(Value x, bool isNear);
  /// The operand's coordinate of the middle of an element of the result.
  double mapCoordinate(double at, const AxisResize &r) const;
  /// Where no element can be counts as the end on that side, or as the first element.
  static double boundCoordinate(double at);
  int64_t roundNearest(double at) const;
  /// The weight of an element at a distance.
  double weigh(double distance) const;
  int64_t countTaps(const AxisResize &r) const;
  Taps computeTaps(const AxisResize &r) const;
  /// Shrinking with antialias stretches the kernel over as much of the operand.
  double getStretch(const AxisResize &r) const { return antialias && r.scale < 1 ? r.scale : 1.0; }

protected:
  OpContext &n;
  FuseBuilder &b;
};

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_RESIZES_H
