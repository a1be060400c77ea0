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

    Example: gets `fuse.equal_dims = array<i64: 1, 0, 0, 1>`.
    ```mlir
    func.func @f(%x: tensor<8x?xf32>, %y: tensor<?xf32>) -> tensor<8x?xf32> {
      %0 = fuse.binary add %x, %y : (tensor<8x?xf32>, tensor<?xf32>) -> tensor<8x?xf32>
      return %0 : tensor<8x?xf32>
    }
    ```
  }];
}

def FuseBindIndices : Pass<"fuse-bind-indices", "::mlir::ModuleOp"> {
  let summary = "Record which arguments hold indices, and of what extent";
  let description = [{
    An index of `fuse.gather` outside the operand is an error. On each public function the attribute
    `fuse.index_bounds = array<i64: a, n, b, i, …>` lists arguments that serve as indices, directly
    or through reshapes, transposes, broadcasts and casts that keep their value: those of argument a
    lie in [−n, n), or, where n is −1, below dimension i of argument b. The program checks them when
    it is called. Constant indices are checked here. What the program computes itself is not checked:
    there code takes the nearest index.

    Example: gets `fuse.index_bounds = array<i64: 1, 10, -1, -1>`.
    ```mlir
    func.func @f(%x: tensor<10x4xf32>, %i: tensor<2xi64>) -> tensor<2x4xf32> {
      %0 = fuse.gather %x, %i dimension = 0 : (tensor<10x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }
    ```
  }];
}

def FuseCheckProgram : Pass<"fuse-check-program", "::mlir::ModuleOp"> {
  let summary = "Refuse programs that cannot be compiled, with the reason";
  let description = [{
    Runs before everything else of code generation. Public functions have one block and call nothing
    (calls are inlined beforehand); their values are ranked, have no encoding and are of less than 2^63
    bytes; loops and branches give tensors of static shape; ops are of the dialects that are lowered
    beside kernels.

    Example: passes. With `tensor<8xf32, "a layout">` it is an error.
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = fuse.unary relu %x : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
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

    Example: `@f` becomes `(tensor<8xf32>, memref<8xf32>) -> ()`, whose launch writes to the memref.
    ```mlir
    module @relu {
      func.func private @relu(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
        %0 = fuse.unary relu %x : tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    }
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %0 = fuse.launch @relu ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["FuseDialect", "bufferization::BufferizationDialect",
                           "func::FuncDialect", "memref::MemRefDialect", "tensor::TensorDialect"];
}

def FuseWaitForCollectives : Pass<"fuse-wait-for-collectives", "::mlir::func::FuncOp"> {
  let summary = "Wait for collectives where their buffers are needed";
  let description = [{
    Runs on buffers. A call `start_...` of a collective returns before its result is there. In front of the first op that reads or
    writes the result, or writes the operand, a call `wait_for_collectives` is inserted: its number says how many of those that
    were started may still be under way behind it. It names the collective's buffers, so that these live until then. Where no launch
    lies in between, the collective is one call.

    Example: the wait stands before the second launch.
    ```mlir
    module @exp {
      func.func private @exp(%x: memref<8xf32>, %y: memref<8xf32>) {
        return
      }
    }
    func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %sum: memref<8xf32>, %z: memref<8xf32>) {
      fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%x : memref<8xf32>) outs(%sum : memref<8xf32>)
      fuse.launch @exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
      fuse.launch @exp ins(%sum : memref<8xf32>) outs(%z : memref<8xf32>)
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FusePlanArena : Pass<"fuse-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Place all buffers between kernels in one arena";
  let description = [{
    Runs after bufferization. Allocations of a public function become views of a new argument
    `memref<?xi8>`: those of static size at offsets that only buffers with disjoint lifetimes share,
    those of dynamic size in slots behind them, which buffers with disjoint lifetimes share; a slot has the bytes
    of its largest buffer. (A size that the arguments do not tell gets a slot of its own.) Shapes, arrays of
    `index`, go to the stack: the host reads them wherever the arena lies. `@f.arena(ins…, outs…) -> index` gives the bytes.

    Example: `%t` becomes a view of the arena at offset 0, and the arena has 64 bytes.
    ```mlir
    func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {
      %t = memref.alloc() : memref<8xf32>
      memref.copy %x, %t : memref<8xf32> to memref<8xf32>
      memref.copy %t, %y : memref<8xf32> to memref<8xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "memref::MemRefDialect"];
}

def FuseLowerUnplanned : Pass<"fuse-lower-unplanned", "::mlir::ModuleOp"> {
  let summary = "Turn linalg ops of a program for a device into loops, but not fills";
  let description = [{
    What is not part of a kernel runs on the host, where each access to a device's memory is a call
    of the runtime. Fills of public functions stay, since the runtime has a call for each.

    Example: the first op stays, the second becomes a loop.
    ```mlir
    func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
      linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
      return
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect", "scf::SCFDialect"];
}

def FuseLowerExpandShapes : Pass<"fuse-lower-expand-shapes"> {
  let summary = "Turn memref.expand_shape with several open extents in a group into memref.reinterpret_cast";
  let description = [{
    Upstream's `expand-strided-metadata` takes groups of dimensions with at most one open extent, so
    this pass comes before it. Other `memref.expand_shape` stay.

    Example: the view gets sizes `[%n, %m]` and strides `[%m, 1]`.
    ```mlir
    func.func @f(%x: memref<?xf32>, %n: index, %m: index) -> memref<?x?xf32> {
      %0 = memref.expand_shape %x [[0, 1]] output_shape [%n, %m] : memref<?xf32> into memref<?x?xf32>
      return %0 : memref<?x?xf32>
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "memref::MemRefDialect"];
}

def FuseProgramToLLVM : Pass<"fuse-program-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn launches into calls of the runtime, and functions into entry points";
  let description = [{
    Runs after control flow became branches and before functions are converted to LLVM. Each
    `fuse.launch`, `fuse.launch_host` and copy becomes a call of the runtime; a status that is not
    zero ends the function with it. For each public function `@f` it adds `@fuse_run_f`,
    `@fuse_query_f` and `@fuse_prepare_f` as the runtime's ABI has them. The module's `fuse.kernels`
    lists the kernels in the order of their numbers.

    With `on-device` all buffers lie in a device's memory: the runtime uploads constants, fills, and
    reads and writes single elements for the host. Other ops that would touch them are errors.

    Example: what `fuse-to-llvm` has made of one launch when this pass runs.
    ```mlir
    module @relu {
      func.func private @relu(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
        %0 = fuse.unary relu %x : tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    }
    func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<?xi8>) {
      fuse.launch @relu ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
      return
    }
    func.func private @f.shapes(%x: memref<8xf32>) {
      return
    }
    func.func private @f.arena(%x: memref<8xf32>, %y: memref<8xf32>) -> index {
      %bytes = arith.constant 0 : index
      return %bytes : index
    }
    ```
  }];
  let options = [Option<"onDevice", "on-device", "bool", "false",
                        "buffers lie in the memory of a device">];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect"];
}

#endif // FUSE_CODEGEN_PROGRAM_PASSES_TD
