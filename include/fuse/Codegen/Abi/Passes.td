//===- Passes.td - What kernels look like to the runtime ---------------------*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_ABI_PASSES_TD
#define FUSE_CODEGEN_ABI_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseKernelABI : Pass<"fuse-kernel-abi", "::mlir::ModuleOp"> {
  let summary = "Wrap a kernel's functions for the runtime";
  let description = [{
    Runs on a kernel's module before conversion to LLVM. `@k(ins…, outs…, begin, end, scratch)` gets
    a wrapper `llvm.func @k(ptr args, i64 begin, i64 end, ptr scratch)` that reads the arrays out of
    `fuse_buffer`s, and `@k_count(ins…, outs…)` one of type `i64 (ptr args)`. A function that is one step
    of a recurrence (`fuse.steps`) is called in a loop over the steps, and the module's
    `fuse.scratch_bytes` grow by what its states take.

    Example:
    ```mlir
    module @kernel {
      func.func private @kernel_count(%x: memref<8xf32>) -> index {
        %count = arith.constant 1 : index
        return %count : index
      }
      func.func private @kernel(%x: memref<8xf32>, %begin: index, %end: index, %scratch: memref<?xi8>) {
        return
      }
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "LLVM::LLVMDialect",
                           "scf::SCFDialect"];
}

#endif // FUSE_CODEGEN_ABI_PASSES_TD
