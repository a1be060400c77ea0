// RUN: fuse-opt %s --convert-tosa-to-fuse --split-input-file | FileCheck %s --implicit-check-not=tosa.

// A zero point that is computed is taken off as one that is known.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<1x3x4xi8>, %[[B:[a-z0-9]+]]: tensor<1x4x5xi8>, %[[Z:[a-z0-9]+]]: tensor<1xi8>
// CHECK: %[[AW:.*]] = fuse.cast %[[A]] : (tensor<1x3x4xi8>) -> tensor<1x3x4xi32>
// CHECK: %[[L:.*]] = fuse.binary sub %[[AW]], %{{.*}} : (tensor<1x3x4xi32>, tensor<i32>)
// CHECK: %[[BW:.*]] = fuse.cast %[[B]] : (tensor<1x4x5xi8>) -> tensor<1x4x5xi32>
// CHECK: %[[Z0:.*]] = fuse.reshape %[[Z]] : tensor<1xi8> -> tensor<i8>
// CHECK: %[[ZW:.*]] = fuse.cast %[[Z0]] : (tensor<i8>) -> tensor<i32>
// CHECK: %[[R:.*]] = fuse.binary sub %[[BW]], %[[ZW]] : (tensor<1x4x5xi32>, tensor<i32>)
// CHECK: fuse.matmul %[[L]], %[[R]] : (tensor<1x3x4xi32>, tensor<1x4x5xi32>) -> tensor<1x3x5xi32>
func.func @matmul(%a: tensor<1x3x4xi8>, %b: tensor<1x4x5xi8>, %open: tensor<1xi8>) -> tensor<1x3x5xi32> {
  %zp = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %zp, %open : (tensor<1x3x4xi8>, tensor<1x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x5xi32>
  return %0 : tensor<1x3x5xi32>
}

// -----

// A mean of bytes is a sum, and a factor for each window: a corner has 4 elements, an edge 6.
// CHECK-LABEL: func.func @average(
// CHECK: %[[X:.*]] = fuse.binary sub %{{.*}}, %{{.*}} : (tensor<1x4x4x2xi32>, tensor<i32>)
// CHECK: fuse.conv2d %[[X]], %{{.*}} padding = [1, 1, 1, 1] groups = 2 {{.*}} -> tensor<1x4x4x2xi32>
// CHECK: arith.constant dense<{{.*}}1073741825{{.*}}> : tensor<4x4x1xi64>
// CHECK: fuse.binary shift_right
// CHECK: fuse.clamp
// CHECK: fuse.cast %{{.*}} : (tensor<1x4x4x2xi64>) -> tensor<1x4x4x2xi8>
func.func @average(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %a = "tosa.const"() {values = dense<-3> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<7> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.avg_pool2d %x, %a, %b {acc_type = i32, kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %0 : tensor<1x4x4x2xi8>
}

// -----

// CHECK-LABEL: func.func @negate(
// CHECK: arith.constant dense<-95> : tensor<i32>
// CHECK: fuse.binary sub
// CHECK: fuse.clamp
func.func @negate(%x: tensor<9xi8>) -> tensor<9xi8> {
  %a = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<-100> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.negate %x, %a, %b : (tensor<9xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<9xi8>
  return %0 : tensor<9xi8>
}

// -----

// Of rounding twice 2^30 has the sign of the number, where the shift is above 31.
// CHECK-LABEL: func.func @rescale_twice(
// CHECK: arith.constant dense<[0, 1073741824]> : tensor<2xi64>
// CHECK: arith.constant dense<[0, -1073741824]> : tensor<2xi64>
// CHECK: fuse.select
// CHECK: fuse.binary shift_right
func.func @rescale_twice(%x: tensor<4x2xi32>) -> tensor<4x2xi8> {
  %m = "tosa.const"() {values = dense<[1073741824, 1342177280]> : tensor<2xi32>} : () -> tensor<2xi32>
  %s = "tosa.const"() {values = dense<[30, 38]> : tensor<2xi8>} : () -> tensor<2xi8>
  %izp = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %ozp = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %izp, %ozp {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}
