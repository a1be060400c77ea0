// RUN: fuse-opt %s --convert-tosa-to-fuse --split-input-file | FileCheck %s --implicit-check-not=tosa.

// CHECK-LABEL: func.func @unary(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[I:.*]]: tensor<4xi32>, %[[M:.*]]: tensor<4xi1>
func.func @unary(%x: tensor<2x3xf32>, %i: tensor<4xi32>, %m: tensor<4xi1>) {
  // CHECK: fuse.unary abs %[[X]]
  %0 = tosa.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary ceil %[[X]]
  %1 = tosa.ceil %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary cos %[[X]]
  %2 = tosa.cos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary erf %[[X]]
  %3 = tosa.erf %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary exp %[[X]]
  %4 = tosa.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary floor %[[X]]
  %5 = tosa.floor %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary log %[[X]]
  %6 = tosa.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary reciprocal %[[X]]
  %7 = tosa.reciprocal %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary rsqrt %[[X]]
  %8 = tosa.rsqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary sigmoid %[[X]]
  %9 = tosa.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary sin %[[X]]
  %10 = tosa.sin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary tanh %[[X]]
  %11 = tosa.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.unary bitwise_not %[[I]] : tensor<4xi32>
  %12 = tosa.bitwise_not %i : (tensor<4xi32>) -> tensor<4xi32>
  // CHECK: fuse.unary logical_not %[[M]] : tensor<4xi1>
  %13 = tosa.logical_not %m : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK: fuse.unary neg %[[X]]
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %14 = tosa.negate %x, %zp, %zp : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

// CHECK-LABEL: func.func @binary(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<1x3xf32>, %[[I:.*]]: tensor<4xi32>, %[[M:.*]]: tensor<4xi1>
func.func @binary(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>, %i: tensor<4xi32>, %m: tensor<4xi1>) {
  // CHECK: fuse.binary add %[[X]], %[[Y]] : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %0 = tosa.add %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.binary sub %[[X]], %[[Y]]
  %1 = tosa.sub %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.binary mul %[[X]], %[[Y]]
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %2 = tosa.mul %x, %y, %shift : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  // CHECK: fuse.binary pow %[[X]], %[[Y]]
  %3 = tosa.pow %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.binary max %[[X]], %[[Y]]
  %4 = tosa.maximum %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.binary min %[[X]], %[[Y]]
  %5 = tosa.minimum %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: fuse.binary div %[[I]], %[[I]]
  %6 = tosa.intdiv %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: fuse.binary and %[[I]], %[[I]]
  %7 = tosa.bitwise_and %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: fuse.binary or %[[I]], %[[I]]
  %8 = tosa.bitwise_or %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: fuse.binary xor %[[I]], %[[I]]
  %9 = tosa.bitwise_xor %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: fuse.binary and %[[M]], %[[M]]
  %10 = tosa.logical_and %m, %m : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK: fuse.binary or %[[M]], %[[M]]
  %11 = tosa.logical_or %m, %m : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK: fuse.binary xor %[[M]], %[[M]]
  %12 = tosa.logical_xor %m, %m : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK: fuse.binary shift_left %[[I]], %[[I]]
  %13 = tosa.logical_left_shift %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: fuse.binary shift_right %[[I]], %[[I]] : tensor<4xi32>
  %14 = tosa.arithmetic_right_shift %i, %i {round = false} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: %[[U:.*]] = fuse.bitcast %[[I]] : (tensor<4xi32>) -> tensor<4xui32>
  // CHECK: %[[SHIFTED:.*]] = fuse.binary shift_right %{{.*}}, %{{.*}} : tensor<4xui32>
  // CHECK: fuse.bitcast %[[SHIFTED]] : (tensor<4xui32>) -> tensor<4xi32>
  %15 = tosa.logical_right_shift %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// CHECK-LABEL: func.func @other(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[M:.*]]: tensor<2x3xi1>, %[[B:.*]]: tensor<2x3xi8>, %[[T:.*]]: tensor<256xi8>
func.func @other(%x: tensor<2x3xf32>, %m: tensor<2x3xi1>, %b: tensor<2x3xi8>, %t: tensor<256xi8>) {
  // CHECK: fuse.compare eq %[[X]], %[[X]]
  %0 = tosa.equal %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: fuse.compare gt %[[X]], %[[X]]
  %1 = tosa.greater %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: fuse.compare ge %[[X]], %[[X]]
  %2 = tosa.greater_equal %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: fuse.select %[[M]], %[[X]], %[[X]]
  %3 = tosa.select %m, %x, %x : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[LOW:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
  // CHECK: %[[HIGH:.*]] = arith.constant dense<6.000000e+00> : tensor<f32>
  // CHECK: fuse.clamp %[[X]], %[[LOW]], %[[HIGH]]
  %4 = tosa.clamp %x {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // A cast to integers rounds.
  // CHECK: %[[ROUNDED:.*]] = fuse.unary round_even %[[X]]
  // CHECK: fuse.cast %[[ROUNDED]] : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %5 = tosa.cast %x : (tensor<2x3xf32>) -> tensor<2x3xi8>
  // CHECK: fuse.cast %[[X]] : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %6 = tosa.cast %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: %[[N:.*]] = fuse.unary is_nan
  // CHECK: fuse.select %[[N]]
  %7 = tosa.maximum %x, %x {nan_mode = IGNORE} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[INDEX:.*]] = fuse.binary add {{.*}} -> tensor<2x3xi32>
  // CHECK: fuse.gather %[[T]], %[[INDEX]] dimension = 0
  %8 = tosa.table %b, %t : (tensor<2x3xi8>, tensor<256xi8>) -> tensor<2x3xi8>
  // CHECK: %[[WIDE:.*]] = fuse.cast %[[B]] : (tensor<2x3xi8>) -> tensor<2x3xi32>
  // CHECK: fuse.binary mul %[[WIDE]]
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %9 = tosa.mul %b, %b, %shift : (tensor<2x3xi8>, tensor<2x3xi8>, tensor<1xi8>) -> tensor<2x3xi32>
  return
}

// -----

// CHECK-LABEL: func.func @reductions(
// CHECK-SAME: %[[X:.*]]: tensor<2x?xf32>, %[[M:.*]]: tensor<2x3xi1>
func.func @reductions(%x: tensor<2x?xf32>, %m: tensor<2x3xi1>) {
  // CHECK: fuse.reduce sum %[[X]] dimensions = [1] keep_dims : tensor<2x?xf32> -> tensor<2x1xf32>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<2x?xf32>) -> tensor<2x1xf32>
  // CHECK: fuse.reduce max %[[X]] dimensions = [0] keep_dims
  %1 = tosa.reduce_max %x {axis = 0 : i32} : (tensor<2x?xf32>) -> tensor<1x?xf32>
  // CHECK: fuse.reduce min %[[X]]
  %2 = tosa.reduce_min %x {axis = 0 : i32} : (tensor<2x?xf32>) -> tensor<1x?xf32>
  // CHECK: fuse.reduce prod %[[X]]
  %3 = tosa.reduce_product %x {axis = 0 : i32} : (tensor<2x?xf32>) -> tensor<1x?xf32>
  // CHECK: fuse.reduce all %[[M]]
  %4 = tosa.reduce_all %m {axis = 0 : i32} : (tensor<2x3xi1>) -> tensor<1x3xi1>
  // CHECK: fuse.reduce any %[[M]]
  %5 = tosa.reduce_any %m {axis = 0 : i32} : (tensor<2x3xi1>) -> tensor<1x3xi1>
  // CHECK: %[[INDEX:.*]] = fuse.argmax %[[X]] dimension = 1 : tensor<2x?xf32> -> tensor<2xi64>
  // CHECK: fuse.cast %[[INDEX]] : (tensor<2xi64>) -> tensor<2xi32>
  %6 = tosa.argmax %x {axis = 1 : i32} : (tensor<2x?xf32>) -> tensor<2xi32>
  return
}
