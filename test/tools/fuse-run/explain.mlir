// Remarks at each op on stderr: what was fused, and what was not and why; none without --explain.
// RUN: fuse-run %s --strategy chains --explain 2>&1 >/dev/null | FileCheck %s
// RUN: fuse-run %s --strategy chains --random-inputs 1 --explain 2>&1 >/dev/null | FileCheck %s
// RUN: fuse-run %s --random-inputs 1 2>&1 >/dev/null | count 0

func.func @main(%x: tensor<8xf32>) -> tensor<f32> {
  %0 = fuse.unary relu %x : tensor<8xf32>
  // CHECK: explain.mlir:[[#@LINE+1]]:8: remark: [Passed] fused {{.*}} Remark="fused relu with exp: saves 1 launch and 32 bytes"
  %1 = fuse.unary exp %0 : tensor<8xf32>
  // CHECK: explain.mlir:[[#@LINE+1]]:8: remark: [Missed] reduction {{.*}} Remark="exp is not fused with reduce sum"
  %2 = fuse.reduce sum %1 dimensions = [0] : tensor<8xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
