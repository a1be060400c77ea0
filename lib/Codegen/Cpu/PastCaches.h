//===- PastCaches.h - Where and when results are stored past the caches ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_PASTCACHES_H
#define FUSE_LIB_CODEGEN_CPU_PASTCACHES_H

#include "VectorPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

constexpr int64_t kCacheLineBytes = 64;

/// Of everything that a launch reads and writes; none where that is not known.
std::optional<int64_t> getFootprint(func::FuncOp kernel);

/// Whether a launch reads and writes at least `bytes`, as code at the kernel's entry; null where
/// the types tell.
Value emitIsLarge(OpBuilder &b, func::FuncOp kernel, int64_t bytes);

/// So many elements along the vectors lie before the first cache line, in all results if it
/// `isCommon` (and if plan.isLarge).
struct LineStart {
  Value isCommon, elements;
};

/// `getIndices`: of the first element along the vectors in an operand. None where vectors are no
/// whole lines.
std::optional<LineStart>
findLineStart(OpBuilder &b, linalg::GenericOp op, const MapPlan &plan,
              llvm::function_ref<SmallVector<Value>(OpOperand &)> getIndices);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_PASTCACHES_H
