//===- PreparationPasses.td - What a program is before it is planned ---*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_PREPARATIONPASSES_TD
#define FUSE_TRANSFORMS_PREPARATIONPASSES_TD

include "mlir/Pass/PassBase.td"

def FuseDecompose : Pass<"fuse-decompose", "::mlir::ModuleOp"> {
  let summary = "replaces composites by primitives, after recording the profile as written";
  let description = [{
    For each function of the module, without the ops whose results nobody reads:

    1. A transpose, slice or broadcast that reaches a return, a store, a host op or an op of
       another dialect (directly or through reshapes) is work: it gets a `fuse.copy`.
    2. The profile of the program as written goes to the function's `fuse.written`, unless it is
       there already.
    3. softmax, layer_norm, batch_norm and attention become reduce, element-wise and matmul. Each
       device op of the decomposition carries `fuse.origin`, with the number of the written op in
       the function and its text for reports; `fuse.alone` and `fuse.together` pass on to them.

    Example:
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %0 = fuse.softmax %x dimension = -1 : tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
    becomes five primitives, each with `fuse.origin = #fuse.origin<0, "softmax">`.
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def FuseRefineShapes : Pass<"fuse-refine-shapes", "::mlir::func::FuncOp"> {
  let summary = "writes into types what follows of their extents";
  let description = [{
    Exporters, and people, leave an extent open that the operands say. Kernels are then planned and cut as if it were open.

    ```mlir
    func.func @f(%x: tensor<?x2xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = fuse.binary add %x, %y : (tensor<?x2xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }
    // becomes
    //   %0 = fuse.binary add %x, %y : (tensor<?x2xf32>, tensor<?x?xf32>) -> tensor<?x2xf32>
    //   return %0 : tensor<?x2xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect", "::mlir::tensor::TensorDialect"];
}

def FuseTraceSizes : Pass<"fuse-trace-sizes", "::mlir::ModuleOp"> {
  let summary = "reads extents off the function's arguments instead of computed values";
  let description = [{
    A size that is the extent of a computed value follows from the extents of the arguments, where the kinds of the
    ops in between say so. It is computed from these: then the value's op and an op that takes the size can be of one
    kernel, which takes the size as a number.

    Example: the size is that of dimension 0 of `%x`.
    ```mlir
    func.func @f(%x: tensor<?x4xf32>, %row: tensor<4xf32>) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %0 = fuse.unary exp %x : tensor<?x4xf32>
      %n = tensor.dim %0, %c0 : tensor<?x4xf32>
      %1 = fuse.broadcast %row dimensions = [0] sizes = [%n] : tensor<4xf32> -> tensor<?x4xf32>
      %2 = fuse.binary mul %0, %1 : tensor<?x4xf32>
      return %2 : tensor<?x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def FuseUnrollScans : Pass<"fuse-unroll-scans", "::mlir::ModuleOp"> {
  let summary = "replaces scans by their steps, where the target is a GPU";
  let description = [{
    The blocks of a GPU's kernel run all steps of a scan nowhere yet: each `fuse.scan` becomes the ops
    of its body, once for each step, slices of its sequences, and a concatenation for each output. A
    scan with an unknown number of steps, or with more than 4096, is an error. A program whose target
    is a CPU stays as it is, unless `always` is set.

    Example: with `always`, two additions and a concatenation.
    ```mlir
    func.func @f(%x: tensor<2x8xf32>, %zero: tensor<8xf32>) -> tensor<2x8xf32> {
      %0:2 = fuse.scan states(%so_far = %zero) over(%row = %x) : (tensor<8xf32>, tensor<2x8xf32>) -> (tensor<8xf32>, tensor<2x8xf32>) {
        %1 = fuse.binary add %so_far, %row : tensor<8xf32>
        fuse.yield %1, %1 : tensor<8xf32>, tensor<8xf32>
      }
      return %0#1 : tensor<2x8xf32>
    }
    ```
  }];
  let options = [Option<"always", "always", "bool", "false", "for CPUs as well">];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseSinkCollapses : Pass<"fuse-sink-collapses", "::mlir::func::FuncOp"> {
  let summary = "moves reshapes that join open dimensions behind what reads them";
  let description = [{
    Products, reductions and element-wise ops of rows that are several dimensions joined, of which one is open, are computed on
    these dimensions; a reshape back to them is gone then.

    ```mlir
    func.func @f(%x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
      %0 = fuse.reshape %x : tensor<?x?x8xf32> -> tensor<?x8xf32>
      %1 = fuse.matmul %0, %w : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
      return %1 : tensor<?x4xf32>
    }
    // becomes
    //   %0 = fuse.matmul %x, %w : (tensor<?x?x8xf32>, tensor<8x4xf32>) -> tensor<?x?x4xf32>
    //   %1 = fuse.reshape %0 : tensor<?x?x4xf32> -> tensor<?x4xf32>
    ```
  }];
  let dependentDialects = ["FuseDialect"];
}

def FuseSplitReductions : Pass<"fuse-split-reductions", "::mlir::ModuleOp"> {
  let summary = "cuts large reductions to few elements in two";
  let description = [{
    Where the module's target is a GPU, or a CPU that is known to have several threads
    (`max_threads`): a reduction of many elements to so few that most of a GPU's multiprocessors, or
    some threads, would have nothing to do becomes two, the first of which makes partial results. Both
    are planned, and counted, as the launches that they are. Sums are reassociated by it. On any CPU, one whose operand
    the program makes up of next to nothing (the sum of an identity matrix) is cut as well, into the
    blocks that planning asks for: it is then fused with that, and the operand is in no memory.

    What is cut: the outermost of the dimensions that has a divisor of about two parts for each
    multiprocessor or thread (of a CPU at least 16). Where none has, the outermost that is long enough is cut into as many parts of
    one length, and the few elements that are left are folded with the partial results, in the
    second launch. Element-wise ops that the reduction alone reads are made again for either.

    What stays: reductions of fewer than 2^18 elements or fewer than 1024 to each result; those
    whose results are enough for half of the multiprocessors or all threads; lengths that are not known; sums of
    8-bit integers; argmax and argmin; reductions that a user has planned.

    A remark of category `fuse-split-reductions` says of each that is cut, in how many parts.

    Example: becomes a reduction to 256 partial sums and one of these.
    ```mlir
    module attributes {fuse.target = #fuse.target<"a GPU", gpu, {max_threads = 108.0}>} {
      func.func @f(%x: tensor<4194304xf32>) -> tensor<f32> {
        %0 = fuse.reduce sum %x dimensions = [0] : tensor<4194304xf32> -> tensor<f32>
        return %0 : tensor<f32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::arith::ArithDialect"];
}

def FuseSplitExtrema : Pass<"fuse-split-extrema", "::mlir::ModuleOp"> {
  let summary = "takes the largest or smallest element of a whole tensor in two stages";
  let description = [{
    The largest element of all is one number, which no kernel knows before all of its blocks have run: a reduction over
    all dimensions is a launch of its own. This pass reduces parts of rows first, which the kernel that computes the tensor
    does beside it, block by block, and then the partial results, which each kernel that reads the number does for itself.
    `DynamicQuantizeLinear` of ONNX asks for two such numbers, of each operand of each product.

    What is split: max, min, any and all, whose results do not depend on the order of elements (numeric class `exact`), over
    all dimensions of a tensor that an op computes. A last dimension of more than 128 elements is cut into parts of 64, 32 or
    16 elements, the first that divides it, so that tiles of products hold whole parts. Else a part is all of the last
    dimension, and of those before it while it has at most 256 elements: 14x14 of `tensor<1x384x14x14xf32>`.
    Of images, as convolutions and pools make them, a part is a row with all of its channels: channels lie last in memory, and
    blocks are cut along rows.
    What stays: tensors of at most 256 elements or of more than 16384 parts, or whose last dimension is of unknown extent;
    arguments and constants; reductions that a user has planned.

    Example: the product's kernel gives 128 x 12 partial results as well.
    ```mlir
    func.func @f(%x: tensor<128x768xf32>, %w: tensor<768x768xf32>) -> (tensor<128x768xf32>, tensor<f32>) {
      %0 = fuse.matmul %x, %w : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
      %1 = fuse.reduce max %0 dimensions = [0, 1] : tensor<128x768xf32> -> tensor<f32>
      return %0, %1 : tensor<128x768xf32>, tensor<f32>
    }
    ```
  }];
}

def FuseSharePreparation : Pass<"fuse-share-preparation", "::mlir::ModuleOp"> {
  let summary = "makes a function and its variants prepare parameters once";
  let description = [{
    What `fuse-prepare-parameters` and the layout passes have computed of the parameters of a function with
    `fuse.variants`, and of each variant, is computed by one function, equal values once; each of them gets all that is
    prepared, in one order, as arguments.

    Example: `@f_n_2` prepares something, `@f` nothing yet.
    ```mlir
    func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x4xf32> {fuse.param}) -> tensor<?x4xf32>
        attributes {fuse.variants = [@f_n_2]} {
      %0 = fuse.matmul %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    func.func @f_n_2(%x: tensor<2x4xf32>, %w: tensor<4x4xf32> {fuse.param}, %e: tensor<4x4xf32> {fuse.param, fuse.prepared})
        -> tensor<2x4xf32> attributes {fuse.prepare = @f_n_2_prepare, fuse.variant_sizes = array<i64: 0, 0, 2, 2>} {
      %0 = fuse.matmul %x, %e : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }
    func.func @f_n_2_prepare(%w: tensor<4x4xf32> {fuse.param}) -> tensor<4x4xf32> {
      %0 = fuse.unary exp %w : tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }
    // @f gets the argument, too, and fuse.prepare = @f_prepare, which both name then.
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

#endif // FUSE_TRANSFORMS_PREPARATIONPASSES_TD
