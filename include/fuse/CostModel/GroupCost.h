//===- GroupCost.h - What one launch of a group costs -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A roofline: a launch takes its dispatch, and then the longest of three things that overlap: moving
// its operands and results through memory, reading from the caches what several blocks need, and
// computing. Where a target gives no figure for one of them, that one costs nothing, and what is left
// is the price of launches and traffic alone.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_GROUPCOST_H
#define FUSE_COSTMODEL_GROUPCOST_H

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/IR/FuseAttributes.h"

namespace mlir::fuse {

/// The figures of a target that price a launch.
struct LaunchRates {
  double dispatchNs = 0;
  double memoryBytesPerNs = 1; ///< 1 at least
  double cacheBytesPerNs = 0;  ///< of all threads together; 0: re-reading is free
  double flopsPerNs = 0;       ///< of all threads together; 0: computing is free
  int64_t cacheBytes = 0;      ///< what may be read again from the shared cache
  int64_t nearBytes = 0;       ///< what a core keeps to itself from one block to the next

  static LaunchRates get(TargetAttr target);
};

struct GroupCost {
  int64_t trafficBytes = 0; ///< each value read from outside once, and the results
  /// What further blocks read of the same values, unless they read so little that it stays near the
  /// core from block to block; and those values, once each.
  int64_t rereadBytes = 0, sharedBytes = 0;
  int64_t flops = 0;        ///< with what is computed again in several blocks
  int64_t repeatedFlops = 0;
  int64_t blocks = 1;

  /// The time of one launch by launches and traffic alone.
  double getIoNs(const LaunchRates &rates) const;
  /// The time of one launch under the roofline.
  double getRooflineNs(const LaunchRates &rates) const;
};

/// The cost of `domain`'s kernel with tiles of `tileSizes`, one for each shared dim. `nearBytes`: what
/// a core keeps to itself from one block to the next.
GroupCost computeGroupCost(const MemberTable &table, const GroupDomain &domain,
                           ArrayRef<int64_t> tileSizes, int64_t nearBytes);

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_GROUPCOST_H
