//===- LlvmCode.h - Modules of the LLVM dialect as LLVM IR ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_MACHINECODE_LLVMCODE_H
#define FUSE_LIB_EXECUTION_MACHINECODE_LLVMCODE_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace mlir::fuse {

/// What a module may hold besides the LLVM dialect.
enum class CodeDialects {
  Host,
  /// NVVM or ROCDL; the module may hold a gpu.module with all there is.
  Device,
  /// The same, and locations become those of the code.
  Emulated
};

/// Translates a module given as bytecode, in an MLIRContext of its own. Error: "cannot compile
/// NAME: …".
llvm::Expected<std::unique_ptr<llvm::Module>> translateBytecode(StringRef bytecode, StringRef name,
                                                                CodeDialects dialects,
                                                                llvm::LLVMContext &context);

/// What a context needs before it can translate modules of the LLVM dialect alone.
void registerHostTranslation(DialectRegistry &registry);

/// Functions whose name starts with `from` get `to` in its place; none do if `from` is empty.
void renameFunctions(llvm::Module &module, StringRef from, StringRef to);

/// Runs LLVM's default pipeline. The loop vectorizer is on, `slp` adds the other one.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    llvm::OptimizationLevel level, bool slp);

/// Folds constants and drops what is dead, no more: for code that is compiled with least effort.
void simplifyModule(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_MACHINECODE_LLVMCODE_H
