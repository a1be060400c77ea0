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
