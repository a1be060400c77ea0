//===- FetchAhead.h - Data that loops over vectors will want -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_FETCHAHEAD_H
#define FUSE_LIB_CODEGEN_CPU_FETCHAHEAD_H

#include "VectorPlan.h"

namespace mlir::fuse {

/// Fetches what the loads of `operand` want some iterations later, as `plan.prefetch` says; the loops stand at `ivs`.
void fetchIterationsAhead(OpBuilder &b, linalg::GenericOp op, const VectorPlan &plan,
                          OpOperand &operand, ArrayRef<Value> ivs, int64_t lanes);

/// The loops of a contraction around its body.
struct ContractionNest {
  ArrayRef<unsigned> outer, inner; ///< parallel ones around the vectors', and the reductions
  ArrayRef<Value> from, to;        ///< where those of `inner` begin and end
  ArrayRef<Value> extents;         ///< of all loops of the op
  Value group, groups;             ///< which of how many groups of rows are computed together
};

/// Fetches a part of the columns behind those that `operand`, weights that `plan` fetches ahead,
/// is read at. All groups of rows together fetch them once:
///
///   for panel of columns                 // [steps, lanes] elements that lie next to each other
///     for group of rows                  // turn
///       for step
///         fetch weights[panel + 1][turn * part + step * part / steps]
///         multiply the rows by weights[panel][step]
///
/// A single group fetches what is some steps further on instead. Without that the first group of
/// rows waits for each line of a panel that lies beyond the core's caches.
void fetchColumnsAhead(OpBuilder &b, linalg::GenericOp op, const ContractionPlan &plan,
                       OpOperand &operand, ArrayRef<Value> ivs, const ContractionNest &nest);

/// Fetches what lies `bytes` behind the `lanes` elements that `operand` is read at, `at`.
void fetchBytesAhead(OpBuilder &b, linalg::GenericOp op, OpOperand &operand, ArrayRef<Value> at, int64_t bytes,
                     int64_t lanes);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_FETCHAHEAD_H
