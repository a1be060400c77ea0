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

/// Whether a convolution of images [N, C, H, W] is faster with their channels last on a CPU: vectors
/// run along its output channels then, of which there are enough. Images that kernels hand each
/// other are turned for it.
bool wantsChannelsLast(Conv2dOp op);

/// Whether it is so much faster that it turns what the function gives and takes, too.
bool needsChannelsLast(Conv2dOp op);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_CONVOLUTIONORDER_H
