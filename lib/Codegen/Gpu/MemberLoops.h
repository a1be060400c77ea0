//===- MemberLoops.h - A member as one thread's code -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_MEMBERLOOPS_H
#define FUSE_LIB_CODEGEN_GPU_MEMBERLOOPS_H

#include "ContractionPlan.h"
#include "ThreadMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// What a temporary that lives in registers is to one thread: an array of elements in the order in
/// which the thread comes by them.
struct PrivateTile {
  Value memory; ///< memref<rows x chunks x chunk>, or memref<rows> where replicated
  AccessPattern pattern;
};

/// Emits the loops of `op` for the thread `thread` of its block (an index), before `op`, which is
/// left in place. `privates`: buffers that live in registers. `initial`: the constant that all
/// folds begin with, null where they begin with what the result's memory holds. Barriers within are
/// met by all threads.
void emitMemberLoops(RewriterBase &rewriter, linalg::GenericOp op, const ThreadMapping &mapping,
                     Value thread, const DenseMap<Value, PrivateTile> &privates, Value initial);

/// The same of a contraction, of whose loops `bounds` are the largest extents. All threads meet at barriers within; the last one stands before the result is
/// written. Operands are copied asynchronously where that is possible and there is room for several of their parts.
void emitContractionLoops(RewriterBase &rewriter, linalg::GenericOp op,
                          const ContractionPlan &plan, ArrayRef<int64_t> bounds, Value thread,
                          int64_t threads, Value initial, const StagingRoom &room);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_MEMBERLOOPS_H
