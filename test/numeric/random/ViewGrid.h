//===- ViewGrid.h - Views before and after what reads them -------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A grid of programs: every pair and every triple of views with every kind of reader before,
// between and behind them. A seed draws ranks, extents (1 and primes among them), types, and what
// else reads the values on the way.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_VIEWGRID_H
#define FUSE_TEST_NUMERIC_RANDOM_VIEWGRID_H

#include "Graph.h"

namespace mlir::fuse::random {

/// What stands in a program of the grid. Views first.
enum class ViewStep {
  Slice,
  Reshape,
  Transpose,
  Pad,
  Concat,
  Split,
  Broadcast,
  Gather,
  Elementwise,
  Reduce,
  Softmax,
  Norm,
  Matmul,
  Conv,
  TopK,
  Argmax
};
inline constexpr unsigned kNumViews = 8, kNumReaders = 8;

/// One program: its views and at most one reader, in order.
using ViewCell = SmallVector<ViewStep, 4>;

/// All cells: of two views, then of three; without a reader the views are returned.
std::vector<ViewCell> getViewCells();
/// "slice-pad-softmax".
std::string getName(ArrayRef<ViewStep> cell);

/// Depends on nothing but its arguments.
Graph generateViews(ArrayRef<ViewStep> cell, uint64_t seed);

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_VIEWGRID_H
