//===- Window.cpp - Convolution and pooling -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Accumulate.h"
#include "Evaluator.h"
#include "fuse/IR/Shapes.h"
#include "fuse/Support/ScalarFunctions.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

namespace {

/// Strides and extents of a four-dimensional array by role instead of by position.
struct Image {
  int64_t batch, features, height, width;
  int64_t batchStride, featureStride, heightStride, widthStride;

  Image(ArrayRef<int64_t> shape, ConvLayout layout) {
    bool featuresLast = layout == ConvLayout::NhwcHwcf;
    int f = featuresLast ? 3 : 1, h = featuresLast ? 1 : 2, w = h + 1;
    int64_t strides[4] = {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
    batch = shape[0], features = shape[f], height = shape[h], width = shape[w];
    batchStride = strides[0], featureStride = strides[f];
    heightStride = strides[h], widthStride = strides[w];
  }
};

struct Window {
  int64_t kernel[2];
  ArrayRef<int64_t> strides, dilations, padding;

  template <typename OpT>
  Window(OpT op, ArrayRef<int64_t> kernel)
      : kernel{kernel[0], kernel[1]}, strides(op.getStrides()), dilations(op.getDilations()),
        padding(op.getPadding()) {}

  /// The result's extents; an error where the window does not fit.
  LogicalResult infer(Operation *op, const Image &input, int64_t extents[2]) const {
    int64_t sizes[2] = {input.height, input.width};
    for (int axis : {0, 1}) {
      extents[axis] = getWindowExtent(sizes[axis], kernel[axis], strides[axis], dilations[axis],
                                      padding[axis], padding[axis + 2]);
      if (extents[axis] < 1)
        return op->emitOpError() << "a window of " << kernel[axis] << " with dilation "
                                 << dilations[axis] << " does not fit in the padded extent "
                                 << sizes[axis] + padding[axis] + padding[axis + 2];
    }
    return success();
  }

  /// Calls body(kh, kw, offset) for each element of the window of (oh, ow) that is no padding,
  /// pad(kh, kw) for the others; `offset` is its place in a plane of the image.
  template <typename Body, typename Pad>
  void forEachTap(const Image &input, int64_t oh, int64_t ow, Body body, Pad pad) const {
    for (int64_t kh = 0; kh < kernel[0]; ++kh) {
      int64_t h = oh * strides[0] + kh * dilations[0] - padding[0];
      for (int64_t kw = 0; kw < kernel[1]; ++kw) {
        int64_t w = ow * strides[1] + kw * dilations[1] - padding[1];
        if (h >= 0 && h < input.height && w >= 0 && w < input.width)
          body(kh, kw, h * input.heightStride + w * input.widthStride);
        else
          pad(kh, kw);
      }
    }
  }
};

FailureOr<HostArray> createImage(Operation *op, ConvLayout layout, int64_t batch, int64_t features,
                                 const int64_t extents[2]) {
  if (layout == ConvLayout::NhwcHwcf)
    return createResult(op, {batch, extents[0], extents[1], features});
  return createResult(op, {batch, features, extents[0], extents[1]});
}

/// Calls body(n, f, oh, ow, position) for each element of an image.
template <typename Body> void forEachPixel(const Image &image, Body body) {
  for (int64_t n = 0; n < image.batch; ++n)
    for (int64_t f = 0; f < image.features; ++f)
      for (int64_t h = 0; h < image.height; ++h)
        for (int64_t w = 0; w < image.width; ++w)
          body(n, f, h, w,
               n * image.batchStride + f * image.featureStride + h * image.heightStride +
                   w * image.widthStride);
}

FailureOr<HostArray> evaluateConv(Conv2dOp op, ArrayRef<HostArray> operands) {
  const HostArray &inputArray = operands[0], &filterArray = operands[1];
  ConvLayout layout = op.getLayout();
  bool nchw = layout == ConvLayout::NchwFchw;
  Image input(inputArray.getShape(), layout);
  ArrayRef<int64_t> filter = filterArray.getShape();
  SmallVector<int64_t> taps = filterArray.getStrides();
  int64_t features = filter[nchw ? 0 : 3], channels = filter[nchw ? 1 : 2];
  int64_t featureTap = taps[nchw ? 0 : 3], channelTap = taps[nchw ? 1 : 2];
  int64_t heightTap = taps[nchw ? 2 : 0], widthTap = taps[nchw ? 3 : 1];
  int64_t groupFeatures = std::max<int64_t>(1, features / static_cast<int64_t>(op.getGroups()));
  Window window(op, {filter[nchw ? 2 : 0], filter[nchw ? 3 : 1]});
  int64_t extents[2];
  if (failed(window.infer(op, input, extents)))
    return failure();
  FailureOr<HostArray> result = createImage(op, layout, input.batch, features, extents);
  if (failed(result))
    return failure();

  withSumOf(inputArray.getElementType(), [&](auto kind) {
    using Kind = decltype(kind);
    auto values = loadAll<Kind>(inputArray), weights = loadAll<Kind>(filterArray);
    forEachPixel(Image(result->getShape(), layout), [&](int64_t n, int64_t f, int64_t oh,
                                                        int64_t ow, int64_t position) {
      typename Kind::Sum sum = op.getBias() ? Kind::load(operands[2], f) : 0;
      const auto *plane = values.data() + n * input.batchStride +
                          f / groupFeatures * channels * input.featureStride;
      const auto *filterPlane = weights.data() + f * featureTap;
      auto multiply = [&](int64_t kh, int64_t kw, int64_t offset) {
        const auto *x = plane + offset, *w = filterPlane + kh * heightTap + kw * widthTap;
        for (int64_t c = 0; c < channels; ++c)
          sum += typename Kind::Sum(x[c * input.featureStride]) * w[c * channelTap];
      };
      // Zeros like any other: times an infinite weight they are NaN.
      auto multiplyByZero = [&](int64_t kh, int64_t kw) {
        const auto *w = filterPlane + kh * heightTap + kw * widthTap;
        for (int64_t c = 0; c < channels; ++c)
          sum += typename Kind::Sum(0) * w[c * channelTap];
      };
      window.forEachTap(input, oh, ow, multiply, multiplyByZero);
      storeSum(*result, position, sum);
    });
  });
  return result;
}

template <typename PoolT, typename Reduce>
FailureOr<HostArray> evaluatePool(PoolT op, const HostArray &operand, Reduce reduce) {
  Image input(operand.getShape(), op.getLayout());
  Window window(op, op.getKernel());
  int64_t extents[2];
  if (failed(window.infer(op, input, extents)))
    return failure();
  FailureOr<HostArray> result =
      createImage(op, op.getLayout(), input.batch, input.features, extents);
  if (failed(result))
    return failure();
  forEachPixel(Image(result->getShape(), op.getLayout()), [&](int64_t n, int64_t f, int64_t oh,
                                                              int64_t ow, int64_t position) {
    int64_t plane = n * input.batchStride + f * input.featureStride;
    auto forEachElement = [&](auto body) {
      window.forEachTap(
          input, oh, ow,
          [&](int64_t, int64_t, int64_t offset) { body(operand.get(plane + offset)); },
          [](int64_t, int64_t) {});
    };
    result->set(position, reduce(forEachElement));
  });
  return result;
}

FailureOr<HostArray> evaluateMaxPool(MaxPool2dOp op, const HostArray &operand) {
  ElementType type = operand.getElementType();
  return evaluatePool(op, operand, [&](auto forEachElement) {
    ScalarReducer reducer(ReduceKind::Max, type);
    forEachElement([&](Scalar value) { reducer.add(value); });
    return reducer.getResult();
  });
}

FailureOr<HostArray> evaluateAvgPool(AvgPool2dOp op, const HostArray &operand) {
  ElementType type = operand.getElementType();
  int64_t size = op.getKernel()[0] * op.getKernel()[1];
  return evaluatePool(op, operand, [&](auto forEachElement) {
    long double sum = 0;
    int64_t count = 0;
    forEachElement([&](Scalar value) {
      sum += value.getFloat();
      ++count;
    });
    long double divisor = op.getCountIncludePad() ? size : count;
    return Scalar::fromFloat(type, roundComputed(type, sum / divisor));
  });
}

} // namespace

FailureOr<HostArray> interpreter::evaluateWindow(Operation *op, ArrayRef<HostArray> operands) {
  if (auto conv = dyn_cast<Conv2dOp>(op))
    return evaluateConv(conv, operands);
  if (auto pool = dyn_cast<MaxPool2dOp>(op))
    return evaluateMaxPool(pool, operands[0]);
  return evaluateAvgPool(cast<AvgPool2dOp>(op), operands[0]);
}
