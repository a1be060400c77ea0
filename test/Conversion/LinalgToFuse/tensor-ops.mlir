// RUN: fuse-opt %s --convert-linalg-to-fuse --split-input-file | FileCheck %s --implicit-check-not=tensor.

// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[X:.*]]: tensor<6x4xf32>
func.func @views(%x: tensor<6x4xf32>) -> (tensor<2x3x4xf32>, tensor<24xf32>, tensor<2xf32>, tensor<7x6xf32>, tensor<12x4xf32>) {
  // CHECK: fuse.reshape %[[X]] : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  // CHECK: fuse.reshape %[[X]] : tensor<6x4xf32> -> tensor<24xf32>
  %1 = tensor.collapse_shape %x [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  // CHECK: %[[SLICE:.*]] = fuse.slice %[[X]] offsets = [1, 0] sizes = [1, 2] strides = [1, 2]
  // CHECK: fuse.reshape %[[SLICE]] : tensor<1x2xf32> -> tensor<2xf32>
  %2 = tensor.extract_slice %x[1, 0] [1, 2] [1, 2] : tensor<6x4xf32> to tensor<2xf32>
  // CHECK: fuse.pad %[[X]] low = [0, 1] high = [1, 1] value = 5.000000e-01 : f32
  %c = arith.constant 0.5 : f32
  %3 = tensor.pad %x low[0, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<6x4xf32> to tensor<7x6xf32>
  // CHECK: fuse.concat %[[X]], %[[X]] dimension = 0
  %4 = tensor.concat dim(0) %x, %x : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<12x4xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3x4xf32>, tensor<24xf32>, tensor<2xf32>, tensor<7x6xf32>, tensor<12x4xf32>
}
