//===- PeeledWindow.h - Which windows read a padded image where it lies -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_PEELEDWINDOW_H
#define FUSE_LIB_CODEGEN_CPU_PEELEDWINDOW_H

#include "PadTile.h"

namespace mlir::fuse {

/// A member over windows of a padded tile that had better read the image itself.
struct PeeledWindow {
  /// A padded dimension, along which the points of `loop` are cut. Point p reads elements
  /// base + step * p to base + step * p + reach of the tile.
  struct Cut {
    unsigned dim = 0, loop = 0;
    int64_t base = 0, step = 1, reach = 0;
  };

  /// The one reader of `pad`, if it is such a member: each result has a window of its own, vectors
  /// run along a dimension that is not padded, and memory of the image runs along it too.
  static std::optional<PeeledWindow> get(const PadTile &pad);

  PadTile pad;
  linalg::GenericOp window;
  unsigned operand = 0; ///< of the window: the tile
  SmallVector<Cut> cuts;
  /// For each dimension of the tile, by how much each loop's iterations advance in it.
  SmallVector<SmallVector<int64_t>> steps;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_PEELEDWINDOW_H
