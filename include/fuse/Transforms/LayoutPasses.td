//===- LayoutPasses.td - Layouts and parameters ------------------------*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_LAYOUTPASSES_TD
#define FUSE_TRANSFORMS_LAYOUTPASSES_TD

include "mlir/Pass/PassBase.td"

def FuseLayOutReshapes : Pass<"fuse-lay-out-reshapes", "::mlir::func::FuncOp"> {
  let summary = "copies what is transposed, cut or repeated before reshapes of open dimensions";
  let description = [{
    No index map says how a reshape that joins or splits open dimensions reads elements that lie in another order in memory.
    They are copied, which is an op that the plan prices and gives to the kernel that computes them, if it can.

    ```mlir
    func.func @f(%x: tensor<7x?xf32>) -> tensor<?xf32> {
      %0 = fuse.transpose %x permutation = [1, 0] : tensor<7x?xf32> -> tensor<?x7xf32>
      %1 = fuse.reshape %0 : tensor<?x7xf32> -> tensor<?xf32>
      return %1 : tensor<?xf32>
    }
    // becomes
    //   %0 = fuse.transpose %x permutation = [1, 0] : tensor<7x?xf32> -> tensor<?x7xf32>
    //   %1 = fuse.copy %0 : tensor<?x7xf32>
    //   %2 = fuse.reshape %1 : tensor<?x7xf32> -> tensor<?xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect"];
}

def FuseAssignLayouts : Pass<"fuse-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "stores images with their channels last";
  let description = [{
    Convolutions in vectors of output channels are fast at any image size. Values [N, C, H, W] that
    ops hand to each other, and that a convolution with at least 16 output channels computes or
    reads, become [N, H, W, C]; so do all that ops between them go through element by element. What a
    function takes and returns stays as it is: a `fuse.transpose`, which is a view, stands there. Kernels
    that are formed already stay as they are.

    Example: the image between the convolution and the reduction becomes 1x8x8x16.
    ```mlir
    func.func @f(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x1x1xf32>) -> tensor<1x16xf32> {
      %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x3x8x8xf32>, tensor<16x3x1x1xf32>) -> tensor<1x16x8x8xf32>
      %1 = fuse.reduce mean %0 dimensions = [2, 3] : tensor<1x16x8x8xf32> -> tensor<1x16xf32>
      return %1 : tensor<1x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FusePackParameters : Pass<"fuse-pack-parameters", "::mlir::func::FuncOp"> {
  let summary = "lays out weights as products read them";
  let description = [{
    Products read their weights (the second operand of `fuse.matmul`), and convolutions with their
    channels last their filters, in blocks of columns (output channels). Where these are a parameter,
    the pass puts the ops that lay it out so, [columns / block, inner, block], at the top of the function,
    and in front of the product the views that undo them, through which lowering reads. A block is 32, 48
    or 16 columns, whichever takes least time for all of them; its last one is padded where that does not
    divide their number. Up to 64 columns that no block divides lie as they are read, and so does all of a
    kernel that is formed already. `fuse-prepare-parameters` then moves the packing out of the run.

    Example: 512 columns become 16 blocks.
    ```mlir
    func.func @f(%x: tensor<128x256xf32>, %w: tensor<256x512xf32> {fuse.param}) -> tensor<128x512xf32> {
      %0 = fuse.matmul %x, %w : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
      return %0 : tensor<128x512xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FusePrepareParameters : Pass<"fuse-prepare-parameters", "::mlir::ModuleOp"> {
  let summary = "moves what depends on parameters alone into a function that runs once";
  let description = [{
    Ops whose operands are parameters (arguments marked `fuse.param`), constants, or results of such
    ops give the same in every run. They move into a function `@f_prepare`, which takes the
    parameters of `@f`; `@f` takes its results as further arguments, marked `fuse.prepared`, and names
    it in `fuse.prepare`. Callers give what they gave before: the program's entry `prepare` calls the
    function. Views stay: they cost nothing. Functions that others call, and results of dynamic shape,
    stay as they are. With `moves`, only ops move that move elements, and make no more of them: what
    is computed from parameters may take more memory than they do.

    Example: the weights are doubled once.
    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param}) -> tensor<4x2xf32> {
      %0 = fuse.binary add %w, %w : tensor<8x2xf32>
      %1 = fuse.matmul %x, %0 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      return %1 : tensor<4x2xf32>
    }
    ```
  }];
  let options = [
    Option<"moves", "moves", "bool", "false",
           "only what moves elements: copies, gathers, concatenations and pads">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::func::FuncDialect"];
}

#endif // FUSE_TRANSFORMS_LAYOUTPASSES_TD
