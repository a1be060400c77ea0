//===- Ranks.h - Evaluates a program of several processes -------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Runs all ranks of a partitioned function in one process, op by op in lock step: the oracle that
// partitions are compared with. Collectives are evaluated as their descriptions say.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_INTERPRETER_RANKS_H
#define FUSE_INTERPRETER_RANKS_H

#include "fuse/Interpreter/Interpreter.h"

namespace mlir::fuse {
class ShardingAttr;

/// The part of a tensor that a rank has. The tensor's cut dimensions divide into equal parts.
HostArray takeShard(const HostArray &full, ShardingAttr sharding, int64_t rank);

/// The tensor whose parts the ranks have, in their order. Ranks that have the same part must agree
/// bit by bit: otherwise an error.
llvm::Expected<HostArray> joinShards(ArrayRef<HostArray> shards, ShardingAttr sharding);

/// Runs a function whose arguments and results have `fuse.sharding` on all ranks of its grid, given
/// the full tensors, and returns the full results. Each argument and result that is a tensor must
/// have the attribute, and the function must be one block.
FailureOr<SmallVector<HostArray>> interpretRanks(func::FuncOp function, ArrayRef<HostArray> args,
                                                 const InterpreterOptions &options = {});

} // namespace mlir::fuse

#endif // FUSE_INTERPRETER_RANKS_H
