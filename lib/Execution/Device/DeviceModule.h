//===- DeviceModule.h - LLVM IR of device functions -----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_DEVICE_DEVICEMODULE_H
#define FUSE_LIB_EXECUTION_DEVICE_DEVICEMODULE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace mlir::fuse {

/// The code generator for `chip`, one of those whose name `isWanted`. Errors: any other chip, with
/// the list of those that are known.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeDeviceMachine(StringRef triple, StringRef chip, StringRef features,
                  llvm::function_ref<bool(StringRef)> isWanted, llvm::Reloc::Model relocation);

/// The module that `bytecode` (kernels in device dialects) translates to, for `machine`, with the
/// functions that are named `from…` named `to…`; see renameFunctions.
llvm::Expected<std::unique_ptr<llvm::Module>> translateForDevice(StringRef bytecode, StringRef name,
                                                                 StringRef from, StringRef to,
                                                                 const llvm::TargetMachine &machine,
                                                                 llvm::LLVMContext &context);

/// LLVM's processors of a triple for which `isWanted`, in the order of their numbers.
SmallVector<std::string> listChips(StringRef triple, llvm::function_ref<bool(StringRef)> isWanted);

/// Whether the module calls a function it does not define and whose name starts so.
bool refersTo(const llvm::Module &module, StringRef prefix);

/// Links what the module refers to from a file of bitcode, in the module's context.
llvm::Error linkBitcode(llvm::Module &module, StringRef path);

/// Optimizes a translated module that has what it needs of libraries, and runs the code generator:
/// dynamic shared memory becomes one external symbol, functions are convergent, and all but kernels
/// are internal. Errors: a function that the module calls and does not define.
llvm::Expected<SmallString<0>> emitDeviceCode(llvm::Module &module, StringRef name,
                                              llvm::TargetMachine &machine,
                                              llvm::CodeGenFileType type);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_DEVICE_DEVICEMODULE_H
