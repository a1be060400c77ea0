//===- ScalarOps.td - Ops on single elements -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_SCALAROPS_TD
#define FUSE_IR_SCALAROPS_TD

include "fuse/IR/FuseOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Fuse_GateOp : Fuse_Op<"gate", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "sigmoid, silu or gelu of an f32 scalar or vector";
  let description = [{
    Stands in the bodies of members between `convert-fuse-to-linalg{keep-gates}` and
    `fuse-expand-math`, as the ops of `math` do that upstream has for other functions: which
    instructions compute it best depends on the machine. Values are those of `fuse.unary` of the
    same kind.

    Example:
    ```mlir
    func.func @f(%x: f32) -> f32 {
      %0 = fuse.gate silu %x : f32
      %1 = fuse.gate gelu %0 approximate = tanh : f32
      return %1 : f32
    }
    ```
  }];
  let arguments = (ins Fuse_UnaryKindAttr:$kind,
                       AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>]>:$operand,
                       OptionalAttr<Fuse_GeluFormAttr>:$approximate);
  let results = (outs AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>]>:$result);
  let assemblyFormat = [{
    `` $kind $operand (`approximate` `=` `` $approximate^)? attr-dict `:` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether there is a gate of this kind.
    static bool takes(UnaryKind kind);
    /// What the op computes, of `x`, in ops of arith and math.
    ::mlir::Value buildArithmetic(::mlir::ImplicitLocOpBuilder &builder, ::mlir::Value x);
  }];
}

#endif // FUSE_IR_SCALAROPS_TD
