//===- Decompose.h - Composites as what they consist of -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_DECOMPOSE_H
#define FUSE_IR_DECOMPOSE_H

#include "mlir/IR/Operation.h"

namespace mlir::fuse {

/// Replaces all composites in the regions of `op` (softmax, attention, ...) by their decompositions, until
/// none is left. Unlike the pass `fuse-decompose` it keeps no record of what was written.
void decomposeAll(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_IR_DECOMPOSE_H
