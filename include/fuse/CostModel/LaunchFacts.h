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
  /// What further blocks read of the same operands, unless a block reads so little that it stays
  /// near the core from one to the next; and those operands, once each.
  int64_t rereadBytes = 0, reusedBytes = 0;
  int64_t flops = 0;         ///< what is computed again counts again
  int64_t repeatedFlops = 0; ///< that part of it
  /// Beside them: what tiles of few rows cost, where contractions load for few rows.
  int64_t lostFlops = 0;
  int64_t blocks = 0;        ///< tiles that can run at once; 0: not known
  int64_t scratchBytes = 0;  ///< of one block
};

/// The facts of `domain`'s kernel with tiles of `tileSizes`, one for each shared dim. `nearBytes`: how
/// much a core keeps to itself from one block to the next. `reuseDim`: the dim along which contractions
/// use again what they load (KernelFacts). `ranges`: see countComputing.
LaunchFacts computeLaunchFacts(const MemberTable &table, const GroupDomain &domain,
                               ArrayRef<int64_t> tileSizes, int64_t nearBytes,
                               std::optional<unsigned> reuseDim = std::nullopt,
                               int64_t ranges = kBlockRanges);

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_LAUNCHFACTS_H
