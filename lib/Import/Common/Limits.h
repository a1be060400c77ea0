//===- Limits.h - How much a model may ask of the importer -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A few bytes of a damaged model can ask for any amount of memory and time: a shape, a count of
// taps, functions that call each other. What the importer makes of a model is bounded here, far
// above what models take.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_LIMITS_H
#define FUSE_IMPORT_COMMON_LIMITS_H

#include <cstdint>

namespace mlir::fuse::importer {

inline constexpr int64_t kMostRank = 32;
/// Of one tensor: what a process can address.
inline constexpr int64_t kMostBytes = int64_t(1) << 47;
/// Kernels, dilations and pads of windows; with extents of up to kMostBytes no sum overflows.
inline constexpr int64_t kMostWindow = int64_t(1) << 24;
/// Strides of transposed convolutions multiply extents.
inline constexpr int64_t kMostSpread = int64_t(1) << 15;

/// Larger arrays than this are computed by the program, not while importing it.
inline constexpr int64_t kMostFolded = int64_t(1) << 16;

/// What is left of the bounds for one model. Each is asked for before it is used.
struct Budget {
  /// Elements of lists that importers make up: indices, weights of resampling.
  int64_t listed = int64_t(1) << 21;
  /// Times that importers repeat a part: taps of windows and filters.
  int64_t unrolled = int64_t(1) << 15;
  /// Elements read and written while nodes are computed, of large ones and of small ones: those are
  /// mostly shapes, without which nothing can be imported.
  int64_t folded = int64_t(1) << 22, foldedSmall = int64_t(1) << 22;
  /// Bytes and nodes of functions, once for every call. A node takes some 6 KB of the program; files
  /// that are larger may have more of them.
  int64_t inlinedBytes = int64_t(1) << 24, inlinedNodes = int64_t(1) << 13;

  /// False where less than `count` is left.
  static bool take(int64_t &left, int64_t count) {
    if (count < 0 || count > left)
      return false;
    left -= count;
    return true;
  }
};

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_LIMITS_H
