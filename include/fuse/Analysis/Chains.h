//===- Chains.h - The legality of element-wise chains -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_CHAINS_H
#define FUSE_ANALYSIS_CHAINS_H

#include "fuse/Analysis/FusionGraph.h"

namespace mlir::fuse {

/// Whether `consumer`, which reads a result of `producer` (perhaps through views), may join the
/// producer's chain: both element-wise, written as such, of one result shape, and the consumer is
/// the only reader of the value. Two uses by one op are one reader.
Legality checkChainEdge(const FusionGraph &graph, unsigned producer, unsigned consumer);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_CHAINS_H
