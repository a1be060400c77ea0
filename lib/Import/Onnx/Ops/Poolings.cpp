//===- Poolings.cpp - Pooling over one to three dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

/// Pools by the ops of two dimensions: a line is an image of one row, and a volume is pooled plane by
/// plane and then along its depth. `build` makes the op from kernel, strides, dilations and padding.
template <typename Build>
static Value poolPlanes(FuseBuilder &b, Value x, const Window &v, Build build) {
  SmallVector<int64_t> in(b.shapeOf(x));
  auto extent = [&](int64_t size, size_t i) {
    return ShapedType::isDynamic(size)
               ? size
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
  Value plane = pool(b.reshape(x, {in[0], in[1] * in[2], in[3], in[4]}), 1, 2);
  SmallVector<int64_t> out(b.shapeOf(plane));
  Value deep = pool(b.reshape(plane, {in[0], in[1], in[2], out[2] * out[3]}), 0, -1);
  return b.reshape(deep, {in[0], in[1], b.shapeOf(deep)[2], out[2], out[3]});
}

static FailureOr<Window> getPoolWindow(Node &n, bool takesSame = false) {
  FailureOr<Window> window =
      getWindow(n, n.getInts("kernel_shape"), n.getInt("ceil_mode", 0) != 0,
                /*isCut=*/true);
  if (succeeded(window) && window->rank() == 3 && !n.isStaticBehindBatch(0))
    return n.fail("expected a static shape");
  if (succeeded(window) && window->isSame && !takesSame)
    return n.fail("expected static spatial extents");
  return window;
}

static Value poolMax(FuseBuilder &b, Value x, const Window &window) {
  return poolPlanes(b, x, window,
                    [&](Value image, Type type, ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding) -> Value {
                      return MaxPool2dOp::create(b.getBuilder(), type, image, kernel, strides,
                                                 dilations, padding, ConvLayout::NchwFchw);
                    });
}

static Value poolAverage(FuseBuilder &b, Value x, const Window &window, bool countsPadding) {
  return poolPlanes(b, x, window,
                    [&](Value image, Type type, ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> dilations, ArrayRef<int64_t> padding) -> Value {
                      return AvgPool2dOp::create(b.getBuilder(), type, image, kernel, strides,
                                                 dilations, padding, ConvLayout::NchwFchw,
                                                 countsPadding);
                    });
}

/// The largest element of each window with its place in the whole operand, the first of equals, tap by
/// tap.
static LogicalResult importMaxPoolWithIndices(Node &n, const Window &v) {
  FuseBuilder &b = n.b;
  if (!n.getType(0).hasStaticShape())
    return n.fail("indices need a static shape");
  SmallVector<int64_t> shape(n.getShape(0));
  size_t rank = v.rank();
  int64_t taps = 1;
  for (int64_t extent : v.kernel)
    if (llvm::MulOverflow(taps, extent, taps))
      taps = kMostBytes;
  // Places in row-major or, of the spatial dimensions, column-major order.
  bool columnsFirst = n.getInt("storage_order", 0);
  if (failed(n.takeUnrolled(taps)) ||
      (columnsFirst && failed(n.takeListed(n.getType(0).getNumElements()))))
    return failure();
  SmallVector<int64_t> places(columnsFirst ? n.getType(0).getNumElements() : 0);
  int64_t spatial = 1;
  for (int64_t extent : ArrayRef(shape).drop_front(2))
    spatial *= extent;
  for (int64_t i = 0; i < static_cast<int64_t>(places.size()); ++i) {
    int64_t rest = i % spatial, place = 0, stride = spatial;
    for (size_t dim = shape.size(); dim-- > 2;) {
      stride /= shape[dim];
      place += rest % shape[dim] * stride;
      rest /= shape[dim];
    }
    places[i] = i - i % spatial + place;
  }
  Value x = n.getInput(0);
  Value index = columnsFirst
                    ? b.constant(places)
                    : b.iota({n.getType(0).getNumElements()}, 0, b.getBuilder().getI64Type());
  index = b.reshape(index, shape);
  SmallVector<int64_t> low(2, 0), high(2, 0);
  llvm::append_range(low, v.low);
  for (size_t i = 0; i < rank; ++i)
    high.push_back(v.high[i] + v.extra[i]);
  bool isFloat = isa<FloatType>(n.getElementType(0));
  ElementType element = *toElementType(n.getElementType(0));
  double least = isFloat ? -std::numeric_limits<double>::infinity()
                         : double(getLowestInteger(element));
  x = b.pad(x, low, high, least);
  index = b.pad(index, low, high, 0.0);
  if (n.hasFailed())
    return failure();
  Value best, where;
  SmallVector<int64_t> tap(rank, 0);
  for (bool done = false; !done;) {
    Value part = x, place = index;
    for (size_t i = 0; i < rank; ++i) {
      int64_t count = (b.shapeOf(x)[i + 2] - v.getReach(i)) / v.strides[i] + 1;
      part = b.slice(part, i + 2, tap[i] * v.dilations[i], count, v.strides[i]);
      place = b.slice(place, i + 2, tap[i] * v.dilations[i], count, v.strides[i]);
    }
    if (best) {
      Value isLarger = b.compare(ComparePredicate::Gt, part, best);
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
  n.setResult(0, best);
  n.setResult(1, where);
  return success();
}

static LogicalResult importMaxPool(Node &n) {
  FailureOr<Window> window = getPoolWindow(n, /*takesSame=*/true);
  if (failed(window))
    return failure();
  if (window->isSame && !n.wantsOutput(1) && isa<FloatType>(n.getElementType(0))) {
    FailureOr<Value> padded = padSame(n, n.getInput(0), *window, -std::numeric_limits<double>::infinity());
    return failed(padded) ? failure() : n.setResult(poolMax(n.b, *padded, *window));
  }
  if (window->isSame)
    return n.fail("expected static spatial extents");
  if (n.wantsOutput(1))
    return importMaxPoolWithIndices(n, *window);
  // One window takes what there is, where it is less than a stride too large: of a kernel of 2 and a stride of 2 one
  // row. Of more rows than all that were padded for it, the last one is dropped.
  SmallVector<std::pair<int64_t, AffineExpr>> counts;
  for (size_t i = 0; i < window->rank(); ++i) {
    int64_t padding = window->low[i] + window->high[i], stride = window->strides[i];
    if (!ShapedType::isDynamic(n.getShape(0)[2 + i]) || stride == 1 || window->extra[i] != 0 ||
        window->getReach(i) - padding <= 1)
      continue;
    AffineExpr one = n.getConstant(1);
    AffineExpr count = (n.getExtents(0)[2 + i] + (padding - window->getReach(i))).floorDiv(stride) + 1;
    counts.push_back({2 + static_cast<int64_t>(i), count + one.floorDiv(count + 1)});
    window->extra[i] = stride - 1;
  }
  Value pooled = poolMax(n.b, n.getInput(0), *window);
  for (auto [axis, count] : counts)
    pooled = n.b.slice(pooled, axis, n.getSize(n.getConstant(0)), n.getSize(count));
  return n.setResult(pooled);
}

/// How many elements of each window along one dimension count, as factors of the kernel's extent.
static SmallVector<double> getCountFactors(const Window &v, size_t i, int64_t extent,
                                           bool countsPadding) {
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
static LogicalResult averageOpen(Node &n, const Window &given, bool countsPadding) {
  FuseBuilder &b = n.b;
  SmallVector<AffineExpr> extents = n.getExtents(0);
  extents[0] = extents[1] = n.getConstant(1);
  auto average = [&](Value x, Window window) -> FailureOr<Value> {
    FailureOr<Value> padded = window.isSame ? padSame(n, x, window, 0) : x;
    return failed(padded) ? padded : poolAverage(b, *padded, window, /*countsPadding=*/true);
  };
  FailureOr<Value> mean = average(n.getInput(0), given);
  if (failed(mean) || (given.isSame && countsPadding))
    return n.setResult(mean);
  Window window = given;
  for (size_t i = 0; i < window.rank() && countsPadding; ++i)
    extents[2 + i] = extents[2 + i] + (std::exchange(window.low[i], 0) + std::exchange(window.high[i], 0));
  Value ones = b.broadcastTo(b.scalar(1, n.getElementType(0)), n.getSizes(extents));
  FailureOr<Value> share = average(ones, window);
  return failed(share) ? failure() : n.setResult(b.div(*mean, *share));
}

static LogicalResult importAveragePool(Node &n) {
  FailureOr<Window> window = getPoolWindow(n, /*takesSame=*/true);
  if (failed(window))
    return failure();
  FuseBuilder &b = n.b;
  bool countsPadding = n.getInt("count_include_pad", 0);
  if (window->isSame)
    return averageOpen(n, *window, countsPadding);
  bool isPadded = llvm::any_of(window->low, [](int64_t p) { return p != 0; }) ||
                  llvm::any_of(window->high, [](int64_t p) { return p != 0; });
  bool isRounded = llvm::any_of(window->extra, [](int64_t p) { return p != 0; });
  bool isPlain = window->rank() < 3 && (!isRounded || (!countsPadding || !isPadded));
  if (isPlain)
    return n.setResult(poolAverage(b, n.getInput(0), *window, countsPadding && !isRounded));
  if (ShapedType::isDynamicShape(n.getShape(0).drop_front(2)))
    return averageOpen(n, *window, countsPadding);
  Value result = poolAverage(b, n.getInput(0), *window, /*countsPadding=*/true);
  for (size_t i = 0; i < window->rank(); ++i) {
    int64_t count = b.shapeOf(result)[i + 2], work;
    if (llvm::MulOverflow(count, window->kernel[i], work))
      work = kMostBytes;
    if (n.hasFailed() || failed(n.takeListed(work)))
      return failure();
    SmallVector<double> factors = getCountFactors(*window, i, n.getShape(0)[i + 2], countsPadding);
    if (llvm::all_of(factors, [](double factor) { return factor == 1; }))
      continue;
    SmallVector<int64_t> shape(window->rank() - i, 1);
    shape.front() = static_cast<int64_t>(factors.size());
    auto array = HostArray::fromFloats(*toElementType(n.getElementType(0)), shape, factors);
    result = b.mul(result, b.constant(array));
  }
  return n.setResult(result);
}

/// (Σ |x|^p)^(1/p) of what a mean counted.
static Value buildLpRoot(FuseBuilder &b, Value sum, int64_t p) {
  if (p == 1)
    return sum;
  if (p == 2)
    return b.unary(UnaryKind::Sqrt, sum);
  return b.binary(BinaryKind::Pow, sum, b.scalarLike(1.0 / double(p), sum));
}

static Value buildLpPower(FuseBuilder &b, Value x, int64_t p) {
  if (p == 2)
    return b.mul(x, x);
  Value size = b.unary(UnaryKind::Abs, x);
  return p == 1 ? size : b.binary(BinaryKind::Pow, size, b.scalarLike(double(p), x));
}

static LogicalResult importLpPool(Node &n) {
  FailureOr<Window> window = getPoolWindow(n, /*takesSame=*/true);
  if (failed(window))
    return failure();
  int64_t p = n.getInt("p", 2);
  double count = 1;
  if (p < 1)
    return n.fail("expected p of at least 1, found " + Twine(p));
  for (int64_t extent : window->kernel)
    count *= double(extent);
  FuseBuilder &b = n.b;
  FailureOr<Value> powers = buildLpPower(b, b.widen(n.getInput(0)), p);
  if (window->isSame)
    powers = padSame(n, *powers, *window, 0);
  if (failed(powers))
    return failure();
  Value mean = poolAverage(b, *powers, *window, true);
  return n.setResult(b.cast(buildLpRoot(b, b.mul(mean, count), p), n.getElementType(0)));
}

enum class GlobalPool { Average, Max, Lp };

static LogicalResult importGlobalPool(Node &n, GlobalPool kind) {
  if (n.getRank(0) < 3)
    return n.fail("expected rank 3 or more, found " + Twine(n.getRank(0)));
  FuseBuilder &b = n.b;
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, n.getRank(0)));
  Value x = n.getInput(0);
  if (kind == GlobalPool::Average)
    return n.setResult(b.reduce(ReduceKind::Mean, x, axes, true));
  if (kind == GlobalPool::Max)
    return n.setResult(b.reduce(ReduceKind::Max, x, axes, true));
  int64_t p = n.getInt("p", 2);
  if (p < 1)
    return n.fail("expected p of at least 1, found " + Twine(p));
  Value sum = b.reduce(ReduceKind::Sum, buildLpPower(b, b.widen(x), p), axes, true);
  return n.setResult(b.cast(buildLpRoot(b, sum, p), n.getElementType(0)));
}

void mlir::fuse::onnx::addPoolingOps(OpTable &table) {
  table.add("MaxPool", 1, 1, importMaxPool);
  table.add("AveragePool", 1, 1, importAveragePool);
  table.add("LpPool", 1, 1, importLpPool);
  table.add("GlobalAveragePool", 1, 1, [](Node &n) { return importGlobalPool(n, GlobalPool::Average); });
  table.add("GlobalMaxPool", 1, 1, [](Node &n) { return importGlobalPool(n, GlobalPool::Max); });
  table.add("GlobalLpPool", 1, 1, [](Node &n) { return importGlobalPool(n, GlobalPool::Lp); });
}
