//===- Passes.td - Passes that run pipelines on copies of a program -----*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PIPELINES_PASSES_TD
#define FUSE_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseSpecialize : Pass<"fuse-specialize", "::mlir::ModuleOp"> {
  let summary = "adds copies of functions for some sizes of their open dimensions";
  let description = [{
    For each list of sizes a public function of open dimensions gets a variant: a copy in which these dimensions of the
    arguments have that size, and everything that follows from it is known; or, for a range of sizes, one that is planned
    for these. `fuse.variants` of the function names them; a
    call of these sizes runs the first one that fits (see include/fuse/IR/Variants.h). Functions that have variants get no
    others. Dimensions that must be equal for any op of the function, or that have one name, have one size. Parameters
    keep their types, for what is prepared of them is prepared for calls of any size.

    Sizes are given as `batch=8,seq=1;seq=2..32,likely=8`, by `fuse.dim_names`, or as ARGUMENT:AXIS; a name that occurs again begins
    another variant, as `;` does. It is an error if a name is that of no open dimension, if a size is above its bound, or
    if the function cannot have the size: reshapes of 5 elements to rows of 2, say.

    With `sizes=auto` the variants are chosen by price: one in which all sizes are 1, and for each size one in which it is,
    the others open and planned for 8 at least. A size of 1 often makes other kernels than any size does (rows of batches
    become rows). Sizes that conditions of the function (`shape_conditions`) exclude are not tried, nor those that they say as
    expressions of others. Those are kept of which a call takes at least a twentieth and 10 us less by the cost model. `planning` has the options of fuse-pipeline that kernels are made with.

    Example, with `sizes=n=2`:
    ```mlir
    func.func @f(%x: tensor<?x4xf32> {fuse.dim_names = ["n", ""]}) -> tensor<?x4xf32> {
      %0 = fuse.unary exp %x : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    // gets fuse.variants = [@f_n_2], and behind it stands
    func.func @f_n_2(%x: tensor<2x4xf32> {fuse.dim_names = ["n", ""]}) -> tensor<2x4xf32>
        attributes {fuse.variant_sizes = array<i64: 0, 0, 2, 2>} {
      %0 = fuse.unary exp %x : tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }
    ```
  }];
  let options = [Option<"sizes", "sizes", "std::string", /*default=*/"\"\"",
                        "the variants' sizes, e.g. batch=8,seq=1;seq=128; or auto">,
                 Option<"planning", "planning", "std::string", /*default=*/"\"\"",
                        "with auto, options of fuse-pipeline">];
  let dependentDialects = ["::mlir::fuse::FuseDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseCheckPlan : Pass<"fuse-check-plan", "::mlir::ModuleOp"> {
  let summary = "fails where the members of a kernel run over other loops than those it is planned over";
  let description = [{
    Runs on a program whose kernels are formed, behind `fuse-pipeline`, and changes
    nothing. Prices and schedules follow from the ops of a kernel (`fuse/Schedule/GroupFacts.h`): a
    schedule gives the tile of each dim that these ops share. Code has the same dims only if the
    members that `fuse-members-to-linalg` makes of the ops share the same ones. The pass makes these
    members on a copy of the program and compares: how many dims there are, the extent of each, and
    whether a dim can be streamed where the schedule says so. The first difference of a kernel is an
    error at it. Kernels that scatter have no shared dims and are not compared.

    Example: a row sum, whose rows are the one shared dim.
    ```mlir
    func.func @sum(%x: tensor<64x300xf32>) -> tensor<64xf32> {
      %0 = fuse.kernel (%a = %x) : (tensor<64x300xf32>) -> tensor<64xf32> {
        %1 = fuse.reduce sum %a dimensions = [1] : tensor<64x300xf32> -> tensor<64xf32>
        fuse.yield %1 : tensor<64xf32>
      }
      return %0 : tensor<64xf32>
    }
    ```
  }];
  let options = [
    Option<"stream", "stream", "bool", "false",
           "dims may be streamed where rows are too long for scratch, as for fuse-assign-schedules">,
    Option<"gpu", "gpu", "bool", "false", "code is for a GPU: blocks have threads; the module has that target">
  ];
}

#endif // FUSE_PIPELINES_PASSES_TD
