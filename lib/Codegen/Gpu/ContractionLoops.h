//===- ContractionLoops.h - A contraction as one thread's code -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_CONTRACTIONLOOPS_H
#define FUSE_LIB_CODEGEN_GPU_CONTRACTIONLOOPS_H

#include "ContractionPlan.h"
#include "IterationSpace.h"

namespace mlir::fuse {

/// Emits what the thread `thread` of its block does of `op`, before `op`, which is left in place.
/// `initial`: the constant that all sums begin with, null where they begin with what the result's
/// memory holds. All threads meet at barriers within; the last one stands before the result is
/// written.
void emitContractionLoops(RewriterBase &rewriter, linalg::GenericOp op,
                          const ContractionPlan &plan, ArrayRef<int64_t> bounds, Value thread,
                          int64_t threads, Value initial);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_CONTRACTIONLOOPS_H
