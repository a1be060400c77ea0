// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-form-kernels | FileCheck %s

// CHECK-LABEL: @alone
// CHECK: fuse.kernel
// CHECK-NEXT: unary relu
// CHECK-NEXT: yield
// CHECK: fuse.kernel
// CHECK-NEXT: unary sigmoid
// CHECK-NEXT: yield
// CHECK: fuse.kernel
// CHECK-NEXT: unary exp
// CHECK-NEXT: unary neg
// CHECK-NEXT: yield
func.func @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.unary sigmoid %0 {fuse.alone} : tensor<8xf32>
  %2 = fuse.unary exp %1 : tensor<8xf32>
  %3 = fuse.unary neg %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// A kernel with two results, one of them read inside too.
// CHECK-LABEL: @together
// CHECK: %[[K:.*]]:2 = fuse.kernel (%[[X:.*]] = %{{.*}}) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>)
// CHECK-NEXT: %[[E:.*]] = fuse.unary exp %[[X]]
// CHECK-NEXT: %[[S:.*]] = fuse.reduce sum %[[E]]
// CHECK-NEXT: fuse.yield %[[E]], %[[S]]
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @together(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %0 = fuse.unary exp %x {fuse.together = "both"} : tensor<8xf32>
  %1 = fuse.reduce sum %0 dimensions = [0] {fuse.together = "both"} : tensor<8xf32> -> tensor<f32>
  return %0, %1 : tensor<8xf32>, tensor<f32>
}

// A mark on a composite holds for its primitives, and takes the whole composite along.
// CHECK-LABEL: @composite
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @composite(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = fuse.softmax %x dimension = 1 {fuse.together = "a"} : tensor<8x4xf32>
  %1 = fuse.unary exp %0 {fuse.together = "a"} : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
