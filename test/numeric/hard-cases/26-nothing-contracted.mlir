// Case 26: contractions over nothing. A product over no elements is zero, and what follows it is
// still computed; without rows or batches nothing is.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// CHECK-LABEL: @no_steps
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1 exact
// with %b = np.arange(40) - 20
// gives result0 = np.maximum(np.arange(40) - 20, 0) + 0.5
// gives result1 = 0
func.func @no_steps(%x: tensor<30x0xf32>, %w: tensor<0x40xf32>, %b: tensor<40xf32>) -> (tensor<30x40xf32>, tensor<30x40xf32>) {
  %h = arith.constant dense<0.5> : tensor<f32>
  %0 = fuse.matmul %x, %w : (tensor<30x0xf32>, tensor<0x40xf32>) -> tensor<30x40xf32>
  %1 = fuse.binary add %0, %b : (tensor<30x40xf32>, tensor<40xf32>) -> tensor<30x40xf32>
  %2 = fuse.unary relu %1 : tensor<30x40xf32>
  %3 = fuse.binary add %2, %h : (tensor<30x40xf32>, tensor<f32>) -> tensor<30x40xf32>
  return %3, %0 : tensor<30x40xf32>, tensor<30x40xf32>
}

// With many blocks, in bf16.
// CHECK-LABEL: @no_steps_large
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
// gives result0 = 3
func.func @no_steps_large(%x: tensor<2x300x0xbf16>, %w: tensor<2x0x400xbf16>) -> tensor<2x300x400xbf16> {
  %h = arith.constant dense<3.0> : tensor<bf16>
  %0 = fuse.matmul %x, %w : (tensor<2x300x0xbf16>, tensor<2x0x400xbf16>) -> tensor<2x300x400xbf16>
  %1 = fuse.binary add %0, %h : (tensor<2x300x400xbf16>, tensor<bf16>) -> tensor<2x300x400xbf16>
  return %1 : tensor<2x300x400xbf16>
}

// What is multiplied is computed from nothing in the same kernel.
// CHECK-LABEL: @prologue
// expect kernels=1
// gives result0 = -1
func.func @prologue(%x: tensor<30x0xi8>, %w: tensor<0x40xi8>) -> tensor<30x40xi32> {
  %h = arith.constant dense<-1> : tensor<i32>
  %n = fuse.unary neg %x : tensor<30x0xi8>
  %0 = fuse.matmul %n, %w : (tensor<30x0xi8>, tensor<0x40xi8>) -> tensor<30x40xi32>
  %1 = fuse.binary add %0, %h : (tensor<30x40xi32>, tensor<i32>) -> tensor<30x40xi32>
  return %1 : tensor<30x40xi32>
}

// A convolution of no channels gives its bias; one of no images gives none.
// CHECK-LABEL: @no_channels
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
// with %b = np.arange(4)
// gives result0 = -np.arange(4.0).reshape(4, 1, 1)
func.func @no_channels(%x: tensor<1x0x6x6xf32>, %w: tensor<4x0x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x6x6xf32> {
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x0x6x6xf32>, tensor<4x0x3x3xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %1 = fuse.unary neg %0 : tensor<1x4x6x6xf32>
  return %1 : tensor<1x4x6x6xf32>
}

// CHECK-LABEL: @no_rows
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1
func.func @no_rows(%x: tensor<0x30xf32>, %w: tensor<30x40xf32>, %b: tensor<40xf32>) -> tensor<0x40xf32> {
  %0 = fuse.matmul %x, %w : (tensor<0x30xf32>, tensor<30x40xf32>) -> tensor<0x40xf32>
  %1 = fuse.binary add %0, %b : (tensor<0x40xf32>, tensor<40xf32>) -> tensor<0x40xf32>
  %2 = fuse.softmax %1 dimension = 1 : tensor<0x40xf32>
  return %2 : tensor<0x40xf32>
}

// CHECK-LABEL: @no_batch
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1
func.func @no_batch(%x: tensor<0x20x30xf32>, %w: tensor<30x40xf32>) -> tensor<0x20x40xf32> {
  %0 = fuse.matmul %x, %w : (tensor<0x20x30xf32>, tensor<30x40xf32>) -> tensor<0x20x40xf32>
  %1 = fuse.unary gelu %0 approximate = none : tensor<0x20x40xf32>
  return %1 : tensor<0x20x40xf32>
}

// Attention without keys: the sum over nothing divides zero.
// CHECK-LABEL: @no_keys
// expect kernels=1
// gives result0 = np.nan
func.func @no_keys(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x0x8xf32>, %v: tensor<1x2x0x8xf32>) -> tensor<1x2x5x8xf32> {
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<1x2x5x8xf32>, tensor<1x2x0x8xf32>) -> tensor<1x2x5x0xf32>
  %e = fuse.unary exp %s : tensor<1x2x5x0xf32>
  %z = fuse.reduce sum %e dimensions = [3] keep_dims : tensor<1x2x5x0xf32> -> tensor<1x2x5x1xf32>
  %o = fuse.matmul %e, %v : (tensor<1x2x5x0xf32>, tensor<1x2x0x8xf32>) -> tensor<1x2x5x8xf32>
  %r = fuse.binary div %o, %z : (tensor<1x2x5x8xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x8xf32>
  return %r : tensor<1x2x5x8xf32>
}
