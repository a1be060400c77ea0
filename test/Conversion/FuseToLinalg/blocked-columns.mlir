// RUN: fuse-opt %s --convert-fuse-to-linalg | FileCheck %s

// CHECK-DAG: [[BLOCKS:#.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-DAG: [[SPLIT:#.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: [[LAST:#.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2, d1 mod 32)>

// Weights in blocks of columns are read as they lie: a loop over the blocks, one within, and the
// result's two dimensions joined behind it.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[X:.*]]: tensor<6x7xf32>, %[[W:.*]]: tensor<2x7x32xf32>)
// CHECK:         %[[P:.*]] = linalg.generic {indexing_maps = [#{{.*}}, [[BLOCKS]], [[SPLIT]]], {{.*}}} ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<6x2x32xf32>)
// CHECK:         tensor.collapse_shape %[[P]] {{\[}}[0], [1, 2]] : tensor<6x2x32xf32> into tensor<6x64xf32>
func.func @whole(%x: tensor<6x7xf32>, %w: tensor<2x7x32xf32>) -> tensor<6x64xf32> {
  %0 = fuse.transpose %w permutation = [1, 0, 2] : tensor<2x7x32xf32> -> tensor<7x2x32xf32>
  %1 = fuse.reshape %0 : tensor<7x2x32xf32> -> tensor<7x64xf32>
  %2 = fuse.matmul %x, %1 : (tensor<6x7xf32>, tensor<7x64xf32>) -> tensor<6x64xf32>
  return %2 : tensor<6x64xf32>
}

// A last block of fewer columns: one loop, which finds its block.
// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[X:.*]]: tensor<6x7xf32>, %[[W:.*]]: tensor<3x7x32xf32>)
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, [[LAST]], #{{.*}}], {{.*}}} ins(%[[X]], %[[W]] : {{.*}}) outs(%{{.*}} : tensor<6x90xf32>)
func.func @part(%x: tensor<6x7xf32>, %w: tensor<3x7x32xf32>) -> tensor<6x90xf32> {
  %0 = fuse.transpose %w permutation = [1, 0, 2] : tensor<3x7x32xf32> -> tensor<7x3x32xf32>
  %1 = fuse.reshape %0 : tensor<7x3x32xf32> -> tensor<7x96xf32>
  %2 = fuse.slice %1 offsets = [0, 0] sizes = [7, 90] strides = [1, 1] : tensor<7x96xf32> -> tensor<7x90xf32>
  %3 = fuse.matmul %x, %2 : (tensor<6x7xf32>, tensor<7x90xf32>) -> tensor<6x90xf32>
  return %3 : tensor<6x90xf32>
}

// A slice that is more than the end of the last block's padding is a value of its own.
// CHECK-LABEL: func.func @fewer(
// CHECK:         tensor<6x60xf32>
// CHECK-NOT:     [[LAST]]
func.func @fewer(%x: tensor<6x7xf32>, %w: tensor<3x7x32xf32>) -> tensor<6x60xf32> {
  %0 = fuse.transpose %w permutation = [1, 0, 2] : tensor<3x7x32xf32> -> tensor<7x3x32xf32>
  %1 = fuse.reshape %0 : tensor<7x3x32xf32> -> tensor<7x96xf32>
  %2 = fuse.slice %1 offsets = [0, 0] sizes = [7, 60] strides = [1, 1] : tensor<7x96xf32> -> tensor<7x60xf32>
  %3 = fuse.matmul %x, %2 : (tensor<6x7xf32>, tensor<7x60xf32>) -> tensor<6x60xf32>
  return %3 : tensor<6x60xf32>
}
