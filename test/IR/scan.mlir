// RUN: fuse-opt %s | fuse-opt | FileCheck %s

// CHECK-LABEL: func.func @cell(
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x8xf32>, %[[H:.*]]: tensor<2x8xf32>, %[[W:.*]]: tensor<8x8xf32>)
// CHECK:         %{{.*}}:2 = fuse.scan states(%[[STATE:.*]] = %[[H]]) over(%[[ROW:.*]] = %[[X]]) with(%[[IN:.*]] = %[[W]]) reverse
// CHECK-SAME:      : (tensor<2x8xf32>, tensor<?x2x8xf32>, tensor<8x8xf32>) -> (tensor<2x8xf32>, tensor<?x2x8xf32>) {
// CHECK:           fuse.matmul %[[STATE]], %[[IN]]
// CHECK:           fuse.binary add %{{.*}}, %[[ROW]]
// CHECK:           fuse.yield
func.func @cell(%x: tensor<?x2x8xf32>, %h: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> (tensor<2x8xf32>, tensor<?x2x8xf32>) {
  %0:2 = fuse.scan states(%state = %h) over(%row = %x) with(%in = %w) reverse : (tensor<2x8xf32>, tensor<?x2x8xf32>, tensor<8x8xf32>) -> (tensor<2x8xf32>, tensor<?x2x8xf32>) {
    %1 = fuse.matmul %state, %in : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    %2 = fuse.binary add %1, %row : tensor<2x8xf32>
    fuse.yield %2, %2 : tensor<2x8xf32>, tensor<2x8xf32>
  }
  return %0#0, %0#1 : tensor<2x8xf32>, tensor<?x2x8xf32>
}

// Without states, each step is by itself.
// CHECK-LABEL: func.func @stateless(
// CHECK:         fuse.scan over(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<4x3xf32> attributes {fuse.alone} {
func.func @stateless(%x: tensor<4x3xf32>, %i: tensor<4xi64>) -> tensor<4x3xf32> {
  %0 = fuse.scan over(%row = %x, %n = %i) : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<4x3xf32> attributes {fuse.alone} {
    %1 = fuse.cast %n : (tensor<i64>) -> tensor<f32>
    %2 = fuse.binary mul %row, %1 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    fuse.yield %2 : tensor<3xf32>
  }
  return %0 : tensor<4x3xf32>
}
