//===- CollectiveOps.td - Ops that exchange tensors between processes -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every process (rank) of a job runs the same program on its own shards of the tensors. A collective
// is a host op that all ranks of a group call together, in the same order: it is never removed,
// duplicated or moved past another collective, although its result is a function of its operand.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_COLLECTIVEOPS_TD
#define FUSE_IR_COLLECTIVEOPS_TD

include "fuse/IR/FuseOpBase.td"
include "fuse/IR/HostOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Fuse_CollectiveOp<string mnemonic, string attributes, list<Trait> traits = []>
    : Fuse_HostOp<mnemonic, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let results = (outs Fuse_Tensor:$result);
  let extraHostDeclaration = [{
    ::llvm::StringRef getHostCallee() { return "}] # mnemonic # [{"; }
    /// Those of the op, then the number of the grid's axes, its shape, and the group's axes.
    ::llvm::SmallVector<int64_t> getHostAttributes() {
      ::llvm::SmallVector<int64_t> attributes = }] # attributes # [{;
      getGroup().appendTo(attributes);
      return attributes;
    }
  }];
}

def Fuse_AllReduceOp : Fuse_CollectiveOp<"all_reduce", "{static_cast<int64_t>(getKind())}", [SameOperandsAndResultType]> {
  let summary = "combines the tensors of all ranks of a group, element by element";
  let description = [{
    Each rank of the group gets the sum (product, largest, smallest element; of i1, any or all) of
    the operands of all ranks, which have one shape. Elements of f16 and bf16 are combined in f32,
    and rounded once. All ranks get the same bits. The mean is refused: divide the sum.

    Example: on a grid of 2x4 ranks, the four ranks of each row add what they have.
    ```mlir
    func.func @f(%x: tensor<8x12xf32>) -> tensor<8x12xf32> {
      %0 = fuse.all_reduce sum %x in <grid = [2, 4], axes = [1]> : tensor<8x12xf32>
      return %0 : tensor<8x12xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_ReduceKindAttr:$kind, Fuse_Tensor:$operand, Fuse_ProcessGroupAttr:$group);
  let assemblyFormat = "`` $kind $operand `in` $group attr-dict `:` type($operand)";
}

def Fuse_AllGatherOp : Fuse_CollectiveOp<"all_gather", "{static_cast<int64_t>(getDimension())}"> {
  let summary = "joins the tensors of all ranks of a group along a dimension";
  let description = [{
    The result of each rank is the operands of all ranks of the group, in the order of the ranks,
    joined along `dimension`, whose extent grows by the group's size.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x6xf32>) -> tensor<8x12xf32> {
      %0 = fuse.all_gather %x dimension = 1 in <grid = [2], axes = [0]> : tensor<8x6xf32> -> tensor<8x12xf32>
      return %0 : tensor<8x12xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$dimension, Fuse_ProcessGroupAttr:$group);
  let assemblyFormat = [{
    $operand `dimension` `=` $dimension `in` $group attr-dict `:` type($operand) `->` type($result)
  }];
}

def Fuse_ReduceScatterOp
    : Fuse_CollectiveOp<"reduce_scatter", "{static_cast<int64_t>(getKind()), static_cast<int64_t>(getDimension())}"> {
  let summary = "all_reduce, of which each rank keeps its part along a dimension";
  let description = [{
    As `fuse.all_reduce` followed by `fuse.all_slice`; each rank receives only its part.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x12xf32>) -> tensor<8x6xf32> {
      %0 = fuse.reduce_scatter sum %x dimension = 1 in <grid = [2], axes = [0]> : tensor<8x12xf32> -> tensor<8x6xf32>
      return %0 : tensor<8x6xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_ReduceKindAttr:$kind, Fuse_Tensor:$operand, I64Attr:$dimension,
                       Fuse_ProcessGroupAttr:$group);
  let assemblyFormat = [{
    `` $kind $operand `dimension` `=` $dimension `in` $group attr-dict `:` type($operand) `->` type($result)
  }];
}

def Fuse_AllToAllOp
    : Fuse_CollectiveOp<"all_to_all", "{static_cast<int64_t>(getSplitDimension()), static_cast<int64_t>(getConcatDimension())}"> {
  let summary = "moves the cut of a tensor from one dimension to another";
  let description = [{
    Each rank cuts its operand along `split` into as many equal parts as the group has ranks,
    sends part i to rank i of the group, and joins what it receives, in the order of the ranks,
    along `concat`.

    Example: rows are cut before, columns after.
    ```mlir
    func.func @f(%x: tensor<4x12xf32>) -> tensor<8x6xf32> {
      %0 = fuse.all_to_all %x split = 1 concat = 0 in <grid = [2], axes = [0]> : tensor<4x12xf32> -> tensor<8x6xf32>
      return %0 : tensor<8x6xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$split_dimension, I64Attr:$concat_dimension,
                       Fuse_ProcessGroupAttr:$group);
  let assemblyFormat = [{
    $operand `split` `=` $split_dimension `concat` `=` $concat_dimension `in` $group attr-dict `:`
    type($operand) `->` type($result)
  }];
}

def Fuse_AllSliceOp : Fuse_CollectiveOp<"all_slice", "{static_cast<int64_t>(getDimension())}"> {
  let summary = "each rank's own part of a tensor that all ranks of a group have";
  let description = [{
    Rank i of a group of n keeps the i-th of n equal parts along `dimension`. Nothing is sent.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x12xf32>) -> tensor<4x12xf32> {
      %0 = fuse.all_slice %x dimension = 0 in <grid = [2], axes = [0]> : tensor<8x12xf32> -> tensor<4x12xf32>
      return %0 : tensor<4x12xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$dimension, Fuse_ProcessGroupAttr:$group);
  let assemblyFormat = [{
    $operand `dimension` `=` $dimension `in` $group attr-dict `:` type($operand) `->` type($result)
  }];
}

def Fuse_BroadcastFromOp : Fuse_CollectiveOp<"broadcast_from", "{static_cast<int64_t>(getRoot())}", [SameOperandsAndResultType]> {
  let summary = "gives all ranks of a group the tensor of one of them";
  let description = [{
    `root` counts within the group.

    Example:
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = fuse.broadcast_from %x root = 0 in <grid = [2], axes = [0]> : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, I64Attr:$root, Fuse_ProcessGroupAttr:$group);
  let assemblyFormat = "$operand `root` `=` $root `in` $group attr-dict `:` type($operand)";
}

#endif // FUSE_IR_COLLECTIVEOPS_TD
