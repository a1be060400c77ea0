// RUN: fuse-opt %s --fuse-bind-dims | FileCheck %s

// Dimension 0 of argument 1 equals dimension 1 of argument 0.
// CHECK: func.func @two({{.*}} attributes {fuse.equal_dims = array<i64: 1, 0, 0, 1>}
func.func @two(%x: tensor<8x?xf32>, %y: tensor<?xf32>) -> tensor<8x?xf32> {
  %0 = fuse.unary relu %x : tensor<8x?xf32>
  %1 = fuse.binary add %0, %y : (tensor<8x?xf32>, tensor<?xf32>) -> tensor<8x?xf32>
  return %1 : tensor<8x?xf32>
}

// A dimension that meets a static one equals it: -1 says that a constant follows.
// CHECK: func.func @constant({{.*}} attributes {fuse.equal_dims = array<i64: 0, 0, -1, 8>}
func.func @constant(%x: tensor<?xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.binary add %x, %y : (tensor<?xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Nothing to check: static shapes, a static 1 that broadcasts, dimensions that never meet.
// CHECK: func.func @nothing(
// CHECK-NOT: fuse.equal_dims
// CHECK: return
func.func @nothing(%x: tensor<?x4xf32>, %y: tensor<1x4xf32>, %z: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %0 = fuse.binary add %x, %y : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %1 = fuse.unary exp %z : tensor<?xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?xf32>
}

// A reshape doubles one extent, and where the result meets another argument so must that.
// CHECK: func.func @reshaped({{.*}} attributes {fuse.scaled_dims = array<i64: 0, 0, 1, 1, 0, 2>}
func.func @reshaped(%x: tensor<?x4xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = fuse.reshape %x : tensor<?x4xf32> -> tensor<?x8xf32>
  %1 = fuse.binary add %0, %y : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// CHECK: func.func @reshaped_to_known({{.*}} attributes {fuse.scaled_dims = array<i64: 0, 0, 1, -1, 3, 2>}
func.func @reshaped_to_known(%x: tensor<?x4xf32>, %y: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = fuse.reshape %x : tensor<?x4xf32> -> tensor<?x8xf32>
  %1 = fuse.binary add %0, %y : (tensor<?x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}
