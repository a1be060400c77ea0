// RUN: fuse-opt %s -canonicalize --split-input-file | FileCheck %s

// Constants are evaluated: element-wise, broadcasting, and in every class of types.

// CHECK-LABEL: func.func @unary
// CHECK: dense<[0.000000e+00, 0.000000e+00, 1.000000e+00]> : tensor<3xf32>
func.func @unary() -> tensor<3xf32> {
  %x = arith.constant dense<[-1.0, -0.0, 1.0]> : tensor<3xf32>
  %0 = fuse.unary relu %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @binary_broadcasts
// CHECK: dense<{{\[}}[11, 12], [21, 22]]> : tensor<2x2xi32>
func.func @binary_broadcasts() -> tensor<2x2xi32> {
  %x = arith.constant dense<[[10], [20]]> : tensor<2x1xi32>
  %y = arith.constant dense<[1, 2]> : tensor<2xi32>
  %0 = fuse.binary add %x, %y : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

// CHECK-LABEL: func.func @integers_never_trap
// CHECK: dense<[-1, -128, -3]> : tensor<3xi8>
func.func @integers_never_trap() -> tensor<3xi8> {
  %x = arith.constant dense<[7, -128, -7]> : tensor<3xi8>
  %y = arith.constant dense<[0, -1, 2]> : tensor<3xi8>
  %0 = fuse.binary div %x, %y : tensor<3xi8>
  return %0 : tensor<3xi8>
}

// -----

// CHECK-LABEL: func.func @unsigned
// CHECK: dense<[255, 100]> : tensor<2xui8>
func.func @unsigned() -> tensor<2xui8> {
  %x = arith.constant dense<[200, 0]> : tensor<2xui8>
  %y = arith.constant dense<[255, 100]> : tensor<2xui8>
  %0 = fuse.binary max %x, %y : tensor<2xui8>
  return %0 : tensor<2xui8>
}

// -----

// CHECK-LABEL: func.func @cast
// CHECK: dense<[0, 127, -1]> : tensor<3xi8>
func.func @cast() -> tensor<3xi8> {
  %x = arith.constant dense<[0x7FC00000, 1.0e9, -1.9]> : tensor<3xf32>
  %0 = fuse.cast %x : (tensor<3xf32>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// -----

// Bits, not values: a NaN keeps its payload, and a round trip is nothing.
// CHECK-LABEL: func.func @bitcast(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
// CHECK-DAG: %[[BITS:.*]] = arith.constant dense<[2141192193, 1065353216, -2147483648]> : tensor<3xi32>
// CHECK: return %[[BITS]], %[[X]]
func.func @bitcast(%x: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>) {
  %c = arith.constant dense<[0x7FA00001, 1.0, -0.0]> : tensor<3xf32>
  %0 = fuse.bitcast %c : (tensor<3xf32>) -> tensor<3xi32>
  %1 = fuse.bitcast %x : (tensor<3xf32>) -> tensor<3xi32>
  %2 = fuse.bitcast %1 : (tensor<3xi32>) -> tensor<3xf32>
  return %0, %2 : tensor<3xi32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @shifts(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>
// CHECK-DAG: %[[LEFT:.*]] = arith.constant dense<[-2, 0, 0, -1]> : tensor<4xi8>
// CHECK-DAG: %[[RIGHT:.*]] = arith.constant dense<-1> : tensor<4xi8>
// CHECK: return %[[LEFT]], %[[RIGHT]], %[[X]]
func.func @shifts(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %m = arith.constant dense<-1> : tensor<4xi8>
  %n = arith.constant dense<[1, 8, -1, 0]> : tensor<4xi8>
  %zero = arith.constant dense<0> : tensor<4xi8>
  %0 = fuse.binary shift_left %m, %n : tensor<4xi8>
  %1 = fuse.binary shift_right %m, %n : tensor<4xi8>
  %2 = fuse.binary shift_right %x, %zero : tensor<4xi8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// -----

// CHECK-LABEL: func.func @compare_select_clamp
// CHECK-DAG: dense<[true, false, false]> : tensor<3xi1>
// CHECK-DAG: dense<[1.000000e+00, 9.000000e+00, 9.000000e+00]> : tensor<3xf32>
// CHECK-DAG: dense<[2.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
func.func @compare_select_clamp() -> (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %nine = arith.constant dense<9.0> : tensor<f32>
  %0 = fuse.compare lt %x, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
  %1 = fuse.select %0, %x, %nine : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = fuse.clamp %x, %two, %nine : (tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @reduce
// CHECK-DAG: dense<[6, 15]> : tensor<2xi32>
// CHECK-DAG: dense<{{\[}}[4, 5, 6]]> : tensor<1x3xi32>
// CHECK-DAG: dense<2.500000e+00> : tensor<f32>
func.func @reduce() -> (tensor<2xi32>, tensor<1x3xi32>, tensor<f32>) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = fuse.reduce sum %x dimensions = [1] : tensor<2x3xi32> -> tensor<2xi32>
  %1 = fuse.reduce max %x dimensions = [0] keep_dims : tensor<2x3xi32> -> tensor<1x3xi32>
  %2 = fuse.reduce mean %y dimensions = [0] : tensor<4xf32> -> tensor<f32>
  return %0, %1, %2 : tensor<2xi32>, tensor<1x3xi32>, tensor<f32>
}

// -----

// Splats of any size stay splats; views of them too.

// CHECK-LABEL: func.func @splats
// CHECK-DAG: dense<6.000000e+00> : tensor<1000x1000xf32>
// CHECK-DAG: dense<3.000000e+03> : tensor<1000xf32>
// CHECK-DAG: dense<3.000000e+00> : tensor<10x100xf32>
// CHECK-NOT: fuse.
func.func @splats() -> (tensor<1000x1000xf32>, tensor<1000xf32>, tensor<10x100xf32>) {
  %x = arith.constant dense<3.0> : tensor<1000x1000xf32>
  %0 = fuse.binary add %x, %x : tensor<1000x1000xf32>
  %1 = fuse.reduce sum %x dimensions = [0] : tensor<1000x1000xf32> -> tensor<1000xf32>
  %2 = fuse.slice %x offsets = [0, 0] sizes = [100, 10] strides = [1, 1] : tensor<1000x1000xf32> -> tensor<100x10xf32>
  %3 = fuse.transpose %2 permutation = [1, 0] : tensor<100x10xf32> -> tensor<10x100xf32>
  %4 = fuse.reshape %3 : tensor<10x100xf32> -> tensor<1000xf32>
  %5 = fuse.reshape %4 : tensor<1000xf32> -> tensor<10x100xf32>
  return %0, %1, %5 : tensor<1000x1000xf32>, tensor<1000xf32>, tensor<10x100xf32>
}

// -----

// Larger constants are left to the device.

// CHECK-LABEL: func.func @large
// CHECK: fuse.binary add
func.func @large(%x: tensor<65x1xf32>) -> tensor<65x2xf32> {
  %y = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %z = arith.constant dense<1.0> : tensor<65x1xf32>
  %0 = fuse.binary add %z, %y : (tensor<65x1xf32>, tensor<2xf32>) -> tensor<65x2xf32>
  return %0 : tensor<65x2xf32>
}

// -----

// CHECK-LABEL: func.func @integer_identities
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0>
// CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[ZERO]], %[[ZERO]], %[[ZERO]]
func.func @integer_identities(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %ones = arith.constant dense<-1> : tensor<4xi32>
  %0 = fuse.binary add %zero, %x : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = fuse.binary mul %x, %one : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = fuse.binary or %x, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %3 = fuse.binary and %x, %ones : tensor<4xi32>
  %4 = fuse.binary and %x, %x : tensor<4xi32>
  %5 = fuse.binary mul %x, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %6 = fuse.binary sub %x, %x : tensor<4xi32>
  %7 = fuse.binary xor %x, %x : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @inverses
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xi1>
// CHECK-NEXT: return %[[X]], %[[B]], %[[X]]
func.func @inverses(%x: tensor<4xf32>, %b: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  %0 = fuse.unary neg %x : tensor<4xf32>
  %1 = fuse.unary neg %0 : tensor<4xf32>
  %2 = fuse.unary logical_not %b : tensor<4xi1>
  %3 = fuse.unary logical_not %2 : tensor<4xi1>
  %4 = fuse.cast %x : tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @select
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]], %[[Y]], %[[X]]
func.func @select(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = arith.constant dense<true> : tensor<i1>
  %false = arith.constant dense<false> : tensor<4xi1>
  %0 = fuse.select %true, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = fuse.select %false, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = fuse.select %c, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// An operand that broadcasts is not the result.

// CHECK-LABEL: func.func @broadcasting_identity
// CHECK: %[[R:.*]] = fuse.binary mul
// CHECK: return %[[R]]
func.func @broadcasting_identity(%x: tensor<1x4xf32>) -> tensor<8x4xf32> {
  %one = arith.constant dense<1.0> : tensor<8x1xf32>
  %0 = fuse.binary mul %x, %one : (tensor<1x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// What a dynamic extent is compared with at run time is not dropped; what broadcasts is.

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
// CHECK: %[[R:.*]] = fuse.binary mul
// CHECK: return %[[R]], %[[X]]
func.func @dynamic(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %0 = fuse.binary mul %x, %ones : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  %1 = fuse.binary mul %x, %one : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
