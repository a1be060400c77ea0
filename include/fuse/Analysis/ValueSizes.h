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

#include <memory>

namespace mlir::fuse {

class SymbolicShapes;
struct ExtentSymbol;

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

/// The sizes of a function's values: what SymbolicShapes says, where each open dimension is what its argument states. Reads
/// attributes and ops when it is first asked for a dynamic one; not to be used after these have changed.
class ValueSizes {
public:
  /// What an extent counts as of which nothing is stated.
  static constexpr int64_t kUnknownExtent = 1024;

  ValueSizes();
  ~ValueSizes();

  /// Bytes of all elements, saturating; 0, known, for what has no shape. The source is the least
  /// firm of the dimensions'.
  StatedSize getBytes(Value value);
  /// The extent of one dimension of a value that has a shape.
  StatedSize getExtent(Value value, int64_t dim);

  /// The same as numbers to price with: hints come before bounds, and open dimensions of which nothing is stated count as
  /// `kUnknownExtent`.
  int64_t getLikelyBytes(Value value) { return findBytes(value, /*isPrice=*/true).count; }
  int64_t getLikelyExtent(Value value, int64_t dim) { return find(value, dim, /*isPrice=*/true).count; }
  /// Whether an extent of a result is known from the extents of the op's operands, and numbers among them.
  bool followsFromOperands(OpResult result, int64_t dim);
  /// What prices take for each dynamic extent of a value, as `fuse.dim_hints` has it: -1 for static ones, and where nothing
  /// is stated. A number has one.
  SmallVector<int64_t> getHints(Value value);

private:
  SymbolicShapes &getShapes(MLIRContext *context);
  /// `isPrice`: what is usual counts for more than what is the most.
  StatedSize findSymbol(ExtentSymbol symbol, bool isPrice);
  StatedSize find(Value value, int64_t dim, bool isPrice);
  StatedSize findBytes(Value value, bool isPrice);

  std::unique_ptr<SymbolicShapes> shapes;
  DenseMap<std::pair<Value, int64_t>, StatedSize> found[2]; ///< by dimension; for promises and for prices
};

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_VALUESIZES_H
