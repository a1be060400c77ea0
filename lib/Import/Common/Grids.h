//===- Grids.h - Images read where a grid of coordinates says -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_GRIDS_H
#define FUSE_IMPORT_COMMON_GRIDS_H

#include "OpContext.h"

namespace mlir::fuse::importer {

struct GridSampling {
  bool isNearest = false; ///< else linear
  /// What lies outside of the image: zeros, its border, or the image in a mirror.
  enum Padding { Zeros, Border, Reflection } padding = Zeros;
  /// Whether −1 and 1 are the middles of the elements at the ends; else they are the ends themselves.
  bool alignsCorners = false;
};

/// Reads images [N, C, H, W] at a grid [N, H', W', 2] of x and y in [−1, 1]: [N, C, H', W']. Shapes must be static.
FailureOr<Value> sampleGrid(OpContext &n, Value images, Value grid, const GridSampling &sampling);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_GRIDS_H
