//===- Partition.h - The program of one rank ---------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_PARTITION_H
#define FUSE_DISTRIBUTE_PARTITION_H

#include "fuse/Distribute/Search.h"

namespace mlir::fuse {

/// Makes the function that of one rank: types become those of shards, arguments and results get
/// `fuse.sharding`, and collectives stand where ranks exchange. Annotations are gone.
void partition(const Problem &problem, const DistributionPlan &plan);

/// The cut, of those in which a value is there, from which it is cheapest to get another one.
template <typename Range>
auto findNearest(Range &&versions, RankedTensorType type, Grid grid, const Cut &wanted,
                 TargetAttr target) {
  auto nearest = versions.begin();
  double least = std::numeric_limits<double>::infinity();
  for (auto it = versions.begin(); it != versions.end(); ++it) {
    double time = moveTime(type, grid, it->first, wanted, target);
    if (time < least) {
      least = time;
      nearest = it;
    }
  }
  return nearest;
}

} // namespace mlir::fuse

#endif // FUSE_DISTRIBUTE_PARTITION_H
