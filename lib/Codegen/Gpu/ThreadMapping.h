//===- ThreadMapping.h - Which thread does which iterations -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The threads of a block work on a member together. They form groups of `lanes`; a group takes
// iterations of the *row* loops, and its lanes spread over the *spread* loops in chunks:
//
//   row number    = group + i * groups        delinearized over the row loops, the last fastest
//   chunk number  = lane + j * lanes          the same over the spread loops, whose last one
//                                             counts in chunks of `chunk` iterations
//
// In a row kernel (softmax) rows are the loops that are shared by all members that fold rows. In
// other kernels there are no row loops, one group, and all parallel loops are spread; or, where
// they are few and reductions long, as many groups as have threads for them, each with a slice of
// the reductions. A member that folds whole rows spreads its reductions, and the lanes' partial
// results are combined.
//
// Positions are those of the largest tile, so that their arithmetic has constants; those outside of
// a partial tile are skipped. Where all members that touch a temporary map its elements to threads
// in one way, it lives in registers and needs no barrier.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_GPU_THREADMAPPING_H
#define FUSE_LIB_CODEGEN_GPU_THREADMAPPING_H

#include "fuse/IR/FuseAttributes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// Of a kernel: see #fuse.schedule.
struct BlockThreads {
  int64_t threads = 256;
  int64_t lanes = 0; ///< 0: no rows
  SmallVector<int64_t> rowDims; ///< the shared dims that tell rows apart
  bool reassociates = false;    ///< products may be added up in another order than loops have

  static BlockThreads get(ScheduleAttr schedule);
};

/// Loops whose positions takers (groups, lanes) have in turn.
struct TakenLoops {
  SmallVector<unsigned> loops;
  /// The last loop goes in steps of so many iterations.
  int64_t chunk = 1;
  int64_t takers = 1;

  bool empty() const { return loops.empty(); }
};

struct ThreadMapping {
  TakenLoops rows, spread;
  /// Loops that one thread runs through for each of its points.
  SmallVector<unsigned> sequential;
  /// The spread loops are reductions.
  bool folds = false;
  /// How many groups share the sequential loops of points that are fewer than threads: each adds up
  /// every how-manieth iteration, and threads take points to combine what all groups have.
  int64_t slices = 1;
  /// The most iterations of each loop; kDynamic where unknown.
  SmallVector<int64_t> bounds;
  /// All threads multiply matrices together (see ContractionPlan.h), and the rest does not apply.
  bool isProduct = false;

  unsigned chunkLoop() const { return spread.loops.back(); }
  /// How many positions there are, and how often a taker comes by; kDynamic where unknown.
  int64_t count(const TakenLoops &taken) const;
  int64_t countTrips(const TakenLoops &taken) const;
};

/// How `op`, on buffers, is mapped. `loopDims`: the shared dim that each of its loops is, or -1.
ThreadMapping mapToThreads(linalg::GenericOp op, ArrayRef<int64_t> loopDims,
                           const BlockThreads &block);

/// Which thread holds which element of an operand. Equal patterns of one buffer: each element is
/// touched by the same threads.
struct AccessPattern {
  SmallVector<int64_t> dims;   ///< of the buffer, in the order of the rows, -1, of the spread loops
  SmallVector<int64_t> bounds; ///< of those loops
  int64_t groups = 1, lanes = 1, chunk = 1;
  /// Every lane of a group has the element.
  bool isReplicated = false;

  bool operator==(const AccessPattern &other) const {
    return dims == other.dims && bounds == other.bounds && groups == other.groups &&
           lanes == other.lanes && chunk == other.chunk && isReplicated == other.isReplicated;
  }
};

/// None where a thread touches elements that others touch as well.
std::optional<AccessPattern> getPattern(linalg::GenericOp op, OpOperand &operand,
                                        const ThreadMapping &mapping);

/// For each op the dims of its loops: its `fuse.loop_dims`, else told by ops that have some and touch
/// the same buffers.
DenseMap<Operation *, SmallVector<int64_t>> findLoopDims(ArrayRef<linalg::GenericOp> ops);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_GPU_THREADMAPPING_H
