//===- Annotations.h - What a program says of its shardings ------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_ANNOTATIONS_H
#define FUSE_DISTRIBUTE_ANNOTATIONS_H

#include "fuse/Distribute/Cut.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

namespace mlir::fuse {

/// The ops `shard.shard` of a function.
struct Annotations {
  /// The grid that they name; empty where there are none.
  SmallVector<int64_t> grid;
  /// The cut of each annotated value: of results of `shard.shard`.
  llvm::DenseMap<Value, Cut> cuts;
  /// The axes that any of them uses.
  SmallVector<bool> used;
};

/// Reads the annotations of a function; errors at those that no partition can follow.
FailureOr<Annotations> readAnnotations(func::FuncOp function);

/// Errors at ops that no partitioned program can have.
LogicalResult checkDistributable(func::FuncOp function);

/// What `--shard` asks for: `tensor=2,data=4`, or `auto=8`.
struct ShardRequest {
  int64_t data = 1, tensor = 1;
  /// How many ranks are to be arranged by price; 0 where the axes are given.
  int64_t automatic = 0;
};

/// Reads it from text; an error says what was expected and what was found.
llvm::Expected<ShardRequest> parseShardRequest(StringRef text);

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_ANNOTATIONS_H
