//===- VectorAccess.h - How a member's loops go through memory -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_VECTORACCESS_H
#define FUSE_ANALYSIS_VECTORACCESS_H

#include "fuse/Analysis/MemberTable.h"

namespace mlir::fuse {

/// Extents below this are not worth a tile that is turned in registers.
constexpr int64_t kLeastTurned = 4;

/// Whether there is a loop along which each operand is contiguous or stands still, and the result
/// is contiguous, or folded; or operands of an element-wise member are contiguous along another
/// loop, as of a transposition. Without one, elements are computed one by one: a pooling that steps
/// over columns. What a view leaves unknown counts as contiguous.
bool hasVectorLoop(const Member &member);

/// Whether what is read changes along `loop`.
bool runsAlong(const MemberRead &read, unsigned loop);

/// Whether it changes along `loop`, and neighboring iterations read neighbors in memory.
bool isContiguousAlong(const MemberRead &read, unsigned loop);

/// The loop that vectors of a contraction run along; none where its result is not written along one.
std::optional<unsigned> getColumns(const Member &member);

/// Whether what a contraction loads along its vectors serves again at the next iteration of `loop`,
/// a parallel one: a row of a matrix product, or the next filter of a group of filters, which share their channels.
bool isReuseLoop(const Member &member, unsigned loop);
/// Whether it is a product: it has such a loop, and an operand of which one element serves a whole vector.
/// A depthwise convolution over images with their channels last has none: each vector of its filter serves
/// many pixels, but each pixel is loaded for itself.
bool reusesLoads(const Member &member);

/// A loop that `isReuseLoop` holds for.
struct ReuseLoop {
  unsigned loop;
  int64_t extent;
  /// Whether memory of what is multiplied with the vectors runs along the loop, too: the rows of a
  /// matrix that is read transposed.
  bool isContiguous;
};

/// Of such loops, innermost first, the one whose iterations are computed together: one with enough
/// of them, among these one along which memory runs, and the innermost of those. Where none has
/// enough iterations, the one that has most. Images [batch, columns, time] that are multiplied
/// as rows (time, batch) of a matrix have few images and much time.
std::optional<unsigned> chooseReuseLoop(ArrayRef<ReuseLoop> loops);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_VECTORACCESS_H
