//===- Planned.h - Ops that somebody has planned -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_PLANNED_H
#define FUSE_LIB_TRANSFORMS_PLANNED_H

#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// Whether a user, or a pass before, says which kernel an op belongs to: rewrites leave it as it is.
inline bool isMarked(Operation *op) {
  return op->hasAttr(attr::kGroup) || op->hasAttr(attr::kTogether) || op->hasAttr(attr::kAlone);
}

/// The same of an op in a kernel that is formed, or in a step of a loop over time, which is one.
inline bool isPlanned(Operation *op) {
  return isMarked(op) || op->getParentOfType<KernelOp>() || op->getParentOfType<ScanOp>();
}

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_PLANNED_H
