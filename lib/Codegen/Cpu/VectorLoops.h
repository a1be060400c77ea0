//===- VectorLoops.h - Members on buffers as loops over vectors -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_VECTORLOOPS_H
#define FUSE_LIB_CODEGEN_CPU_VECTORLOOPS_H

#include "VectorPlan.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Emits `op`, on buffers, as scf loops over vectors as `plan` says, before `op`; does not erase it.
void emitVectorLoops(RewriterBase &rewriter, linalg::GenericOp op, const VectorPlan &plan);

/// The same for a plan with a crossed loop.
void emitCrossedLoops(RewriterBase &rewriter, linalg::GenericOp op, const VectorPlan &plan);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_VECTORLOOPS_H
