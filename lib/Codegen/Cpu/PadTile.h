//===- PadTile.h - A tile of a padded image, as a member lays it out -------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The input of a padded window is laid out anew for each tile, by a member whose body asks at every
// element whether it lies in the border (see MoveLowering.cpp):
//
//   %position = index(d) + offset − low        of each padded dimension d
//   %inside   = %position <u size  (and so on)
//   %element  = load source[..., max(min(%position, size − 1), 0), ...]
//   yield select %inside, %element, %border
//
// In place of the element may stand what is computed from it, and from others that are read at the
// same point, such as those of a batch norm (see MergeMembers.cpp). What lies inside is a rectangle
// of the tile, and of each source.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_PADTILE_H
#define FUSE_LIB_CODEGEN_CPU_PADTILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {

/// What a body computes from the number of an iteration: `start` and one more with each iteration
/// of `loop`, if there is one.
struct BodyPosition {
  std::optional<unsigned> loop;
  AffineExpr start; ///< of symbols
  SmallVector<Value> symbols;
};

/// `value` of the body of `op`, if it is such a position.
std::optional<BodyPosition> getBodyPosition(linalg::GenericOp op, Value value);

struct PadTile {
  /// A dimension of the tile.
  struct Dimension {
    /// The position of its first element. Along a padded dimension, the elements at positions 0 to
    /// size - 1 lie inside; along another, all do.
    AffineExpr start; ///< of symbols; null where nothing is read along the dimension
    SmallVector<Value> symbols;
    bool isPadded = false;
    int64_t size = 0; ///< where it is padded
  };

  /// What is read for each element inside. An index with a loop counts along that dimension of the
  /// tile.
  struct Read {
    memref::LoadOp load;
    SmallVector<BodyPosition> indices;
  };

  /// What `op` lays out, if it is such a member.
  static std::optional<PadTile> match(linalg::GenericOp op);

  linalg::GenericOp op;
  Value tile, border;
  Value element; ///< what lies inside, in the body
  SmallVector<Read> reads;
  SmallVector<Dimension> dimensions;
  /// What is copied as it is, dimension by dimension; null where elements are computed or turned.
  Value source;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_PADTILE_H
