//===- ConvBnRelu.h - The pattern conv-bn-relu in a function -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_CONVBNRELU_H
#define FUSE_ANALYSIS_CONVBNRELU_H

#include "fuse/Analysis/Legality.h"
#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// A convolution with its batch norm (composite or in primitives) and relu.
struct ConvBnRelu {
  Legality legality;
  /// Where they do not make the pattern: the op that is in the way, and the one before it.
  Operation *blocker = nullptr, *before = nullptr;
  /// Convolution first, relu last; between them in no order the batch norm, and the ops that compute
  /// its scale and shift for it alone.
  SmallVector<Operation *> members;
};

/// Follows def-use from `conv`; nobody else may read the values between. Nothing but the structure is
/// looked at: not whether the members can be one kernel.
ConvBnRelu matchConvBnRelu(Conv2dOp conv);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_CONVBNRELU_H
