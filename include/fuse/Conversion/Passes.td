//===- Passes.td - Conversions from and to the dialect -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_CONVERSION_PASSES_TD
#define FUSE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertFuseToLinalg : Pass<"convert-fuse-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "converts the ops of the dialect on tensors to linalg.generic";
  let description = [{
    Every op becomes `linalg.generic` ops on tensors of *storage* types (`uiN` is `iN`, a mask a
    byte 0 or 1) without static unit dimensions; transposes, broadcasts and unit dimensions are
    absorbed in indexing maps, which are projected permutations plus the window expressions of
    convolutions and pools. Unit dimensions are collapsed where arguments enter and expanded where
    results leave. Composites are decomposed first. The function must have one block; an op that
    has no form here (a host op, a load, a kernel) is an error at its location, and the function
    is left as it was.

    Bodies hold ops of `arith` and `math`. With `keep-gates` they also hold `fuse.gate`, which only
    `fuse-expand-math` lowers.

    Example: the kept unit dimension of the maximum is gone, and the subtraction reads it along d0.
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %0 = fuse.reduce max %x dimensions = [1] keep_dims : tensor<8x4xf32> -> tensor<8x1xf32>
      %1 = fuse.binary sub %x, %0 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    }
    ```
  }];
  let options = [
    Option<"keepGates", "keep-gates", "bool", "false",
           "Sigmoid, silu and gelu of f32 stay one op, fuse.gate">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MergeMembers : Pass<"fuse-merge-members", "::mlir::func::FuncOp"> {
  let summary = "merges element-wise members into their only consumer";
  let description = [{
    Fuses an element-wise `linalg.generic` into the single op that reads it, if that op is
    element-wise or a reduction that reads each of its elements once. Contractions and windows,
    which would compute the producer again for each use, stay apart, and so does a producer marked
    `fuse.recompute`. An element-wise op that windows alone read is marked so, directly or through a
    `tensor.pad`: tiles of windows overlap, so each computes what it reads. An op in front of a padding is not
    marked if the block has its operand whole (sums of a reduction that nobody else reads, which the op then
    goes through once), nor if it computes a costly function of a reduction's result.

    With `per-element`, for a GPU, those ops are marked all the same, and each `tensor.pad` becomes a
    `linalg.generic` without inputs: its body decides for every element whether it lies inside, and computes it.

    Example:
    ```mlir
    #id = affine_map<(d0) -> (d0)>
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.negf %a : f32
        linalg.yield %r : f32
      } -> tensor<8xf32>
      %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = math.exp %a : f32
        linalg.yield %r : f32
      } -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"perElement", "per-element", "bool", "false",
           "Paddings decide and compute element by element, as threads of a GPU do">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertTosaToFuse : Pass<"convert-tosa-to-fuse", "::mlir::func::FuncOp"> {
  let summary = "converts TOSA to the dialect";
  let description = [{
    A partial conversion: what has no form here stays as it is, and types do not change. Constants
    become `arith.constant`. Zero points must be 0, except those of `tosa.rescale`; windows need
    static extents. `tosa.cast` of floats to integers rounds, which is an op of its own here. A
    dynamic extent that is 1 in one operand alone is an error of the call, and does not repeat.
    docs/conversions.md lists the ops.

    Example: the filter's dimensions are permuted, and the order of the pads is another.
    ```mlir
    func.func @f(%x: tensor<1x8x8x4xf32>, %w: tensor<6x3x3x4xf32>, %b: tensor<6xf32>) -> tensor<1x8x8x6xf32> {
      %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
      %0 = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<6x3x3x4xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x6xf32>
      return %0 : tensor<1x8x8x6xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::fuse::FuseDialect",
                           "::mlir::tosa::TosaDialect"];
}

def ConvertLinalgToFuse : Pass<"convert-linalg-to-fuse", "::mlir::func::FuncOp"> {
  let summary = "converts linalg on tensors to the dialect";
  let description = [{
    A partial conversion: what has no form here stays as it is, and types do not change. Structured
    ops, named or generic, are recognized by their indexing maps and bodies: element-wise ops,
    broadcasts, transposes, reductions, sums of products as `fuse.matmul`. What a reduction starts
    from is dropped where it is neutral, and combined with the result otherwise. Named convolutions
    and pools, softmax, and ops of the tensor dialect have patterns of their own; windows need
    static extents.
    docs/conversions.md lists what is recognized.

    Example: one transposed product, and its bias.
    ```mlir
    func.func @f(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<8x16xf32>, tensor<4x16xf32>) outs(%b : tensor<8x4xf32>) {
      ^bb0(%l: f32, %r: f32, %acc: f32):
        %1 = arith.mulf %l, %r : f32
        %2 = arith.addf %acc, %1 : f32
        linalg.yield %2 : f32
      } -> tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::fuse::FuseDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def RepeatCheap : Pass<"fuse-repeat-cheap", "::mlir::func::FuncOp"> {
  let summary = "lets each reader compute a cheap element-wise value itself";
  let description = [{
    A `linalg.generic` of one or two sums or products of one tensor's elements and of what is repeated
    along them, whose readers are several element-wise ops and reductions that read each element once,
    is computed by each of them: reading the tensor takes no longer than reading the value, which
    then is stored nowhere. Runs on tiles: what is shared between blocks is decided before.

    Example: the centered row of a norm, which its variance and its result read.
    ```mlir
    #id = affine_map<(d0) -> (d0)>
    #one = affine_map<(d0) -> ()>
    func.func @f(%x: tensor<64xf32>, %m: tensor<f32>, %z: tensor<f32>) -> (tensor<f32>, tensor<64xf32>) {
      %e = tensor.empty() : tensor<64xf32>
      %0 = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]}
          ins(%x, %m : tensor<64xf32>, tensor<f32>) outs(%e : tensor<64xf32>) {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %r = arith.subf %a, %b : f32
        linalg.yield %r : f32
      } -> tensor<64xf32>
      %1 = linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction"]}
          ins(%0 : tensor<64xf32>) outs(%z : tensor<f32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.mulf %a, %a : f32
        %r = arith.addf %o, %s : f32
        linalg.yield %r : f32
      } -> tensor<f32>
      %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = math.exp %a : f32
        linalg.yield %r : f32
      } -> tensor<64xf32>
      return %1, %2 : tensor<f32>, tensor<64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

#endif // FUSE_CONVERSION_PASSES_TD
