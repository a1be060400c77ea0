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

/// Whether `op`, a convolution or a pool whose windows have several taps, reads its image along the
/// vectors of its result: each result has a window of its own. Along the width where channels come
/// first; where they come last along the channels, which a depthwise convolution and a pool keep.
/// Such an image is laid out anew for each block where memory has it in another order.
bool readsWindowsAlongVectors(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_IR_VIEWS_H
