//===- Convolutions.cpp - Convolutions of one to three dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

FailureOr<Value> mlir::fuse::onnx::buildConvolution(Node &n) {
  FailureOr<Window> window = getConvolutionWindow(n, 1);
  if (failed(window))
    return failure();
  Value x = n.getInput(0);
  if (window->isSame) {
    FailureOr<Value> padded = padSame(n, x, *window, 0.0);
    if (failed(padded))
      return failure();
    x = *padded;
  }
  return convolve(n, x, n.getInput(1), n.hasInput(2) ? n.getInput(2) : Value(), *window, n.getInt("group", 1));
}

static LogicalResult importConv(Node &n) {
  FailureOr<Value> result = buildConvolution(n);
  return failed(result) ? failure() : n.setResult(*result);
}

static LogicalResult importConvTranspose(Node &n) {
  int64_t rank = n.getRank(0) - 2;
  if (rank < 1 || rank > 3 || n.getRank(1) != rank + 2 || ShapedType::isDynamic(n.getShape(0)[1]) ||
      !n.getType(1).hasStaticShape())
    return n.fail("expected batch, and channels and one to three spatial dimensions of static extents");
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

  SmallVector<AffineExpr> extents = n.getExtents(0);
  SmallVector<TransposedDimension> dimensions;
  for (int64_t i = 0; i < rank; ++i) {
    TransposedDimension d{extents[2 + i], v.kernel[i], strides[i], v.dilations[i], pads[i], AffineExpr()};
    AffineExpr full = d.extent * d.stride + (added[i] + d.getReach() - d.stride);
    int64_t after = pads[i + rank];
    if (!wanted.empty() || automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      auto over = dyn_cast<AffineConstantExpr>(simplifyExtent(full - (wanted.empty() ? d.extent * d.stride : n.getConstant(wanted[i]))));
      if (!over)
        return n.fail("expected an extent that is known before the model runs where output_shape says what becomes of it");
      int64_t total = over.getValue();
      // Too few elements are filled up behind, where that many are asked for.
      int64_t cut = std::max<int64_t>(0, total);
      d.before = automatic == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
      after = (wanted.empty() ? cut : total) - d.before;
    } else if (automatic == "VALID") {
      d.before = after = 0;
    }
    d.result = full - (d.before + after);
    if (auto number = dyn_cast<AffineConstantExpr>(d.result); number && number.getValue() < 1)
      return n.fail("nothing is left of spatial dimension " + Twine(i));
    dimensions.push_back(d);
  }
  if (n.hasInput(2) && n.getShape(2) != ArrayRef<int64_t>{filter[1] * groups})
    return n.fail("expected a bias of " + Twine(filter[1] * groups) + " elements, found rank " +
                  Twine(n.getRank(2)) +
                  (n.getRank(2) == 1 ? " of " + Twine(n.getShape(2)[0]) : Twine()));
  Value bias = n.hasInput(2) ? n.getInput(2) : Value();
  FailureOr<Value> y = convolveTransposed(n, n.getInput(0), n.getInput(1), bias, dimensions, groups);
  return failed(y) || n.hasFailed() ? failure() : n.setResult(*y);
}

void mlir::fuse::onnx::addConvolutionOps(OpTable &table) {
  table.add("Conv", 2, 3, importConv);
  table.add("ConvTranspose", 2, 3, importConvTranspose);
}
