//===- LowerPads.h - Padded tiles as rectangles -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_LOWERPADS_H
#define FUSE_LIB_CODEGEN_CPU_LOWERPADS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Replaces a padding with a constant border, to a tensor of `sizes`, by a temporary of which each rectangle is
/// written in place. No such temporary is larger than `largest` (see makeScratch).
Value lowerPad(RewriterBase &rewriter, tensor::PadOp pad, ArrayRef<OpFoldResult> sizes,
               ArrayRef<OpFoldResult> largest);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_LOWERPADS_H
