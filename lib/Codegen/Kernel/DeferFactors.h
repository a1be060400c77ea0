//===- DeferFactors.h - Factors move behind the sums that they scale -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_KERNEL_DEFERFACTORS_H
#define FUSE_LIB_CODEGEN_KERNEL_DEFERFACTORS_H

#include "fuse/Analysis/StreamedDim.h"

namespace mlir::fuse {

/// Rewrites the members so that `stream` has no deferrals: sum((p / l) * v) becomes sum(p * v) / l,
/// with a member of its own for the division. `kernel` and `stream` are stale afterwards.
void deferFactors(const KernelMembers &kernel, const StreamedDim &stream);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_KERNEL_DEFERFACTORS_H
