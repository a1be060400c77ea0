// RUN: fuse-opt %s --fuse-shorten-products=precision=bf16 | FileCheck %s --check-prefix=BF16
// RUN: fuse-opt %s --fuse-shorten-products=precision=int8 | FileCheck %s --check-prefix=INT8
// RUN: fuse-opt %s --fuse-shorten-products=precision=as-written | FileCheck %s --check-prefix=NONE
// RUN: not fuse-opt %s --fuse-shorten-products="precision=bf16 numerics=folds" 2>&1 | FileCheck %s --check-prefix=CLASS
// RUN: not fuse-opt %s --fuse-shorten-products=precision=bf8 2>&1 | FileCheck %s --check-prefix=NAME

// What products with weights are computed in: bf16, or bytes where the activations are bytes.

// CLASS: error: precision=bf16 rounds operands of products: expected numerics=reduced-precision, found numerics=folds
// NAME: error: unknown precision 'bf8', expected one of: as-written, bf16, int8

// Both operands are rounded, and the result stays f32. Two products of one value share its rounded copy.
// BF16-LABEL: @products
// BF16-DAG: %[[X:.*]] = fuse.cast %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// BF16-DAG: %[[W:.*]] = fuse.cast %arg1 : (tensor<8x2xf32>) -> tensor<8x2xbf16>
// BF16: fuse.matmul %[[X]], %[[W]] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
// BF16: fuse.matmul %[[X]], %{{.*}} transpose_rhs : (tensor<4x8xbf16>, tensor<3x8xbf16>) -> tensor<4x3xf32>
// BF16-NOT: fuse.cast
// NONE-LABEL: @products
// NONE-NOT: fuse.cast
// NONE: return
// Activations that are no bytes are left alone.
// INT8-LABEL: @products
// INT8-NOT: fuse.cast
func.func @products(%x: tensor<4x8xf32>, %w: tensor<8x2xf32> {fuse.param}, %v: tensor<3x8xf32> {fuse.param})
    -> (tensor<4x2xf32>, tensor<4x3xf32>) {
  %0 = fuse.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = fuse.matmul %x, %v transpose_rhs : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x3xf32>
}

// Neither operand is a parameter; both are; the element type is not f32.
// BF16-LABEL: @others
// BF16-NOT: fuse.cast
func.func @others(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>, %w: tensor<8x2xf32> {fuse.param},
                  %v: tensor<4x8xf32> {fuse.param}, %h: tensor<4x8xf16>, %u: tensor<8x2xf16> {fuse.param})
    -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf16>) {
  %0 = fuse.matmul %x, %y : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = fuse.matmul %v, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %2 = fuse.matmul %h, %u : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf16>
}

// Weights on the left, and of a convolution; each column, and each filter, has a scale.
// BF16-LABEL: @sides
// BF16-COUNT-4: fuse.cast
// INT8-LABEL: @sides
// INT8: fuse.reduce max {{.*}} dimensions = [1] keep_dims
// INT8: fuse.cast {{.*}} : (tensor<3x8xf32>) -> tensor<3x8xi8>
// INT8: fuse.matmul %{{.*}}, %{{.*}} : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
// INT8: fuse.reduce max {{.*}} dimensions = [1, 2, 3] keep_dims
// INT8: fuse.cast {{.*}} : (tensor<6x4x3x3xf32>) -> tensor<6x4x3x3xi8>
// INT8: fuse.conv2d
func.func @sides(%q: tensor<8x5xui8>, %w: tensor<3x8xf32> {fuse.param}, %image: tensor<1x4x9x9xi8>,
                 %filter: tensor<6x4x3x3xf32> {fuse.param}) -> (tensor<3x5xf32>, tensor<1x6x7x7xf32>) {
  %zero = arith.constant dense<128.0> : tensor<f32>
  %scale = arith.constant dense<0.1> : tensor<f32>
  %0 = fuse.cast %q : (tensor<8x5xui8>) -> tensor<8x5xf32>
  %1 = fuse.binary sub %0, %zero : (tensor<8x5xf32>, tensor<f32>) -> tensor<8x5xf32>
  %2 = fuse.binary mul %1, %scale : (tensor<8x5xf32>, tensor<f32>) -> tensor<8x5xf32>
  %3 = fuse.matmul %w, %2 : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  %4 = fuse.cast %image : (tensor<1x4x9x9xi8>) -> tensor<1x4x9x9xf32>
  %5 = fuse.binary mul %4, %scale : (tensor<1x4x9x9xf32>, tensor<f32>) -> tensor<1x4x9x9xf32>
  %6 = fuse.conv2d %5, %filter strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw
      : (tensor<1x4x9x9xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x7x7xf32>
  return %3, %6 : tensor<3x5xf32>, tensor<1x6x7x7xf32>
}
