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
    and after, a table of the launches by cost, and what was not merged and why. Changes nothing.

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
           "Write the report as JSON to this file; - prints it in place of the text">,
    Option<"html", "html", "std::string", "\"\"",
           "Write a page with a picture of the kernels to this file">,
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "How far numbers may change, which decides how fast products are">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def FuseIoCost : Pass<"fuse-io-cost", "::mlir::ModuleOp"> {
  let summary = "prices what fusion did, or a rewrite, on a target";
  let description = [{
    Compares two profiles, prices the difference, prints both verdicts and leaves them on the
    function as `fuse.io_cost`. The plain verdict judges the score; the gated one first subtracts
    the target's penalty for each wait that is added. A verdict is `fuse` where the score is at
    least the target's `min_gain_ns`, else `apart`.

    Without `before` and `after`: each function as it was written (its `fuse.written`, else its ops
    seen without kernels) against itself as its kernels stand. With both: two versions of a
    function, the result on the second one. A version without kernels counts the ops that were
    written in it.

    Errors: only one of `before` and `after`; no function of that name, or one without a body; an
    unknown target; an output that the function does not have.

    Example: one kernel instead of three launches; on metal it is worth 1081.92 ns.
    ```mlir
    module attributes {fuse.target = #fuse.target<"metal", gpu, {dispatch_ns = 5.0e+02, memory_bw = 2.0e+02, min_gain_ns = 1.0e+03}>} {
      func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32> {
        %0 = fuse.kernel (%a = %x) : (tensor<1024xf32>) -> tensor<1024xf32> {
          %1 = fuse.unary relu %a : tensor<1024xf32>
          %2 = fuse.unary sigmoid %1 : tensor<1024xf32>
          %3 = fuse.unary exp %2 : tensor<1024xf32>
          fuse.yield %3 : tensor<1024xf32>
        }
        return %0 : tensor<1024xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"before", "before", "std::string", "\"\"",
           "The function as it was, e.g. @f; goes with after">,
    Option<"after", "after", "std::string", "\"\"", "The function rewritten, e.g. @g">,
    Option<"target", "target", "std::string", "\"\"",
           "A known device, e.g. metal (default: the module's fuse.target, else default)">,
    ListOption<"outputs", "outputs", "int64_t",
               "The results that the host reads back, by index (default: all)">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

#endif // FUSE_REPORT_PASSES_TD
