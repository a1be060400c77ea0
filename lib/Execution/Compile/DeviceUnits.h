//===- DeviceUnits.h - Kernels of a device among those to compile ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_COMPILE_DEVICEUNITS_H
#define FUSE_LIB_EXECUTION_COMPILE_DEVICEUNITS_H

#include "fuse/Execution/ObjectCompiler.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::fuse {

/// What of a kernel's module runs on a device; null for a kernel of the CPU.
gpu::GPUModuleOp getDeviceModule(ModuleOp kernel);

/// Reads the attributes that lowering left on the kernel's module. An error where one is missing.
llvm::Expected<KernelUnit::Device> describeDevice(ModuleOp kernel);

/// The kernel's functions that the host runs, appended at `builder`.
void cloneHostFunctions(ModuleOp kernel, OpBuilder &builder);

/// A module with the functions of a device's module.
OwningOpRef<ModuleOp> cloneDeviceFunctions(gpu::GPUModuleOp device);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_COMPILE_DEVICEUNITS_H
