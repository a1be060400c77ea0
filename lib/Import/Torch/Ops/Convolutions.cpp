//===- Convolutions.cpp - Convolutions -*- C++ -*-===//
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
struct Convolution {
  SmallVector<int64_t> stride, padding, dilation, outputPadding;
  int64_t groups = 1;
  bool isTransposed = false, isSame = false;
};
} // namespace

static FailureOr<Value> buildForward(Node &n, Value x, Value w, Value bias, const Convolution &c) {
  FuseBuilder &b = n.b;
  size_t rank = c.stride.size();
  ArrayRef<int64_t> filter = b.shapeOf(w);
  int64_t channels = b.shapeOf(x)[1];
  bool fits = c.groups >= 1 && filter[0] % c.groups == 0;
  if (fits && !ShapedType::isDynamic(channels))
    fits = channels % c.groups == 0 && channels / c.groups == filter[1];
  if (!fits)
    return n.fail("expected " + Twine(filter[1]) + " channels in each of " + Twine(c.groups) + " groups, found " +
                  describeExtent(channels) + " channels and " + Twine(filter[0]) + " filters");
  WindowSpec spec;
  spec.kernel.assign(filter.begin() + 2, filter.end());
  spec.strides = c.stride;
  spec.dilations = c.dilation;
  spec.low = spec.high = c.padding;
  if (c.isSame)
    for (size_t i = 0; i < rank; ++i) {
      int64_t total = c.dilation[i] * (spec.kernel[i] - 1);
      spec.low[i] = total / 2;
      spec.high[i] = total - total / 2;
    }
  FailureOr<Window> window = makeWindow(n, b.shapeOf(x), spec);
  if (failed(window))
    return failure();
  if (rank == 3 && failed(n.takeUnrolled(spec.kernel[0])))
    return failure();
  return convolve(n, x, w, bias, *window, c.groups);
}

static FailureOr<Value> buildTransposed(Node &n, Value x, Value w, Value bias, const Convolution &c) {
  FuseBuilder &b = n.b;
  ArrayRef<int64_t> filter = b.shapeOf(w);
  if (c.groups < 1 || filter[0] % c.groups != 0 || b.shapeOf(x)[1] != filter[0])
    return n.fail("expected as many filters as channels, and groups that divide them");
  SmallVector<AffineExpr> extents = n.getExtents(x);
  SmallVector<TransposedDimension> dimensions;
  int64_t taps = 0;
  for (size_t i = 0; i < c.stride.size(); ++i) {
    int64_t kernel = filter[2 + i];
    if (kernel < 1 || kernel > kMostWindow || c.stride[i] < 1 || c.dilation[i] < 1 || c.stride[i] > kMostSpread ||
        c.dilation[i] > kMostSpread || c.padding[i] < 0 || c.padding[i] > kMostWindow || c.outputPadding[i] < 0 ||
        c.outputPadding[i] > kMostSpread)
      return n.fail("expected kernels, strides and dilations of at least 1, and padding of at least 0");
    taps += kernel;
    TransposedDimension d{extents[2 + i], kernel, c.stride[i], c.dilation[i], c.padding[i], AffineExpr()};
    d.result = simplifyExtent(d.extent * d.stride + (c.outputPadding[i] + d.getReach() - d.stride - 2 * c.padding[i]));
    if (auto number = dyn_cast<AffineConstantExpr>(d.result); number && number.getValue() < 1)
      return n.fail("nothing is left of spatial dimension " + Twine(i));
    dimensions.push_back(d);
  }
  if (failed(n.takeListed(taps)) || (dimensions.size() == 3 && failed(n.takeUnrolled(filter[2]))))
    return failure();
  return convolveTransposed(n, x, w, bias, dimensions, c.groups);
}

/// `x` may lack the batch.
static LogicalResult importConvolution(Node &n, int64_t rank, bool isTransposed) {
  FuseBuilder &b = n.b;
  Value x = n.tensor("input"), w = n.tensor("weight"), bias = n.optional("bias");
  if (rank < 0)
    rank = b.rankOf(w) - 2;
  if (rank < 1 || rank > 3 || b.rankOf(w) != rank + 2 || !b.typeOf(w).hasStaticShape())
    return n.fail("expected a filter of rank 3 to 5 whose extents are known before the program runs");
  bool hasBatch = b.rankOf(x) == rank + 2;
  if (!hasBatch && b.rankOf(x) != rank + 1)
    return n.fail("expected an input of rank " + Twine(rank + 2) + " or " + Twine(rank + 1) + ", found " +
                  Twine(b.rankOf(x)));
  if (b.elementOf(x) != b.elementOf(w))
    return n.fail("expected operands of one type");
  if (!hasBatch)
    x = b.insertUnitDims(x, {0});
  // What is put together of several convolutions is rounded once.
  Type element = b.elementOf(x);
  if (rank == 3 || isTransposed || n.getBool("transposed", false)) {
    x = b.widen(x);
    w = b.widen(w);
    bias = bias ? b.widen(bias) : bias;
  }
  Convolution c;
  c.isTransposed = isTransposed || n.getBool("transposed", false);
  c.stride = n.getSpread("stride", rank, 1);
  c.dilation = n.getSpread("dilation", rank, 1);
  c.groups = n.getInt("groups", 1);
  c.outputPadding = n.getSpread("output_padding", rank, 0);
  if (StringRef(n.getOp()).ends_with(".padding")) {
    std::string padding = n.getString("padding", "valid");
    c.isSame = padding == "same";
    c.padding.assign(rank, 0);
    if (!c.isSame && padding != "valid")
      return n.fail("expected padding = same or valid, found '" + padding + "'");
  } else {
    c.padding = n.getSpread("padding", rank, 0);
  }
  if (n.hasFailed())
    return failure();
  int64_t filters = c.isTransposed ? b.shapeOf(w)[1] * c.groups : b.shapeOf(w)[0];
  if (bias && b.shapeOf(bias) != ArrayRef<int64_t>{filters})
    return n.fail("expected a bias of " + Twine(filters) + " elements");
  FailureOr<Value> y = c.isTransposed ? buildTransposed(n, x, w, bias, c) : buildForward(n, x, w, bias, c);
  if (failed(y))
    return failure();
  Value result = b.cast(*y, element);
  return n.setResult(hasBatch ? result : n.reshape(result, ArrayRef(n.getExtents(result)).drop_front()));
}

/// The gradient of a filter, of which the image was convolved to something of the gradient's shape.
static FailureOr<Value> buildFilterGradient(Node &n, Value x, Value dy, ArrayRef<int64_t> filter,
                                            const Convolution &c) {
  FuseBuilder &b = n.b;
  int64_t rank = static_cast<int64_t>(filter.size()) - 2;
  int64_t batch = b.shapeOf(x)[0], channels = b.shapeOf(x)[1] / c.groups;
  // The image is convolved with the gradient, batch and channels swapped: strides are dilations and the other way
  // around. Of groups, [N, G * C, …] becomes [C, G * N, …].
  SmallVector<int64_t> split{batch, c.groups, channels}, order{2, 1, 0}, joined{channels, c.groups * batch};
  for (int64_t i = 0; i < rank; ++i) {
    split.push_back(b.shapeOf(x)[2 + i]);
    joined.push_back(b.shapeOf(x)[2 + i]);
    order.push_back(3 + i);
  }
  Value image = b.reshape(b.transpose(b.reshape(x, split), order), joined);
  Convolution turned;
  turned.stride = c.dilation;
  turned.dilation = c.stride;
  turned.padding = c.padding;
  turned.groups = c.groups;
  FailureOr<Value> dw = buildForward(n, image, b.swap(dy, 0, 1), Value(), turned);
  if (failed(dw))
    return failure();
  for (int64_t i = 0; i < rank; ++i)
    *dw = b.slice(*dw, 2 + i, 0, filter[2 + i]);
  return b.swap(*dw, 0, 1);
}

/// The same where extents are open, and of volumes: a product of the gradient and the image's elements at each tap,
/// summed over batch and pixels.
static FailureOr<Value> buildFilterGradientByTaps(Node &n, Value x, Value dy, ArrayRef<int64_t> filter,
                                                  const Convolution &c) {
  FuseBuilder &b = n.b;
  auto rank = static_cast<int64_t>(c.stride.size());
  int64_t numTaps = ShapedType::getNumElements(filter.drop_front(2));
  if (failed(n.takeUnrolled(numTaps)))
    return failure();
  SmallVector<AffineExpr> made = n.getExtents(dy), extents = n.getExtents(x);
  n.assumeEqual(made[0], extents[0]);
  SmallVector<int64_t> padding(2, 0), toFront = {1, 0};
  llvm::append_range(padding, c.padding);
  llvm::append_range(toFront, llvm::seq<int64_t>(2, rank + 2));
  x = b.pad(b.transpose(x, toFront), padding, padding, 0.0);
  SmallVector<Value> taps;
  for (int64_t tap = 0; tap < numTaps; ++tap) {
    Value part = x;
    for (int64_t i = rank, rest = tap; i-- > 0; rest /= filter[2 + i]) {
      int64_t offset = rest % filter[2 + i] * c.dilation[i];
      part = b.slice(part, 2 + i, n.getSize(n.getConstant(offset)), n.getSize(made[2 + i]), c.stride[i]);
    }
    taps.push_back(b.insertUnitDims(part, {1}));
  }
  SmallVector<AffineExpr> summed = {made[0]};
  llvm::append_range(summed, ArrayRef(made).drop_front(2));
  AffineExpr groups = n.getConstant(c.groups), numPixels = n.getProduct(summed);
  AffineExpr perGroup = n.getConstant(b.shapeOf(x)[0] / c.groups * numTaps);
  AffineExpr filters = n.getConstant(b.shapeOf(dy)[1] / c.groups);
  Value columns = n.reshape(b.concat(taps, 1), {groups, perGroup, numPixels});
  Value rows = n.reshape(b.transpose(dy, toFront), {groups, filters, numPixels});
  return b.reshape(b.matmul(rows, columns, false, true), filter);
}

/// The gradients of a convolution. That of its operand is a transposed convolution; of a transposed one it is a
/// convolution, and the gradient and the operand change places in that of the filter.
static LogicalResult importBackward(Node &n) {
  FuseBuilder &b = n.b;
  Value dy = n.tensor("grad_output"), x = n.tensor("input"), w = n.tensor("weight");
  int64_t rank = b.rankOf(w) - 2;
  if (rank < 1 || rank > 3 || b.rankOf(x) != rank + 2 || b.rankOf(dy) != rank + 2 || !b.typeOf(w).hasStaticShape() ||
      ShapedType::isDynamic(b.shapeOf(x)[1]) || ShapedType::isDynamic(b.shapeOf(dy)[1]))
    return n.fail("expected up to three spatial dimensions, and filters whose extents are known before the program runs");
  Convolution c;
  c.stride = n.getSpread("stride", rank, 1);
  c.dilation = n.getSpread("dilation", rank, 1);
  c.padding = n.getSpread("padding", rank, 0);
  c.groups = n.getInt("groups", 1);
  c.isTransposed = n.getBool("transposed", false);
  if (n.hasFailed())
    return failure();
  if (c.groups < 1 || b.shapeOf(x)[1] % c.groups != 0 || b.shapeOf(dy)[1] % c.groups != 0)
    return n.fail("expected groups that divide the channels");
  bool isKnown = b.typeOf(x).hasStaticShape() && b.typeOf(dy).hasStaticShape();
  // What is put together of several convolutions is rounded once.
  Type element = b.elementOf(x), filterElement = b.elementOf(w);
  if (!isKnown || rank == 3 || c.isTransposed)
    for (Value *each : {&dy, &x, &w})
      *each = b.widen(*each);
  Node::Mask mask = n.getMask("output_mask", 3);
  SmallVector<AffineExpr> in = n.getExtents(x), out = n.getExtents(dy);
  ArrayRef<int64_t> filter = b.shapeOf(w);
  if (mask[0]) {
    Convolution back = c;
    back.outputPadding.assign(rank, 0);
    for (int64_t i = 0; i < rank && !c.isTransposed; ++i) {
      int64_t reach = c.dilation[i] * (filter[2 + i] - 1) + 1;
      AffineExpr made = (out[2 + i] - 1) * c.stride[i] + (reach - 2 * c.padding[i]);
      // Fewer elements than a stride lie behind the last window.
      auto behind = dyn_cast<AffineConstantExpr>(simplifyExtent(in[2 + i] - made));
      back.outputPadding[i] = behind ? behind.getValue() : c.stride[i] - 1;
    }
    FailureOr<Value> dx =
        c.isTransposed ? buildForward(n, dy, w, Value(), back) : buildTransposed(n, dy, w, Value(), back);
    if (failed(dx))
      return failure();
    SmallVector<AffineExpr> found = n.getExtents(*dx);
    for (int64_t i = 2; i < rank + 2; ++i)
      if (found[i] != in[i])
        *dx = b.slice(*dx, i, n.getSize(n.getConstant(0)), n.getSize(in[i]));
    n.setResult(0, b.cast(*dx, element));
  }
  if (mask[1]) {
    Value image = c.isTransposed ? dy : x, gradient = c.isTransposed ? x : dy;
    FailureOr<Value> dw = isKnown && rank < 3 ? buildFilterGradient(n, image, gradient, filter, c)
                                              : buildFilterGradientByTaps(n, image, gradient, filter, c);
    if (failed(dw))
      return failure();
    n.setResult(1, b.cast(*dw, filterElement));
  }
  if (mask[2]) {
    SmallVector<int64_t> axes = {0};
    llvm::append_range(axes, llvm::seq<int64_t>(2, rank + 2));
    n.setResult(2, b.cast(b.reduce(ReduceKind::Sum, dy, axes, false), filterElement));
  }
  return success();
}

void mlir::fuse::torch::addConvolutionOps(OpTable &table) {
  table.add("convolution.default", "input weight", [](Node &n) { return importConvolution(n, -1, false); });
  table.add("conv1d.default conv1d.padding", "input weight", [](Node &n) { return importConvolution(n, 1, false); });
  table.add("conv2d.default conv2d.padding", "input weight", [](Node &n) { return importConvolution(n, 2, false); });
  table.add("conv3d.default conv3d.padding", "input weight", [](Node &n) { return importConvolution(n, 3, false); });
  table.add("conv_transpose1d.default", "input weight", [](Node &n) { return importConvolution(n, 1, true); });
  table.add("conv_transpose2d.input", "input weight", [](Node &n) { return importConvolution(n, 2, true); });
  table.add("conv_transpose3d.input", "input weight", [](Node &n) { return importConvolution(n, 3, true); });
  table.add("convolution_backward.default", "grad_output input weight", importBackward);
}
