// RUN: fuse-run %s --random-inputs 1 --check | FileCheck %s

// Bytes that are dequantized, moved and quantized by the same numbers are moved as they are. The result is memory of the
// caller, so that the move is a copy, not a view of the argument.
// CHECK: result0: largest error 0,
func.func @turned(%x: tensor<1x12x8xi8>) -> tensor<1x2x4x12xi8> {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %0 = fuse.cast %x : (tensor<1x12x8xi8>) -> tensor<1x12x8xf32>
  %1 = fuse.binary mul %0, %s : (tensor<1x12x8xf32>, tensor<f32>) -> tensor<1x12x8xf32>
  %2 = fuse.reshape %1 : tensor<1x12x8xf32> -> tensor<1x12x2x4xf32>
  %3 = fuse.transpose %2 permutation = [0, 2, 3, 1] : tensor<1x12x2x4xf32> -> tensor<1x2x4x12xf32>
  %4 = fuse.binary div %3, %s : (tensor<1x2x4x12xf32>, tensor<f32>) -> tensor<1x2x4x12xf32>
  %5 = fuse.unary round_even %4 : tensor<1x2x4x12xf32>
  %6 = fuse.cast %5 : (tensor<1x2x4x12xf32>) -> tensor<1x2x4x12xi8>
  return %6 : tensor<1x2x4x12xi8>
}
