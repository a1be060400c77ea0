//===- TransposedConvolutions.cpp - Convolutions whose operand is spread -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A transposed convolution of stride s adds x[i] * w[t] to y[s * i + t - before]. The results whose
// positions agree modulo s, a *phase*, take every s-th tap of the filter alone, so that each phase is
// an ordinary convolution of the operand:
//
//   stride 2, four taps, before = 1:  y[2q]     = x[q] * w[1] + x[q - 1] * w[3]
//                                     y[2q + 1] = x[q] * w[2] + x[q + 1] * w[0]
//
// The phases are computed side by side, as channels, and their dimension then moves between those of
// the image. Where all phases along a dimension take equally many taps at the same places (kernel a
// multiple of the stride, nothing cut off in front), they are one convolution with more filters.
//
//===----------------------------------------------------------------------------------------===//

#include "Windows.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

namespace {

/// Phases that are one convolution: result q of phase r is the sum over taps[r][u] times the operand's
/// element q - low + u * dilation.
struct Phases {
  SmallVector<SmallVector<int64_t>> taps;
  int64_t low = 0, dilation = 1;
};

/// The phases of a dimension, in order.
SmallVector<Phases> getPhases(const TransposedDimension &d) {
  SmallVector<Phases> all;
  int64_t shared = std::gcd(d.dilation, d.stride);
  for (int64_t phase = 0; phase < d.stride; ++phase) {
    Phases found;
    found.dilation = d.dilation / shared;
    found.taps.emplace_back();
    // Tap t of the whole result's position p reads element (p - t * dilation) / stride.
    for (int64_t tap = d.kernel; tap-- > 0;) {
      int64_t distance = phase + d.before - tap * d.dilation;
      if (distance % d.stride != 0)
        continue;
      if (found.taps.back().empty())
        found.low = -(distance / d.stride);
      found.taps.back().push_back(tap);
    }
    all.push_back(std::move(found));
  }
  bool areAlike = llvm::all_of(all, [&](const Phases &phases) {
    return phases.low == all.front().low && phases.taps.front().size() == all.front().taps.front().size();
  });
  if (!areAlike)
    return all;
  Phases joined = all.front();
  for (const Phases &phases : ArrayRef(all).drop_front())
    joined.taps.push_back(phases.taps.front());
  return {joined};
}

class TransposedConvolution {
public:
  TransposedConvolution(OpContext &n, ArrayRef<TransposedDimension> dimensions, int64_t groups)
      : n(n), b(n.b), dimensions(dimensions), rank(dimensions.size()), groups(groups) {
    for (const TransposedDimension &dimension : dimensions)
      phases.push_back(getPhases(dimension));
  }

  /// How many convolutions it takes.
  int64_t countConvolutions() const {
    int64_t count = 1;
    for (ArrayRef<Phases> list : phases)
      count *= list.size();
    return count;
  }

  Value build(Value x, Value w, Value bias) {
    Value ordered = orderTaps(w);
    SmallVector<Value> parts;
    SmallVector<unsigned> chosen(rank, 0);
    for (int64_t part = 0, count = countConvolutions(); part < count; ++part) {
      int64_t rest = part;
      for (int64_t i = rank; i-- > 0;) {
        chosen[i] = rest % phases[i].size();
        rest /= phases[i].size();
      }
      parts.push_back(buildPart(x, ordered, chosen));
    }
    Value y = interleave(b.concat(parts, 1), b.shapeOf(w)[1]);
    if (bias) {
      SmallVector<int64_t> shape(rank + 1, 1);
      shape[0] = b.shapeOf(bias)[0];
      y = b.add(y, b.reshape(bias, shape));
    }
    for (auto [i, dimension] : llvm::enumerate(dimensions))
      if (simplifyExtent(getCount(i) * dimension.stride - dimension.result) != n.getConstant(0))
        y = b.slice(y, 2 + i, n.getSize(n.getConstant(0)), n.getSize(dimension.result));
    return y;
  }

private:
  /// Windows of each phase along a dimension.
  AffineExpr getCount(int64_t i) const {
    return (dimensions[i].result + (dimensions[i].stride - 1)).floorDiv(dimensions[i].stride);
  }

  /// The filter with the taps of a phase next to each other, in the order in which they are read; of
  /// phases that are one convolution first the first taps of all.
  Value orderTaps(Value w) {
    for (int64_t i = 0; i < rank; ++i) {
      SmallVector<int64_t> order;
      for (const Phases &list : phases[i])
        for (size_t u = 0; u < list.taps.front().size(); ++u)
          for (ArrayRef<int64_t> taps : list.taps)
            order.push_back(taps[u]);
      if (!llvm::equal(order, llvm::seq<int64_t>(0, dimensions[i].kernel)))
        w = b.gather(w, order, 2 + i);
    }
    return w;
  }

  /// The filter of one convolution: [C, F / groups, taps...] to [F * phases, C / groups, taps...].
  Value takeFilter(Value w, ArrayRef<unsigned> chosen) {
    SmallVector<int64_t> split{groups, b.shapeOf(w)[0] / groups, b.shapeOf(w)[1]};
    SmallVector<int64_t> order{0}, taps, shape{b.shapeOf(w)[1] * groups, split[1]};
    for (int64_t i = 0; i < rank; ++i) {
      int64_t first = 0;
      for (const Phases &list : ArrayRef(phases[i]).take_front(chosen[i]))
        first += list.taps.size() * list.taps.front().size();
      const Phases &list = phases[i][chosen[i]];
      int64_t count = list.taps.front().size(), together = list.taps.size();
      w = b.slice(w, 2 + i, first, count * together);
      split.append({count, together});
      order.push_back(split.size() - 1);
      taps.push_back(split.size() - 2);
      shape[0] *= together;
      shape.push_back(count);
    }
    order.append({2, 1});
    order.append(taps);
    return b.reshape(b.transpose(b.reshape(w, split), order), shape);
  }

  /// The phases that are one convolution: [N, groups * phases * F / groups, windows...].
  Value buildPart(Value x, Value w, ArrayRef<unsigned> chosen) {
    SmallVector<AffineExpr> shape{n.getExtents(x)[0], n.getConstant(b.shapeOf(w)[1] * groups)};
    Window v;
    bool readsAny = true;
    for (int64_t i = 0; i < rank; ++i) {
      const Phases &list = phases[i][chosen[i]];
      int64_t count = list.taps.front().size();
      shape[1] = shape[1] * list.taps.size();
      shape.push_back(getCount(i));
      // Elements that no window reaches are cut off, where others are asked for that there are not.
      AffineExpr extent = dimensions[i].extent;
      int64_t from = std::max<int64_t>(0, -list.low);
      int64_t behind = subtract(getCount(i) + (list.dilation * (count - 1) - list.low), extent);
      AffineExpr size = extent + (std::min<int64_t>(behind, 0) - from);
      auto number = dyn_cast<AffineConstantExpr>(size);
      readsAny &= count > 0 && !(number && number.getValue() <= 0);
      v.kernel.push_back(count);
      v.strides.push_back(1);
      v.dilations.push_back(list.dilation);
      v.low.push_back(std::max<int64_t>(0, list.low));
      v.high.push_back(std::max<int64_t>(0, behind));
      v.extra.push_back(0);
      if (readsAny && size != extent)
        x = b.slice(x, 2 + i, n.getSize(n.getConstant(from)), n.getSize(size));
    }
    if (!readsAny)
      return b.broadcastTo(b.scalar(0, b.elementOf(x)), n.getSizes(shape));
    return convolve(n, x, takeFilter(w, chosen), Value(), v, groups);
  }

  /// [N, phases of each convolution, groups, phases in one, F / groups, windows...] to
  /// [N, F, windows * stride...]
  Value interleave(Value y, int64_t features) {
    SmallVector<AffineExpr> split{n.getExtents(y)[0]}, shape{split[0], n.getConstant(features * groups)};
    SmallVector<int64_t> order{0};
    for (ArrayRef<Phases> list : phases)
      split.push_back(n.getConstant(list.size()));
    order.push_back(split.size());
    split.push_back(n.getConstant(groups));
    for (ArrayRef<Phases> list : phases)
      split.push_back(n.getConstant(list.front().taps.size()));
    order.push_back(split.size());
    split.push_back(n.getConstant(features));
    for (int64_t i = 0; i < rank; ++i) {
      // One of the two dimensions of phases is a unit.
      order.append({int64_t(split.size()), 1 + i, 2 + rank + i});
      split.push_back(getCount(i));
      shape.push_back(getCount(i) * dimensions[i].stride);
    }
    // Dynamic extents keep their order on the way to `split`.
    y = b.transpose(b.reshape(y, getStaticExtents(split)), order);
    return b.reshape(y, n.getSizes(shape));
  }

  /// The difference of two expressions that differ by a number.
  static int64_t subtract(AffineExpr left, AffineExpr right) {
    return cast<AffineConstantExpr>(simplifyExtent(left - right)).getValue();
  }

  OpContext &n;
  FuseBuilder &b;
  ArrayRef<TransposedDimension> dimensions;
  int64_t rank, groups;
  SmallVector<SmallVector<Phases>> phases;
};

} // namespace

/// As one convolution of the operand with zeros between its elements, with the filter turned around:
/// where there are too many phases for convolutions of their own.
static Value buildSpread(OpContext &n, Value x, Value w, Value bias, ArrayRef<TransposedDimension> dimensions,
                         int64_t groups) {
  FuseBuilder &b = n.b;
  int64_t rank = dimensions.size();
  // Filters of each group by output channel: [C, F/g, …] → [F, C/g, …].
  SmallVector<int64_t> split(b.shapeOf(w)), order{0, 2, 1};
  SmallVector<int64_t> turned{groups * split[1], split[0] / groups};
  split[0] /= groups;
  split.insert(split.begin(), groups);
  for (int64_t i = 0; i < rank; ++i) {
    order.push_back(3 + i);
    turned.push_back(dimensions[i].kernel);
  }
  w = b.reshape(b.transpose(b.reshape(w, split), order), turned);
  SmallVector<int64_t> low(rank + 2, 0), high(rank + 2, 0);
  Window v;
  v.strides = SmallVector<int64_t>(rank, 1);
  v.low = v.high = v.extra = SmallVector<int64_t>(rank, 0);
  for (auto [i, d] : llvm::enumerate(dimensions)) {
    x = b.spread(x, 2 + i, d.stride);
    w = b.reverse(w, 2 + i);
    v.kernel.push_back(d.kernel);
    v.dilations.push_back(d.dilation);
    low[2 + i] = d.getReach() - 1 - d.before;
    AffineExpr behind = simplifyExtent(d.result - d.extent * d.stride);
    high[2 + i] = cast<AffineConstantExpr>(behind).getValue() - 1 + d.before + d.stride;
  }
  return convolve(n, b.pad(x, low, high, 0.0), w, bias, v, groups);
}

FailureOr<Value> mlir::fuse::importer::convolveTransposed(OpContext &n, Value x, Value w, Value bias,
                                                          ArrayRef<TransposedDimension> dimensions, int64_t groups) {
  constexpr int64_t kMostConvolutions = 16, kMostPhases = 256;
  ArrayRef<int64_t> in = n.b.shapeOf(x), filter = n.b.shapeOf(w);
  bool isLong = llvm::any_of(dimensions, [](const TransposedDimension &d) { return d.stride > kMostPhases; });
  if (!isLong && !llvm::is_contained(in, 0) && !llvm::is_contained(filter, 0)) {
    TransposedConvolution phases(n, dimensions, groups);
    int64_t count = phases.countConvolutions();
    if (count <= kMostConvolutions) {
      if (failed(n.takeUnrolled(count)))
        return failure();
      return phases.build(x, w, bias);
    }
  }
  if (ShapedType::isDynamicShape(in.drop_front(1)))
    return n.fail("expected extents that are known before the model runs, or shorter strides");
  return buildSpread(n, x, w, bias, dimensions, groups);
}
