//===- ReductionOps.td - Reductions -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_REDUCTIONOPS_TD
#define FUSE_IR_REDUCTIONOPS_TD

include "fuse/IR/FuseOpBase.td"

def Fuse_ReduceOp : Fuse_Op<"reduce", [Pure,
    DeclareOpInterfaceMethods<CostOpInterface, []>,
    DeclareOpInterfaceMethods<FusableOpInterface, ["buildScalarBody", "isBitStable"]>]> {
  let summary = "folds the elements along some dimensions";
  let description = [{
    `dimensions` are sorted, distinct, and removed from the shape (`keep_dims` leaves them with
    extent 1). Over all dimensions the result has rank 0. Over no elements: sum 0, prod 1, max −inf
    (lowest integer), min +inf (highest), mean NaN, any false, all true. Integer mean is refused.
    Accumulates in f32 for f16 and bf16, i32 for sums of integers of 8 and 16 bits, f64 for a mean of
    f32 (norms subtract it from
    elements that may all be close to it), else in the element type; the result has the
    operand's element type. A float sum may be reassociated; its error stays within
    (n−1)·ε·Σ|xᵢ|. max and min propagate NaN. any and all take i1.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8x1xf32>) {
      %0 = fuse.reduce sum %x dimensions = [1] : tensor<8x4xf32> -> tensor<8xf32>
      %1 = fuse.reduce max %x dimensions = [1] keep_dims : tensor<8x4xf32> -> tensor<8x1xf32>
      return %0, %1 : tensor<8xf32>, tensor<8x1xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_ReduceKindAttr:$kind, Fuse_Tensor:$operand,
                       DenseI64ArrayAttr:$dimensions, UnitAttr:$keep_dims);
  let results = (outs Fuse_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $operand `dimensions` `=` $dimensions (`keep_dims` $keep_dims^)? attr-dict `:`
    type($operand) `->` type($result)
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    bool hasScalarBody() { return true; }
  }];
}

class Fuse_ArgReduceOp<string mnemonic, string extreme> : Fuse_Op<mnemonic, [Pure,
    DeclareOpInterfaceMethods<CostOpInterface, []>, Fuse_Mappable]> {
  let summary = "the index of the " # extreme # " element along a dimension";
  let description = [{
    Gives i64. The first index among equals; the first NaN wins over every number. The dimension
    must not be empty.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8xi64> {
      %0 = fuse.}] # mnemonic # [{ %x dimension = 1 : tensor<8x4xf32> -> tensor<8xi64>
      return %0 : tensor<8xi64>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$dimension, UnitAttr:$keep_dims);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $operand `dimension` `=` $dimension (`keep_dims` $keep_dims^)? attr-dict `:`
    type($operand) `->` type($result)
  }];
}

def Fuse_ArgmaxOp : Fuse_ArgReduceOp<"argmax", "largest">;
def Fuse_ArgminOp : Fuse_ArgReduceOp<"argmin", "smallest">;

#endif // FUSE_IR_REDUCTIONOPS_TD
