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

static FailureOr<Window> getPoolWindow(Node &n, bool takesSame = false) {
  FailureOr<Window> window =
      getWindow(n, n.getInts("kernel_shape"), n.getInt("ceil_mode", 0) != 0,
                /*isCut=*/true);
  if (succeeded(window) && window->isSame && !takesSame)
    return n.fail("expected static spatial extents");
  return window;
}

/// A max pool whose indices are wanted, too.
static LogicalResult importMaxPoolWithIndices(Node &n, const Window &v) {
  FuseBuilder &b = n.b;
  if (!n.getType(0).hasStaticShape())
    return n.fail("indices need a static shape");
  SmallVector<int64_t> shape(n.getShape(0));
  // Places in row-major or, of the spatial dimensions, column-major order.
  bool columnsFirst = n.getInt("storage_order", 0);
  if (columnsFirst && failed(n.takeListed(n.getType(0).getNumElements())))
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
  Value index = columnsFirst
                    ? b.constant(places)
                    : b.iota({n.getType(0).getNumElements()}, 0, b.getBuilder().getI64Type());
  index = b.reshape(index, shape);
  auto pooled = poolMaxWithIndices(n, n.getInput(0), index, v);
  if (failed(pooled))
    return failure();
  n.setResult(0, pooled->first);
  n.setResult(1, pooled->second);
  return success();
}

static LogicalResult importMaxPool(Node &n) {
  FailureOr<Window> window = getPoolWindow(n, /*takesSame=*/true);
  if (failed(window))
    return failure();
  if (window->isSame && !n.wantsOutput(1) && isa<FloatType>(n.getElementType(0))) {
    FailureOr<Value> padded = padSame(n, n.getInput(0), *window, -std::numeric_limits<double>::infinity());
    return failed(padded) ? failure() : n.setResult(maxWindows(n, *padded, *window));
  }
  if (window->isSame)
    return n.fail("expected static spatial extents");
  if (n.wantsOutput(1))
    return importMaxPoolWithIndices(n, *window);
  return n.setResult(poolMax(n, n.getInput(0), *window));
}

static LogicalResult importAveragePool(Node &n) {
  FailureOr<Window> window = getPoolWindow(n, /*takesSame=*/true);
  if (failed(window))
    return failure();
  return n.setResult(poolAverage(n, n.getInput(0), *window, n.getInt("count_include_pad", 0)));
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
  Value mean = averageWindows(n, *powers, *window);
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
