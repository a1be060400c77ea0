// RUN: fuse-opt %s --fuse-collapse-dims | FileCheck %s

// A product behind a norm has batch * length rows; the next kernel takes them as they are.
// CHECK-LABEL: func.func @layers
// CHECK: %[[ROWS:.+]] = fuse.reshape %arg0 : tensor<?x?x8xf32> -> tensor<?x8xf32>
// CHECK: %[[FIRST:.+]] = fuse.kernel (%{{.+}} = %[[ROWS]], %{{.+}} = %arg1) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
// CHECK: fuse.reduce sum %{{.+}} dimensions = [1] keep_dims : tensor<?x8xf32> -> tensor<?x1xf32>
// CHECK: fuse.matmul {{.+}} : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
// CHECK: %[[SECOND:.+]] = fuse.kernel (%{{.+}} = %[[FIRST]]) : (tensor<?x8xf32>) -> tensor<?x4x2xf32>
// CHECK: fuse.reshape %{{.+}} : tensor<?x8xf32> -> tensor<?x2x4xf32>
// CHECK: fuse.transpose %{{.+}} permutation = [0, 2, 1] : tensor<?x2x4xf32> -> tensor<?x4x2xf32>
func.func @layers(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x?x4x2xf32> {
  %0 = fuse.kernel (%a = %x, %b = %w) : (tensor<?x?x8xf32>, tensor<8x8xf32>) -> tensor<?x?x8xf32> {
    %1 = fuse.reduce sum %a dimensions = [2] keep_dims : tensor<?x?x8xf32> -> tensor<?x?x1xf32>
    %2 = fuse.binary div %a, %1 : (tensor<?x?x8xf32>, tensor<?x?x1xf32>) -> tensor<?x?x8xf32>
    %3 = fuse.matmul %2, %b : (tensor<?x?x8xf32>, tensor<8x8xf32>) -> tensor<?x?x8xf32>
    fuse.yield %3 : tensor<?x?x8xf32>
  }
  %4 = fuse.kernel (%a = %0) : (tensor<?x?x8xf32>) -> tensor<?x?x4x2xf32> {
    %5 = fuse.reshape %a : tensor<?x?x8xf32> -> tensor<?x?x2x4xf32>
    %6 = fuse.transpose %5 permutation = [0, 1, 3, 2] : tensor<?x?x2x4xf32> -> tensor<?x?x4x2xf32>
    %7 = fuse.unary neg %6 : tensor<?x?x4x2xf32>
    fuse.yield %7 : tensor<?x?x4x2xf32>
  }
  return %4 : tensor<?x?x4x2xf32>
}

// One of the two dimensions alone: a mask of the length, a batch of weights, positions that are counted.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: fuse.reshape
func.func @apart(%x: tensor<?x?x8xf32>, %mask: tensor<?x1xf32>, %w: tensor<?x8x8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %0 = fuse.kernel (%a = %x, %b = %mask) : (tensor<?x?x8xf32>, tensor<?x1xf32>) -> tensor<?x?x8xf32> {
    %1 = fuse.binary mul %a, %b : (tensor<?x?x8xf32>, tensor<?x1xf32>) -> tensor<?x?x8xf32>
    fuse.yield %1 : tensor<?x?x8xf32>
  }
  %2 = fuse.kernel (%a = %x, %b = %w) : (tensor<?x?x8xf32>, tensor<?x8x8xf32>) -> tensor<?x?x8xf32> {
    %3 = fuse.matmul %a, %b : (tensor<?x?x8xf32>, tensor<?x8x8xf32>) -> tensor<?x?x8xf32>
    fuse.yield %3 : tensor<?x?x8xf32>
  }
  return %0, %2 : tensor<?x?x8xf32>, tensor<?x?x8xf32>
}

// A scale of channels stands for the pair by ones, whatever its rank.
// CHECK-LABEL: func.func @channels
// CHECK-NOT: fuse.reshape
func.func @channels(%x: tensor<1x16x?x?xf32>, %scale: tensor<16x1x1xf32>) -> tensor<1x16x?x?xf32> {
  %0 = fuse.kernel (%a = %x, %b = %scale) : (tensor<1x16x?x?xf32>, tensor<16x1x1xf32>) -> tensor<1x16x?x?xf32> {
    %1 = fuse.binary mul %a, %b : (tensor<1x16x?x?xf32>, tensor<16x1x1xf32>) -> tensor<1x16x?x?xf32>
    fuse.yield %1 : tensor<1x16x?x?xf32>
  }
  return %0 : tensor<1x16x?x?xf32>
}

// One behind the pair, and a number, do not have it.
// CHECK-LABEL: func.func @behind
// CHECK: fuse.binary mul {{.+}} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
func.func @behind(%x: tensor<?x?x8xf32>, %scale: tensor<8xf32>, %one: tensor<f32>) -> tensor<?x?x8xf32> {
  %0 = fuse.kernel (%a = %x, %b = %scale, %c = %one) : (tensor<?x?x8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<?x?x8xf32> {
    %1 = fuse.binary mul %a, %b : (tensor<?x?x8xf32>, tensor<8xf32>) -> tensor<?x?x8xf32>
    %2 = fuse.binary add %1, %c : (tensor<?x?x8xf32>, tensor<f32>) -> tensor<?x?x8xf32>
    fuse.yield %2 : tensor<?x?x8xf32>
  }
  return %0 : tensor<?x?x8xf32>
}
