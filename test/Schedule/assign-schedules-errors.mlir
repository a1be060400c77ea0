// RUN: fuse-opt %s --fuse-assign-schedules --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// Members of linalg come after the schedule.
module @linalg {
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
    // expected-error @+1 {{'linalg.exp' op cannot be a member of a kernel, which holds fuse ops up to fuse-members-to-linalg}}
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module @blocks {
  // expected-error @+1 {{expected a kernel of one block, found 2 blocks}}
  func.func private @k(%x: tensor<8xf32>) -> tensor<8xf32> {
    cf.br ^bb1
  ^bb1:
    return %x : tensor<8xf32>
  }
}
