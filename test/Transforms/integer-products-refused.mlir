// Why a product of dequantized tensors stays one of floats.
// RUN: fuse-opt %s --fuse-integer-products=numerics=folds --split-input-file --remarks-filter-missed=fuse-integer-products -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: fuse-opt %s --split-input-file > %t.before
// RUN: fuse-opt %s --fuse-integer-products=numerics=folds --split-input-file | diff %t.before -
// RUN: fuse-opt %s --fuse-integer-products --split-input-file | diff %t.before -
// RUN: fuse-opt %S/integer-products.mlir --fuse-integer-products --split-input-file --remarks-filter-missed=fuse-integer-products -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: [Missed] numerics {{.*}}Reason="sums of integers are exact where those of floats round; products of bytes take 0.67 of the time", Remark="matmul(8x64x32) of dequantized tensors stays a product of floats", Suggestion=numerics=folds

// CHECK: [Missed] no-instruction {{.*}}Reason="the target multiplies bytes no faster than floats"
module attributes {fuse.target = #fuse.target<"plain", cpu, {matmul_flops_per_ns = 9.600000e+01}>} {
  func.func @target(%x: tensor<8x64xui8>, %w: tensor<64x32xi8> {fuse.param}) -> tensor<8x32xf32> {
    %0 = fuse.cast %x : (tensor<8x64xui8>) -> tensor<8x64xf32>
    %1 = fuse.cast %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
    %2 = fuse.matmul %0, %1 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    return %2 : tensor<8x32xf32>
  }
}

// -----

// CHECK: [Missed] overflow {{.*}}Reason="a sum of 70000 products of at most 255 by 128 may leave 32 bits"
func.func @overflow(%x: tensor<8x70000xui8>, %w: tensor<70000x32xi8> {fuse.param}) -> tensor<8x32xf32> {
  %0 = fuse.cast %x : (tensor<8x70000xui8>) -> tensor<8x70000xf32>
  %1 = fuse.cast %w : (tensor<70000x32xi8>) -> tensor<70000x32xf32>
  %2 = fuse.matmul %0, %1 : (tensor<8x70000xf32>, tensor<70000x32xf32>) -> tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// -----

// CHECK: [Missed] overflow {{.*}}Reason="the number of terms of a sum is not known"
func.func @open(%x: tensor<8x?xui8>, %w: tensor<?x32xi8> {fuse.param}) -> tensor<8x32xf32> {
  %0 = fuse.cast %x : (tensor<8x?xui8>) -> tensor<8x?xf32>
  %1 = fuse.cast %w : (tensor<?x32xi8>) -> tensor<?x32xf32>
  %2 = fuse.matmul %0, %1 : (tensor<8x?xf32>, tensor<?x32xf32>) -> tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// -----

// CHECK: [Missed] few-steps {{.*}}Reason="an instruction sums four products of neighbors, and there are 1 along the innermost loop of a sum"{{.*}}Suggestion="at least 3 channels"
func.func @gray(%x: tensor<1x1x6x6xui8>, %w: tensor<8x1x3x3xi8> {fuse.param}) -> tensor<1x8x4x4xf32> {
  %0 = fuse.cast %x : (tensor<1x1x6x6xui8>) -> tensor<1x1x6x6xf32>
  %1 = fuse.cast %w : (tensor<8x1x3x3xi8>) -> tensor<8x1x3x3xf32>
  %2 = fuse.conv2d %0, %1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x1x6x6xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x4x4xf32>
  return %2 : tensor<1x8x4x4xf32>
}

// -----

// CHECK: [Missed] factor-in-sum {{.*}}Reason="a scale or a zero point changes along what is summed, or is of several open extents"
func.func @scale(%x: tensor<8x64xui8>, %w: tensor<64x32xi8> {fuse.param}, %t: tensor<64x1xf32> {fuse.param}) -> tensor<8x32xf32> {
  %0 = fuse.cast %x : (tensor<8x64xui8>) -> tensor<8x64xf32>
  %1 = fuse.cast %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %2 = fuse.binary mul %1, %t : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %3 = fuse.matmul %0, %2 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}

// -----

// CHECK: [Missed] zero-point-of-filters {{.*}}Reason="filters of a grouped convolution have a zero point"
func.func @groups(%x: tensor<1x8x6x6xui8>, %w: tensor<8x4x3x3xui8> {fuse.param}) -> tensor<1x8x4x4xf32> {
  %0 = fuse.cast %x : (tensor<1x8x6x6xui8>) -> tensor<1x8x6x6xf32>
  %1 = fuse.cast %w : (tensor<8x4x3x3xui8>) -> tensor<8x4x3x3xf32>
  %2 = fuse.conv2d %0, %1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 2 layout = nchw_fchw : (tensor<1x8x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x4x4xf32>
  return %2 : tensor<1x8x4x4xf32>
}

// -----

// Not quantized, or not on both sides: nothing is said.
func.func @floats(%x: tensor<8x64xf32>, %w: tensor<64x32xi8> {fuse.param}) -> tensor<8x32xf32> {
  %0 = fuse.cast %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %1 = fuse.matmul %x, %0 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
