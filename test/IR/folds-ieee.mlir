// RUN: fuse-opt %s -canonicalize --split-input-file | FileCheck %s

// What holds for every float: x·1, x/1, x−(+0), x+(−0), in each form of floats.

// CHECK-LABEL: func.func @exact
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[H:.*]]: tensor<4xf16>
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[H]]
func.func @exact(%x: tensor<4xf32>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %minus_zero = arith.constant dense<-0.0> : tensor<4xf32>
  %half_one = arith.constant dense<1.0> : tensor<f16>
  %0 = fuse.binary mul %one, %x : tensor<4xf32>
  %1 = fuse.binary div %x, %one : tensor<4xf32>
  %2 = fuse.binary sub %x, %zero : tensor<4xf32>
  %3 = fuse.binary add %x, %minus_zero : tensor<4xf32>
  %4 = fuse.binary mul %h, %half_one : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>
}

// -----

// x + 0.0 is +0.0 for −0.0; x − (−0.0) likewise; x · 0 and x − x may be NaN; 1 / x is not x.

// CHECK-LABEL: func.func @inexact
// CHECK: fuse.binary add
// CHECK: fuse.binary sub
// CHECK: fuse.binary mul
// CHECK: fuse.binary sub
// CHECK: fuse.binary div
// CHECK: fuse.compare eq
func.func @inexact(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %minus_zero = arith.constant dense<-0.0> : tensor<4xf32>
  %0 = fuse.binary add %x, %zero : tensor<4xf32>
  %1 = fuse.binary sub %x, %minus_zero : tensor<4xf32>
  %2 = fuse.binary mul %x, %zero : tensor<4xf32>
  %3 = fuse.binary sub %x, %x : tensor<4xf32>
  %4 = fuse.binary div %one, %x : tensor<4xf32>
  %5 = fuse.compare eq %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @fastmath
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK-NEXT: return %[[X]], %[[ZERO]], %[[ZERO]]
func.func @fastmath(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = fuse.binary add %x, %zero fastmath<nsz> : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = fuse.binary mul %x, %zero fastmath<nnan,nsz> : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = fuse.binary sub %x, %x fastmath<nnan> : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// One flag of two is not enough.

// CHECK-LABEL: func.func @fastmath_too_weak
// CHECK: fuse.binary mul
// CHECK: fuse.binary sub
func.func @fastmath_too_weak(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = fuse.binary mul %x, %zero fastmath<nnan> : tensor<4xf32>
  %1 = fuse.binary sub %x, %x fastmath<nsz> : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Round trips round: they stay.

// CHECK-LABEL: func.func @round_trips
// CHECK: fuse.cast
// CHECK: fuse.cast
// CHECK: fuse.cast
// CHECK: fuse.cast
func.func @round_trips(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = fuse.cast %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = fuse.cast %0 : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = fuse.cast %i : (tensor<4xi32>) -> tensor<4xi8>
  %3 = fuse.cast %2 : (tensor<4xi8>) -> tensor<4xi32>
  return %1, %3 : tensor<4xf32>, tensor<4xi32>
}

// -----

// Constants keep NaN and the sign of zero; f16 rounds at each op.

// CHECK-LABEL: func.func @constants
// CHECK-DAG: dense<[0x7FC00000, 0.000000e+00]> : tensor<2xf32>
// CHECK-DAG: dense<-0.000000e+00> : tensor<f32>
// CHECK-DAG: dense<2.048000e+03> : tensor<f16>
func.func @constants() -> (tensor<2xf32>, tensor<f32>, tensor<f16>) {
  %x = arith.constant dense<[0x7FC00000, -0.0]> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %big = arith.constant dense<2048.0> : tensor<f16>
  %one = arith.constant dense<1.0> : tensor<f16>
  %0 = fuse.binary max %x, %zero : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = fuse.unary neg %zero : tensor<f32>
  %2 = fuse.binary add %big, %one : tensor<f16>
  return %0, %1, %2 : tensor<2xf32>, tensor<f32>, tensor<f16>
}

// -----

// A sum over no dimension makes +0.0 of −0.0; a maximum is the operand.

// CHECK-LABEL: func.func @reduce_nothing
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[S:.*]] = fuse.reduce sum
// CHECK: return %[[S]], %[[X]]
func.func @reduce_nothing(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fuse.reduce sum %x dimensions = [] : tensor<4xf32> -> tensor<4xf32>
  %1 = fuse.reduce max %x dimensions = [] : tensor<4xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
