//===- Passes.td - The passes of schedules -----*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_PASSES_TD
#define FUSE_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseAssignSchedules : Pass<"fuse-assign-schedules", "::mlir::ModuleOp"> {
  let summary = "gives each outlined kernel its schedule";
  let description = [{
    Runs on a kernel's module, between `convert-fuse-to-linalg` and `fuse-tile-kernels`. A kernel's
    function without a `fuse.schedule` gets the one that follows from its shared domain, its extents
    and the target around it; one that a user wrote stays.

    Example: an element-wise kernel on 1024 × f32 gets
    ```
    #fuse.schedule<levels = [<block, dims = [0], sizes = [1024]>], reduction_lanes = 64>
    ```
  }];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

#endif // FUSE_SCHEDULE_PASSES_TD
