// The planner's merges are listed without any inputs.
// RUN: fuse-run %s --list-merges 2>&1 | FileCheck %s
// CHECK: merge 0: {{.*}}neg with exp
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = fuse.unary neg %x : tensor<64xf32>
  %1 = fuse.unary exp %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}
