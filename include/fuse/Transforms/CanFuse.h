//===- CanFuse.h - May these two ops share a kernel? -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_CANFUSE_H
#define FUSE_TRANSFORMS_CANFUSE_H

#include "fuse/Analysis/Legality.h"
#include "mlir/IR/Operation.h"

namespace mlir::fuse {

/// Whether `consumer` may be in one kernel with `producer`, whose result it reads (through views or
/// not), and nobody else: what strategy `priority` would answer if it met the two alone, on the
/// target of the module around them and with the cost model `costModel`. Composites are judged by
/// their decomposition. The IR is not changed; the answer costs a copy of the block.
Legality canFuse(Operation *producer, Operation *consumer,
                 llvm::StringRef costModel = "roofline");

} // namespace mlir::fuse

#endif // FUSE_TRANSFORMS_CANFUSE_H
