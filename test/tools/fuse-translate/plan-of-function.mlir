// The plan of a function that is not called main has a second public function, which prepares its parameters. It is replayed
// without a name all the same, edited or not.
// RUN: fuse-translate %s --emit plan -o %t.plan.mlir
// RUN: fuse-opt %t.plan.mlir --fuse-form-kernels | fuse-run - --random-inputs 1 --check --report | FileCheck %s
// RUN: sed '/unary relu/s/array<i64: 0>/array<i64: 1>/' %t.plan.mlir > %t.edited.mlir
// RUN: fuse-opt %t.edited.mlir --fuse-form-kernels | fuse-run - --random-inputs 1 --check --report | FileCheck %s --check-prefix=EDITED
// RUN: fuse-opt %t.plan.mlir --fuse-form-kernels | fuse-run - --function project_prepare --report | FileCheck %s --check-prefix=NAMED

// CHECK: @project
// CHECK-NEXT: Fusion: 3 → 1 kernels
// EDITED: @project
// EDITED-NEXT: Fusion: 3 → 2 kernels
// NAMED-NOT: @project{{$}}
// NAMED: @project_prepare
func.func @project(%x: tensor<128x64xf32>, %w: tensor<64x96xf32> {fuse.param}, %b: tensor<96xf32> {fuse.param}) -> tensor<128x96xf32> {
  %0 = fuse.matmul %x, %w : (tensor<128x64xf32>, tensor<64x96xf32>) -> tensor<128x96xf32>
  %1 = fuse.binary add %0, %b : (tensor<128x96xf32>, tensor<96xf32>) -> tensor<128x96xf32>
  %2 = fuse.unary relu %1 : tensor<128x96xf32>
  return %2 : tensor<128x96xf32>
}
