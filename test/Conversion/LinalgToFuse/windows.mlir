// RUN: fuse-opt %s --convert-linalg-to-fuse --split-input-file | FileCheck %s --implicit-check-not=linalg.

// CHECK-LABEL: func.func @conv_nhwc(
// CHECK-SAME: %[[X:.*]]: tensor<1x9x9x4xf32>, %[[W:.*]]: tensor<3x3x4x6xf32>, %[[B:.*]]: tensor<6xf32>
// CHECK: %[[BIAS:.*]] = fuse.broadcast %[[B]]
// CHECK: %[[C:.*]] = fuse.conv2d %[[X]], %[[W]] strides = [2, 1] dilations = [1, 2] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf
// CHECK: fuse.binary add %[[C]], %[[BIAS]]
func.func @conv_nhwc(%x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x6xf32>, %b: tensor<6xf32>) -> tensor<1x4x5x6xf32> {
  %e = tensor.empty() : tensor<1x4x5x6xf32>
  %bias = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<1x4x5x6xf32>) dimensions = [0, 1, 2]
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w : tensor<1x9x9x4xf32>, tensor<3x3x4x6xf32>) outs(%bias : tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32>
  return %0 : tensor<1x4x5x6xf32>
}

// -----

// CHECK-LABEL: func.func @conv_nchw(
// CHECK: fuse.conv2d {{.*}} layout = nchw_fchw : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK-NOT: fuse.binary
func.func @conv_nchw(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x6x6x6xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%zero : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>
  return %0 : tensor<1x6x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @other_filters(
// CHECK: %[[T:.*]] = fuse.transpose %{{.*}} permutation = [1, 2, 3, 0] : tensor<6x3x3x4xf32> -> tensor<3x3x4x6xf32>
// CHECK: fuse.conv2d %{{.*}}, %[[T]] {{.*}} groups = 1
// CHECK: fuse.conv2d {{.*}} groups = 4 layout = nhwc_hwcf : (tensor<1x8x8x4xf32>, tensor<3x3x1x4xf32>) -> tensor<1x6x6x4xf32>
// CHECK: %[[M:.*]] = fuse.conv2d {{.*}} groups = 4 layout = nhwc_hwcf : (tensor<1x8x8x4xf32>, tensor<3x3x1x8xf32>) -> tensor<1x6x6x8xf32>
// CHECK: fuse.reshape %[[M]] : tensor<1x6x6x8xf32> -> tensor<1x6x6x4x2xf32>
func.func @other_filters(%x: tensor<1x8x8x4xf32>, %w: tensor<6x3x3x4xf32>, %d: tensor<3x3x4xf32>, %m: tensor<3x3x4x2xf32>) -> (tensor<1x6x6x6xf32>, tensor<1x6x6x4xf32>, tensor<1x6x6x4x2xf32>) {
  %z0 = arith.constant dense<0.0> : tensor<1x6x6x6xf32>
  %0 = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x8x8x4xf32>, tensor<6x3x3x4xf32>) outs(%z0 : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>
  %z1 = arith.constant dense<0.0> : tensor<1x6x6x4xf32>
  %1 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %d : tensor<1x8x8x4xf32>, tensor<3x3x4xf32>) outs(%z1 : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %z2 = arith.constant dense<0.0> : tensor<1x6x6x4x2xf32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %m : tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) outs(%z2 : tensor<1x6x6x4x2xf32>) -> tensor<1x6x6x4x2xf32>
  return %0, %1, %2 : tensor<1x6x6x6xf32>, tensor<1x6x6x4xf32>, tensor<1x6x6x4x2xf32>
}

// -----

// A sum is the product with ones, a minimum the maximum of the negated.
// CHECK-LABEL: func.func @pools(
// CHECK: fuse.max_pool2d {{.*}} kernel = [2, 2] strides = [2, 2] {{.*}} layout = nhwc_hwcf
// CHECK: %[[N:.*]] = fuse.unary neg
// CHECK: %[[P:.*]] = fuse.max_pool2d %[[N]]
// CHECK: fuse.unary neg %[[P]]
// CHECK: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<2x2x1x4xf32>
// CHECK: fuse.conv2d %{{.*}}, %[[ONES]] {{.*}} groups = 4
func.func @pools(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %k = tensor.empty() : tensor<2x2xf32>
  %least = arith.constant dense<0xFF800000> : tensor<1x4x4x4xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%least : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %most = arith.constant dense<0x7F800000> : tensor<1x4x4x4xf32>
  %1 = linalg.pooling_nhwc_min {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%most : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %zero = arith.constant dense<0.0> : tensor<1x4x4x4xf32>
  %2 = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%zero : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %0, %1, %2 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}
