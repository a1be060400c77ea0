//===- Labels.h - The pattern that a kernel is -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_LABELS_H
#define FUSE_ANALYSIS_LABELS_H

#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// The labels in the order in which they are tried.
ArrayRef<StringRef> getLabelNames();

/// The label of a kernel, by structure alone: the first one that accounts for every op.
///
/// - `conv-bn-relu`: a convolution, a scale and a shift of each channel however they are spelled,
/// relu.
/// - `conv-bn-relu-pool`: a pool of that.
/// - `bottleneck`: convolutions that feed one another or one sum, one of them of single pixels, with
///   the norms, activations and skips between.
/// - `matmul-add-activation`: a matmul, the sum with one value, and a function of the sum alone.
/// - `elementwise-chain`: element-wise ops only, two at least.
/// - `attention`: two matmuls with a softmax between, its quotient on either side of the second;
///   scores may be scaled and masked.
/// - `attention-projection`: attention, and products that make its operands or take its result.
/// - `layernorm-linear`: a layer norm in any spelling, the matmul of its rows, perhaps a sum.
/// - `row-reduction`: reductions, along whichever dimensions, and element-wise ops.
/// - `contraction`: a contraction and what surrounds it.
/// - `copy`: loads, stores and data movement.
/// - `other`.
///
/// The patterns look through views and float casts, and at def-use only: order and commuted
/// operands make no difference. A new pattern is a line in Labels.cpp and a matcher in
/// lib/Analysis/Labels.
StringRef getLabel(KernelOp kernel);
/// The same of ops that would be a kernel.
StringRef getLabel(ArrayRef<Operation *> ops);

/// Whether some of the ops are attention: a product, a softmax over its last dimension, a product.
bool containsAttention(ArrayRef<Operation *> ops);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_LABELS_H
