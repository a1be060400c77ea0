//===- SearchSpace.h - Which schedules a kernel can have -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the compiler decides when it makes a schedule for the CPU: the tile along each shared dim,
// the order in which blocks are numbered, and the tile of a streamed dim. The number of partial
// results of reductions stays as it is, since it decides how sums are rounded.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TUNE_SEARCHSPACE_H
#define FUSE_TUNE_SEARCHSPACE_H

#include "fuse/Schedule/KernelSchedule.h"

#include <random>

namespace mlir::fuse {

/// A schedule as a point of the space.
struct Candidate {
  SmallVector<int64_t> order; ///< the shared dims as blocks are numbered, the last fastest
  SmallVector<int64_t> sizes; ///< of tiles, by shared dim, in elements
  int64_t streamTile = 0;     ///< 0: no dim is streamed
  int64_t threads = 0, lanes = 0; ///< on a GPU; see #fuse.schedule

  bool operator==(const Candidate &other) const {
    return order == other.order && sizes == other.sizes && streamTile == other.streamTile && threads == other.threads &&
           lanes == other.lanes;
  }
  bool operator<(const Candidate &other) const;

  /// Of a schedule of a kernel with `rank` shared dims; nothing if it is none.
  static std::optional<Candidate> get(ScheduleAttr schedule, unsigned rank);
  /// The schedule, with all that is no choice here as `like` has it.
  ScheduleAttr makeSchedule(ScheduleAttr like) const;
};

/// The schedules of one kernel whose extents are known.
class SearchSpace {
public:
  /// `l2Bytes`: temporaries of a block take so much at most, or as much as those of `start`, which
  /// is what the kernel has now. On a GPU, where `start` has threads, that is shared memory.
  SearchSpace(KernelFacts facts, Candidate start, int64_t l2Bytes, int64_t lanes);

  const Candidate &getStart() const { return start; }
  /// Whether code can be built of it: tiles between 1 and the extents, of whole blocks of columns,
  /// all dims in the order once, scratch that fits, and a streamed dim only where there is one.
  bool isLegal(const Candidate &candidate) const;
  /// Legal ones that differ in one decision: one tile, an exchange between two of them, two
  /// neighbours in the order, the streamed dim's tile; on a GPU twice or half the threads of a block or of
  /// a row. Not the candidate itself; each once; always
  /// in one order.
  std::vector<Candidate> getNeighbours(const Candidate &candidate) const;
  /// A legal one a few decisions away.
  Candidate mutate(Candidate candidate, std::mt19937_64 &random) const;

private:
  void addThreads(const Candidate &candidate, llvm::function_ref<void(const Candidate &)> add) const;
  /// Sizes to try along a dim that has `size` now.
  SmallVector<int64_t> getSizes(unsigned dim, int64_t size) const;
  /// Sizes are multiples of it, or the whole extent.
  int64_t getStep(unsigned dim) const;

  KernelFacts facts;
  Candidate start;
  int64_t mostScratch, lanes;
};

} // namespace mlir::fuse

#endif // FUSE_TUNE_SEARCHSPACE_H
