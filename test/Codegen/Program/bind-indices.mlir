// RUN: fuse-opt %s --fuse-bind-indices --split-input-file --verify-diagnostics | FileCheck %s

// Seen through what keeps every element, and from i32.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: fuse.index_bounds = array<i64: 1, 10, -1, -1>
func.func @argument(%x: tensor<10x4xf32>, %i: tensor<2x3xi32>) -> tensor<6x4xf32> {
  %wide = fuse.cast %i : (tensor<2x3xi32>) -> tensor<2x3xi64>
  %flat = fuse.reshape %wide : tensor<2x3xi64> -> tensor<6xi64>
  %y = fuse.gather %x, %flat dimension = 0 : (tensor<10x4xf32>, tensor<6xi64>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: fuse.index_bounds = array<i64: 1, -1, 0, 1>
func.func @dynamic(%x: tensor<4x?xf32>, %i: tensor<2xi64>) -> tensor<4x2xf32> {
  %y = fuse.gather %x, %i dimension = 1 : (tensor<4x?xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// Of what is computed, too, where its extent is that of an argument.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME: fuse.index_bounds = array<i64: 1, -1, 0, 1>
func.func @computed(%x: tensor<4x?xf32>, %i: tensor<2xi64>) -> tensor<2x4xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<4x?xf32> -> tensor<?x4xf32>
  %1 = fuse.unary exp %0 : tensor<?x4xf32>
  %y = fuse.gather %1, %i dimension = 0 : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// A part of an argument may be right where the whole is not.
// CHECK-LABEL: func.func @sliced(
// CHECK-NOT: index_bounds
func.func @sliced(%x: tensor<10xf32>, %i: tensor<8xi64>) -> tensor<2xf32> {
  %part = fuse.slice %i offsets = [0] sizes = [2] strides = [1] : tensor<8xi64> -> tensor<2xi64>
  %y = fuse.gather %x, %part dimension = 0 : (tensor<10xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @constant(%x: tensor<4xf32>) -> tensor<2xf32> {
  %i = arith.constant dense<[1, 400000000]> : tensor<2xi64>
  // expected-error @below {{index 400000000 (element 1 of indices) is outside [-4, 4) of dimension 0}}
  %y = fuse.gather %x, %i dimension = 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
