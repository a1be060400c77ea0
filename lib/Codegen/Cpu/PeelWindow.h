//===- PeelWindow.h - Windows that read an image where it lies -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A window reads a padded tile that is made for it alone. Where windows share nothing but what they
// overlap in (depthwise convolutions, pools), writing that tile costs as much as reading the
// windows. Their points are cut instead, along each padded dimension, into those whose windows lie
// inside the image and those at its border (boundary peeling). Of 3x3 windows over 14x14 pixels,
// with a border of one pixel:
//
//     a a a a a      a, b; c, d: strips, in a loop for each dimension; each reads a padded tile of its own
//     c . . . d
//     c . . . d      .: 12x12 points, whose windows read a slice of the image
//     b b b b b
//
// The fill in front of the window and the element-wise op behind it are cut like it, so that sums
// start from the fill's value and go through that op in registers. All sums are made in the same
// order from the same elements.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_PEELWINDOW_H
#define FUSE_LIB_CODEGEN_CPU_PEELWINDOW_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fuse {

/// A window over a padded tile that had better read the image itself.
struct PeeledWindow {
  /// A padded dimension of the tile, along which the points of `loop` are cut. Point p reads
  /// elements base + step * p to base + step * p + reach of the tile.
  struct Cut {
    unsigned dim = 0, loop = 0;
    int64_t base = 0, step = 1, reach = 0;
  };

  /// The one reader of `pad`, if it is such a window: each result has a window of its own, vectors
  /// run along a dimension that is not padded, and memory of the image runs along it too. Else
  /// `reason` says why not.
  static std::optional<PeeledWindow> get(tensor::PadOp pad, StringRef &reason);

  tensor::PadOp pad;
  linalg::GenericOp window;
  unsigned operand = 0;       ///< of the window: the tile
  linalg::FillOp fill;        ///< what the window's sums start from; may be null
  linalg::GenericOp epilogue; ///< the element-wise op that alone reads the sums; may be null
  SmallVector<Cut> cuts;
};

/// Replaces the window, with its fill and its epilogue, by one for the points inside and one for
/// the strips.
void peel(RewriterBase &rewriter, const PeeledWindow &peeled);

/// Replaces a padding with a constant border, to a tensor of `sizes`, by the temporary `tile` of
/// that size, of which each rectangle is written in place. Gives what is in the tile then (LowerPads.cpp).
Value lowerPad(RewriterBase &rewriter, tensor::PadOp pad, ArrayRef<OpFoldResult> sizes, Value tile);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_PEELWINDOW_H
