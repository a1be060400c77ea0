//===- Resizes.cpp - Resampling -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../ComputedNumbers.h"
#include "../OpTable.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

namespace {

/// How one axis is resampled.
struct AxisResize {
  int64_t from, to;
  double scale;          ///< result over operand
  double begin = 0, end = 1; ///< of the region, for tf_crop_and_resize
};

/// Greater extents, coordinates and scales are not computed with.
constexpr double kMostExtent = 2147483648.0;

/// What an element of the result takes of the operand: as many elements as all others, with weights.
struct Taps {
  SmallVector<SmallVector<int64_t>> indices; ///< by tap, then by element
  SmallVector<SmallVector<double>> weights;
  SmallVector<bool> isOutside;
};

class Resizer {
public:
  explicit Resizer(Node &n) : n(n), b(n.b) {}

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
    bool computes = mode != "nearest";
    if (computes && !isa<FloatType>(element))
      x = b.cast(x, b.getBuilder().getF32Type());
    for (auto [axis, resize] : llvm::enumerate(*axes)) {
      bool isWhole = resize.from == resize.to && resize.scale == 1 && resize.begin == 0 && resize.end == 1;
      if (isWhole)
        continue;
      FailureOr<Value> resampled = resample(x, axis, resize);
      if (failed(resampled))
        return failure();
      x = *resampled;
    }
    if (n.hasFailed())
      return failure();
    if (computes && !isa<FloatType>(element)) {
      // Rounded to the nearest, and saturated by the cast.
      x = b.cast(b.unary(UnaryKind::RoundEven, x), element);
    }
    return n.setResult(x);
  }

private:
  /// Whether element i of an axis that is k times as long is element ⌊i / k⌋ of the operand, whatever the extent.
  bool repeats() const {
    return mode == "nearest" &&
           ((transformation == "asymmetric" && rounding == "floor") ||
            (transformation == "half_pixel" && (rounding == "round_prefer_floor" || rounding == "round_prefer_ceil")) ||
            (transformation == "pytorch_half_pixel" && rounding == "round_prefer_floor"));
  }

  static constexpr size_t kSizes = 3; // the operand of sizes

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

  /// ⌊extent · scale⌋. A scale is a float: a whole number over a power of two.
  FailureOr<AffineExpr> scaleExtent(AffineExpr extent, double scale) {
    int64_t divisor = 1;
    while (scale * double(divisor) != std::floor(scale * double(divisor)) && divisor < (int64_t(1) << 40))
      divisor *= 2;
    double factor = scale * double(divisor);
    if (factor != std::floor(factor) || scale <= 0 || scale > double(kMostSpread))
      return n.fail("expected scales above 0 and of at most " + Twine(kMostSpread) + ", found " +
                    Twine(std::to_string(scale)));
    return simplifyExtent((extent * static_cast<int64_t>(factor)).floorDiv(divisor));
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
    if (computes && !isa<FloatType>(element)) // as where all extents are known
      x = b.cast(b.unary(UnaryKind::RoundEven, x), element);
    return n.setResult(x);
  }

  /// mapCoordinate() of all elements of the result, in f64.
  Value mapCoordinates(AffineExpr from, AffineExpr to, Value given) {
    Type wide = b.getBuilder().getF64Type(), index = b.getBuilder().getI64Type();
    auto number = [&](AffineExpr extent) { return b.cast(n.getNumber(extent, index), wide); };
    Value at = b.cast(b.iota(n.getSizes({to}), 0, index), wide);
    Value scale = given ? given : b.div(number(to), number(from));
    Value halves = b.sub(b.div(b.add(at, 0.5), scale), 0.5);
    Value single = b.compare(ComparePredicate::Le, number(to), 1.0);
    if (transformation == "half_pixel")
      return halves;
    if (transformation == "half_pixel_symmetric") {
      Value adjustment = b.div(number(to), b.mul(scale, number(from)));
      Value center = b.div(number(from), 2.0);
      return b.add(halves, b.mul(center, b.sub(b.scalar(1, wide), adjustment)));
    }
    if (transformation == "pytorch_half_pixel")
      return b.select(single, b.scalar(0, wide), halves);
    if (transformation == "align_corners") {
      Value step = b.div(number(from - 1), b.sub(b.mul(number(from), scale), 1.0));
      return b.select(single, b.scalar(0, wide), b.mul(at, step));
    }
    if (transformation == "tf_half_pixel_for_nn")
      return b.div(b.add(at, 0.5), scale);
    return b.div(at, scale); // asymmetric
  }

  /// roundNearest() of coordinates.
  Value roundCoordinates(Value at) {
    if (rounding == "round_prefer_ceil")
      return b.unary(UnaryKind::Floor, b.add(at, 0.5));
    if (rounding == "floor" || rounding == "ceil")
      return b.unary(rounding == "floor" ? UnaryKind::Floor : UnaryKind::Ceil, at);
    return b.unary(UnaryKind::Ceil, b.sub(at, 0.5));
  }

  /// weigh() of distances that are between 0 and 1 (`isNear`), or 1 and 2.
  Value weighDistances(Value x, bool isNear) {
    if (mode == "linear")
      return b.sub(b.scalarLike(1, x), x);
    double a = cubic;
    auto polynomial = [&](ArrayRef<double> factors) { // Horner's scheme
      Value sum = b.scalarLike(factors.front(), x);
      for (double factor : factors.drop_front())
        sum = b.add(b.mul(sum, x), factor);
      return sum;
    };
    return isNear ? polynomial({a + 2, -(a + 3), 0, 1}) : polynomial({a, -5 * a, 8 * a, -4 * a});
  }

  Value resampleOpenAxis(Value x, int64_t axis, AffineExpr from, AffineExpr to, Value scale) {
    Type index = b.getBuilder().getI64Type();
    Value at = mapCoordinates(from, to, scale);
    auto take = [&](Value place) {
      place = b.clamp(b.cast(place, index), b.scalar(0, index), n.getNumber(from - 1, index));
      return b.gather(x, place, axis);
    };
    if (mode == "nearest")
      return take(roundCoordinates(at));
    SmallVector<AffineExpr> along(b.rankOf(x) - axis, n.getConstant(1));
    along.front() = to;
    Value first = b.unary(UnaryKind::Floor, at), result;
    int64_t reach = mode == "linear" ? 1 : 2;
    for (int64_t k = 1 - reach; k <= reach; ++k) {
      Value place = b.add(first, double(k));
      Value distance = b.unary(UnaryKind::Abs, b.sub(at, place));
      Value weight = b.cast(weighDistances(distance, k == 0 || k == 1), b.elementOf(x));
      Value part = b.mul(take(place), n.reshape(weight, along));
      result = result ? b.add(result, part) : part;
    }
    return result;
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

  /// The operand's coordinate of the middle of an element of the result.
  double mapCoordinate(double at, const AxisResize &r) const {
    if (transformation == "half_pixel")
      return (at + 0.5) / r.scale - 0.5;
    if (transformation == "half_pixel_symmetric") {
      double adjustment = double(r.to) / (r.scale * double(r.from));
      double center = double(r.from) / 2;
      return center * (1 - adjustment) + (at + 0.5) / r.scale - 0.5;
    }
    if (transformation == "pytorch_half_pixel")
      return r.to > 1 ? (at + 0.5) / r.scale - 0.5 : 0.0;
    if (transformation == "align_corners")
      // The result's extent before it was rounded.
      return r.to > 1 ? at * double(r.from - 1) / (double(r.from) * r.scale - 1) : 0.0;
    if (transformation == "tf_half_pixel_for_nn")
      return (at + 0.5) / r.scale;
    if (transformation == "tf_crop_and_resize") {
      double last = double(r.from - 1);
      return r.to > 1 ? r.begin * last + at * (r.end - r.begin) * last / double(r.to - 1)
                      : 0.5 * (r.begin + r.end) * last;
    }
    return at / r.scale; // asymmetric
  }

  /// Where no element can be counts as the end on that side, or as the first element.
  static double boundCoordinate(double at) {
    return std::isnan(at) ? 0 : std::clamp(at, -kMostExtent, kMostExtent);
  }

  int64_t roundNearest(double at) const {
    if (rounding == "round_prefer_ceil")
      return static_cast<int64_t>(std::floor(at + 0.5));
    if (rounding == "floor")
      return static_cast<int64_t>(std::floor(at));
    if (rounding == "ceil")
      return static_cast<int64_t>(std::ceil(at));
    return static_cast<int64_t>(std::ceil(at - 0.5));
  }

  /// The weight of an element at a distance.
  double weigh(double distance) const {
    double x = std::abs(distance);
    if (mode == "linear")
      return std::max(0.0, 1 - x);
    double a = cubic;
    if (x <= 1)
      return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
  }

  /// Shrinking with antialias stretches the kernel over as much of the operand.
  double getStretch(const AxisResize &r) const { return antialias && r.scale < 1 ? r.scale : 1.0; }

  int64_t countTaps(const AxisResize &r) const {
    double reach = mode == "linear" ? 1 : 2;
    return mode == "nearest" ? 1 : 2 * static_cast<int64_t>(std::ceil(reach / getStretch(r)));
  }

  Taps computeTaps(const AxisResize &r) const {
    double stretch = getStretch(r);
    int64_t count = countTaps(r);
    Taps taps;
    taps.indices.resize(count);
    taps.weights.resize(count);
    for (int64_t o = 0; o < r.to; ++o) {
      double at = boundCoordinate(mapCoordinate(double(o), r));
      taps.isOutside.push_back(transformation == "tf_crop_and_resize" &&
                               (at < 0 || at > double(r.from - 1)));
      if (mode == "nearest") {
        taps.indices[0].push_back(std::clamp<int64_t>(roundNearest(at), 0, r.from - 1));
        taps.weights[0].push_back(1);
        continue;
      }
      int64_t first = static_cast<int64_t>(std::floor(at)) - count / 2 + 1;
      double sum = 0;
      SmallVector<double> weights;
      for (int64_t k = 0; k < count; ++k) {
        bool isInside = first + k >= 0 && first + k < r.from;
        weights.push_back(excludesOutside && !isInside ? 0.0
                                                       : weigh((at - double(first + k)) * stretch));
        sum += weights.back();
      }
      for (int64_t k = 0; k < count; ++k) {
        bool isNormalized = excludesOutside || stretch != 1;
        taps.weights[k].push_back(isNormalized && sum != 0 ? weights[k] / sum : weights[k]);
        taps.indices[k].push_back(std::clamp<int64_t>(first + k, 0, r.from - 1));
      }
    }
    return taps;
  }

  FailureOr<Value> resample(Value x, int64_t axis, const AxisResize &r) {
    // Twice as long lists as there are elements: indices and weights.
    if (failed(n.takeUnrolled(countTaps(r))) || failed(n.takeListed(countTaps(r) * r.to)))
      return failure();
    Taps taps = computeTaps(r);
    ElementType element = *toElementType(b.elementOf(x));
    SmallVector<int64_t> along(b.rankOf(x) - axis, 1);
    along.front() = r.to;
    Value result;
    for (auto [i, indices, weights] : llvm::enumerate(taps.indices, taps.weights)) {
      bool isNeeded = !result && i + 1 == taps.weights.size();
      if (!isNeeded && llvm::all_of(weights, [](double weight) { return weight == 0; }))
        continue;
      Value part = b.gather(x, indices, axis);
      if (mode != "nearest")
        part = b.mul(part, b.constant(HostArray::fromFloats(element, along, weights)));
      result = result ? b.add(result, part) : part;
    }
    if (llvm::none_of(taps.isOutside, [](bool is) { return is; }))
      return result;
    SmallVector<int64_t> mask(taps.isOutside.begin(), taps.isOutside.end());
    Value isOutside = b.constant(HostArray::fromInts(ElementType::I1, along, mask));
    return b.select(isOutside, b.scalarLike(extrapolation, result), result);
  }

  Node &n;
  FuseBuilder &b;
  std::string mode, transformation, rounding;
  double cubic = -0.75, extrapolation = 0;
  bool excludesOutside = false, antialias = false;
  SmallVector<double> fitted;
};

} // namespace

void mlir::fuse::onnx::addResizeOps(OpTable &table) {
  table.add("Resize", 1, 4, [](Node &n) { return Resizer(n).run(false); }, {1, 2, 3});
  table.add("Upsample", 1, 2, [](Node &n) { return Resizer(n).run(true); }, {1});
}
