// Sizes are numbers, printed in order beside those that are known.
// RUN: fuse-opt %s | fuse-opt | FileCheck %s

// CHECK-LABEL: @sizes
func.func @sizes(%x: tensor<4xf32>, %n: index, %m: index) -> (tensor<?x4x?xf32>, tensor<?x3xi64>, tensor<i64>) {
  // CHECK: fuse.broadcast %{{.*}} dimensions = [0, 2] sizes = [%[[N:.*]], %[[M:.*]]] : tensor<4xf32> -> tensor<?x4x?xf32>
  %0 = fuse.broadcast %x dimensions = [0, 2] sizes = [%n, %m] : tensor<4xf32> -> tensor<?x4x?xf32>
  // CHECK: fuse.iota dimension = 1 sizes = [%[[N]]] : tensor<?x3xi64>
  %1 = fuse.iota dimension = 1 sizes = [%n] : tensor<?x3xi64>
  // CHECK: fuse.from_index %[[M]] : tensor<i64>
  %2 = fuse.from_index %m : tensor<i64>
  return %0, %1, %2 : tensor<?x4x?xf32>, tensor<?x3xi64>, tensor<i64>
}

// CHECK-LABEL: @parts
func.func @parts(%x: tensor<?x8xf32>, %n: index, %m: index) -> (tensor<?x2xf32>, tensor<?x8xf32>, tensor<?x?xf32>) {
  // CHECK: fuse.slice %{{.*}} offsets = [%{{.*}}, 1] sizes = [%{{.*}}, 2] strides = [1, 3] : tensor<?x8xf32> -> tensor<?x2xf32>
  %0 = fuse.slice %x offsets = [%n, 1] sizes = [%m, 2] strides = [1, 3] : tensor<?x8xf32> -> tensor<?x2xf32>
  // CHECK: fuse.slice %{{.*}} offsets = [2, 0] sizes = [-1, 8] strides = [1, 1] : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = fuse.slice %x offsets = [2, 0] sizes = [-1, 8] strides = [1, 1] : tensor<?x8xf32> -> tensor<?x8xf32>
  // CHECK: fuse.reshape %{{.*}} sizes = [%{{.*}}, %{{.*}}] : tensor<?x8xf32> -> tensor<?x?xf32>
  %2 = fuse.reshape %x sizes = [%n, %m] : tensor<?x8xf32> -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x2xf32>, tensor<?x8xf32>, tensor<?x?xf32>
}

// A kernel takes numbers that its members need; its results are as large as these say.
// CHECK-LABEL: @kernel
func.func @kernel(%x: tensor<4xf32>, %like: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %like, %c0 : tensor<?xf32>
  // CHECK: fuse.kernel ({{.*}} = %{{.*}}, {{.*}} = %{{.*}}) : (tensor<4xf32>, index) -> tensor<?x4xf32>
  %0 = fuse.kernel (%a = %x, %b = %n) : (tensor<4xf32>, index) -> tensor<?x4xf32> {
    %1 = fuse.broadcast %a dimensions = [0] sizes = [%b] : tensor<4xf32> -> tensor<?x4xf32>
    %2 = fuse.unary exp %1 : tensor<?x4xf32>
    fuse.yield %2 : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}
