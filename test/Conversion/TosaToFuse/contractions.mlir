// RUN: fuse-opt %s --convert-tosa-to-fuse --split-input-file | FileCheck %s --implicit-check-not=tosa.

// The filter OHWI becomes HWCF; top, bottom, left, right becomes top, left, bottom, right.
// CHECK-LABEL: func.func @conv2d(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x8x4xf32>, %[[W:.*]]: tensor<6x3x2x4xf32>, %[[B:.*]]: tensor<6xf32>
// CHECK: %[[F:.*]] = fuse.transpose %[[W]] permutation = [1, 2, 3, 0] : tensor<6x3x2x4xf32> -> tensor<3x2x4x6xf32>
// CHECK: fuse.conv2d %[[X]], %[[F]], %[[B]] strides = [2, 1] dilations = [1, 2] padding = [1, 3, 2, 4] groups = 1 layout = nhwc_hwcf
func.func @conv2d(%x: tensor<1x8x8x4xf32>, %w: tensor<6x3x2x4xf32>, %b: tensor<6xf32>) -> tensor<1x5x13x6xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, pad = array<i64: 1, 2, 3, 4>, stride = array<i64: 2, 1>, dilation = array<i64: 1, 2>} : (tensor<1x8x8x4xf32>, tensor<6x3x2x4xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x13x6xf32>
  return %0 : tensor<1x5x13x6xf32>
}

// -----

// Zero points are taken off in the accumulator's type.
// CHECK-LABEL: func.func @conv2d_zero_points(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x6x6x4xi8>, %[[W:[a-z0-9]+]]: tensor<6x3x3x4xi8>
// CHECK: %[[XW:.*]] = fuse.cast %[[X]] : (tensor<1x6x6x4xi8>) -> tensor<1x6x6x4xi32>
// CHECK: %[[XZ:.*]] = fuse.binary sub %[[XW]], %{{.*}} : (tensor<1x6x6x4xi32>, tensor<i32>)
// CHECK: %[[WW:.*]] = fuse.cast %[[W]] : (tensor<6x3x3x4xi8>) -> tensor<6x3x3x4xi32>
// CHECK: %[[F:.*]] = fuse.transpose %[[WW]] permutation = [1, 2, 3, 0]
// CHECK: fuse.conv2d %[[XZ]], %[[F]] {{.*}} -> tensor<1x6x6x6xi32>
func.func @conv2d_zero_points(%x: tensor<1x6x6x4xi8>, %w: tensor<6x3x3x4xi8>, %b: tensor<6xi32>) -> tensor<1x6x6x6xi32> {
  %zp = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %zp, %zero {acc_type = i32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x6x4xi8>, tensor<6x3x3x4xi8>, tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x6x6xi32>
  return %0 : tensor<1x6x6x6xi32>
}

// -----

// Of integers the bias is added in the accumulator's type.
// CHECK-LABEL: func.func @conv2d_i8(
// CHECK: %[[C:.*]] = fuse.conv2d {{.*}} -> tensor<1x8x8x6xi32>
// CHECK: fuse.binary add %[[C]], %{{.*}} : (tensor<1x8x8x6xi32>, tensor<6xi32>) -> tensor<1x8x8x6xi32>
func.func @conv2d_i8(%x: tensor<1x8x8x4xi8>, %w: tensor<6x1x1x4xi8>, %b: tensor<6xi32>) -> tensor<1x8x8x6xi32> {
  %zp = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x4xi8>, tensor<6x1x1x4xi8>, tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x6xi32>
  return %0 : tensor<1x8x8x6xi32>
}

// -----

// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x8x4xf32>, %[[W:.*]]: tensor<3x3x4x2xf32>
// CHECK: %[[F:.*]] = fuse.reshape %[[W]] : tensor<3x3x4x2xf32> -> tensor<3x3x1x8xf32>
// CHECK: fuse.conv2d %[[X]], %[[F]] {{.*}} groups = 4 layout = nhwc_hwcf
func.func @depthwise(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x2xf32>) -> tensor<1x8x8x8xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %b = "tosa.const"() {values = dense<0.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %0 = tosa.depthwise_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// -----

// Zeros between the input's elements, and the filter reversed.
// CHECK-LABEL: func.func @transpose_conv(
// CHECK: fuse.pad %{{.*}} low = [0, 0, 0, 0, 0] high = [0, 0, 1, 0, 0]
// CHECK: fuse.slice %{{.*}} sizes = [1, 7, 4, 2]
// CHECK-COUNT-2: fuse.gather
// CHECK: fuse.conv2d %{{.*}} strides = [1, 1] dilations = [1, 1] padding = [2, 2, 2, 2]
func.func @transpose_conv(%x: tensor<1x4x4x2xf32>, %w: tensor<6x3x3x2xf32>, %b: tensor<6xf32>) -> tensor<1x9x6x6xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<1x4x4x2xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x6x6xf32>
  return %0 : tensor<1x9x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @matmul(
// CHECK: fuse.matmul %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
func.func @matmul(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %zp, %zp : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @pools(
// CHECK: fuse.max_pool2d %{{.*}} kernel = [3, 2] strides = [2, 1] dilations = [1, 1] padding = [1, 0, 0, 1] layout = nhwc_hwcf
// CHECK: fuse.avg_pool2d %{{.*}} kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nhwc_hwcf : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
func.func @pools(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x8x4xf32>, tensor<1x4x4x4xf32>) {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 2>, pad = array<i64: 1, 0, 0, 1>, stride = array<i64: 2, 1>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x4xf32>
  %1 = tosa.avg_pool2d %x, %zp, %zp {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x4x8x4xf32>, tensor<1x4x4x4xf32>
}
