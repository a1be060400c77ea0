//===- Passes.td - Passes that run pipelines on copies of a program -----*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PIPELINES_PASSES_TD
#define FUSE_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

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
