//===- Resizes.cpp - Resampling -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Resizes.h"
#include "../ComputedNumbers.h"
#include "../OpTable.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {

class Resizer : public Resampler {
public:
  explicit Resizer(Node &n) : Resampler(n), n(n) {}

  LogicalResult run(bool isUpsample) {
    std::string fallback = isUpsample ? "asymmetric" : "half_pixel";
    mode = n.getString("mode", "nearest");
    transformation = n.getString("coordinate_transformation_mode", fallback);
    rounding = n.getString("nearest_mode", isUpsample ? "floor" : "round_prefer_floor");
    if (n.getOpset() == 10) {
      transformation = "asymmetric";
      rounding = "floor";
    }
    cubic = n.getFloat("cubic_coeff_a", -0.75);
    excludesOutside = n.getInt("exclude_outside", 0);
    antialias = n.getInt("antialias", 0);
    extrapolation = n.getFloat("extrapolation_value", 0);
    if (mode != "nearest" && mode != "linear" && mode != "cubic" && mode != "bilinear")
      return n.fail("expected mode = nearest, linear or cubic, found '" + mode + "'");
    if (mode == "bilinear")
      mode = "linear";
    static constexpr StringRef kTransformations[] = {
        "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
        "tf_half_pixel_for_nn", "tf_crop_and_resize"};
    if (!llvm::is_contained(kTransformations, transformation))
      return n.fail("the coordinate transformation '" + transformation + "' is not supported");
    if (!n.getType(0).hasStaticShape() || n.isComputed(kSizes) || hasComputedScales(isUpsample))
      return resizeOpen(isUpsample);
    FailureOr<SmallVector<AxisResize>> axes = getAxes(isUpsample);
    if (failed(axes))
      return failure();
    Value x = n.getInput(0);
    Type element = n.getElementType(0);
    auto isWhole = [](const AxisResize &resize) {
      return resize.from == resize.to && resize.scale == 1 && resize.begin == 0 && resize.end == 1;
    };
    if (llvm::all_of(*axes, isWhole))
      return n.setResult(x);
    bool computes = mode != "nearest";
    if (computes && !isa<FloatType>(element))
      x = b.cast(x, b.getBuilder().getF32Type());
    for (auto [axis, resize] : llvm::enumerate(*axes)) {
      if (isWhole(resize))
        continue;
      FailureOr<Value> resampled = resample(x, axis, resize);
      if (failed(resampled))
        return failure();
      x = *resampled;
    }
    if (n.hasFailed())
      return failure();
    return n.setResult(computes ? narrow(x, element) : x);
  }

private:
  static constexpr size_t kSizes = 3; // the operand of sizes

  /// What was computed in f32, in the type of the elements: ONNX Runtime cuts integers off, and with
  /// `antialias` rounds them; those of cubic curves are rounded as well, and the cast saturates.
  Value narrow(Value x, Type element) {
    if (isa<FloatType>(element))
      return x;
    return b.cast(antialias || mode == "cubic" ? b.unary(UnaryKind::RoundEven, x) : x, element);
  }

  /// The operand of scales.
  size_t getScalesAt(bool isUpsample) const { return n.getOpset() < 11 || isUpsample ? 1 : 2; }

  /// Whether scales are known when the model runs. (Models with sizes have an empty list for them.)
  bool hasComputedScales(bool isUpsample) const {
    size_t at = getScalesAt(isUpsample);
    return n.isComputed(at) && n.getType(at).getNumElements() > 0;
  }

  /// None where sizes are given instead, and after a failure.
  SmallVector<double> getScales(bool isUpsample) {
    SmallVector<double> scales = n.getFloats("scales");
    size_t at = getScalesAt(isUpsample);
    if (!n.hasInput(at) || n.getType(at).getShape() == ArrayRef<int64_t>{0})
      return scales;
    if (FailureOr<HostArray> array = n.getRequired(at, "scales"); succeeded(array))
      for (int64_t i = 0; i < array->getNumElements(); ++i)
        scales.push_back(array->getFloat(i));
    return scales;
  }

  /// A resize of a shape with open extents: where each axis becomes a multiple of what it is, one op; else axis by axis,
  /// with coordinates that the program computes.
  LogicalResult resizeOpen(bool isUpsample) {
    SmallVector<AffineExpr> from = n.getExtents(0), to(from);
    SmallVector<int64_t> axes = n.getInts("axes", llvm::to_vector(llvm::seq<int64_t>(0, n.getRank(0))));
    for (int64_t &axis : axes)
      axis = n.normalizeAxis(axis, n.getRank(0));
    if (n.hasFailed())
      return failure();
    bool isComputed = hasComputedScales(isUpsample);
    SmallVector<double> scales = isComputed ? SmallVector<double>() : getScales(isUpsample);
    SmallVector<AffineExpr> sizes;
    if (n.hasInput(kSizes) && !isComputed)
      sizes = n.getSymbolicIntegers(kSizes, "sizes");
    size_t count = isComputed       ? n.getType(getScalesAt(isUpsample)).getNumElements()
                   : scales.empty() ? sizes.size()
                                    : scales.size();
    if (count != axes.size() || n.hasFailed())
      return n.fail("expected one scale or one size for each of " + Twine(axes.size()) + " axes");
    SmallVector<Value> scaleOf(n.getRank(0));
    for (auto [i, axis] : llvm::enumerate(axes)) {
      if (isComputed) {
        std::tie(scaleOf[axis], to[axis]) = scaleComputed(n.getInput(getScalesAt(isUpsample)), i, from[axis]);
        continue;
      }
      if (scales.empty()) {
        to[axis] = sizes[i];
        continue;
      }
      FailureOr<AffineExpr> scaled = scaleExtent(from[axis], scales[i]);
      if (failed(scaled))
        return failure();
      to[axis] = *scaled;
      scaleOf[axis] = b.scalar(scales[i], b.getBuilder().getF64Type());
    }
    bool areMultiples = llvm::all_of(llvm::zip(from, to), [&](auto each) {
      std::optional<AffineExpr> times = divideExactly(std::get<1>(each), std::get<0>(each), b.getContext());
      return times && isa<AffineConstantExpr>(*times);
    });
    if (n.getString("keep_aspect_ratio_policy", "stretch") != "stretch" || transformation == "tf_crop_and_resize" ||
        antialias || excludesOutside)
      return n.fail("expected keep_aspect_ratio_policy = stretch, no region, antialias nor exclude_outside, where an "
                    "extent is not known before the model runs");
    if (!repeats() || !areMultiples)
      return resampleOpen(from, to, scaleOf);
    SmallVector<int64_t> shape;
    SmallVector<Value> values;
    dispatchIndexOpFoldResults(n.getSizes(to), values, shape);
    return n.setResult(ResizeNearestOp::create(b.getBuilder(), b.makeType(shape, n.getElementType(0)), n.getInput(0),
                                               values));
  }

  /// The same of element i of a list of scales that is known when the model runs: the scale, in f64, and the extent.
  std::pair<Value, AffineExpr> scaleComputed(Value scales, size_t i, AffineExpr extent) {
    ComputedNumbers a(n);
    Type wide = b.getBuilder().getF64Type();
    Value scale = b.reshape(b.slice(scales, 0, static_cast<int64_t>(i), 1), ArrayRef<int64_t>());
    scale = b.cast(scale, wide);
    return {scale, a.scaled(extent, scales, i)};
  }

  LogicalResult resampleOpen(ArrayRef<AffineExpr> from, ArrayRef<AffineExpr> to, ArrayRef<Value> scales) {
    Value x = n.getInput(0);
    Type element = n.getElementType(0);
    bool computes = mode != "nearest";
    if (computes && !isa<FloatType>(element))
      x = b.cast(x, b.getBuilder().getF32Type());
    for (int64_t axis = 0; axis < n.getRank(0); ++axis)
      if (from[axis] != to[axis])
        x = resampleOpenAxis(x, axis, from[axis], to[axis], scales[axis]);
    return n.setResult(computes ? narrow(x, element) : x);
  }

  FailureOr<SmallVector<AxisResize>> getAxes(bool isUpsample) {
    ArrayRef<int64_t> shape = n.getShape(0);
    int64_t rank = n.getRank(0);
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    SmallVector<int64_t> axes = n.getInts("axes", all);
    SmallVector<AxisResize> result;
    for (int64_t extent : shape)
      result.push_back({extent, extent, 1.0});
    for (int64_t &axis : axes)
      axis = n.normalizeAxis(axis, rank);
    if (n.hasFailed())
      return failure();
    SmallVector<double> scales = getScales(isUpsample);
    SmallVector<double> region;
    if (transformation == "tf_crop_and_resize") {
      FailureOr<HostArray> roi = n.getRequired(1, "roi");
      if (failed(roi))
        return failure();
      for (int64_t i = 0; i < roi->getNumElements(); ++i)
        region.push_back(roi->getFloat(i));
      if (region.size() != 2 * axes.size())
        return n.fail("expected " + Twine(2 * axes.size()) + " numbers as roi");
    }
    SmallVector<int64_t> sizes;
    if (n.hasInput(kSizes))
      sizes = n.getIntegers(kSizes, "sizes");
    if ((scales.empty() ? sizes.size() : scales.size()) != axes.size() || n.hasFailed())
      return n.fail("expected one scale or one size for each of " + Twine(axes.size()) + " axes");
    if (scales.empty())
      fitSizes(axes, sizes);
    for (auto [i, axis] : llvm::enumerate(axes)) {
      AxisResize &resize = result[axis];
      if (!region.empty()) {
        resize.begin = region[i];
        resize.end = region[i + axes.size()];
      }
      if (scales.empty()) {
        resize.to = sizes[i];
        resize.scale = fitted.empty() ? double(sizes[i]) / double(resize.from) : fitted[i];
      } else {
        resize.scale = scales[i];
        double span = region.empty() ? 1.0 : resize.end - resize.begin;
        double to = std::floor(double(resize.from) * span * scales[i]);
        resize.to = std::abs(to) <= kMostExtent ? static_cast<int64_t>(to) : -1;
      }
      bool isSane = resize.scale >= 1 / kMostExtent && resize.scale <= kMostExtent &&
                    std::abs(resize.begin) <= kMostExtent && std::abs(resize.end) <= kMostExtent;
      if (!isSane || resize.to < 0 || double(resize.to) > kMostExtent || resize.from < 1)
        return n.fail("expected scales above 0 and extents of at least 1");
    }
    return result;
  }

  /// keep_aspect_ratio_policy: one scale for all axes, the least or the greatest.
  void fitSizes(ArrayRef<int64_t> axes, MutableArrayRef<int64_t> sizes) {
    std::string policy = n.getString("keep_aspect_ratio_policy", "stretch");
    if (policy == "stretch")
      return;
    double scale = policy == "not_larger" ? std::numeric_limits<double>::infinity() : 0;
    for (auto [axis, size] : llvm::zip(axes, sizes)) {
      double own = double(size) / double(n.getShape(0)[axis]);
      scale = policy == "not_larger" ? std::min(scale, own) : std::max(scale, own);
    }
    for (auto [axis, size] : llvm::zip(axes, sizes)) {
      double fit = std::floor(scale * double(n.getShape(0)[axis]) + 0.5);
      size = std::abs(fit) <= kMostExtent ? static_cast<int64_t>(fit) : -1;
      fitted.push_back(scale);
    }
  }

  Node &n;
  SmallVector<double> fitted;
};

} // namespace

void mlir::fuse::onnx::addResizeOps(OpTable &table) {
  table.add("Resize", 1, 4, [](Node &n) { return Resizer(n).run(false); }, {1, 2, 3});
  table.add("Upsample", 1, 2, [](Node &n) { return Resizer(n).run(true); }, {1});
}
