//===- Sharding.h - Which part of a tensor a process has ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What `#fuse.sharding` says, for tools that have arrays and no MLIRContext. Programs for several
// processes take and give shards; tools cut the arrays of their callers, and join results.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_SHARDING_H
#define FUSE_EXECUTION_SHARDING_H

#include "fuse/IR/FuseAttributes.h"
#include "fuse/Support/HostArray.h"

namespace mlir::fuse {

struct Sharding {
  SmallVector<int64_t, 4> grid; ///< empty: the tensor is not cut, and nothing is said of a grid
  SmallVector<SmallVector<int64_t, 2>, 4> axes; ///< of the grid, for each dimension, outermost first

  static Sharding get(ShardingAttr attr);

  /// Whether some dimension is cut into several parts.
  bool isCut() const;
  /// Into how many parts a dimension is cut, and which of them a rank has.
  int64_t getParts(size_t dim) const;
  int64_t getPart(size_t dim, int64_t rank) const;

  /// The shape of the tensor whose shards have `shard`; unknown extents stay so.
  SmallVector<int64_t, 4> getFullShape(ArrayRef<int64_t> shard) const;
  /// A rank's part of the full tensor, whose extents are multiples of the parts. What is not cut is
  /// shared, not copied. An error where memory ends.
  llvm::Expected<HostArray> takePart(const HostArray &full, int64_t rank) const;
};

/// "2x4".
std::string formatGrid(ArrayRef<int64_t> grid);
/// How many ranks a grid has; 1 for that of no axes.
int64_t countRanks(ArrayRef<int64_t> grid);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_SHARDING_H
