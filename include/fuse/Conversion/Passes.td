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

    Example: the kept unit dimension of the maximum is gone, and the subtraction reads it along d0.
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %0 = fuse.reduce max %x dimensions = [1] keep_dims : tensor<8x4xf32> -> tensor<8x1xf32>
      %1 = fuse.binary sub %x, %0 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ExpandMembers : Pass<"fuse-expand-members", "::mlir::func::FuncOp"> {
  let summary = "removes reshapes between members";
  let description = [{
    Where one `linalg.generic` reads another through a reshape, both are rewritten to run over the
    finest factors of their dimensions, so that index maps alone say which loops are the same.
    Copies fold into the maps of their readers. Reshapes of arguments and of results stay (they are
    free), and so does one whose factors have no common refinement.

    Example: after `convert-fuse-to-linalg` the exponential, too, runs over 8x2x2.
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8x2xf32> {
      %0 = fuse.unary exp %x : tensor<8x4xf32>
      %1 = fuse.reshape %0 : tensor<8x4xf32> -> tensor<8x2x2xf32>
      %2 = fuse.reduce sum %1 dimensions = [2] : tensor<8x2x2xf32> -> tensor<8x2xf32>
      return %2 : tensor<8x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MergeMembers : Pass<"fuse-merge-members", "::mlir::func::FuncOp"> {
  let summary = "merges element-wise members into their only consumer";
  let description = [{
    Fuses an element-wise `linalg.generic` into the single op that reads it, if that op is
    element-wise or a reduction that reads each of its elements once. Contractions and windows,
    which would compute the producer again for each use, stay apart, and so does a producer marked
    `fuse.recompute`. What windows alone read is marked so, and what a padding that is marked so
    pads becomes part of the padding: tiles of windows overlap, so each computes what it reads.

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
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect"];
}

#endif // FUSE_CONVERSION_PASSES_TD
