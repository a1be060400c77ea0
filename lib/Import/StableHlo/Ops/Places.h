//===- Places.h - Slices at places that the program computes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Gathers, scatters and dynamic slices read and write blocks of a tensor. With the dimensions that blocks are placed
// along in front, and joined to one, a block is some rows:
//
//   blocks of 1x2x8 of a tensor 4x5x8, placed along the first two: rows 5 · i + j and 5 · i + j + 1 of 20x8
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_OPS_PLACES_H
#define FUSE_IMPORT_STABLEHLO_OPS_PLACES_H

#include "../GraphImporter.h"

namespace mlir::fuse::stablehlo {

/// The blocks of a tensor that some ops read or write.
struct Blocks {
  SmallVector<int64_t> placed;   ///< the dimensions that blocks are placed along
  SmallVector<int64_t> rows;     ///< the others, which blocks have as a whole
  SmallVector<AffineExpr> sizes; ///< of blocks, for each dimension
  /// For each of `placed`: where a block begins, an i64 tensor of the batch's shape or what broadcasts to it.
  SmallVector<Value> starts;
  SmallVector<AffineExpr> batch; ///< the extents of the batch
};

/// The tensor with the placed dimensions in front, joined to one.
Value joinPlaced(Node &n, Value x, const Blocks &blocks);
/// What undoes that; `extents` are those of the whole.
Value splitPlaced(Node &n, Value rows, const Blocks &blocks, ArrayRef<AffineExpr> extents);

/// The row of each element of a block: [batch…, size of each placed dimension…]. Starts are taken as they are.
Value computeRows(Node &n, const Blocks &blocks, ArrayRef<AffineExpr> extents);

/// A tensor with one block written to, by comparing each element's place with the block's: where a scatter cannot be,
/// in the body of a loop. `block` has as many dimensions as the tensor; a block that is not inside as a whole changes
/// nothing where `checks`.
Value writeBlock(Node &n, ScatterKind kind, Value x, Value block, const Blocks &blocks, bool checks);

/// Starts with which blocks lie in the tensor: the nearest ones.
Value clampStart(Node &n, Value start, AffineExpr extent, AffineExpr size);
/// Whether blocks lie in the tensor: a boolean for each of the batch.
Value isInside(Node &n, const Blocks &blocks, ArrayRef<AffineExpr> extents);

} // namespace mlir::fuse::stablehlo

#endif // FUSE_IMPORT_STABLEHLO_OPS_PLACES_H
