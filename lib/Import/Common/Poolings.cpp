//===- Poolings.cpp - Windows that are reduced to one element -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

/// Pools by the ops of two dimensions: a line is an image of one row, and a volume is pooled plane by
/// plane and then along its depth. `build` makes the op from kernel, strides, dilations and padding.
template <typename Build>
static Value poolPlanes(OpContext &n, Value x, const Window &v, Build build) {
  FuseBuilder &b = n.b;
  SmallVector<int64_t> in(b.shapeOf(x));
  auto extent = [&](int64_t size, size_t i) {
    return ShapedType::isDynamic(size) ? size
                                       : (size + v.low[i] + v.high[i] + v.extra[i] - v.getReach(i)) / v.strides[i] + 1;
  };
  auto pool = [&](Value image, int rows, int columns) {
    SmallVector<int64_t> kernel{1, 1}, strides{1, 1}, dilations{1, 1}, padding{0, 0, 0, 0};
    SmallVector<int64_t> shape(b.shapeOf(image));
    for (auto [place, i] : {std::pair(0, rows), std::pair(1, columns)}) {
      if (i < 0)
        continue;
      kernel[place] = v.kernel[i];
      strides[place] = v.strides[i];
      dilations[place] = v.dilations[i];
      padding[place] = v.low[i];
      padding[place + 2] = v.high[i] + v.extra[i];
      shape[2 + place] = extent(shape[2 + place], i);
    }
    return build(image, b.makeType(shape, b.elementOf(image)), kernel, strides, dilations, padding);
  };
  if (v.rank() == 2)
    return pool(x, 0, 1);
  if (v.rank() == 1) {
    Value y = pool(b.reshape(x, {in[0], in[1], 1, in[2]}), -1, 0);
    return b.reshape(y, {in[0], in[1], b.shapeOf(y)[3]});
  }
  SmallVector<AffineExpr> all = n.getExtents(x);
  Value plane = pool(n.reshape(x, {all[0], n.getProduct({all[1], all[2]}), all[3], all[4]}), 1, 2);
  SmallVector<AffineExpr> out = n.getExtents(plane);
  Value deep = pool(n.reshape(plane, {all[0], all[1], all[2], n.getProduct({out[2], out[3]})}), 0, -1);
  return n.reshape(deep, {all[0], all[1], n.getExtents(deep)[2], out[2], out[3]});
}

Value mlir::fuse::importer::maxWindows(OpContext &n, Value x, const Window &window) {
  FuseBuilder &b = n.b;
  return poolPlanes(n, x, window,
                    [&](Value image, Type type, ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding) -> Value {
                      return MaxPool2dOp::create(b.getBuilder(), type, image, kernel, strides, dilations, padding,
                                                 ConvLayout::NchwFchw);
                    });
}

static Value poolAverageWindows(OpContext &n, Value x, const Window &window, bool countsPadding) {
  FuseBuilder &b = n.b;
  return poolPlanes(n, x, window,
                    [&](Value image, Type type, ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding) -> Value {
                      return AvgPool2dOp::create(b.getBuilder(), type, image, kernel, strides, dilations, padding,
                                                 ConvLayout::NchwFchw, countsPadding);
                    });
}

Value mlir::fuse::importer::averageWindows(OpContext &n, Value x, const Window &window) {
  return poolAverageWindows(n, x, window, /*countsPadding=*/true);
}

FailureOr<std::pair<Value, Value>> mlir::fuse::importer::poolMaxWithIndices(OpContext &n, Value x, Value index,
                                                                            const Window &v, bool findsNan) {
  FuseBuilder &b = n.b;
  size_t rank = v.rank();
  int64_t taps = 1;
  for (int64_t extent : v.kernel)
    if (llvm::MulOverflow(taps, extent, taps))
      taps = kMostBytes;
  if (failed(n.takeUnrolled(taps)))
    return failure();
  SmallVector<int64_t> low(2, 0), high(2, 0);
  llvm::append_range(low, v.low);
  for (size_t i = 0; i < rank; ++i)
    high.push_back(v.high[i] + v.extra[i]);
  bool isFloat = isa<FloatType>(b.elementOf(x));
  ElementType element = *toElementType(b.elementOf(x));
  double least = isFloat ? -std::numeric_limits<double>::infinity() : double(getLowestInteger(element));
  x = b.pad(x, low, high, least);
  index = b.pad(index, low, high, 0.0);
  if (n.hasFailed())
    return failure();
  Value best, where;
  SmallVector<int64_t> tap(rank, 0);
  SmallVector<AffineExpr> counts;
  for (auto [i, extent] : llvm::enumerate(ArrayRef(n.getExtents(x)).drop_front(2)))
    counts.push_back(simplifyExtent((extent - v.getReach(i)).floorDiv(v.strides[i]) + 1));
  for (bool done = false; !done;) {
    Value part = x, place = index;
    for (size_t i = 0; i < rank; ++i) {
      OpFoldResult offset = n.getSize(n.getConstant(tap[i] * v.dilations[i])), count = n.getSize(counts[i]);
      part = b.slice(part, i + 2, offset, count, v.strides[i]);
      place = b.slice(place, i + 2, offset, count, v.strides[i]);
    }
    if (best) {
      Value isLarger = b.compare(ComparePredicate::Gt, part, best);
      if (findsNan && isFloat)
        isLarger = b.binary(BinaryKind::Or, isLarger, b.unary(UnaryKind::IsNan, part));
      best = b.select(isLarger, part, best);
      where = b.select(isLarger, place, where);
    } else {
      best = part;
      where = place;
    }
    done = true;
    for (size_t i = rank; i-- > 0 && done;) {
      done = ++tap[i] == v.kernel[i];
      if (done)
        tap[i] = 0;
    }
  }
  return std::pair(best, b.broadcastTo(where, n.getSizes(n.getExtents(best))));
}

Value mlir::fuse::importer::poolMax(OpContext &n, Value x, const Window &given) {
  Window window = given;
  // One window takes what there is, where it is less than a stride too large: of a kernel of 2 and a stride of 2 one
  // row. Of more rows than all that were padded for it, the last one is dropped.
  SmallVector<std::pair<int64_t, AffineExpr>> counts;
  for (size_t i = 0; i < window.rank(); ++i) {
    int64_t padding = window.low[i] + window.high[i], stride = window.strides[i];
    if (!ShapedType::isDynamic(n.b.shapeOf(x)[2 + i]) || stride == 1 || window.extra[i] != 0 ||
        window.getReach(i) - padding <= 1)
      continue;
    AffineExpr one = n.getConstant(1);
    AffineExpr count = (n.getExtents(x)[2 + i] + (padding - window.getReach(i))).floorDiv(stride) + 1;
    counts.push_back({2 + static_cast<int64_t>(i), count + one.floorDiv(count + 1)});
    window.extra[i] = stride - 1;
  }
  Value pooled = maxWindows(n, x, window);
  for (auto [axis, count] : counts)
    pooled = n.b.slice(pooled, axis, n.getSize(n.getConstant(0)), n.getSize(count));
  return pooled;
}

/// How many elements of each window along one dimension count, as factors of the kernel's extent.
static SmallVector<double> getCountFactors(const Window &v, size_t i, int64_t extent, bool countsPadding) {
  SmallVector<double> factors;
  int64_t end = extent + (countsPadding ? v.low[i] + v.high[i] : 0);
  int64_t shift = countsPadding ? 0 : v.low[i];
  int64_t count = (extent + v.low[i] + v.high[i] + v.extra[i] - v.getReach(i)) / v.strides[i] + 1;
  for (int64_t o = 0; o < count; ++o) {
    int64_t counted = 0;
    for (int64_t k = 0; k < v.kernel[i]; ++k) {
      int64_t at = o * v.strides[i] + k * v.dilations[i] - shift;
      counted += at >= 0 && at < end;
    }
    factors.push_back(counted ? double(v.kernel[i]) / double(counted) : 1.0);
  }
  return factors;
}

/// Means along open dimensions, of the elements that count: the mean of all elements of each window, over that of ones
/// where they count.
static FailureOr<Value> averageOpen(OpContext &n, Value operand, const Window &given, bool countsPadding) {
  FuseBuilder &b = n.b;
  SmallVector<AffineExpr> extents = n.getExtents(operand);
  extents[0] = extents[1] = n.getConstant(1);
  auto average = [&](Value x, Window window) -> FailureOr<Value> {
    FailureOr<Value> padded = window.isSame ? padSame(n, x, window, 0) : x;
    return failed(padded) ? padded : averageWindows(n, *padded, window);
  };
  FailureOr<Value> mean = average(operand, given);
  if (failed(mean) || (given.isSame && countsPadding))
    return mean;
  Window window = given;
  for (size_t i = 0; i < window.rank() && countsPadding; ++i)
    extents[2 + i] = extents[2 + i] + (std::exchange(window.low[i], 0) + std::exchange(window.high[i], 0));
  Value ones = b.broadcastTo(b.scalar(1, b.elementOf(operand)), n.getSizes(extents));
  FailureOr<Value> share = average(ones, window);
  if (failed(share))
    return failure();
  return b.div(*mean, *share);
}

FailureOr<Value> mlir::fuse::importer::poolAverage(OpContext &n, Value x, const Window &window, bool countsPadding) {
  FuseBuilder &b = n.b;
  if (window.isSame)
    return averageOpen(n, x, window, countsPadding);
  bool isPadded = llvm::any_of(window.low, [](int64_t p) { return p != 0; }) ||
                  llvm::any_of(window.high, [](int64_t p) { return p != 0; });
  bool isRounded = llvm::any_of(window.extra, [](int64_t p) { return p != 0; });
  bool isPlain = window.rank() < 3 && (!isRounded || (!countsPadding || !isPadded));
  if (isPlain)
    return poolAverageWindows(n, x, window, countsPadding && !isRounded);
  if (ShapedType::isDynamicShape(b.shapeOf(x).drop_front(2)))
    return averageOpen(n, x, window, countsPadding);
  Value result = poolAverageWindows(n, x, window, /*countsPadding=*/true);
  for (size_t i = 0; i < window.rank(); ++i) {
    int64_t count = b.shapeOf(result)[i + 2], work;
    if (llvm::MulOverflow(count, window.kernel[i], work))
      work = kMostBytes;
    if (n.hasFailed() || failed(n.takeListed(work)))
      return failure();
    SmallVector<double> factors = getCountFactors(window, i, b.shapeOf(x)[i + 2], countsPadding);
    if (llvm::all_of(factors, [](double factor) { return factor == 1; }))
      continue;
    SmallVector<int64_t> shape(window.rank() - i, 1);
    shape.front() = static_cast<int64_t>(factors.size());
    auto array = HostArray::fromFloats(*toElementType(b.elementOf(x)), shape, factors);
    result = b.mul(result, b.constant(array));
  }
  return result;
}
