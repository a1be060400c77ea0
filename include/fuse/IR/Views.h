//===- Views.h - What chains of views come to -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_VIEWS_H
#define FUSE_IR_VIEWS_H

#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// What `reshape`, and the reshapes of static shapes that it reads, directly or through slices of all
/// elements, are one reshape of. Seen one by one, 12x13 as 156, as 26x6 and as 156 again has no common
/// factors; seen as one it changes nothing.
Value getReshapeSource(ReshapeOp reshape);

/// `map`, over loops of `extents`, where loops of one iteration stand still: a window of one position reads
/// along its taps alone, and a window of one tap is none. A null map stays null.
AffineMap dropUnitLoops(AffineMap map, ArrayRef<int64_t> extents);

/// By how much `expr`, of `numDims` loops, grows with each iteration of `loop`; nothing where that is not the
/// same each time.
std::optional<int64_t> getStep(AffineExpr expr, unsigned loop, unsigned numDims);

/// Whether `op` reads its first operand through windows of several elements, and moves in it along the last
/// dimension of its result, as vectors do: each result has a window of its own. So does a convolution with its
/// channels first, along the width; a pool, and a depthwise convolution with its channels last, along these. Such
/// an operand is laid out anew for each block where memory has it in another order.
bool readsWindowsAlongVectors(FusableOpInterface op);

} // namespace mlir::fuse

#endif // FUSE_IR_VIEWS_H
