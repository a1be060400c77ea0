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
// What lies inside is a rectangle of the tile, and of the source.
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
  /// A dimension of the tile. Its elements are those of the source from position `start` on, one
  /// after the other, and the border where the source has none.
  struct Dimension {
    AffineExpr start; ///< of symbols
    SmallVector<Value> symbols;
    bool isPadded = false; ///< else the source has all of them
    int64_t size = 0;      ///< of the source; may be dynamic where it is not padded
  };

  /// What `op` lays out, if it is such a member.
  static std::optional<PadTile> match(linalg::GenericOp op);

  linalg::GenericOp op;
  Value tile, source, border;
  SmallVector<Dimension> dimensions;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_PADTILE_H
