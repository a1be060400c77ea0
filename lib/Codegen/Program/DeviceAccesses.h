//===- DeviceAccesses.h - What the host does with a device's memory ------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// On a device all arrays of a program lie in the device's memory but these: memrefs of `index`,
// which are shapes, and constants where they are read in place.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_PROGRAM_DEVICEACCESSES_H
#define FUSE_LIB_CODEGEN_PROGRAM_DEVICEACCESSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fuse {

/// Whether the runtime has to do this for the host: a load, store or fill of device memory, or a
/// constant that something else than a load is given.
bool isDeviceAccess(Operation *op);

/// Fails on other ops that touch device memory, with a diagnostic at the op.
LogicalResult checkHostAccesses(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_PROGRAM_DEVICEACCESSES_H
