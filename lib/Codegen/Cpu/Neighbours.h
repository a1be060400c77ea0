//===- Neighbours.h - What a contraction's loops do on the way -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Around a contraction stand a fill, which says what its sums start from, and often an element-wise
// member that reads each sum once (bias, relu). Accumulators that start from the fill's value and
// go through that member before they are stored save two passes over the tile.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_NEIGHBOURS_H
#define FUSE_LIB_CODEGEN_CPU_NEIGHBOURS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// The fill that all sums of `contraction` start from, with nothing between the two that touches
/// them; null if there is none.
linalg::FillOp findStart(linalg::GenericOp contraction);

/// The element-wise member behind `contraction`, with nothing between the two, that is the only
/// reader of its sums, or that writes where they lie; null if there is none. Its loops are the
/// contraction's parallel loops, which come first.
linalg::GenericOp findEpilogue(linalg::GenericOp contraction);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_NEIGHBOURS_H
