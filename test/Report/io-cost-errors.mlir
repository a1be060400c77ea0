// RUN: not fuse-opt %s --fuse-io-cost=before=@f 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: io-cost-errors.mlir:[[#@LINE+24]]:1: error: options 'before' and 'after' go together, found only 'before'
// RUN: not fuse-opt %s --fuse-io-cost=after=@f 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: error: options 'before' and 'after' go together, found only 'after'
// RUN: not fuse-opt %s --fuse-io-cost="before=@f after=@h" 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: io-cost-errors.mlir:[[#@LINE+20]]:1: error: option 'after' expects a function, found no symbol @h
// RUN: not fuse-opt %s --fuse-io-cost="before=@g after=@f" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: io-cost-errors.mlir:[[#@LINE+23]]:3: error: option 'before' expects a function, found 'memref.global' @g
// RUN: not fuse-opt %s --fuse-io-cost="before=@f after=@declared" 2>&1 | FileCheck %s --check-prefix=BODY
// BODY: io-cost-errors.mlir:[[#@LINE+22]]:3: error: option 'after' expects a function with a body
// RUN: not fuse-opt %s --fuse-io-cost=target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: io-cost-errors.mlir:[[#@LINE+14]]:1: error: unknown target: expected default, metal, wgpu, sm_80, sm_90, sm_90a or gfx942, or a file's name that ends in .json, or cluster:nodes=N, found 'abacus'
// RUN: not fuse-opt %s --fuse-io-cost=outputs=0,1 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: io-cost-errors.mlir:[[#@LINE+13]]:3: error: option 'outputs' expects indices of the 1 results of this function, found 1
// RUN: not fuse-opt %s --fuse-io-cost="before=@f after=@f outputs=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: option 'outputs' expects indices of the 1 results of this function, found -1

// No option is a word where a number is due.
// RUN: not fuse-opt %s --fuse-io-cost=outputs=all 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: for the --outputs option

// A pass that fails leaves no price.
// RUN: not fuse-opt %s --fuse-io-cost=target=abacus --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: fuse.io_cost

module {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = fuse.unary relu %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  memref.global @g : memref<8xf32>
  func.func private @declared(%x: tensor<8xf32>) -> tensor<8xf32>
}
