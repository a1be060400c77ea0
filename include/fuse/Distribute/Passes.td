//===- Passes.td - Programs for several processes -----*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DISTRIBUTE_PASSES_TD
#define FUSE_DISTRIBUTE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseShardCheck : Pass<"fuse-shard-check", "::mlir::ModuleOp"> {
  let summary = "fails where a program cannot be partitioned as it is annotated";
  let description = [{
    Looks at functions with ops `shard.shard` and changes nothing. An error, at the op, says what
    cannot be followed and what would allow it: a dimension that does not divide into equal parts or
    whose extent is unknown, axes that the grid does not have, halos, host functions that may have
    effects, regions, kernels that are already formed, calls.

    Example: 6 rows are two halves; of 5 rows it would say so.
    ```mlir
    shard.grid @g(shape = 2)
    func.func @f(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
      %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
      %0 = shard.shard %x to %s : tensor<6x4xf32>
      %1 = fuse.unary exp %0 : tensor<6x4xf32>
      return %1 : tensor<6x4xf32>
    }
    ```
  }];
}

def FuseDistribute : Pass<"fuse-distribute", "::mlir::ModuleOp"> {
  let summary = "makes a program that of one of several processes";
  let description = [{
    Partitions functions over a grid of processes (ranks), which all run the result: types become
    those of one rank's shards, `fuse.sharding` on arguments and results says which part of the full
    tensor a rank has, and collectives stand where ranks exchange. Runs before planning.

    What is cut is said by `shard` or, without it, by annotations of the program: a value that
    `shard.shard` annotates is cut like that, and functions without annotations stay as they are.

    | `shard` | |
    |---|---|
    | `data=M` | M groups of ranks have a part of the batch each: of the leading dimension of arguments that are no parameters |
    | `tensor=N` | N ranks share the weights of products, and the heads, features and groups that follow from these |
    | `auto=N` | N ranks are arranged, and everything is cut, as takes the least time by the target |

    All that this leaves open is chosen by price: what ops and collectives take by the figures of
    the target. With `explain` a remark at the function has the plan and the next best ones.

    Example: the two products of a perceptron, cut by columns and by rows.
    ```mlir
    shard.grid @g(shape = 2)
    func.func @mlp(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %v: tensor<32x12xf32>) -> tensor<8x12xf32> {
      %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
      %0 = shard.shard %w to %s : tensor<16x32xf32>
      %1 = fuse.matmul %x, %0 : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
      %2 = fuse.unary relu %1 : tensor<8x32xf32>
      %3 = fuse.matmul %2, %v : (tensor<8x32xf32>, tensor<32x12xf32>) -> tensor<8x12xf32>
      return %3 : tensor<8x12xf32>
    }
    ```
  }];
  let options = [
    Option<"shard", "shard", "std::string", /*default=*/"\"\"",
           "tensor=N,data=M (or one of them), or auto=N; without it annotations say">,
    Option<"memoryBytes", "memory-bytes", "int64_t", "0",
           "what the tensors of one rank may take; 0: rank_memory_bytes of the target">,
    Option<"plan", "plan", "unsigned", "0",
           "takes the next plan, or the one behind it, …, in place of the best one (0): to measure them">,
    Option<"explain", "explain", "bool", "false", "a remark has the plan and the next best ones">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseFoldCollectives : Pass<"fuse-fold-collectives", "::mlir::func::FuncOp"> {
  let summary = "makes one collective of two, and moves gathers behind element-wise ops";
  let description = [{
    The part that a rank keeps of an all_reduce is a reduce_scatter; the part that it keeps of what
    was just gathered along the same dimension is what it had. An element-wise op whose operands are
    all gathered alike, or are one number, is computed before the gather, on shards, where its result
    is no wider than its operands.

    Example: becomes a reduce_scatter.
    ```mlir
    func.func @f(%x: tensor<8x12xf32>) -> tensor<8x6xf32> {
      %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<8x12xf32>
      %1 = fuse.all_slice %0 dimension = 1 in <grid = [2], axes = [0]> : tensor<8x12xf32> -> tensor<8x6xf32>
      return %1 : tensor<8x6xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

def FuseOverlapCollectives : Pass<"fuse-overlap-collectives", "::mlir::func::FuncOp"> {
  let summary = "lets kernels run while collectives that they need nothing of are under way";
  let description = [{
    Runs on formed kernels. Behind a collective stand, as the program has them, kernels that read its result, and kernels that
    do not. Of the latter as many are moved in front of the former as take the time of the collective, by the figures of the
    target. A collective beside which kernels run gets `fuse.overlap_ns`, the time that this saves; the program starts it, and
    waits for it in front of the first op that needs it. Host ops with effects, among them collectives, keep their order.

    Within a machine nothing is moved: there, the processors that would run kernels are those that copy.

    Example: the second product needs nothing of the all_reduce; the ranks are on two machines.
    ```mlir
    module attributes {fuse.target = #fuse.target<"cpu", cpu, {ranks_per_node = 1.0, network_bw = 1.0, network_alpha_ns = 1000.0}>} {
      func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
        %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<64x64xf32>
        %1 = fuse.unary exp %0 : tensor<64x64xf32>
        %2 = fuse.matmul %y, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"numerics", "numerics", "std::string", /*default=*/"\"exact\"", "the numeric class that kernels are priced in">
  ];
}

#endif // FUSE_DISTRIBUTE_PASSES_TD
