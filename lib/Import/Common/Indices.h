//===- Indices.h - Elements and slices that are read and written where indices say -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_INDICES_H
#define FUSE_IMPORT_COMMON_INDICES_H

#include "OpContext.h"

namespace mlir::fuse::importer {

/// Whether both extents are numbers, and not the same.
bool differ(AffineExpr one, AffineExpr other);

/// `x` times an extent.
Value scale(OpContext &n, Value x, AffineExpr factor);

/// The row-major strides of a tensor with `extents`.
SmallVector<AffineExpr> getStrides(OpContext &n, ArrayRef<AffineExpr> extents);

/// The elements as a list.
Value flatten(OpContext &n, Value x);

/// The first `count` dimensions as one.
Value joinFirst(OpContext &n, Value x, size_t count);

/// Indices as i64 in [0, extent): negative ones count from the end.
Value normalizeIndices(OpContext &n, Value indices, AffineExpr extent);

/// The same for indices that must be in [-extent, extent): looked up, and so checked as those of a
/// gather.
Value checkIndices(OpContext &n, Value indices, AffineExpr extent);

/// The row-major place of each element that `indices` names along `axis` of a tensor of shape
/// `extents`; along the others it is the element's own. Indices are those of the axis.
Value getPlaces(OpContext &n, Value indices, ArrayRef<AffineExpr> extents, int64_t axis);

/// The element of `data` that each of `indices` names along `axis`; along the others it is the one at the index's own
/// place. Both are of one rank.
FailureOr<Value> gatherElements(OpContext &n, Value data, Value indices, int64_t axis);

/// The same the other way around: `updates`, one for each index, go to the elements of `data`.
FailureOr<Value> scatterElements(OpContext &n, ScatterKind kind, Value data, Value indices, Value updates,
                                 int64_t axis);

/// An element's place among the sorted ones is the number of those that go before it; the k first
/// places then take their elements.
/// The `k` largest (or least) elements along an axis in order, and where they are (i64). Of equal ones the first comes
/// first; a NaN is the largest. k must be no more than the extent.
std::pair<Value, Value> findTop(OpContext &n, Value operand, AffineExpr k, int64_t axis, bool largest);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_INDICES_H
