//===- CompileKernel.h - One kernel from its ops to its object --------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_COMPILE_COMPILEKERNEL_H
#define FUSE_LIB_EXECUTION_COMPILE_COMPILEKERNEL_H

#include "fuse/Execution/Compile.h"
#include "fuse/Pipelines/Pipelines.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::fuse {

/// What lowering for this machine's CPU depends on beside the program.
void setOptions(FuseToLLVMOptions &pipeline, const LoweringOptions &options);

/// A kernel's code, and what the program around it has to know of it.
struct KernelCode {
  KernelUnit unit; // its symbol and object are not known here
  std::unique_ptr<llvm::MemoryBuffer> object;

  /// Both as bytes, the name aside.
  std::string encode() const;
  static KernelCode decode(StringRef bytes, StringRef name);
};

/// Compiles a planned program for a CPU: see compileProgram, with `options` for the CPU of
/// `lowering`. Each kernel is lowered and compiled at once, by one of several threads.
FailureOr<CompiledObjects> compileKernelsApart(ModuleOp program, const LoweringOptions &lowering,
                                               const ObjectCompilerOptions &options);

/// Compiles kernels one after another, in an MLIRContext of its own; one per thread.
class KernelCompiler {
public:
  /// `registry`: the dialects that kernels may be made of, with their interfaces.
  KernelCompiler(const DialectRegistry &registry, const LoweringOptions &lowering,
                 const ObjectCompilerOptions &options);

  /// `bytecode`: an outlined kernel's module, whose function has the module's name, `name`. Error:
  /// what the passes or LLVM said, without any location.
  llvm::Expected<KernelCode> compile(StringRef bytecode, StringRef name);

private:
  const ObjectCompilerOptions &options;
  MLIRContext context;
  std::string errors;
  ScopedDiagnosticHandler handler;
  PassManager passes;
  std::unique_ptr<llvm::TargetMachine> machine; // made when it is first needed
};

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_COMPILE_COMPILEKERNEL_H
