//===- LaneFold.h - Partial results of lanes into one -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_LANEFOLD_H
#define FUSE_LIB_CODEGEN_GPU_LANEFOLD_H

#include "../Kernel/LoopCode.h"
#include "fuse/Analysis/TensorTiles.h"
#include "mlir/IR/Builders.h"

namespace mlir::fuse {

/// Combines what each lane of a group has: by shuffles within a subgroup, and through shared memory
/// where a group has several. All threads of the block come by.
struct LaneFold {
  OpBuilder &b;
  Location loc;
  Operation *combiner; ///< the op on two scalars
  Value lane, group;
  int64_t groups, lanes;

  /// Lanes that exchange values at once.
  static constexpr int64_t kSubgroup = kSubgroupThreads;

  bool usesBarrier() const { return lanes > kSubgroup; }
  /// In every lane the same.
  Value combine(Value partial);
  Value combine(Value left, Value right) {
    return createCombined(b, loc, combiner, left, right);
  }

private:
  Value shuffle(Value value, int64_t distance);
  Value combineSubgroups(Value partial);
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_LANEFOLD_H
