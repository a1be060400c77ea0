//===- MemoryHints.h - What a kernel knows of the memory behind its members -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_MEMORYHINTS_H
#define FUSE_LIB_CODEGEN_CPU_MEMORYHINTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

struct MemoryHints {
  /// A loop of the member over the rows of a block's tile, and how many rows that is: the rows of
  /// the next block lie so many iterations further. What several members of a kernel read from its
  /// operands, the one that computes longest fetches for the next block; the hardware does not see
  /// past the end of a page.
  std::optional<unsigned> rowLoop;
  int64_t rows = 0;
  /// The inputs (operand numbers) to fetch.
  SmallVector<unsigned> fetched;
  /// The result is not read again in the kernel, and the kernel's operands and results are so large
  /// that it had better be stored past the caches, or nobody knows yet.
  bool storesPast = false;
};

/// The hints for each member of a kernel on buffers; members without any are left out.
/// `nonTemporalBytes`: as in #fuse.target.
DenseMap<Operation *, MemoryHints> findMemoryHints(func::FuncOp kernel, int64_t nonTemporalBytes);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_MEMORYHINTS_H
