//===- TurnOperands.h - Operands that lie across a member's lines -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_TURNOPERANDS_H
#define FUSE_LIB_CODEGEN_GPU_TURNOPERANDS_H

#include "ThreadMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// Threads that are next to each other along `op`'s result would read each a line of their own of an
/// input whose memory runs along another of the loops that are spread. Such inputs are first copied,
/// along their memory, to a buffer of the block, whose lines are an element longer so that its
/// columns do not lie in one bank. Returns the copies, which stand before `op`.
SmallVector<linalg::GenericOp> turnOperands(RewriterBase &rewriter, linalg::GenericOp op,
                                            const ThreadMapping &mapping,
                                            ArrayRef<int64_t> loopDims);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_TURNOPERANDS_H
