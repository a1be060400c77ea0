//===- SerialCutoff.h - From which size on a kernel is spread over threads -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What planning refuses and what schedules are made must agree: the figures stand here once.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_SERIALCUTOFF_H
#define FUSE_ANALYSIS_SERIALCUTOFF_H

#include <cstdint>

namespace mlir::fuse {

/// A kernel with at most so many points of iteration may be one block: handing part of it to another
/// thread costs as much as computing it (about ten microseconds).
constexpr int64_t kSerialPoints = 16384;
/// Any other has this many blocks, or as many as its widest member has parallel points, where its target does not say
/// another number (`min_blocks`).
constexpr int64_t kWantedBlocks = 16;
/// So many steps of a contraction count as one point.
constexpr int64_t kContractionSteps = 16;

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_SERIALCUTOFF_H
