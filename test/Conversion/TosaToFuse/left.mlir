// RUN: fuse-opt %s --convert-tosa-to-fuse --split-input-file | FileCheck %s --implicit-check-not=fuse.

// What has no form in the dialect stays, with the constants that it needs.

// CHECK-LABEL: func.func @ops
func.func @ops(%x: tensor<2x3xf32>, %i: tensor<4xi32>) -> (tensor<2x3xf32>, tensor<4xi32>, tensor<4xi32>) {
  // CHECK: tosa.reverse
  %0 = tosa.reverse %x {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: tosa.clz
  %1 = tosa.clz %i : (tensor<4xi32>) -> tensor<4xi32>
  // CHECK: tosa.arithmetic_right_shift %{{.*}} {round = true}
  %2 = tosa.arithmetic_right_shift %i, %i {round = true} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @nan_modes
func.func @nan_modes(%x: tensor<1x4x4x2xf32>) -> (tensor<1x4x4x2xf32>, tensor<1x1x4x2xf32>, tensor<1x4x2xi32>, tensor<1x2x2x2xf32>) {
  // CHECK: tosa.clamp {{.*}}IGNORE
  %0 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 1.0 : f32, nan_mode = IGNORE} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  // CHECK: tosa.reduce_max {{.*}}IGNORE
  %1 = tosa.reduce_max %x {axis = 1 : i32, nan_mode = IGNORE} : (tensor<1x4x4x2xf32>) -> tensor<1x1x4x2xf32>
  // CHECK: tosa.argmax {{.*}}IGNORE
  %2 = tosa.argmax %x {axis = 1 : i32, nan_mode = IGNORE} : (tensor<1x4x4x2xf32>) -> tensor<1x4x2xi32>
  // CHECK: tosa.max_pool2d {{.*}}IGNORE
  %3 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>, nan_mode = IGNORE} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return %0, %1, %2, %3 : tensor<1x4x4x2xf32>, tensor<1x1x4x2xf32>, tensor<1x4x2xi32>, tensor<1x2x2x2xf32>
}

// -----

// Zero points that are not known before the program runs.
// CHECK-LABEL: func.func @zero_points
func.func @zero_points(%x: tensor<1x4x4x2xi8>, %open: tensor<1xi8>) -> (tensor<1x4x4x2xi8>, tensor<1x2x2x2xi8>) {
  %zp = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  // CHECK: tosa.negate
  %0 = tosa.negate %x, %zp, %open : (tensor<1x4x4x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  // CHECK: tosa.avg_pool2d
  %1 = tosa.avg_pool2d %x, %open, %zp {acc_type = i32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
  return %0, %1 : tensor<1x4x4x2xi8>, tensor<1x2x2x2xi8>
}

// -----

// A product that is shifted, and a rescale by a factor that is not known.
// CHECK-LABEL: func.func @rounding
func.func @rounding(%x: tensor<4xi32>, %m: tensor<1xi32>) -> (tensor<4xi32>, tensor<4xi8>) {
  %shift = "tosa.const"() {values = dense<4> : tensor<1xi8>} : () -> tensor<1xi8>
  // CHECK: tosa.mul
  %0 = tosa.mul %x, %x, %shift : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  %s = "tosa.const"() {values = dense<30> : tensor<1xi8>} : () -> tensor<1xi8>
  %izp = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %ozp = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  // CHECK: tosa.rescale
  %1 = tosa.rescale %x, %m, %s, %izp, %ozp {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4xi8>
  return %0, %1 : tensor<4xi32>, tensor<4xi8>
}

// -----

// CHECK-LABEL: func.func @unranked
func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  // CHECK: tosa.exp
  %0 = tosa.exp %x : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
