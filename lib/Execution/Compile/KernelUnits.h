//===- KernelUnits.h - What objects are made of --------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_COMPILE_KERNELUNITS_H
#define FUSE_LIB_EXECUTION_COMPILE_KERNELUNITS_H

#include "fuse/Execution/ObjectCompiler.h"

namespace mlir::fuse {

std::string toBytecode(ModuleOp module);

/// Drops what is of no use in an object, locations and the attributes of other dialects, so that
/// two kernels that differ in nothing else are one. keepsPlaces: where ops are in files stays.
void stripForObject(ModuleOp module, bool keepsPlaces = false);

/// An error if there is anything in the module, nested modules aside, that is not of the LLVM
/// dialect: an object's context knows no other. `name` is the module's in that error.
llvm::Error checkLowered(ModuleOp module, StringRef name);

/// What lowering says of a kernel, from the attributes and functions of its lowered module. The
/// unit's object and symbol are left to the caller.
llvm::Expected<KernelUnit> describeKernel(ModuleOp kernel, StringRef name);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_COMPILE_KERNELUNITS_H
