//===- EmulateNvvm.h - Device code made code of the CPU ----------------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_EMULATOR_EMULATENVVM_H
#define FUSE_CODEGEN_EMULATOR_EMULATENVVM_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::fuse {

struct EmulationOptions {
  /// Whether each access to memory is told to the emulator, which then finds those out of bounds,
  /// races and uncoalesced ones.
  bool checkAccesses = true;
};

/// Makes the LLVM IR of NVIDIA's form (what the LLVM and NVVM dialects translate to) a module for
/// the CPU: intrinsics and libdevice's functions become calls of the emulator's and of libm's
/// functions, shared memory becomes the block's.
///
/// For each kernel @k there is then, in its place,
///   void @k(void *const *params)    as fuse_device_kernel.emulated wants it, and
///   i64 @k_shared                   its bytes of static shared memory.
/// The module has neither target nor data layout afterwards, nor debug information: where the
/// source is known, it is in the tables that faults are named from.
///
/// Fails on inline assembly, and on intrinsics and functions that it does not know; the error names
/// them.
llvm::Error emulateNvvm(llvm::Module &module, const EmulationOptions &options = {});

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_EMULATOR_EMULATENVVM_H
