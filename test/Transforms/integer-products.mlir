// Products of dequantized tensors become products of bytes, however dequantizing is written.
// RUN: fuse-opt %s --fuse-integer-products=numerics=folds --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-integer-products=numerics=folds --split-input-file --remarks-filter=fuse-integer-products -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: fuse-opt %s --fuse-integer-products --split-input-file | FileCheck %s --check-prefix=EXACT
// RUN: not fuse-opt %s --fuse-integer-products=numerics=magic --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown numerics 'magic', expected one of: exact, reassociates, folds, reduced-precision

// Zero points of both sides, a scale for each column, and a bias behind.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x64xui8>, %[[W:[a-z0-9]+]]: tensor<64x32xi8>
// CHECK: %[[SUM:.*]] = fuse.matmul %[[X]], %[[W]] : (tensor<8x64xui8>, tensor<64x32xi8>) -> tensor<8x32xi32>
// CHECK: %[[COLUMNS:.*]] = fuse.reduce sum %{{.*}} dimensions = [0] {{.*}} tensor<64x32xi32> -> tensor<1x32xi32>
// CHECK: %[[A:.*]] = fuse.binary mul %[[COLUMNS]], %{{.*}} : (tensor<1x32xi32>, tensor<i32>)
// CHECK: %[[LESS:.*]] = fuse.binary sub %[[SUM]], %[[A]]
// CHECK: %[[ROWS:.*]] = fuse.reduce sum %{{.*}} dimensions = [1] {{.*}} tensor<8x64xi32> -> tensor<8x1xi32>
// CHECK: %[[K:.*]] = arith.constant dense<192> : tensor<i32>
// CHECK: %[[OWN:.*]] = fuse.binary sub %[[ROWS]], %[[K]]
// CHECK: %[[B:.*]] = fuse.binary mul %[[OWN]], %{{.*}} : (tensor<8x1xi32>, tensor<i32>)
// CHECK: %[[ALL:.*]] = fuse.binary sub %[[LESS]], %[[B]]
// CHECK: %[[F:.*]] = fuse.cast %[[ALL]] : (tensor<8x32xi32>) -> tensor<8x32xf32>
// CHECK: %[[S:.*]] = fuse.binary mul %{{.*}}, %{{.*}} : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
// CHECK: fuse.binary mul %[[F]], %[[S]]
// REMARKS: [Passed] integer-product {{.*}} Remark="matmul(8x64x32) of dequantized tensors is a product of bytes"
// EXACT-LABEL: func.func @matmul
// EXACT: fuse.matmul {{.*}} -> tensor<8x32xf32>
func.func @matmul(%x: tensor<8x64xui8>, %w: tensor<64x32xi8> {fuse.param}, %t: tensor<32xf32> {fuse.param}) -> tensor<8x32xf32> {
  %a = arith.constant dense<3> : tensor<ui8>
  %b = arith.constant dense<-5> : tensor<i8>
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %0 = fuse.cast %x : (tensor<8x64xui8>) -> tensor<8x64xf32>
  %1 = fuse.cast %a : (tensor<ui8>) -> tensor<f32>
  %2 = fuse.binary sub %0, %1 : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %3 = fuse.binary mul %s, %2 : (tensor<f32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %4 = fuse.cast %w : (tensor<64x32xi8>) -> tensor<64x32xi32>
  %5 = fuse.cast %b : (tensor<i8>) -> tensor<i32>
  %6 = fuse.binary sub %4, %5 : (tensor<64x32xi32>, tensor<i32>) -> tensor<64x32xi32>
  %7 = fuse.cast %6 : (tensor<64x32xi32>) -> tensor<64x32xf32>
  %8 = fuse.binary mul %7, %t : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  %9 = fuse.matmul %3, %8 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %9 : tensor<8x32xf32>
}

// -----

// Scales that are divided by, views in between, a transposed operand with a scale for each row of what is stored, and scales
// for each row of the other side. Powers of two are exact: 64 * 255 * 128 is below 2^24.
// CHECK-LABEL: func.func @views
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x4x64xui8>, %[[W:[a-z0-9]+]]: tensor<32x64xi8>
// CHECK: %[[R:.*]] = fuse.reshape %[[X]] : tensor<2x4x64xui8> -> tensor<8x64xui8>
// CHECK: %[[T:.*]] = fuse.transpose %[[W]] permutation = [1, 0] : tensor<32x64xi8> -> tensor<64x32xi8>
// CHECK: fuse.matmul %[[R]], %[[T]] : (tensor<8x64xui8>, tensor<64x32xi8>) -> tensor<8x32xi32>
// EXACT-LABEL: func.func @views
// EXACT: fuse.matmul {{.*}} -> tensor<8x32xi32>
func.func @views(%x: tensor<2x4x64xui8>, %w: tensor<32x64xi8> {fuse.param}) -> tensor<8x32xf32> {
  %s = arith.constant dense<4.000000e+00> : tensor<f32>
  %t = arith.constant dense<5.000000e-01> : tensor<32x1xf32>
  %0 = fuse.cast %x : (tensor<2x4x64xui8>) -> tensor<2x4x64xf32>
  %1 = fuse.reshape %0 : tensor<2x4x64xf32> -> tensor<8x64xf32>
  %2 = fuse.binary div %1, %s : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %3 = fuse.cast %w : (tensor<32x64xi8>) -> tensor<32x64xf32>
  %4 = fuse.binary mul %3, %t : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>
  %5 = fuse.transpose %4 permutation = [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %6 = fuse.matmul %2, %5 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %6 : tensor<8x32xf32>
}

// -----

// Padding stands for the zero point, filters of ui8 become i8, and their zero point 128 is gone then.
// CHECK-LABEL: func.func @conv
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x8x6x6xui8>, %[[W:[a-z0-9]+]]: tensor<4x8x3x3xui8>
// CHECK: %[[WIDE:.*]] = fuse.cast %[[W]] : (tensor<4x8x3x3xui8>) -> tensor<4x8x3x3xi32>
// CHECK: %[[LESS:.*]] = fuse.binary sub %[[WIDE]]
// CHECK: %[[SIGNED:.*]] = fuse.cast %[[LESS]] : (tensor<4x8x3x3xi32>) -> tensor<4x8x3x3xi8>
// CHECK: %[[PADDED:.*]] = fuse.pad %[[X]] low = [0, 0, 1, 0] high = [0, 0, 1, 2] value = 7 : ui8
// CHECK: %[[SUM:.*]] = fuse.conv2d %[[PADDED]], %[[SIGNED]] strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x8x8x8xui8>, tensor<4x8x3x3xi8>) -> tensor<1x4x6x6xi32>
// CHECK: %[[FILTERS:.*]] = fuse.reduce sum %{{.*}} dimensions = [1, 2, 3] {{.*}} -> tensor<4xi32>
// CHECK: %[[F:.*]] = fuse.cast
// CHECK: %[[S:.*]] = fuse.binary mul %[[F]]
// CHECK: fuse.binary add %[[S]], %{{.*}} : (tensor<1x4x6x6xf32>, tensor<4x1x1xf32>)
// REMARKS: [Passed] integer-product
func.func @conv(%x: tensor<1x8x6x6xui8>, %w: tensor<4x8x3x3xui8> {fuse.param}, %t: tensor<4xf32> {fuse.param}, %bias: tensor<4xf32> {fuse.param}) -> tensor<1x4x6x6xf32> {
  %a = arith.constant dense<7.000000e+00> : tensor<f32>
  %b = arith.constant dense<1.280000e+02> : tensor<f32>
  %0 = fuse.cast %x : (tensor<1x8x6x6xui8>) -> tensor<1x8x6x6xf32>
  %1 = fuse.binary sub %0, %a : (tensor<1x8x6x6xf32>, tensor<f32>) -> tensor<1x8x6x6xf32>
  %2 = fuse.cast %w : (tensor<4x8x3x3xui8>) -> tensor<4x8x3x3xf32>
  %3 = fuse.binary sub %2, %b : (tensor<4x8x3x3xf32>, tensor<f32>) -> tensor<4x8x3x3xf32>
  %4 = fuse.reshape %t : tensor<4xf32> -> tensor<4x1x1x1xf32>
  %5 = fuse.binary mul %3, %4 : (tensor<4x8x3x3xf32>, tensor<4x1x1x1xf32>) -> tensor<4x8x3x3xf32>
  %6 = fuse.conv2d %1, %5, %bias strides = [1, 1] dilations = [1, 1] padding = [1, 0, 1, 2] groups = 1 layout = nchw_fchw : (tensor<1x8x6x6xf32>, tensor<4x8x3x3xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  return %6 : tensor<1x4x6x6xf32>
}

// -----

// Channels last; a zero point that is computed is padding by a choice; filters with a zero point take sums of windows.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[INSIDE:.*]] = fuse.pad %{{.*}} value = false : tensor<1x6x6x1xi1> -> tensor<1x8x8x1xi1>
// CHECK: %[[PADDED:.*]] = fuse.select %[[INSIDE]]
// CHECK: fuse.conv2d %[[PADDED]], %{{.*}} layout = nhwc_hwcf : (tensor<1x8x8x8xui8>, tensor<3x3x8x4xi8>) -> tensor<1x6x6x4xi32>
// CHECK: fuse.reduce sum %{{.*}} dimensions = [3] {{.*}} -> tensor<1x8x8x1xi32>
// CHECK: fuse.conv2d %{{.*}} : (tensor<1x8x8x1xi32>, tensor<3x3x1x1xi32>) -> tensor<1x6x6x1xi32>
func.func @dynamic(%x: tensor<1x6x6x8xui8>, %a: tensor<ui8>, %s: tensor<f32>, %w: tensor<3x3x8x4xi8> {fuse.param}) -> tensor<1x6x6x4xf32> {
  %b = arith.constant dense<3.000000e+00> : tensor<f32>
  %0 = fuse.cast %x : (tensor<1x6x6x8xui8>) -> tensor<1x6x6x8xf32>
  %1 = fuse.cast %a : (tensor<ui8>) -> tensor<f32>
  %2 = fuse.binary sub %0, %1 : (tensor<1x6x6x8xf32>, tensor<f32>) -> tensor<1x6x6x8xf32>
  %3 = fuse.binary mul %2, %s : (tensor<1x6x6x8xf32>, tensor<f32>) -> tensor<1x6x6x8xf32>
  %4 = fuse.cast %w : (tensor<3x3x8x4xi8>) -> tensor<3x3x8x4xf32>
  %5 = fuse.binary add %4, %b : (tensor<3x3x8x4xf32>, tensor<f32>) -> tensor<3x3x8x4xf32>
  %6 = fuse.conv2d %3, %5 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf : (tensor<1x6x6x8xf32>, tensor<3x3x8x4xf32>) -> tensor<1x6x6x4xf32>
  return %6 : tensor<1x6x6x4xf32>
}

// -----

// A filter for each channel reads bytes in place of floats.
// CHECK-LABEL: func.func @depthwise
// CHECK: fuse.conv2d {{.*}} groups = 8 {{.*}} : (tensor<1x8x6x6xui8>, tensor<8x1x3x3xi8>) -> tensor<1x8x4x4xi32>
func.func @depthwise(%x: tensor<1x8x6x6xui8>, %w: tensor<8x1x3x3xi8> {fuse.param}) -> tensor<1x8x4x4xf32> {
  %0 = fuse.cast %x : (tensor<1x8x6x6xui8>) -> tensor<1x8x6x6xf32>
  %1 = fuse.cast %w : (tensor<8x1x3x3xi8>) -> tensor<8x1x3x3xf32>
  %2 = fuse.conv2d %0, %1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 8 layout = nchw_fchw : (tensor<1x8x6x6xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x4x4xf32>
  return %2 : tensor<1x8x4x4xf32>
}

// -----

// An image of floats is padded before it is quantized: 0 becomes the zero point.
// CHECK-LABEL: func.func @image
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x3x6x6xf32>
// CHECK: %[[PADDED:.*]] = fuse.pad %[[X]] low = [0, 0, 1, 1] high = [0, 0, 1, 1] value = 0.000000e+00 : f32
// CHECK: %[[DIVIDED:.*]] = fuse.binary div %[[PADDED]]
// CHECK: %[[Q:.*]] = fuse.cast %{{.*}} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xui8>
// CHECK: fuse.conv2d %[[Q]], %{{.*}} padding = [0, 0, 0, 0]
func.func @image(%x: tensor<1x3x6x6xf32>, %w: tensor<4x3x3x3xi8> {fuse.param}) -> tensor<1x4x6x6xf32> {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %z = arith.constant dense<1.290000e+02> : tensor<f32>
  %0 = fuse.binary div %x, %s : (tensor<1x3x6x6xf32>, tensor<f32>) -> tensor<1x3x6x6xf32>
  %1 = fuse.unary round_even %0 : tensor<1x3x6x6xf32>
  %2 = fuse.binary add %1, %z : (tensor<1x3x6x6xf32>, tensor<f32>) -> tensor<1x3x6x6xf32>
  %3 = fuse.cast %2 : (tensor<1x3x6x6xf32>) -> tensor<1x3x6x6xui8>
  %4 = fuse.cast %3 : (tensor<1x3x6x6xui8>) -> tensor<1x3x6x6xf32>
  %5 = fuse.binary sub %4, %z : (tensor<1x3x6x6xf32>, tensor<f32>) -> tensor<1x3x6x6xf32>
  %6 = fuse.binary mul %5, %s : (tensor<1x3x6x6xf32>, tensor<f32>) -> tensor<1x3x6x6xf32>
  %7 = fuse.cast %w : (tensor<4x3x3x3xi8>) -> tensor<4x3x3x3xf32>
  %8 = fuse.conv2d %6, %7 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %8 : tensor<1x4x6x6xf32>
}

// -----

// A convolution of integers that stays one: bytes less their zero points are read as integers of 16 bits.
// REMARKS: [Passed] short-product {{.*}}Reason="filters of a grouped convolution have a zero point", Remark="conv2d(8 channels, 3x3) of bytes less their zero points reads integers of 16 bits"
// CHECK-LABEL: func.func @integers
// CHECK: %[[X:.*]] = fuse.cast %{{.*}} : (tensor<1x8x6x6xi32>) -> tensor<1x8x6x6xi16>
// CHECK: %[[W:.*]] = fuse.cast %{{.*}} : (tensor<8x4x3x3xi32>) -> tensor<8x4x3x3xi16>
// CHECK: fuse.conv2d %[[X]], %[[W]] {{.*}} : (tensor<1x8x6x6xi16>, tensor<8x4x3x3xi16>) -> tensor<1x8x4x4xi32>
func.func @integers(%x: tensor<1x8x6x6xui8>, %w: tensor<8x4x3x3xui8> {fuse.param}, %zero: tensor<ui8>) -> tensor<1x8x4x4xi32> {
  %seven = arith.constant dense<7> : tensor<i32>
  %z = fuse.cast %zero : (tensor<ui8>) -> tensor<i32>
  %0 = fuse.cast %x : (tensor<1x8x6x6xui8>) -> tensor<1x8x6x6xi32>
  %1 = fuse.binary sub %0, %z : (tensor<1x8x6x6xi32>, tensor<i32>) -> tensor<1x8x6x6xi32>
  %2 = fuse.cast %w : (tensor<8x4x3x3xui8>) -> tensor<8x4x3x3xi32>
  %3 = fuse.binary sub %2, %seven : (tensor<8x4x3x3xi32>, tensor<i32>) -> tensor<8x4x3x3xi32>
  %4 = fuse.conv2d %1, %3 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 2 layout = nchw_fchw : (tensor<1x8x6x6xi32>, tensor<8x4x3x3xi32>) -> tensor<1x8x4x4xi32>
  return %4 : tensor<1x8x4x4xi32>
}
