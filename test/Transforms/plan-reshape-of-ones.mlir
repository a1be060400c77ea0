// RUN: fuse-opt %s --fuse-plan | FileCheck %s

// A dimension whose size is a value, of an operand that has no element more: it is 1. No dimension of the operand is looked for.
// CHECK-LABEL: func.func @ones
// CHECK: fuse.unary neg
func.func @ones(%x: tensor<4x8xf32>, %n: index) -> (tensor<4x?x8xf32>, tensor<?x?xf32>) {
  %0 = fuse.unary exp %x : tensor<4x8xf32>
  %1 = fuse.reshape %0 sizes = [%n] : tensor<4x8xf32> -> tensor<4x?x8xf32>
  %2 = fuse.unary neg %1 : tensor<4x?x8xf32>
  %3 = fuse.reduce sum %x dimensions = [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %4 = fuse.reshape %3 sizes = [%n, %n] : tensor<f32> -> tensor<?x?xf32>
  %5 = fuse.unary neg %4 : tensor<?x?xf32>
  return %2, %5 : tensor<4x?x8xf32>, tensor<?x?xf32>
}
