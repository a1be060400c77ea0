//===- Windows.cpp - What slides over the spatial dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

FailureOr<Window> mlir::fuse::importer::makeWindow(OpContext &n, ArrayRef<int64_t> shape, const WindowSpec &spec) {
  size_t rank = spec.kernel.size();
  if (shape.size() != rank + 2 || rank < 1 || rank > 3)
    return n.fail("expected batch, channels and one to three spatial dimensions, found rank " + Twine(shape.size()) +
                  " and a kernel of " + Twine(rank));
  if (spec.strides.size() != rank || spec.dilations.size() != rank || spec.low.size() != rank ||
      spec.high.size() != rank)
    return n.fail("expected " + Twine(rank) + " strides and dilations, and twice as many pads");
  Window window;
  window.kernel = spec.kernel;
  window.strides = spec.strides;
  window.dilations = spec.dilations;
  constexpr int64_t kMost = kMostWindow;
  for (size_t i = 0; i < rank; ++i)
    if (window.kernel[i] < 1 || window.strides[i] < 1 || window.dilations[i] < 1 || window.kernel[i] > kMost ||
        window.strides[i] > kMost || window.dilations[i] > kMost || spec.low[i] < 0 || spec.high[i] < 0 ||
        spec.low[i] > kMost || spec.high[i] > kMost)
      return n.fail("expected kernels, strides and dilations of at least 1, and pads of at least 0");
  window.low = spec.low;
  window.high = spec.high;
  window.extra.assign(rank, 0);
  ArrayRef<int64_t> extents = shape.drop_front(2);
  bool isSame = spec.autoPad != AutoPad::None, isLower = spec.autoPad == AutoPad::SameLower;
  for (size_t i = 0; i < rank; ++i) {
    if (ShapedType::isDynamic(extents[i])) {
      // The last window begins in the input, or before it, where it reaches over a stride and what pads behind.
      if (spec.roundsUp && window.high[i] + window.strides[i] > window.getReach(i))
        return n.fail("expected windows that reach over a stride and the padding behind, where extents are rounded up "
                      "that are not known before the model runs");
      if (spec.roundsUp)
        window.extra[i] = window.strides[i] - 1;
      window.isSame |= isSame;
      window.putsMoreInFront = isLower;
      continue;
    }
    int64_t reach = window.getReach(i), stride = window.strides[i];
    if (isSame) {
      int64_t count = (extents[i] + stride - 1) / stride;
      int64_t total = std::max<int64_t>(0, (count - 1) * stride + reach - extents[i]);
      window.low[i] = isLower ? total - total / 2 : total / 2;
      window.high[i] = total - window.low[i];
    }
    int64_t room = extents[i] + window.low[i] + window.high[i] - reach;
    if (spec.isCut && room < 0 && -room < stride) {
      window.extra[i] = -room;
      continue;
    }
    if (room < 0)
      return n.fail("a window that reaches " + Twine(reach) + " does not fit into " +
                    Twine(extents[i] + window.low[i] + window.high[i]) + " elements");
    if (spec.roundsUp && room % stride != 0) {
      int64_t count = (room + stride - 1) / stride + 1;
      // The last window begins in the input or in the padding before it.
      bool begins = (count - 1) * stride < extents[i] + window.low[i];
      if (begins)
        window.extra[i] = (count - 1) * stride - room;
    }
  }
  return window;
}

FailureOr<Value> mlir::fuse::importer::padSame(OpContext &n, Value x, Window &v, double value) {
  FuseBuilder &b = n.b;
  int64_t rank = b.rankOf(x);
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  struct Cut {
    int64_t axis;
    AffineExpr offset, size;
  };
  SmallVector<Cut> cuts; // what is too much for some extents
  for (size_t i = 0; i < v.rank(); ++i) {
    int64_t axis = 2 + static_cast<int64_t>(i), reach = v.getReach(i), stride = v.strides[i];
    if (!ShapedType::isDynamic(b.shapeOf(x)[axis])) {
      low[axis] = std::exchange(v.low[i], 0);
      high[axis] = std::exchange(v.high[i], 0);
      continue;
    }
    v.low[i] = v.high[i] = 0;
    if (reach == 1)
      continue;
    if (reach < stride)
      return n.fail("expected windows that reach over a stride, where an extent is not known before the model runs");
    // As much as any extent takes; what this extent does not is cut off.
    AffineExpr extent = n.getExtents(x)[axis];
    AffineExpr total = (extent.ceilDiv(stride) - 1) * stride + reach - extent;
    auto inFront = [&](AffineExpr all) { return v.putsMoreInFront ? all.ceilDiv(2) : all.floorDiv(2); };
    int64_t most = reach - 1;
    low[axis] = v.putsMoreInFront ? most - most / 2 : most / 2;
    high[axis] = most - most / 2;
    if (stride == 1)
      high[axis] = most - low[axis];
    else
      cuts.push_back({axis, n.getConstant(low[axis]) - inFront(total), extent + total});
  }
  x = b.pad(x, low, high, value);
  for (const Cut &cut : cuts)
    x = b.slice(x, cut.axis, n.getSize(cut.offset), n.getSize(cut.size));
  return x;
}
