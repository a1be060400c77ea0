//===- ValueSizes.h - Bytes of values, dynamic ones too -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A dynamic extent is what its argument states: `fuse.dim_bounds`, else `fuse.dim_hints`. Extents
// of other values are followed to arguments through the ops that compute them. Bounds stay bounds
// on the way, since no extent shrinks where another one grows.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_VALUESIZES_H
#define FUSE_ANALYSIS_VALUESIZES_H

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fuse {

/// Where a size comes from, the firmest first.
enum class SizeSource {
  Static,
  Bound,   ///< the most that it can be; checked at run time
  Hint,    ///< what it usually is; never checked
  Unknown, ///< nothing is stated
};

/// A number of elements along a dimension, or of bytes; 0 where nothing is known.
struct StatedSize {
  int64_t count = 0;
  SizeSource source = SizeSource::Unknown;

  bool isKnown() const { return source != SizeSource::Unknown; }
};

/// The sizes of a function's values. Reads attributes and ops when it is first asked for a dynamic
/// one; not to be used after these have changed.
class ValueSizes {
public:
  /// Bytes of all elements, saturating; 0, known, for what has no shape. The source is the least
  /// firm of the dimensions'.
  StatedSize getBytes(Value value);
  /// The extent of one dimension of a value that has a shape.
  StatedSize getExtent(Value value, int64_t dim);

private:
  using Extents = SmallVector<StatedSize, 4>;
  const Extents &getExtents(Value value);
  Extents computeExtents(Value value);
  Extents computeResult(OpResult result);

  DenseMap<Value, Extents> known; ///< of values with dynamic dimensions
  DenseSet<Operation *> visited;  ///< functions whose values are known
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_VALUESIZES_H
