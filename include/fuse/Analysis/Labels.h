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
/// `elementwise-chain`: element-wise ops only; `contraction`: a contraction and what surrounds it;
/// `row-reduction`: reductions and element-wise ops; `copy`: loads, stores and data movement;
/// `other`.
StringRef getLabel(KernelOp kernel);
/// The same of ops that would be a kernel.
StringRef getLabel(ArrayRef<Operation *> ops);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_LABELS_H
