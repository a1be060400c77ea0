//===- Passes.td - Passes that lower kernels to machine code ----------------*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PASSES_TD
#define FUSE_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseExpandMath : Pass<"fuse-expand-math"> {
  let summary = "Expand functions into arithmetic of our own";
  let description = [{
    Rewrites `math.exp`, `exp2`, `expm1`, `log`, `log1p`, `tanh`, `erf`, `sin`, `cos`, `tan`,
    `asin`, `acos`, `atan`, `sinh`, `cosh`, `asinh`, `acosh`, `atanh`, `powf` and `rsqrt` on f32 scalars and vectors of any shape into `arith` ops, bitcasts and
    `math.fma`, without branches and with at most 2 ULP of error over all arguments, denormal,
    infinite and NaN ones included. Conversions from and to bf16, and from f64 to f16, become
    integer arithmetic that rounds once, to nearest even, and keeps denormals (some CPUs' bf16
    instructions flush them; `bf16-convert` allows it). f64, and functions not listed, become calls of libm, one per element,
    declared in the nearest symbol table: run the pass on that op, not on the functions in it.

    `fuse.gate` (sigmoid, silu, gelu) reads tables near 0, with a branch for a vector that has an
    element further out; the other functions branch nowhere.

    Nothing is contracted across ops: an expansion gives the same bits wherever it stands.

    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
      %0 = math.exp %x : vector<16xf32>   // about 20 ops of vector<16xf32> and vector<16xi32>
      return %0 : vector<16xf32>
    }
    ```
  }];
  let options = [
    Option<"hasScaling", "has-scaling", "bool", "false",
           "The machine scales vectors by powers of two (AVX-512): llvm.intr.ldexp is cheap">,
    Option<"permutedLanes", "permuted-lanes", "int64_t", "0",
           "How many floats one instruction permutes: 16 (AVX-512) or 8 (AVX2); 1 reads tables element "
           "by element, for the same bits; with 0 there are no tables, fuse.gate is arithmetic alone">,
    Option<"flushesExp", "flush-exp", "bool", "false",
           "math.exp is 0 in f32 where it would be denormal">,
    Option<"convertsBf16", "bf16-convert", "bool", "false",
           "f32 -> bf16 stays one op, which an instruction of the machine does; what is denormal becomes 0">,
    Option<"library", "library", "bool", "true",
           "Functions without an expansion become calls of libm; else they stay">
  ];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "LLVM::LLVMDialect",
                           "math::MathDialect", "scf::SCFDialect", "vector::VectorDialect"];
}

#endif // FUSE_CODEGEN_PASSES_TD
