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
using namespace mlir::fuse::importer;

/// The element type of the result.
static Type getResultElement(FuseBuilder &b, Value x, const Window &v) {
  return v.keepsSums ? Type(b.getBuilder().getI32Type()) : b.elementOf(x);
}

static Value buildConv2d(FuseBuilder &b, Value x, Value w, Value bias, const Window &v, int64_t groups) {
  ArrayRef<int64_t> in = b.shapeOf(x), filter = b.shapeOf(w);
  SmallVector<int64_t> shape{in[0], filter[0]};
  for (size_t i = 0; i < 2; ++i)
    shape.push_back(ShapedType::isDynamic(in[i + 2])
                        ? ShapedType::kDynamic
                        : (in[i + 2] + v.low[i] + v.high[i] - v.getReach(i)) / v.strides[i] + 1);
  int64_t padding[] = {v.low[0], v.low[1], v.high[0], v.high[1]};
  return Conv2dOp::create(b.getBuilder(), b.makeType(shape, getResultElement(b, x, v)), x, w, bias, v.strides, v.dilations,
                          padding, groups, ConvLayout::NchwFchw);
}

/// The window without its first dimension.
static Window dropFirst(const Window &v) {
  Window rest = v;
  for (auto *list : {&rest.kernel, &rest.strides, &rest.dilations, &rest.low, &rest.high, &rest.extra})
    list->erase(list->begin());
  return rest;
}

/// Takes the taps at a window's ends away that meet nothing but padding, whatever the pixel: of a filter of 3 x 3 with
/// dilation 24 over 14 x 14 pixels, padded by 24, only the tap in the middle is left.
static Value dropPaddedTaps(FuseBuilder &b, ArrayRef<int64_t> in, Value w, Window &v) {
  for (size_t i = 0; i < v.rank(); ++i) {
    int64_t extent = in[i + 2], dilation = v.dilations[i], first = 0;
    if (ShapedType::isDynamic(extent))
      continue;
    int64_t last = (extent + v.low[i] + v.high[i] - v.getReach(i)) / v.strides[i] * v.strides[i];
    int64_t all = v.kernel[i];
    // The first tap reads from −low to −low + last; the last one begins dilation · (kernel − 1) behind.
    if (last < v.low[i])
      first = std::min(
          {v.kernel[i] - 1, v.low[i] / dilation, static_cast<int64_t>(llvm::divideCeil(v.low[i] - last, dilation))});
    v.low[i] -= first * dilation;
    v.kernel[i] -= first;
    int64_t inside = llvm::divideCeil(extent + v.low[i], dilation);
    int64_t behind = std::min({v.kernel[i] - 1, v.high[i] / dilation, std::max<int64_t>(0, v.kernel[i] - inside)});
    v.high[i] -= behind * dilation;
    v.kernel[i] -= behind;
    if (v.kernel[i] < all)
      w = b.slice(w, i + 2, first, v.kernel[i]);
  }
  return w;
}

namespace {
/// Neighboring pixels along one dimension whose windows meet the image with the same taps.
struct TapRange {
  int64_t firstPixel, numPixels, firstTap, numTaps;
};
} // namespace

/// Pixels or taps along one dimension that are looked at one by one.
static constexpr int64_t kMostCounted = 65536;

/// The pixels along dimension `i`, by their taps; none where a window lies in the padding as a whole, or
/// where there are too many.
static SmallVector<TapRange> groupByTaps(int64_t extent, const Window &v, size_t i) {
  SmallVector<TapRange> ranges;
  int64_t pixels = (extent + v.low[i] + v.high[i] - v.getReach(i)) / v.strides[i] + 1;
  if (pixels > kMostCounted)
    return {};
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    int64_t start = pixel * v.strides[i] - v.low[i];
    int64_t first = start < 0 ? llvm::divideCeil(-start, v.dilations[i]) : 0;
    int64_t end = start < extent ? (extent - 1 - start) / v.dilations[i] + 1 : 0;
    end = std::min(end, v.kernel[i]);
    if (first >= end)
      return {};
    if (ranges.empty() || ranges.back().firstTap != first || ranges.back().numTaps != end - first)
      ranges.push_back({pixel, 0, first, end - first});
    ++ranges.back().numPixels;
  }
  return ranges;
}

/// Products of a part of the image, or of all of it. Few pixels take as long as so many do, since each
/// vector of weights is loaded for them.
static int64_t countProducts(int64_t pixels, int64_t taps) {
  constexpr int64_t kLeastPixels = 8;
  return std::max(pixels, kLeastPixels) * taps;
}

/// A convolution of which a large part would multiply padding, in parts of the image that have the
/// taps that meet it alone: with a filter of 3 x 3, dilation 12 and padding 12, over 28 x 28 pixels,
/// half of all products; nine parts. Null if it is better off as one.
static Value convolveByTaps(FuseBuilder &b, Value x, Value w, Value bias, const Window &v, int64_t groups) {
  // What parts cost beside their products: their rows are shorter, and they are put together.
  constexpr double kMostUsed = 0.75;
  constexpr size_t kMostRanges = 5;
  SmallVector<SmallVector<TapRange>> ranges;
  int64_t pixels = 1;
  for (size_t i = 0; i < 2; ++i) {
    int64_t extent = b.shapeOf(x)[i + 2];
    if (ShapedType::isDynamic(extent))
      return {};
    ranges.push_back(groupByTaps(extent, v, i));
    if (ranges.back().empty() || ranges.back().size() > kMostRanges)
      return {};
    pixels *= ranges.back().back().firstPixel + ranges.back().back().numPixels;
  }
  int64_t used = 0;
  for (const TapRange &row : ranges[0])
    for (const TapRange &column : ranges[1])
      used += countProducts(row.numPixels * column.numPixels, row.numTaps * column.numTaps);
  if (double(used) > kMostUsed * double(countProducts(pixels, v.kernel[0] * v.kernel[1])))
    return {};
  /// The part of x, of w and of the window along dimension `i`.
  auto cut = [&](const TapRange &range, size_t i, Value &image, Value &filter, Window &window) {
    window.low[i] = window.high[i] = window.extra[i] = 0;
    window.kernel[i] = range.numTaps;
    int64_t first = range.firstPixel * v.strides[i] - v.low[i] + range.firstTap * v.dilations[i];
    int64_t extent = (range.numPixels - 1) * v.strides[i] + window.getReach(i);
    image = b.slice(image, i + 2, first, extent);
    filter = b.slice(filter, i + 2, range.firstTap, range.numTaps);
  };
  SmallVector<Value> rows;
  for (const TapRange &row : ranges[0]) {
    SmallVector<Value> parts;
    for (const TapRange &column : ranges[1]) {
      Window part = v;
      Value image = x, filter = w;
      cut(row, 0, image, filter, part);
      cut(column, 1, image, filter, part);
      parts.push_back(buildConv2d(b, image, filter, bias, part, groups));
    }
    rows.push_back(parts.size() == 1 ? parts.front() : b.concat(parts, 3));
  }
  return rows.size() == 1 ? rows.front() : b.concat(rows, 2);
}

/// Whether any tap of any pixel along dimension `i` meets the image.
static bool meetsImage(int64_t extent, const Window &v, size_t i) {
  if (ShapedType::isDynamic(extent) || v.kernel[i] > kMostCounted)
    return true;
  int64_t pixels = (extent + v.low[i] + v.high[i] - v.getReach(i)) / v.strides[i] + 1;
  for (int64_t tap = 0; tap < v.kernel[i]; ++tap) {
    int64_t start = tap * v.dilations[i] - v.low[i];
    int64_t pixel = start < 0 ? llvm::divideCeil(-start, v.strides[i]) : 0;
    if (pixel < pixels && start + pixel * v.strides[i] < extent)
      return true;
  }
  return false;
}

/// What a convolution that sees nothing but padding gives: the bias.
static Value convolvePadding(FuseBuilder &b, Value x, Value w, Value bias, const Window &v) {
  SmallVector<int64_t> shape{b.shapeOf(x)[0], b.shapeOf(w)[0]};
  for (size_t i = 0; i < 2; ++i)
    shape.push_back((b.shapeOf(x)[i + 2] + v.low[i] + v.high[i] - v.getReach(i)) / v.strides[i] + 1);
  Value zeros = b.splat(0, b.makeType(shape, getResultElement(b, x, v)));
  return bias ? b.add(zeros, b.reshape(bias, {b.shapeOf(bias)[0], 1, 1})) : zeros;
}

/// Groups with so many channels each are convolutions of their own: their columns fill vectors, and
/// their weights are packed.
static constexpr int64_t kLeastGroupFilters = 64, kLeastGroupChannels = 32;

static Value convolveImage(FuseBuilder &b, Value x, Value w, Value bias, const Window &v, int64_t groups) {
  ArrayRef<int64_t> filter = b.shapeOf(w);
  int64_t filters = filter[0] / groups, channels = filter[1];
  if (groups > 1 && filters >= kLeastGroupFilters && channels >= kLeastGroupChannels) {
    SmallVector<Value> parts;
    for (int64_t group = 0; group < groups; ++group)
      parts.push_back(convolveImage(b, b.slice(x, 1, group * channels, channels),
                                    b.slice(w, 0, group * filters, filters),
                                    bias ? b.slice(bias, 0, group * filters, filters) : Value(), v,
                                    /*groups=*/1));
    return b.concat(parts, 1);
  }
  ArrayRef<int64_t> image = b.shapeOf(x);
  if (!ShapedType::isDynamicShape(image) && !(meetsImage(image[2], v, 0) && meetsImage(image[3], v, 1)))
    return convolvePadding(b, x, w, bias, v);
  Value parts = convolveByTaps(b, x, w, bias, v, groups);
  return parts ? parts : buildConv2d(b, x, w, bias, v, groups);
}

/// A volume is a sum over the taps of its depth, each a convolution of images: batch and depth together are one batch of these.
static Value convolveVolume(OpContext &n, Value x, Value w, Value bias, const Window &v, int64_t groups) {
  FuseBuilder &b = n.b;
  SmallVector<int64_t> filter(b.shapeOf(w)), low(5, 0), high(5, 0);
  SmallVector<AffineExpr> in = n.getExtents(x);
  AffineExpr depth = simplifyExtent((in[2] + (v.low[0] + v.high[0] - v.getReach(0))).floorDiv(v.strides[0]) + 1);
  low[2] = v.low[0];
  high[2] = v.high[0];
  x = b.pad(x, low, high, 0.0);
  if (b.hasFailed())
    return x;
  Window plane = dropFirst(v);
  Value sum;
  for (int64_t tap = 0; tap < v.kernel[0]; ++tap) {
    Value part = b.slice(x, 2, n.getSize(n.getConstant(tap * v.dilations[0])), n.getSize(depth), v.strides[0]);
    part = n.reshape(b.transpose(part, {0, 2, 1, 3, 4}), {n.getProduct({in[0], depth}), in[1], in[3], in[4]});
    Value taps = b.reshape(b.slice(w, 2, tap, 1), {filter[0], filter[1], filter[3], filter[4]});
    Value y = convolveImage(b, part, taps, tap == 0 ? bias : Value(), plane, groups);
    sum = sum ? b.add(sum, y) : y;
  }
  SmallVector<AffineExpr> out = n.getExtents(sum);
  return b.transpose(n.reshape(sum, {in[0], depth, out[1], out[2], out[3]}), {0, 2, 1, 3, 4});
}

Value mlir::fuse::importer::convolve(OpContext &n, Value x, Value w, Value bias, const Window &window,
                                     int64_t groups) {
  FuseBuilder &b = n.b;
  SmallVector<int64_t> in(b.shapeOf(x));
  Window v = window;
  w = dropPaddedTaps(b, in, w, v);
  SmallVector<int64_t> filter(b.shapeOf(w));
  if (v.rank() == 2)
    return convolveImage(b, x, w, bias, v, groups);
  if (v.rank() == 1) {
    Window flat = v;
    for (auto *list : {&flat.kernel, &flat.strides, &flat.dilations})
      list->insert(list->begin(), 1);
    for (auto *list : {&flat.low, &flat.high, &flat.extra})
      list->insert(list->begin(), 0);
    Value image = b.reshape(x, {in[0], in[1], 1, in[2]});
    Value y = convolveImage(b, image, b.reshape(w, {filter[0], filter[1], 1, filter[2]}), bias, flat, groups);
    ArrayRef<int64_t> out = b.shapeOf(y);
    return b.reshape(y, {out[0], out[1], out[3]});
  }
  return convolveVolume(n, x, w, bias, v, groups);
}
