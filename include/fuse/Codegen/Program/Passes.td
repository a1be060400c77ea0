//===- Passes.td - The program around the kernels ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PROGRAM_PASSES_TD
#define FUSE_CODEGEN_PROGRAM_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseBindDims : Pass<"fuse-bind-dims", "::mlir::ModuleOp"> {
  let summary = "Record which dynamic dimensions of arguments must be equal";
  let description = [{
    A dynamic dimension never broadcasts: it equals its partner. On each public function the
    attribute `fuse.equal_dims = array<i64: a, i, b, j, …>` lists, for the whole program, that
    dimension i of argument a equals dimension j of argument b; b = −1 says that it equals the
    constant j. The program checks them when it is called.
  }];
}

def FuseCheckProgram : Pass<"fuse-check-program", "::mlir::ModuleOp"> {
  let summary = "Refuse programs that cannot be compiled, with the reason";
  let description = [{
    Runs before everything else of code generation. Public functions have one block and call nothing
    (calls are inlined beforehand); their values are ranked, have no encoding and are of less than 2^63
    bytes; loops and branches give tensors of static shape; ops are of the dialects that are lowered
    beside kernels.
  }];
}

def FuseLowerProgram : Pass<"fuse-lower-program", "::mlir::ModuleOp"> {
  let summary = "Give results memory of the caller's";
  let description = [{
    Runs after outlining. Tensors get the types that memory has (`uiN` is `iN`, a mask is a byte);
    host ops become `fuse.launch_host`, reshapes `tensor` reshapes. Each result of a public function
    becomes a buffer argument: the launch that computes it writes there, and what is returned
    otherwise (an argument, a constant, the same value twice) is copied there. Beside `@f` a function
    `@f.shapes(ins…) -> (index…)` gives the dynamic dimensions of the results.
  }];
  let dependentDialects = ["FuseDialect", "bufferization::BufferizationDialect",
                           "func::FuncDialect", "memref::MemRefDialect", "tensor::TensorDialect"];
}

def FusePlanArena : Pass<"fuse-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Place all buffers between kernels in one arena";
  let description = [{
    Runs after bufferization. Allocations of a public function become views of a new argument
    `memref<?xi8>`: those of static size at offsets that only buffers with disjoint lifetimes share,
    those of dynamic size one behind the other. `@f.arena(ins…, outs…) -> index` gives the bytes.
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "memref::MemRefDialect"];
}

def FuseProgramToLLVM : Pass<"fuse-program-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn launches into calls of the runtime, and functions into entry points";
  let description = [{
    Runs after control flow became branches and before functions are converted to LLVM. Each
    `fuse.launch`, `fuse.launch_host` and copy becomes a call of the runtime; a status that is not
    zero ends the function with it. For each public function `@f` it adds `@fuse_run_f`,
    `@fuse_query_f` and `@fuse_prepare_f` as the runtime's ABI has them. The module's `fuse.kernels`
    lists the kernels in the order of their numbers.
  }];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect"];
}

#endif // FUSE_CODEGEN_PROGRAM_PASSES_TD
