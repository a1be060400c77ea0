//===- Poolings.cpp - Pooling over one to three dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/Windows.h"
#include "../OpTable.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

namespace {
/// An operand with a batch, which is taken away from results where it had none.
struct Image {
  Value x;
  bool hasBatch;
};
} // namespace

static FailureOr<Image> getImage(Node &n, int64_t rank) {
  Value x = n.tensor("self");
  if (n.b.rankOf(x) == rank + 2)
    return Image{x, true};
  if (n.b.rankOf(x) != rank + 1)
    return n.fail("expected rank " + Twine(rank + 1) + " or " + Twine(rank + 2) + ", found " + Twine(n.b.rankOf(x)));
  return Image{n.b.insertUnitDims(x, {0}), false};
}

static Value dropBatch(Node &n, const Image &image, Value y) {
  return image.hasBatch ? y : n.reshape(y, ArrayRef(n.getExtents(y)).drop_front());
}

static FailureOr<Window> getWindow(Node &n, Value x, int64_t rank) {
  WindowSpec spec;
  spec.kernel = n.getSpread("kernel_size", rank, 1);
  spec.strides = n.getInts("stride").empty() ? spec.kernel : n.getSpread("stride", rank, 1);
  spec.dilations = n.getSpread("dilation", rank, 1);
  spec.low = spec.high = n.getSpread("padding", rank, 0);
  spec.roundsUp = spec.isCut = n.getBool("ceil_mode", false);
  if (n.hasFailed())
    return failure();
  return makeWindow(n, n.b.shapeOf(x), spec);
}

/// The places of an image's elements within their plane, [1, 1, ...].
static Value getPlaneIndex(Node &n, Value x) {
  FuseBuilder &b = n.b;
  SmallVector<AffineExpr> shape = n.getExtents(x);
  shape[0] = shape[1] = n.getConstant(1);
  return n.reshape(b.iota(n.getSizes({n.getProduct(shape)}), 0, b.getBuilder().getI64Type()), shape);
}

static LogicalResult importMaxPool(Node &n, int64_t rank) {
  FailureOr<Image> image = getImage(n, rank);
  if (failed(image))
    return failure();
  FailureOr<Window> window = getWindow(n, image->x, rank);
  if (failed(window))
    return failure();
  if (n.b.elementOf(image->x).isInteger(1))
    return n.fail("expected numbers, found bools");
  if (!n.wants(1))
    return n.setResult(dropBatch(n, *image, maxWindows(n, image->x, *window)));
  auto pooled = poolMaxWithIndices(n, image->x, getPlaneIndex(n, image->x), *window, /*findsNan=*/true);
  if (failed(pooled))
    return failure();
  n.setResult(0, dropBatch(n, *image, pooled->first));
  n.setResult(1, dropBatch(n, *image, pooled->second));
  return success();
}

static LogicalResult importAveragePool(Node &n, int64_t rank) {
  FailureOr<Image> image = getImage(n, rank);
  if (failed(image))
    return failure();
  FailureOr<Window> window = getWindow(n, image->x, rank);
  if (failed(window))
    return failure();
  if (!isa<FloatType>(n.b.elementOf(image->x)))
    return n.fail("expected floats");
  if (n.has("divisor_override")) {
    double count = 1, divisor = double(n.getInt("divisor_override", 1));
    for (int64_t extent : window->kernel)
      count *= double(extent);
    Value mean = averageWindows(n, image->x, *window);
    return n.hasFailed() ? failure() : n.setResult(dropBatch(n, *image, n.b.mul(mean, count / divisor)));
  }
  FailureOr<Value> mean = poolAverage(n, image->x, *window, n.getBool("count_include_pad", true));
  return failed(mean) ? failure() : n.setResult(dropBatch(n, *image, *mean));
}

/// The bins of an adaptive pool along one dimension.
static std::pair<int64_t, int64_t> getBin(int64_t i, int64_t extent, int64_t count) {
  return {i * extent / count, ((i + 1) * extent + count - 1) / count};
}

/// Along one dimension, whose bins differ: one product with a matrix of shares.
static FailureOr<Value> averageBins(Node &n, Value x, int64_t axis, int64_t count) {
  FuseBuilder &b = n.b;
  int64_t extent = b.shapeOf(x)[axis], rank = b.rankOf(x);
  if (count > kMostFolded || extent > kMostFolded || failed(n.takeListed(extent * count)))
    return n.fail("expected fewer bins");
  HostArray shares(*toElementType(b.elementOf(x)), {extent, count});
  for (int64_t i = 0; i < count; ++i) {
    auto [begin, end] = getBin(i, extent, count);
    for (int64_t at = begin; at < end; ++at)
      shares.setFloat(at * count + i, 1.0 / double(end - begin));
  }
  Value moved = b.swap(x, axis, rank - 1);
  return b.swap(b.matmul(moved, b.constant(shares)), axis, rank - 1);
}

static LogicalResult importAdaptive(Node &n, int64_t rank, bool isMax) {
  FuseBuilder &b = n.b;
  FailureOr<Image> image = getImage(n, rank);
  if (failed(image))
    return failure();
  SmallVector<int64_t> size = n.getSpread("output_size", rank, 1);
  Value x = image->x;
  if (n.hasFailed())
    return failure();
  if (!isMax && !isa<FloatType>(b.elementOf(x)))
    return n.fail("expected floats");
  bool isWhole = llvm::all_of(size, [](int64_t each) { return each == 1; }), isEven = true;
  Window window;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t extent = b.shapeOf(x)[2 + i];
    if (size[i] < 0 || (!isWhole && ShapedType::isDynamic(extent)))
      return n.fail("expected extents that are known before the program runs");
    if (isWhole)
      continue;
    isEven &= size[i] > 0 && extent % size[i] == 0;
    int64_t step = isEven ? extent / size[i] : 1;
    window.kernel.push_back(step);
    window.strides.push_back(step);
  }
  window.dilations.assign(rank, 1);
  window.low = window.high = window.extra = SmallVector<int64_t>(rank, 0);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, rank + 2));
  if (isMax && n.wants(1)) {
    if (isWhole) {
      window.kernel.assign(b.shapeOf(x).begin() + 2, b.shapeOf(x).end());
      window.strides = window.kernel;
      isEven = !ShapedType::isDynamicShape(b.shapeOf(x).drop_front(2));
    }
    if (!isEven)
      return n.fail("indices need an output_size that divides the extents");
    auto pooled = poolMaxWithIndices(n, x, getPlaneIndex(n, x), window, /*findsNan=*/true);
    if (failed(pooled))
      return failure();
    n.setResult(0, dropBatch(n, *image, pooled->first));
    n.setResult(1, dropBatch(n, *image, pooled->second));
    return success();
  }
  if (isWhole) {
    x = b.reduce(isMax ? ReduceKind::Max : ReduceKind::Mean, x, axes, true);
  } else if (isEven) {
    x = isMax ? maxWindows(n, x, window) : averageWindows(n, x, window);
  } else {
    for (int64_t i = 0; i < rank; ++i) {
      if (size[i] == b.shapeOf(x)[2 + i])
        continue;
      if (!isMax) {
        FailureOr<Value> averaged = averageBins(n, x, 2 + i, size[i]);
        if (failed(averaged))
          return failure();
        x = *averaged;
        continue;
      }
      if (failed(n.takeUnrolled(size[i])))
        return failure();
      SmallVector<Value> bins;
      for (int64_t k = 0; k < size[i]; ++k) {
        auto [begin, end] = getBin(k, b.shapeOf(x)[2 + i], size[i]);
        bins.push_back(b.reduce(ReduceKind::Max, b.slice(x, 2 + i, begin, end - begin), {2 + i}, true));
      }
      if (bins.empty())
        return n.fail("expected an output_size of at least 1");
      x = b.concat(bins, 2 + i);
    }
  }
  return n.setResult(dropBatch(n, *image, x));
}

void mlir::fuse::torch::addPoolingOps(OpTable &table) {
  for (int64_t rank = 1; rank <= 3; ++rank) {
    std::string dims = std::to_string(rank) + "d";
    table.add("max_pool" + dims + ".default max_pool" + dims + "_with_indices.default", "self",
              [rank](Node &n) { return importMaxPool(n, rank); });
    table.add("avg_pool" + dims + ".default", "self", [rank](Node &n) { return importAveragePool(n, rank); });
    table.add("adaptive_avg_pool" + dims + ".default" + (rank > 1 ? " _adaptive_avg_pool" + dims + ".default" : ""),
              "self", [rank](Node &n) { return importAdaptive(n, rank, false); });
    table.add("adaptive_max_pool" + dims + ".default", "self",
              [rank](Node &n) { return importAdaptive(n, rank, true); });
  }
}
