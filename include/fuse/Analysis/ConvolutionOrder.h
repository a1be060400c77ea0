//===- ConvolutionOrder.h - Whether a convolution turns its images -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Layouts are assigned once kernels are planned (fuse-assign-layouts), yet tiles and prices depend on
// them: what is decided of a convolution alone is decided here, for both.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_CONVOLUTIONORDER_H
#define FUSE_ANALYSIS_CONVOLUTIONORDER_H

#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// Convolutions with fewer output channels do not fill a vector with them.
constexpr int64_t kLeastChannels = 16;

/// Whether a convolution of images [N, C, H, W] is so much faster with their channels last that it
/// turns them itself: vectors run along its output channels then, on a CPU.
bool needsChannelsLast(Conv2dOp op);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_CONVOLUTIONORDER_H
