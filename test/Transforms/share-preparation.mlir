// RUN: fuse-opt %s --fuse-share-preparation | FileCheck %s

// What both compute of %w is computed once; what one of them computes is an argument of both.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %{{[^,]*}}: tensor<?x4xf32>, %{{[^,]*}}: tensor<4x4xf32> {fuse.param},
// CHECK-SAME: %[[T:.*]]: tensor<4x4xf32> {fuse.param, fuse.prepared}, %{{.*}}: tensor<4xf32> {fuse.param, fuse.prepared}
// CHECK-SAME: fuse.prepare = @f_prepare
// CHECK: fuse.matmul %{{.*}}, %[[T]]
// CHECK-LABEL: func.func @f_prepare(
// CHECK: %[[A:.*]] = fuse.unary exp
// CHECK: %[[B:.*]] = fuse.reduce sum
// CHECK-NOT: fuse.unary
// CHECK: return %[[A]], %[[B]] : tensor<4x4xf32>, tensor<4xf32>
// CHECK-LABEL: func.func @f_n_2(
// CHECK-SAME: %{{[^,]*}}: tensor<2x4xf32>, %{{[^,]*}}: tensor<4x4xf32> {fuse.param},
// CHECK-SAME: %[[T2:.*]]: tensor<4x4xf32> {fuse.param, fuse.prepared}, %[[S2:.*]]: tensor<4xf32> {fuse.param, fuse.prepared}
// CHECK-SAME: fuse.prepare = @f_prepare
// CHECK: %[[P:.*]] = fuse.matmul %{{.*}}, %[[T2]]
// CHECK: fuse.binary add %[[P]], %[[S2]]
// CHECK-NOT: @f_n_2_prepare
func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x4xf32> {fuse.param}, %t: tensor<4x4xf32> {fuse.param, fuse.prepared})
    -> tensor<?x4xf32> attributes {fuse.prepare = @f_prepare, fuse.variants = [@f_n_2]} {
  %0 = fuse.matmul %x, %t : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @f_prepare(%w: tensor<4x4xf32> {fuse.param}) -> tensor<4x4xf32> {
  %0 = fuse.unary exp %w : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @f_n_2(%x: tensor<2x4xf32>, %w: tensor<4x4xf32> {fuse.param}, %s: tensor<4xf32> {fuse.param, fuse.prepared},
                 %t: tensor<4x4xf32> {fuse.param, fuse.prepared})
    -> tensor<2x4xf32> attributes {fuse.prepare = @f_n_2_prepare, fuse.variant_sizes = array<i64: 0, 0, 2, 2>} {
  %0 = fuse.matmul %x, %t : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = fuse.binary add %0, %s : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
func.func @f_n_2_prepare(%w: tensor<4x4xf32> {fuse.param}) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %0 = fuse.unary exp %w : tensor<4x4xf32>
  %1 = fuse.reduce sum %0 dimensions = [0] : tensor<4x4xf32> -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4x4xf32>
}
