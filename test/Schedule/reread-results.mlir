// RUN: fuse-opt %s --split-input-file --pass-pipeline="builtin.module(fuse-outline-kernels,builtin.module(fuse-assign-schedules{stream}))" | FileCheck %s

// A convolution of 1 by 1 whose result is folded row by row, for one thread. The scale is computed once for all rows, which
// is no reason for one tile: its sums, and the result that the fold reads again, would be 9.6 MB and leave the caches.
// CHECK-LABEL: <"one", cpu
// CHECK: <block, dims = [0], sizes = [4]>
module attributes {fuse.target = #fuse.target<"one", cpu, {min_blocks = 1.000000e+00, l2_bytes = 1.048576e+06}>} {
  func.func @folded(%x: tensor<112x112x16xui8>, %w: tensor<16x96xi8> {fuse.param}, %a: tensor<112xf32>, %c: tensor<96xf32>) -> (tensor<112x112x96xf32>, tensor<112xf32>) {
    %0:2 = fuse.kernel (%p = %x, %q = %w, %b = %a, %d = %c) : (tensor<112x112x16xui8>, tensor<16x96xi8>, tensor<112xf32>, tensor<96xf32>) -> (tensor<112x112x96xf32>, tensor<112xf32>) {
      %1 = fuse.reduce max %b dimensions = [0] : tensor<112xf32> -> tensor<f32>
      %2 = fuse.matmul %p, %q : (tensor<112x112x16xui8>, tensor<16x96xi8>) -> tensor<112x112x96xi32>
      %3 = fuse.cast %2 : (tensor<112x112x96xi32>) -> tensor<112x112x96xf32>
      %6 = fuse.binary mul %d, %1 : (tensor<96xf32>, tensor<f32>) -> tensor<96xf32>
      %7 = fuse.unary exp %6 : tensor<96xf32>
      %4 = fuse.binary mul %3, %7 : (tensor<112x112x96xf32>, tensor<96xf32>) -> tensor<112x112x96xf32>
      %5 = fuse.reduce max %4 dimensions = [1, 2] : tensor<112x112x96xf32> -> tensor<112xf32>
      fuse.yield %4, %5 : tensor<112x112x96xf32>, tensor<112xf32>
    }
    return %0#0, %0#1 : tensor<112x112x96xf32>, tensor<112xf32>
  }
}

// -----

// The greatest elements of parts of 64 columns are a 64th of what the product writes. Tiles need not be as wide as a line of
// them, 16 parts: with 8 of the 48 they have twice as many rows, and weights are read half as often.
// CHECK-LABEL: <"two", cpu
// CHECK: <block, dims = [0, 1], sizes = [16, 8]>
module attributes {fuse.target = #fuse.target<"two", cpu, {min_blocks = 1.600000e+01, l2_bytes = 1.048576e+06}>} {
  func.func @parts(%x: tensor<128x768xui8>, %w: tensor<768x3072xi8> {fuse.param}) -> (tensor<128x3072xf32>, tensor<128x48xf32>) {
    %0:2 = fuse.kernel (%p = %x, %q = %w) : (tensor<128x768xui8>, tensor<768x3072xi8>) -> (tensor<128x3072xf32>, tensor<128x48xf32>) {
      %2 = fuse.matmul %p, %q : (tensor<128x768xui8>, tensor<768x3072xi8>) -> tensor<128x3072xi32>
      %3 = fuse.cast %2 : (tensor<128x3072xi32>) -> tensor<128x3072xf32>
      %4 = fuse.reshape %3 : tensor<128x3072xf32> -> tensor<128x48x64xf32>
      %5 = fuse.reduce max %4 dimensions = [2] : tensor<128x48x64xf32> -> tensor<128x48xf32>
      fuse.yield %3, %5 : tensor<128x3072xf32>, tensor<128x48xf32>
    }
    return %0#0, %0#1 : tensor<128x3072xf32>, tensor<128x48xf32>
  }
}
