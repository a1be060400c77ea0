//===- KernelBuilder.h - One kernel from ops that stand together -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_KERNELBUILDER_H
#define FUSE_LIB_TRANSFORMS_KERNELBUILDER_H

#include "fuse/IR/FuseOps.h"

namespace mlir::fuse {

/// Replaces `members`, in execution order and with nothing but views between them, by a kernel at
/// the place of the last one.
KernelOp buildKernel(ArrayRef<Operation *> members);

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_KERNELBUILDER_H
