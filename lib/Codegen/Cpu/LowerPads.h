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

/// Replaces a padding with a constant border, to a tensor of `sizes`, by the temporary `tile` of
/// that size, of which each rectangle is written in place. Gives what is in the tile then.
Value lowerPad(RewriterBase &rewriter, tensor::PadOp pad, ArrayRef<OpFoldResult> sizes, Value tile);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_LOWERPADS_H
