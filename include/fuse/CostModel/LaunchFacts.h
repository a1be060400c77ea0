//===- LaunchFacts.h - What a cost model may know of one launch -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_LAUNCHFACTS_H
#define FUSE_COSTMODEL_LAUNCHFACTS_H

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/Analysis/SharedTiles.h"

namespace mlir::fuse {

/// Counts are of one execution.
struct LaunchFacts {
  int64_t launches = 1;     ///< 0 for what costs no launch
  int64_t syncPoints = 0;   ///< 1 for a host op
  int64_t trafficBytes = 0; ///< external operands and results, each once
  /// Where these bytes are, of those that are touched: near a core, in the shared cache, in memory.
  int64_t nearBytes = 0, cachedBytes = 0, farBytes = 0;
  int64_t farWrittenBytes = 0; ///< the part of the last that is results
  /// The parts of the last two that are moved in short runs: all of a kernel with contractions,
  /// whose tiles have parts of rows, and the slices that a gather takes.
  int64_t cachedRunBytes = 0, farRunBytes = 0;
  /// What further blocks read of the same operands, unless a block reads so little that it stays
  /// near the core from one to the next; and those operands, once each.
  int64_t rereadBytes = 0, reusedBytes = 0;
  /// In simple operations on vectors; what is computed again counts again, and what vectors or
  /// registers do not help with as what it takes longer.
  int64_t flops = 0;
  int64_t repeatedFlops = 0; ///< that part of it
  /// The part that tiles of few rows cost, where products load for few rows.
  int64_t lostFlops = 0;
  /// The part of products and convolutions that use again what they load.
  int64_t productFlops = 0;
  /// The part of it that is of bytes summed as i32, by instructions that a CPU may have for them.
  int64_t byteFlops = 0;
  /// The parts of it that tensor cores can take, of f16 or bf16, rounded of f32, and of bytes.
  int64_t shortTensorFlops = 0, f32TensorFlops = 0, byteTensorFlops = 0;
  /// The part of the first of these that warpgroups multiply.
  int64_t warpgroupFlops = 0;
  /// Whether blocks without contractions fold rows that they then go over again: they compute when
  /// a row is loaded.
  bool hasPhases = false;
  int64_t blocks = 0; ///< tiles that can run at once; 0: not known

  bool operator==(const LaunchFacts &other) const;
};

/// The part of what is used again after `distance` other bytes that a cache of `size` still holds.
/// Measured, reading in a circle: seven eighths at half the size, a quarter to a half at the size,
/// nothing at twice.
double getHeldPart(int64_t size, int64_t distance);

/// Where values lie between the launches of a program.
struct CacheFacts {
  /// The caches of one core; half of them keeps what one block leaves to the next.
  int64_t ownBytes = 0;
  int64_t sharedBytes = std::numeric_limits<int64_t>::max(); ///< the cache that all cores share
  /// What one run touches of values from outside and for outside, all launches together. They come
  /// round once a run; a value between two launches when its reader follows.
  int64_t programBytes = 0;

  static CacheFacts get(const MemberTable &table, TargetAttr target);
};

/// The facts of `domain`'s kernel with tiles of `tileSizes`, one for each shared dim. `reuseDim`:
/// the dim along which contractions use again what they load (KernelFacts). `ranges`: see
/// countComputing. `narrowPart`: see getNarrowPart. `warpgroupThreads`: of a block, where a target has products of warpgroups;
/// else 0.
LaunchFacts computeLaunchFacts(const MemberTable &table, const GroupDomain &domain,
                               ArrayRef<int64_t> tileSizes, const CacheFacts &caches,
                               std::optional<unsigned> reuseDim = std::nullopt,
                               int64_t ranges = kBlockRanges, double narrowPart = 0,
                               int64_t warpgroupThreads = 0);

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_LAUNCHFACTS_H
