//===- Convolutions.cpp - Convolutions of one to three dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static Value buildConv2d(FuseBuilder &b, Value x, Value w, Value bias, const Window &v,
                         int64_t groups) {
  ArrayRef<int64_t> in = b.shapeOf(x), filter = b.shapeOf(w);
  SmallVector<int64_t> shape{in[0], filter[0]};
  for (size_t i = 0; i < 2; ++i)
    shape.push_back(ShapedType::isDynamic(in[i + 2])
                        ? ShapedType::kDynamic
                        : (in[i + 2] + v.low[i] + v.high[i] - v.getReach(i)) / v.strides[i] + 1);
  int64_t padding[] = {v.low[0], v.low[1], v.high[0], v.high[1]};
  return Conv2dOp::create(b.getBuilder(), b.makeType(shape, b.elementOf(x)), x, w, bias, v.strides,
                          v.dilations, padding, groups, ConvLayout::NchwFchw);
}

/// The window without its first dimension.
static Window dropFirst(const Window &v) {
  Window rest = v;
  for (auto *list : {&rest.kernel, &rest.strides, &rest.dilations, &rest.low, &rest.high, &rest.extra})
    list->erase(list->begin());
  return rest;
}

/// Convolution of any spatial rank up to 3: lines are images of one row, and volumes are sums over
/// the taps of their depth.
static Value convolve(FuseBuilder &b, Value x, Value w, Value bias, const Window &v,
                      int64_t groups) {
  SmallVector<int64_t> in(b.shapeOf(x)), filter(b.shapeOf(w));
  if (v.rank() == 2)
    return buildConv2d(b, x, w, bias, v, groups);
  if (v.rank() == 1) {
    Window flat = v;
    for (auto *list : {&flat.kernel, &flat.strides, &flat.dilations})
      list->insert(list->begin(), 1);
    for (auto *list : {&flat.low, &flat.high, &flat.extra})
      list->insert(list->begin(), 0);
    Value image = b.reshape(x, {in[0], in[1], 1, in[2]});
    Value y = buildConv2d(b, image, b.reshape(w, {filter[0], filter[1], 1, filter[2]}), bias, flat,
                          groups);
    ArrayRef<int64_t> out = b.shapeOf(y);
    return b.reshape(y, {out[0], out[1], out[3]});
  }
  SmallVector<int64_t> low(5, 0), high(5, 0);
  low[2] = v.low[0];
  high[2] = v.high[0];
  Value padded = b.pad(x, low, high, 0.0);
  if (b.hasFailed())
    return x;
  int64_t depth = (in[2] + v.low[0] + v.high[0] - v.getReach(0)) / v.strides[0] + 1;
  Window plane = dropFirst(v);
  Value sum;
  for (int64_t tap = 0; tap < v.kernel[0]; ++tap) {
    Value part = b.slice(padded, 2, tap * v.dilations[0], depth, v.strides[0]);
    part = b.reshape(b.transpose(part, {0, 2, 1, 3, 4}), {in[0] * depth, in[1], in[3], in[4]});
    Value taps = b.reshape(b.slice(w, 2, tap, 1), {filter[0], filter[1], filter[3], filter[4]});
    Value y = buildConv2d(b, part, taps, tap == 0 ? bias : Value(), plane, groups);
    sum = sum ? b.add(sum, y) : y;
  }
  SmallVector<int64_t> out(b.shapeOf(sum));
  sum = b.reshape(sum, {in[0], depth, out[1], out[2], out[3]});
  return b.transpose(sum, {0, 2, 1, 3, 4});
}

static LogicalResult importConv(Node &n) {
  if (n.getRank(1) < 3)
    return n.fail("expected a filter of rank 3 or more, found " + Twine(n.getRank(1)));
  if (!n.getType(1).hasStaticShape())
    return n.fail("expected a filter of static shape");
  ArrayRef<int64_t> filter = n.getShape(1);
  SmallVector<int64_t> kernel = n.getInts("kernel_shape", filter.drop_front(2));
  if (ArrayRef<int64_t>(kernel) != filter.drop_front(2))
    return n.fail("expected the filter's extents as kernel_shape");
  FailureOr<Window> window = getWindow(n, kernel);
  if (failed(window))
    return failure();
  int64_t groups = n.getInt("group", 1);
  int64_t channels = n.getShape(0)[1];
  bool fits = groups >= 1 && filter[0] % groups == 0;
  if (fits && !ShapedType::isDynamic(channels))
    fits = channels % groups == 0 && channels / groups == filter[1];
  if (!fits)
    return n.fail("expected " + Twine(filter[1]) + " channels in each of " + Twine(groups) +
                  " groups, found " + Twine(channels) + " channels and " + Twine(filter[0]) +
                  " filters");
  if (window->rank() == 3 && !n.getType(0).hasStaticShape())
    return n.fail("expected a static shape");
  if (window->rank() == 3 && failed(n.takeUnrolled(kernel[0])))
    return failure();
  return n.setResult(convolve(n.b, n.getInput(0), n.getInput(1),
                              n.hasInput(2) ? n.getInput(2) : Value(), *window, groups));
}

/// Zeros between the elements of a dimension.
static Value spread(FuseBuilder &b, Value x, int64_t axis, int64_t stride) {
  int64_t extent = b.shapeOf(x)[axis];
  if (stride == 1 || extent == 0)
    return x;
  SmallVector<int64_t> shape(b.shapeOf(x)), split(shape);
  split.insert(split.begin() + axis + 1, 1);
  SmallVector<int64_t> low(split.size(), 0), high(split.size(), 0);
  high[axis + 1] = stride - 1;
  Value wide = b.pad(b.reshape(x, split), low, high, 0.0);
  shape[axis] = extent * stride;
  return b.slice(b.reshape(wide, shape), axis, 0, (extent - 1) * stride + 1);
}

static Value reverse(FuseBuilder &b, Value x, int64_t axis) {
  SmallVector<int64_t> indices;
  for (int64_t i = b.shapeOf(x)[axis]; i-- > 0;)
    indices.push_back(i);
  return indices.size() > 1 ? b.gather(x, indices, axis) : x;
}

/// As a convolution of the operand with zeros between its elements, with the filter turned around.
static LogicalResult importConvTranspose(Node &n) {
  FuseBuilder &b = n.b;
  int64_t rank = n.getRank(0) - 2;
  if (rank < 1 || rank > 3 || n.getRank(1) != rank + 2 || !n.getType(0).hasStaticShape() ||
      !n.getType(1).hasStaticShape())
    return n.fail("expected batch, channels and one to three spatial dimensions of static extents");
  SmallVector<int64_t> filter(n.getShape(1)), ones(rank, 1), zeros(2 * rank, 0);
  ArrayRef<int64_t> in = n.getShape(0);
  Window v;
  v.kernel = n.getInts("kernel_shape", ArrayRef(filter).drop_front(2));
  SmallVector<int64_t> strides = n.getInts("strides", ones);
  v.dilations = n.getInts("dilations", ones);
  v.strides = ones;
  SmallVector<int64_t> pads = n.getInts("pads", zeros), added = n.getInts("output_padding", ArrayRef(zeros).take_front(rank));
  SmallVector<int64_t> wanted = n.getInts("output_shape");
  std::string automatic = n.getString("auto_pad", "NOTSET");
  int64_t groups = n.getInt("group", 1);
  if (wanted.size() == size_t(rank) + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (ArrayRef<int64_t>(v.kernel) != ArrayRef(filter).drop_front(2) || strides.size() != size_t(rank) ||
      v.dilations.size() != size_t(rank) || pads.size() != size_t(2 * rank) ||
      added.size() != size_t(rank) || (!wanted.empty() && wanted.size() != size_t(rank)))
    return n.fail("expected " + Twine(rank) + " entries in each list, and twice as many pads");
  if (groups < 1 || groups > std::max<int64_t>(in[1], 1) || in[1] % groups != 0 ||
      filter[0] != in[1])
    return n.fail("expected as many filters as channels, and groups that divide them");
  int64_t taps = 0;
  for (int64_t i = 0; i < rank; ++i) {
    taps += std::min(v.kernel[i], kMostWindow);
    if (strides[i] < 1 || v.dilations[i] < 1 || v.kernel[i] < 1 || strides[i] > kMostSpread ||
        v.dilations[i] > kMostSpread || v.kernel[i] > kMostWindow)
      return n.fail("expected kernels, strides and dilations of at least 1");
    if (std::max(pads[i], pads[i + rank]) > kMostWindow || std::min(pads[i], pads[i + rank]) < 0 ||
        added[i] < 0 || added[i] > kMostWindow ||
        (!wanted.empty() && (wanted[i] < 1 || wanted[i] > kMostBytes)))
      return n.fail("expected pads of at least 0 and an output_shape of at least 1");
  }
  if (failed(n.takeListed(taps)) || (rank == 3 && failed(n.takeUnrolled(v.kernel[0]))))
    return failure();

  Value x = n.getInput(0), w = n.getInput(1);
  // Filters of each group by output channel: [C, F/g, …] → [F, C/g, …].
  SmallVector<int64_t> split(filter), order{0, 2, 1};
  split[0] = in[1] / groups;
  split.insert(split.begin(), groups);
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(3 + i);
  w = b.transpose(b.reshape(w, split), order);
  SmallVector<int64_t> turned{groups * filter[1], in[1] / groups};
  llvm::append_range(turned, v.kernel);
  w = b.reshape(w, turned);
  SmallVector<int64_t> low(rank + 2, 0), high(rank + 2, 0);
  for (int64_t i = 0; i < rank; ++i) {
    x = spread(b, x, 2 + i, strides[i]);
    w = reverse(b, w, 2 + i);
    int64_t full = strides[i] * (in[2 + i] - 1) + added[i] + v.getReach(i);
    int64_t before = pads[i], after = pads[i + rank];
    if (!wanted.empty() || automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      int64_t total = full - (wanted.empty() ? in[2 + i] * strides[i] : wanted[i]);
      // Too few elements are filled up behind, where that many are asked for.
      int64_t cut = std::max<int64_t>(0, total);
      before = automatic == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
      after = (wanted.empty() ? cut : total) - before;
    } else if (automatic == "VALID") {
      before = after = 0;
    }
    if (full - before - after < 1)
      return n.fail("nothing is left of spatial dimension " + Twine(i));
    low[2 + i] = v.getReach(i) - 1 - before;
    high[2 + i] = v.getReach(i) - 1 - after + added[i];
  }
  v.low = v.high = v.extra = SmallVector<int64_t>(rank, 0);
  x = b.pad(x, low, high, 0.0);
  if (n.hasFailed())
    return failure();
  return n.setResult(convolve(b, x, w,
                              n.hasInput(2) ? n.getInput(2) : Value(), v, groups));
}

void mlir::fuse::onnx::addConvolutionOps(OpTable &table) {
  table.add("Conv", 2, 3, importConv);
  table.add("ConvTranspose", 2, 3, importConvTranspose);
}
