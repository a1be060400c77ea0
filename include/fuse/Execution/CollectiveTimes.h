//===- CollectiveTimes.h - What collectives take on this machine --------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Measures collectives among the ranks of a job, and makes of the times the two figures of
// `#fuse.target` that collectiveTime (fuse/CostModel/Collectives.h) predicts them from.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_COLLECTIVETIMES_H
#define FUSE_EXECUTION_COLLECTIVETIMES_H

#include "fuse/CostModel/Collectives.h"
#include "fuse/Execution/Job.h"
#include "fuse/Target/TargetFile.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::fuse {

/// One collective among all ranks: the median over calls, of the rank that took longest.
struct CollectiveSample {
  CollectiveKind kind;
  int64_t bytes = 0; ///< as collectiveTime counts them
  double ns = 0;
};

/// Called by all ranks, in some seconds: f32, from a few bytes to 16 MB.
llvm::Expected<std::vector<CollectiveSample>> measureCollectives(Job &job);

/// `collective_alpha_ns` from the least of the samples, and, of those that fit the caches of `target` and of the others, the
/// `collective_cache_bw` and `collective_beta_bw` for which the largest factor between a prediction and a time, of 64 KB or
/// more, is least.
std::vector<TargetFile::Figure> fitCollectives(TargetAttr target, ArrayRef<CollectiveSample> samples, int64_t ranks);

/// Times beside predictions for `target`, as aligned text.
void printCollectives(ArrayRef<CollectiveSample> samples, TargetAttr target, int64_t ranks,
                      llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_COLLECTIVETIMES_H
