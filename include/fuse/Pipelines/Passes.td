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
  let summary = "fails where a kernel is built with another schedule than the one it is priced with";
  let description = [{
    Runs on a program whose kernels are formed, behind `fuse-pipeline` and `fuse-layout`, and changes
    nothing. Prices come from a schedule that follows from the ops of a kernel
    (`fuse/Schedule/GroupFacts.h`); code gets the schedule that `fuse-assign-schedules` computes once
    these ops are linalg. The pass computes both for each kernel, the second on a copy of the program,
    and compares them field by field: how many shared dims there are, the tile of each dim, the order
    of the blocks, the tile of the streamed dim, threads and lanes. The first difference of a
    kernel is an error at it. Kernels with a `fuse.schedule` are built with that one, and kernels that
    scatter get theirs from the scatter in both places: neither is compared.

    Example: a row sum, for which both are the same.
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
