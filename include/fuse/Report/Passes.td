//===- Passes.td - The report of a fused module -----*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_REPORT_PASSES_TD
#define FUSE_REPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseReport : Pass<"fuse-report", "::mlir::ModuleOp"> {
  let summary = "prints what fusion did to each function";
  let description = [{
    For a module whose kernels are formed: per function the summary line, the I/O profile before
    and after, and a line for each launch with its label, the written ops in it, its external
    inputs and outputs, and what it saves. Changes nothing.

    Example: after `fuse-pipeline`,
    ```mlir
    func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32> {
      %0 = fuse.unary relu %x : tensor<1024xf32>
      %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
      %2 = fuse.unary exp %1 : tensor<1024xf32>
      return %2 : tensor<1024xf32>
    }
    ```
    prints
    ```
    Fusion: 3 → 1 kernels (67% reduction), 8.0KB memory saved
    ```
  }];
  let options = [
    Option<"json", "json", "std::string", "\"\"",
           "Write the report as JSON to this file; - prints it in place of the text">
  ];
}

#endif // FUSE_REPORT_PASSES_TD
