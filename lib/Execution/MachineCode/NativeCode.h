//===- NativeCode.h - One module to one object --------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_MACHINECODE_NATIVECODE_H
#define FUSE_LIB_EXECUTION_MACHINECODE_NATIVECODE_H

#include "fuse/Codegen/Emulator/EmulateNvvm.h"
#include "fuse/Execution/ObjectCompiler.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::fuse {

/// Makes LLVM's native target known; may be called any number of times, from any thread.
void initializeNativeTarget();

/// The code generator that `options` name. Whoever compiles several modules one after another may
/// use one for all of them.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(const CpuCodeOptions &options);

/// How much of the compiler's time code is worth.
enum class CodeEffort {
  /// Of what runs in loops.
  Most,
  /// Of what runs once, such as the calls of a network's kernels, which LLVM takes longer for than
  /// for
  /// the kernels. Where there is a loop, it is as Most.
  Least
};

/// Optimizes a module and emits it as an object called `name`. With least effort the machine is of
/// no use for another module.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileCode(llvm::Module &code, llvm::TargetMachine &machine, StringRef name,
            CodeEffort effort = CodeEffort::Most);

/// Compiles a module of the LLVM dialect, given as bytecode, to an object called `name`. Functions
/// whose name starts with `from` get `to` in its place; nothing is renamed if `from` is empty.
/// Touches no state shared between threads.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileNative(StringRef bytecode, StringRef name, StringRef from, StringRef to,
              const CpuCodeOptions &options, CodeEffort effort = CodeEffort::Most);

/// Compiles device code, a module of what a gpu.module holds after convert-gpu-to-nvvm, for the
/// emulator: its kernels become what fuse_device_kernel.emulated wants (see EmulateNvvm.h). Names
/// and threads as above. Locations in the bytecode are those that faults are reported with.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileEmulated(StringRef bytecode, StringRef name, StringRef from, StringRef to,
                const CpuCodeOptions &options, const EmulationOptions &emulation = {});

/// Compiles LLVM assembly of constants and declarations, unchanged, to an object called `name`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileAssembly(StringRef assembly, StringRef name, const CpuCodeOptions &options);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_MACHINECODE_NATIVECODE_H
