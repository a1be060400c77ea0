//===- Resizes.cpp - Resampling -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Resizes.h"
#include "ComputedNumbers.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

bool Resampler::repeats() const {
  return mode == "nearest" &&
         ((transformation == "asymmetric" && rounding == "floor") ||
          (transformation == "half_pixel" && (rounding == "round_prefer_floor" || rounding == "round_prefer_ceil")) ||
          (transformation == "pytorch_half_pixel" && rounding == "round_prefer_floor"));
}

FailureOr<AffineExpr> Resampler::scaleExtent(AffineExpr extent, double scale) {
  if (!(scale > 0 && scale <= double(kMostSpread)))
    return n.fail("expected scales above 0 and of at most " + Twine(kMostSpread) + ", found " +
                  Twine(std::to_string(scale)));
  int64_t divisor = 1;
  while (scale * double(divisor) != std::floor(scale * double(divisor)) && divisor < (int64_t(1) << 40))
    divisor *= 2;
  double factor = scale * double(divisor);
  // A number of 32 bits is such a ratio. Of one of 64 bits, such as 1.7, the product with an extent is rounded.
  if (factor == std::floor(factor) && factor < double(1 << 25))
    return simplifyExtent((extent * static_cast<int64_t>(factor)).floorDiv(divisor));
  if (auto known = dyn_cast<AffineConstantExpr>(extent))
    return n.getConstant(static_cast<int64_t>(double(known.getValue()) * scale));
  OpBuilder &builder = b.getBuilder();
  return ComputedNumbers(n).scaled(extent, arith::ConstantOp::create(builder, b.getLoc(), builder.getF64FloatAttr(scale)));
}

Value Resampler::mapCoordinates(AffineExpr from, AffineExpr to, Value given) {
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

Value Resampler::roundCoordinates(Value at) {
  if (rounding == "round_prefer_ceil")
    return b.unary(UnaryKind::Floor, b.add(at, 0.5));
  if (rounding == "floor" || rounding == "ceil")
    return b.unary(rounding == "floor" ? UnaryKind::Floor : UnaryKind::Ceil, at);
  return b.unary(UnaryKind::Ceil, b.sub(at, 0.5));
}

Value Resampler::weighDistances(Value x, bool isNear) {
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

Value Resampler::resampleOpenAxis(Value x, int64_t axis, AffineExpr from, AffineExpr to, Value scale) {
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

double Resampler::mapCoordinate(double at, const AxisResize &r) const {
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

double Resampler::boundCoordinate(double at) { return std::isnan(at) ? 0 : std::clamp(at, -kMostExtent, kMostExtent); }

int64_t Resampler::roundNearest(double at) const {
  if (rounding == "round_prefer_ceil")
    return static_cast<int64_t>(std::floor(at + 0.5));
  if (rounding == "floor")
    return static_cast<int64_t>(std::floor(at));
  if (rounding == "ceil")
    return static_cast<int64_t>(std::ceil(at));
  return static_cast<int64_t>(std::ceil(at - 0.5));
}

double Resampler::weigh(double distance) const {
  double x = std::abs(distance);
  if (mode == "linear")
    return std::max(0.0, 1 - x);
  double a = cubic;
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

int64_t Resampler::countTaps(const AxisResize &r) const {
  double reach = mode == "linear" ? 1 : 2;
  return mode == "nearest" ? 1 : 2 * static_cast<int64_t>(std::ceil(reach / getStretch(r)));
}

Resampler::Taps Resampler::computeTaps(const AxisResize &r) const {
  double stretch = getStretch(r);
  int64_t count = countTaps(r);
  Taps taps;
  taps.indices.resize(count);
  taps.weights.resize(count);
  for (int64_t o = 0; o < r.to; ++o) {
    double at = boundCoordinate(mapCoordinate(double(o), r));
    taps.isOutside.push_back(transformation == "tf_crop_and_resize" && (at < 0 || at > double(r.from - 1)));
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
      weights.push_back(excludesOutside && !isInside ? 0.0 : weigh((at - double(first + k)) * stretch));
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

FailureOr<Value> Resampler::resample(Value x, int64_t axis, const AxisResize &r) {
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
