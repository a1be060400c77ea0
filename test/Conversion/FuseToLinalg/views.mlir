// RUN: fuse-opt %s --convert-fuse-to-linalg | FileCheck %s

// CHECK-DAG: [[ID:#.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: [[SWAP:#.*]] = affine_map<(d0, d1) -> (d1, d0)>

// A transpose is how its reader reads; only before a return it is work.
// CHECK-LABEL: func.func @transpose
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK: %[[NEG:.*]] = linalg.generic {indexing_maps = {{\[}}[[SWAP]], [[ID]]], {{.*}} ins(%[[X]] :
// CHECK: arith.negf
// CHECK: %[[COPY:.*]] = linalg.generic {indexing_maps = {{\[}}[[SWAP]], [[ID]]], {{.*}} ins(%[[X]] :
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[E]] : f32
// CHECK: return %[[NEG]], %[[COPY]]
func.func @transpose(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = fuse.unary neg %0 : tensor<8x4xf32>
  return %1, %0 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @slice
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[1, 0, 1] [1, 3, 2] [1, 1, 2] : tensor<2x3x4xf32> to tensor<3x2xf32>
// CHECK: linalg.generic {{.*}} ins(%[[PART]] :
func.func @slice(%x: tensor<2x3x4xf32>) -> tensor<1x3x2xf32> {
  %0 = fuse.slice %x offsets = [1, 0, 1] sizes = [1, 3, 2] strides = [1, 1, 2] : tensor<2x3x4xf32> -> tensor<1x3x2xf32>
  %1 = fuse.unary neg %0 : tensor<1x3x2xf32>
  return %1 : tensor<1x3x2xf32>
}

// Splitting is possible in a transposed value, joining needs the elements in order.
// CHECK-LABEL: func.func @reshape
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, 2, 6] : tensor<4x6xf32> into tensor<2x2x6xf32>
// CHECK: linalg.generic {{.*}} ins(%[[SPLIT]] :
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<6x4xf32>)
// CHECK: tensor.collapse_shape %[[COPY]] {{.*}} into tensor<24xf32>
func.func @reshape(%x: tensor<4x6xf32>) -> (tensor<6x2x2xf32>, tensor<24xf32>) {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = fuse.reshape %0 : tensor<6x4xf32> -> tensor<6x2x2xf32>
  %2 = fuse.unary neg %1 : tensor<6x2x2xf32>
  %3 = fuse.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  %4 = fuse.unary neg %3 : tensor<24xf32>
  return %2, %4 : tensor<6x2x2xf32>, tensor<24xf32>
}

// CHECK-LABEL: func.func @dynamic_reshape
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<?x4xf32> into tensor<?xf32>
func.func @dynamic_reshape(%x: tensor<?x4xf32>) -> (tensor<?x2x2xf32>, tensor<?xf32>) {
  %0 = fuse.reshape %x : tensor<?x4xf32> -> tensor<?x2x2xf32>
  %1 = fuse.unary neg %0 : tensor<?x2x2xf32>
  %2 = fuse.reshape %x : tensor<?x4xf32> -> tensor<?xf32>
  %3 = fuse.unary neg %2 : tensor<?xf32>
  return %1, %3 : tensor<?x2x2xf32>, tensor<?xf32>
}

// A copy is work, always.
// CHECK-LABEL: func.func @copy
// CHECK: linalg.generic
func.func @copy(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.copy %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An empty part may begin behind the last element.
// CHECK-LABEL: func.func @empty_slice
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.empty() : tensor<0x3xf32>
func.func @empty_slice(%x: tensor<4x3xf32>) -> tensor<0x3xf32> {
  %0 = fuse.slice %x offsets = [4, 0] sizes = [0, 3] strides = [1, 1] : tensor<4x3xf32> -> tensor<0x3xf32>
  %1 = fuse.unary neg %0 : tensor<0x3xf32>
  return %1 : tensor<0x3xf32>
}
