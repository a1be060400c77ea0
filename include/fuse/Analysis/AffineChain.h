//===- AffineChain.h - Scale and shift of each channel, however it is written -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_AFFINECHAIN_H
#define FUSE_ANALYSIS_AFFINECHAIN_H

#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// One step from y to f(y), where f scales or shifts each channel.
struct AffineStep {
  /// y + v, y − v, v − y, y · v, y / v; BatchNorm is the composite; Cast is from float to float.
  enum class Kind { Add, Sub, SubFrom, Mul, Div, BatchNorm, Cast };
  Kind kind;
  Operation *op;
  Value other; ///< v, which varies along the channels at most; null for BatchNorm and Cast
  /// Whether v varies along the channels (not one number for all of them).
  bool isPerChannel = false;
  int64_t channel; ///< the channels' dimension in the step's result
};

/// A batch norm on known statistics is, whatever its spelling, such a chain.
struct AffineChain {
  SmallVector<AffineStep> steps;
  Value result;        ///< of the last step, the start where there is none
  int64_t channel = 0; ///< the channels' dimension in `result`

  /// Whether the chain both scales and shifts, and does it for each channel.
  bool isBatchNorm() const;
};

/// Follows the one reader of `start`, whose channels are dimension `channel`, as long as it is a
/// step; views between are looked through as long as they keep the channels apart. Values may have
/// other readers only where `isReader` says that they do not count; null: all count.
AffineChain followAffineChain(Value start, int64_t channel,
                              llvm::function_ref<bool(Operation *)> isReader = nullptr);

/// The channels of a convolution's result.
int64_t getChannelDim(Conv2dOp conv);

/// The candidates that compute what `steps` scale and shift by, with the arithmetic that batch norms
/// are written with, for the steps alone: nobody else reads them.
void collectSideOps(ArrayRef<AffineStep> steps, llvm::function_ref<bool(Operation *)> isCandidate,
                    SmallVectorImpl<Operation *> &side);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_AFFINECHAIN_H
