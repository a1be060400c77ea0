// RUN: fuse-opt %s --convert-linalg-to-fuse --split-input-file | FileCheck %s --implicit-check-not=linalg.

// Zero points are taken off in the accumulator's type.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<5x7xi8>, %[[W:[a-z0-9]+]]: tensor<7x3xi8>
// CHECK: %[[XW:.*]] = fuse.cast %[[X]] : (tensor<5x7xi8>) -> tensor<5x7xi32>
// CHECK: %[[L:.*]] = fuse.binary sub %[[XW]], %{{.*}} : (tensor<5x7xi32>, tensor<i32>)
// CHECK: %[[WW:.*]] = fuse.cast %[[W]] : (tensor<7x3xi8>) -> tensor<7x3xi32>
// CHECK: %[[R:.*]] = fuse.binary sub %[[WW]], %{{.*}} : (tensor<7x3xi32>, tensor<i32>)
// CHECK: fuse.matmul %[[L]], %[[R]] : (tensor<5x7xi32>, tensor<7x3xi32>) -> tensor<5x3xi32>
func.func @matmul(%x: tensor<5x7xi8>, %w: tensor<7x3xi8>) -> tensor<5x3xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %zero = arith.constant dense<0> : tensor<5x3xi32>
  %0 = linalg.quantized_matmul ins(%x, %w, %a, %b : tensor<5x7xi8>, tensor<7x3xi8>, i32, i32) outs(%zero : tensor<5x3xi32>) -> tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}

// -----

// A zero point that is computed: an element of a tensor, and what scalar ops make of it.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x5x7xi8>, %[[W:[a-z0-9]+]]: tensor<2x7x3xi8>, %[[Z:[a-z0-9]+]]: tensor<4xi8>
// CHECK: %[[ONE:.*]] = fuse.slice %[[Z]] offsets = [2] sizes = [1]
// CHECK: %[[SCALAR:.*]] = fuse.reshape %[[ONE]] : tensor<1xi8> -> tensor<i8>
// CHECK: %[[WIDE:.*]] = fuse.cast %[[SCALAR]] : (tensor<i8>) -> tensor<i32>
// CHECK: %[[SHIFTED:.*]] = fuse.binary sub %[[WIDE]]
// CHECK: fuse.binary sub %{{.*}}, %[[SHIFTED]] : (tensor<2x5x7xi32>, tensor<i32>)
// CHECK: fuse.matmul
func.func @computed(%x: tensor<2x5x7xi8>, %w: tensor<2x7x3xi8>, %z: tensor<4xi8>) -> tensor<2x5x3xi32> {
  %two = arith.constant 2 : index
  %more = arith.constant 128 : i32
  %b = arith.constant 0 : i32
  %e = tensor.extract %z[%two] : tensor<4xi8>
  %wide = arith.extsi %e : i8 to i32
  %a = arith.subi %wide, %more : i32
  %zero = arith.constant dense<0> : tensor<2x5x3xi32>
  %0 = linalg.quantized_batch_matmul ins(%x, %w, %a, %b : tensor<2x5x7xi8>, tensor<2x7x3xi8>, i32, i32) outs(%zero : tensor<2x5x3xi32>) -> tensor<2x5x3xi32>
  return %0 : tensor<2x5x3xi32>
}

// -----

// CHECK-LABEL: func.func @conv_nhwc(
// CHECK: %[[X:.*]] = fuse.binary sub %{{.*}}, %{{.*}} : (tensor<2x9x9x3xi32>, tensor<i32>)
// CHECK: %[[W:.*]] = fuse.binary sub %{{.*}}, %{{.*}} : (tensor<3x3x3x4xi32>, tensor<i32>)
// CHECK: fuse.conv2d %[[X]], %[[W]] strides = [2, 1] dilations = [1, 2] {{.*}} groups = 1 layout = nhwc_hwcf
func.func @conv_nhwc(%x: tensor<2x9x9x3xi8>, %w: tensor<3x3x3x4xi8>) -> tensor<2x4x5x4xi32> {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %zero = arith.constant dense<0> : tensor<2x4x5x4xi32>
  %0 = linalg.conv_2d_nhwc_hwcf_q {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w, %a, %b : tensor<2x9x9x3xi8>, tensor<3x3x3x4xi8>, i32, i32) outs(%zero : tensor<2x4x5x4xi32>) -> tensor<2x4x5x4xi32>
  return %0 : tensor<2x4x5x4xi32>
}

// -----

// Without zero points it is a product of bytes.
// CHECK-LABEL: func.func @conv_nchw(
// CHECK: fuse.conv2d {{.*}} layout = nchw_fchw : (tensor<2x3x9x9xi8>, tensor<4x3x3x3xi8>) -> tensor<2x4x7x7xi32>
func.func @conv_nchw(%x: tensor<2x3x9x9xi8>, %w: tensor<4x3x3x3xi8>, %init: tensor<2x4x7x7xi32>) -> tensor<2x4x7x7xi32> {
  %a = arith.constant 0 : i32
  %0 = linalg.conv_2d_nchw_fchw_q ins(%x, %w, %a, %a : tensor<2x3x9x9xi8>, tensor<4x3x3x3xi8>, i32, i32) outs(%init : tensor<2x4x7x7xi32>) -> tensor<2x4x7x7xi32>
  return %0 : tensor<2x4x7x7xi32>
}

// -----

// Groups as a dimension of the image are joined with its channels.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[X:.*]] = fuse.reshape %{{.*}} : tensor<1x8x8x2x3xi8> -> tensor<1x8x8x6xi8>
// CHECK: %[[T:.*]] = fuse.transpose %{{.*}} permutation = [2, 3, 4, 0, 1] : tensor<2x4x3x3x3xi8> -> tensor<3x3x3x2x4xi8>
// CHECK: fuse.reshape %[[T]] : tensor<3x3x3x2x4xi8> -> tensor<3x3x3x8xi8>
// CHECK: %[[C:.*]] = fuse.conv2d {{.*}} groups = 2 layout = nhwc_hwcf : (tensor<1x8x8x6xi32>, tensor<3x3x3x8xi32>) -> tensor<1x6x6x8xi32>
// CHECK: fuse.reshape %[[C]] : tensor<1x6x6x8xi32> -> tensor<1x6x6x2x4xi32>
// CHECK: fuse.conv2d {{.*}} groups = 2 layout = nchw_fchw : (tensor<1x6x8x8xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32>
// CHECK: fuse.transpose %{{.*}} permutation = [1, 0, 2, 3, 4] : tensor<4x2x3x3x3xf32> -> tensor<2x4x3x3x3xf32>
// CHECK: fuse.conv2d {{.*}} groups = 2 layout = nchw_fchw : (tensor<1x6x8x8xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32>
func.func @groups(%x: tensor<1x8x8x2x3xi8>, %w: tensor<2x4x3x3x3xi8>, %y: tensor<1x2x3x8x8xf32>, %v: tensor<2x4x3x3x3xf32>, %u: tensor<4x2x3x3x3xf32>) -> (tensor<1x6x6x2x4xi32>, tensor<1x2x4x6x6xf32>, tensor<1x2x4x6x6xf32>) {
  %a = arith.constant 3 : i32
  %b = arith.constant -5 : i32
  %z = arith.constant dense<0> : tensor<1x6x6x2x4xi32>
  %0 = linalg.conv_2d_nhwgc_gfhwc_q ins(%x, %w, %a, %b : tensor<1x8x8x2x3xi8>, tensor<2x4x3x3x3xi8>, i32, i32) outs(%z : tensor<1x6x6x2x4xi32>) -> tensor<1x6x6x2x4xi32>
  %zf = arith.constant dense<0.0> : tensor<1x2x4x6x6xf32>
  %1 = linalg.conv_2d_ngchw_gfchw ins(%y, %v : tensor<1x2x3x8x8xf32>, tensor<2x4x3x3x3xf32>) outs(%zf : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  %2 = linalg.conv_2d_ngchw_fgchw ins(%y, %u : tensor<1x2x3x8x8xf32>, tensor<4x2x3x3x3xf32>) outs(%zf : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  return %0, %1, %2 : tensor<1x6x6x2x4xi32>, tensor<1x2x4x6x6xf32>, tensor<1x2x4x6x6xf32>
}

// -----

// Sums of bytes in 32 bits.
// CHECK-LABEL: func.func @sum(
// CHECK: fuse.conv2d {{.*}} groups = 3 layout = nhwc_hwcf : (tensor<1x8x8x3xi8>, tensor<2x2x1x3xi8>) -> tensor<1x7x7x3xi32>
func.func @sum(%x: tensor<1x8x8x3xi8>) -> tensor<1x7x7x3xi32> {
  %k = tensor.empty() : tensor<2x2xi32>
  %zero = arith.constant dense<0> : tensor<1x7x7x3xi32>
  %0 = linalg.pooling_nhwc_sum ins(%x, %k : tensor<1x8x8x3xi8>, tensor<2x2xi32>) outs(%zero : tensor<1x7x7x3xi32>) -> tensor<1x7x7x3xi32>
  return %0 : tensor<1x7x7x3xi32>
}
