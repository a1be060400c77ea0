// RUN: fuse-opt %s --pass-pipeline='builtin.module(func.func(fuse-keep-short-weights{numerics=folds}),fuse-prepare-parameters{moves})' --split-input-file | FileCheck %s
// RUN: fuse-opt %s --pass-pipeline='builtin.module(func.func(fuse-keep-short-weights{numerics=exact}))' --split-input-file | FileCheck %s --check-prefix=EXACT
// RUN: fuse-opt %s --fuse-pipeline='layouts prepare numerics=folds' --split-input-file | FileCheck %s --check-prefix=PLAN

// The model allows rows of 8 bits: those of the one row are rounded for each group of 32 steps, by a kernel of their own, and
// the product is one of integers. Numbers of four bits are counted from 0; what their zero point of 8 adds to a sum of
// products is 8 times the sum of the row's bytes. Each byte has two of them, the first four of eight steps in the low halves.
// CHECK-LABEL: func.func @nibbles(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<16x8x64x4xui8> {fuse.param, fuse.prepared}
// CHECK:         %[[A:.*]] = fuse.unary abs
// CHECK:         %[[M:.*]] = fuse.reduce max %[[A]] dimensions = [2] keep_dims
// CHECK:         %[[T:.*]] = fuse.binary mul
// CHECK:         %[[D:.*]] = fuse.binary div %{{.*}}, %[[T]]
// CHECK:         %[[N:.*]] = fuse.unary round_even %[[D]]
// CHECK:         %[[R:.*]] = fuse.cast %[[N]] {{.*}} -> tensor<1x2x32xi8>
// CHECK:         %[[P:.*]] = fuse.reshape %[[B]] : tensor<16x8x64x4xui8> -> tensor<16x2x4x1x64x4xui8>
// CHECK:         fuse.binary shift_right %[[P]], %{{.*}} {fuse.widened} : {{.*}} -> tensor<16x2x4x2x64x4xui8>
// CHECK:         %[[Q:.*]] = fuse.binary and %{{.*}} {fuse.widened}
// CHECK:         fuse.transpose %[[Q]] permutation = [0, 1, 2, 3, 5, 4] {fuse.widened}
// CHECK:         %[[S:.*]] = fuse.matmul {{.*}} : (tensor<16x2x1x32xi8>, tensor<16x2x32x64xui8>) -> tensor<16x2x1x64xi32>
// CHECK:         %[[F:.*]] = fuse.cast %[[S]]
// CHECK:         fuse.binary sub %[[F]]
// CHECK:         fuse.reduce sum {{.*}} dimensions = [1]
// EXACT-LABEL: func.func @nibbles(
// EXACT:         fuse.matmul {{.*}} : (tensor<16x1x64xf32>, tensor<16x64x64xf32>) -> tensor<16x1x64xf32>
// PLAN-LABEL: func.func @nibbles(
// PLAN:         fuse.kernel
// PLAN:         fuse.unary round_even
// PLAN-NOT:     fuse.matmul
// PLAN:         fuse.kernel
// PLAN-NOT:     fuse.unary round_even
// PLAN:         fuse.matmul
// PLAN:         fuse.reduce sum
// PLAN:         return
func.func @nibbles(%x: tensor<1x64xf32>, %w: tensor<1024x2x16xui8> {fuse.param}, %s: tensor<2048xf32> {fuse.param}) -> tensor<1x1024xf32> {
  %shifts = arith.constant dense<[0, 4]> : tensor<2xui8>
  %mask = arith.constant dense<15> : tensor<ui8>
  %zero = arith.constant dense<8.0> : tensor<f32>
  %0 = fuse.reshape %w : tensor<1024x2x16xui8> -> tensor<1024x2x16x1xui8>
  %1 = fuse.binary shift_right %0, %shifts : (tensor<1024x2x16x1xui8>, tensor<2xui8>) -> tensor<1024x2x16x2xui8>
  %2 = fuse.binary and %1, %mask : (tensor<1024x2x16x2xui8>, tensor<ui8>) -> tensor<1024x2x16x2xui8>
  %3 = fuse.reshape %2 : tensor<1024x2x16x2xui8> -> tensor<1024x2x32xui8>
  %4 = fuse.cast %3 : (tensor<1024x2x32xui8>) -> tensor<1024x2x32xf32>
  %5 = fuse.binary sub %4, %zero : (tensor<1024x2x32xf32>, tensor<f32>) -> tensor<1024x2x32xf32>
  %6 = fuse.reshape %s : tensor<2048xf32> -> tensor<1024x2x1xf32>
  %7 = fuse.binary mul %5, %6 : (tensor<1024x2x32xf32>, tensor<1024x2x1xf32>) -> tensor<1024x2x32xf32>
  %8 = fuse.reshape %7 : tensor<1024x2x32xf32> -> tensor<1024x64xf32>
  %9 = fuse.matmul %x, %8 transpose_rhs {fuse.short_lhs} : (tensor<1x64xf32>, tensor<1024x64xf32>) -> tensor<1x1024xf32>
  return %9 : tensor<1x1024xf32>
}

// -----

// Signed bytes are counted from -128. A scale for each column: all steps are one group, and what is left of 70 steps is no
// whole word, so that rows stay f32.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME:    tensor<4x16x32x4xui8> {fuse.param, fuse.prepared}
// CHECK:         fuse.matmul {{.*}} : (tensor<4x1x3x64xi8>, tensor<4x1x64x32xui8>) -> tensor<4x1x3x32xi32>
func.func @bytes(%x: tensor<3x64xf32>, %w: tensor<64x100xi8> {fuse.param}, %s: tensor<100xf32> {fuse.param}) -> tensor<3x100xf32> {
  %0 = fuse.cast %w : (tensor<64x100xi8>) -> tensor<64x100xf32>
  %1 = fuse.binary mul %0, %s : (tensor<64x100xf32>, tensor<100xf32>) -> tensor<64x100xf32>
  %2 = fuse.matmul %x, %1 {fuse.short_lhs} : (tensor<3x64xf32>, tensor<64x100xf32>) -> tensor<3x100xf32>
  return %2 : tensor<3x100xf32>
}

// CHECK-LABEL: func.func @odd(
// CHECK:         fuse.matmul {{.*}} -> tensor<4x3x32xf32>
func.func @odd(%x: tensor<3x70xf32>, %w: tensor<70x100xi8> {fuse.param}, %s: tensor<100xf32> {fuse.param}) -> tensor<3x100xf32> {
  %0 = fuse.cast %w : (tensor<70x100xi8>) -> tensor<70x100xf32>
  %1 = fuse.binary mul %0, %s : (tensor<70x100xf32>, tensor<100xf32>) -> tensor<70x100xf32>
  %2 = fuse.matmul %x, %1 {fuse.short_lhs} : (tensor<3x70xf32>, tensor<70x100xf32>) -> tensor<3x100xf32>
  return %2 : tensor<3x100xf32>
}

// -----

// The model asks for rows of floats: an element of the two rows is three bytes, the first ones of both rows before the second
// ones. With `reassociates` it stays a float.
// CHECK-LABEL: func.func @digits(
// CHECK:         %[[T:.*]] = fuse.binary div %{{.*}} -> tensor<2x1x64xf32>
// CHECK-COUNT-2: fuse.unary round_even {{.*}} : tensor<3x2x1x64xf32>
// CHECK:         fuse.cast {{.*}} -> tensor<6x1x64xi8>
// CHECK:         fuse.matmul {{.*}} : (tensor<4x1x6x64xi8>, tensor<4x1x64x32xui8>) -> tensor<4x1x6x32xi32>
// CHECK:         fuse.reshape {{.*}} -> tensor<4x3x2x32xf32>
// CHECK:         fuse.reduce sum {{.*}} dimensions = [1] : tensor<4x3x2x32xf32> -> tensor<4x2x32xf32>
// EXACT-LABEL: func.func @digits(
// EXACT-NOT:     xi8>, tensor
// PLAN-LABEL: func.func @digits(
// PLAN:         fuse.matmul {{.*}}xi32>
func.func @digits(%x: tensor<2x64xf32>, %w: tensor<64x128xi8> {fuse.param}, %s: tensor<128xf32> {fuse.param}) -> tensor<2x128xf32> {
  %0 = fuse.cast %w : (tensor<64x128xi8>) -> tensor<64x128xf32>
  %1 = fuse.binary mul %0, %s : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  %2 = fuse.matmul %x, %1 : (tensor<2x64xf32>, tensor<64x128xf32>) -> tensor<2x128xf32>
  return %2 : tensor<2x128xf32>
}
