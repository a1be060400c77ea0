//===- ScaledSums.h - Sums that are scaled instead of their terms -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Weights of few bits have a scale for each group of steps:
//
//   for group, step: sum += x * (w * scale[group, column])
//
// Rounding apart, that is one multiplication for each group instead of one for each weight:
//
//   for group: { part = 0; for step: part += x * w; sum += part * scale[group, column] }
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_SCALEDSUMS_H
#define FUSE_LIB_CODEGEN_CPU_SCALEDSUMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

struct ScaledSums {
  arith::MulFOp product; ///< of the body: weight times scale
  Value weight, scale;   ///< its factors
  unsigned depth;        ///< how many of the outer reduction loops the scale depends on
};

/// What scales terms of a contraction that runs in vectors along `vectors`, a parallel loop, if it
/// is the same for all iterations of the innermost of the reduction loops `inner`, the outermost
/// first.
std::optional<ScaledSums> findScaledSums(linalg::GenericOp op, unsigned vectors,
                                         ArrayRef<unsigned> inner);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_SCALEDSUMS_H
