//===- Windows.cpp - Attributes of operators that slide a window -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

FailureOr<Window> mlir::fuse::onnx::getWindow(Node &n, ArrayRef<int64_t> kernel, bool roundsUp,
                                              bool isCut) {
  size_t rank = kernel.size();
  SmallVector<int64_t> ones(rank, 1), zeros(2 * rank, 0);
  WindowSpec spec;
  spec.kernel.assign(kernel.begin(), kernel.end());
  spec.strides = n.getInts("strides", ones);
  spec.dilations = n.getInts("dilations", ones);
  spec.roundsUp = roundsUp;
  spec.isCut = isCut;
  SmallVector<int64_t> pads = n.getInts("pads", zeros);
  std::string automatic = n.getString("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER")
    spec.autoPad = automatic == "SAME_UPPER" ? AutoPad::SameUpper : AutoPad::SameLower;
  else if (automatic == "VALID")
    pads = zeros;
  else if (automatic != "NOTSET")
    return n.fail("expected auto_pad = NOTSET, VALID, SAME_UPPER or SAME_LOWER, found '" +
                  automatic + "'");
  if (pads.size() == 2 * rank) {
    spec.low.assign(pads.begin(), pads.begin() + rank);
    spec.high.assign(pads.begin() + rank, pads.end());
  }
  return makeWindow(n, n.getShape(0), spec);
}

FailureOr<Window> mlir::fuse::onnx::getConvolutionWindow(Node &n, size_t filterOperand) {
  if (n.getRank(filterOperand) < 3)
    return n.fail("expected a filter of rank 3 or more, found " + Twine(n.getRank(filterOperand)));
  if (!n.getType(filterOperand).hasStaticShape())
    return n.fail("expected a filter of static shape");
  ArrayRef<int64_t> filter = n.getShape(filterOperand);
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
  if (window->rank() == 3 && failed(n.takeUnrolled(kernel[0])))
    return failure();
  return window;
}

std::function<LogicalResult(Node &)>
mlir::fuse::onnx::withChannelsLast(std::function<LogicalResult(Node &)> import, std::function<bool(Node &)> isLast) {
  return [import = std::move(import), isLast = std::move(isLast)](Node &n) -> LogicalResult {
    if (isLast ? !isLast(n) : n.getInt("channels_last", 0) == 0)
      return import(n);
    int64_t rank = n.getRank(0);
    if (rank < 3)
      return n.fail("expected rank 3 or more, found " + Twine(rank));
    SmallVector<int64_t> toFront{0, rank - 1}, toBack{0};
    toFront.append(llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
    toBack.append(llvm::to_vector(llvm::seq<int64_t>(2, rank)));
    toBack.push_back(1);
    n.setInput(0, n.b.transpose(n.getInput(0), toFront));
    if (failed(import(n)) || n.hasFailed())
      return failure();
    return n.setResult(n.b.transpose(n.getResults().front().value, toBack));
  };
}
