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
    Runs on a kernel's module, between `fuse-outline-kernels` and `fuse-members-to-linalg`. A kernel's
    function without a `fuse.schedule` gets the one that follows from its ops (the dims they share,
    their extents, how they run through memory) and the target around it; one that a user wrote stays.
    Where a few rows of what stays in a block are more than half the cache of a core, a `sequential`
    level takes the dim along them in tiles. It is an error if another op than a fuse op stands in
    the function.

    Example: this kernel is small, so that it gets one block,
    `#fuse.schedule<levels = [<block, dims = [0], sizes = [10]>], reduction_lanes = 64>`.
    ```mlir
    module @kernel {
      func.func private @kernel(%x: tensor<10xf32>, %y: tensor<10xf32> {bufferization.writable = true}) -> tensor<10xf32> {
        %0 = fuse.unary neg %x : tensor<10xf32>
        return %0 : tensor<10xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"stream", "stream", "bool", "false",
           "dims may be streamed where rows are too long for scratch; sums are reassociated then">,
    Option<"gpu", "gpu", "bool", "false", "code is for a GPU: blocks have threads">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseApplySchedules : Pass<"fuse-apply-schedules", "::mlir::ModuleOp"> {
  let summary = "gives outlined kernels the schedules that a file has for them";
  let description = [{
    Runs on a program behind `fuse-outline-kernels`, before its kernels are lowered. The file is one of
    `fuse-tune`, which names kernels by their content: whatever has changed in a kernel since it was
    measured, it has another name now, and gets its schedule from `fuse-assign-schedules`. A kernel that
    has a `fuse.schedule` keeps it. What gets one from the file has `fuse.tuned`, with the file's
    name, at its module.

    A file that cannot be read, or holds something else than such schedules, is an error. One that was
    measured on another CPU, or with another number of threads, or another device, is not used: a warning says so, as
    it does where the file knows none of the kernels. Without `file` nothing happens.

    Example: without a file the kernel stays as it is.
    ```mlir
    module @relu {
      func.func private @relu(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
        %0 = fuse.unary relu %x : tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "", "the file; empty: none">,
    Option<"threads", "threads", "int64_t", "0", "how many a launch will have; 0: not known">,
    Option<"device", "device", "std::string", "", "the chip that kernels are for; empty: this CPU">,
    Option<"stream", "stream", "bool", "false", "as in fuse-assign-schedules">,
    Option<"keys", "keys", "bool", "false", "says what a file calls each kernel, in remarks">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

#endif // FUSE_SCHEDULE_PASSES_TD
