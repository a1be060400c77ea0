//===- KernelUnits.h - What objects are made of -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_COMPILE_KERNELUNITS_H
#define FUSE_LIB_EXECUTION_COMPILE_KERNELUNITS_H

#include "fuse/Execution/ObjectCompiler.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace mlir::fuse {

std::string toBytecode(ModuleOp module);

/// Drops what is of no use in an object, locations and the attributes of other dialects, so that
/// two kernels that differ in nothing else are one. keepsPlaces: where ops are in files stays.
void stripForObject(ModuleOp module, bool keepsPlaces = false);

/// Makes all locations unknown. keepsPlaces: but where ops are in files.
void dropLocations(ModuleOp module, bool keepsPlaces = false);

/// Where errors that are of no op's are reported: a public function.
Location getPublicPlace(ModuleOp program);

/// Bytecode of the lowered program without its kernels: what the host runs, the functions of kernels
/// of a device that are the host's included. An error as checkLowered.
llvm::Expected<std::string> encodeMain(ModuleOp lowered);

/// An error if there is anything in the module, nested modules aside, that is not of the LLVM
/// dialect: an object's context knows no other. `name` is the module's in that error.
llvm::Error checkLowered(ModuleOp module, StringRef name);

/// What lowering says of a kernel, from the attributes and functions of its lowered module. The
/// unit's object and symbol are left to the caller.
llvm::Expected<KernelUnit> describeKernel(ModuleOp kernel, StringRef name);

/// What of a kernel's module runs on a device; null for a kernel of the CPU.
gpu::GPUModuleOp getDeviceModule(ModuleOp kernel);

/// Reads the attributes that lowering left on the kernel's module. An error where one is missing.
llvm::Expected<KernelUnit::Device> describeDevice(ModuleOp kernel);

/// A module with the functions of a device's module.
OwningOpRef<ModuleOp> cloneDeviceFunctions(gpu::GPUModuleOp device);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_COMPILE_KERNELUNITS_H
