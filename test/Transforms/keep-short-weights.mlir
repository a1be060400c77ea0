// RUN: fuse-opt %s --pass-pipeline='builtin.module(func.func(fuse-keep-short-weights),fuse-prepare-parameters{moves})' --split-input-file | FileCheck %s

// Four bits: eight steps of a column are one word of the prepared weights. Floats are made of them in front of the
// product, which preparation leaves there.
// CHECK-LABEL: func.func @nibbles(
// CHECK-SAME:    tensor<16x8x64xi32> {fuse.param, fuse.prepared}
// CHECK-SAME:    tensor<16x2x64xf32> {fuse.param, fuse.prepared}
// CHECK-DAG:     %[[P:.*]] = fuse.reshape %{{.*}} : tensor<16x8x64xi32> -> tensor<16x2x4x1x64xi32>
// CHECK:         %[[M:.*]] = fuse.binary shift_right %[[P]], %{{.*}} {fuse.widened} : {{.*}} -> tensor<16x2x4x8x64xi32>
// CHECK:         %[[A:.*]] = fuse.binary and %[[M]]
// CHECK:         %[[F:.*]] = fuse.cast %[[A]] {fuse.widened} : {{.*}} -> tensor<16x2x4x8x64xf32>
// CHECK:         %[[D:.*]] = fuse.binary sub %[[F]], %{{.*}} {fuse.widened}
// CHECK:         %[[S:.*]] = fuse.binary mul %[[D]], %{{.*}} {fuse.widened} : (tensor<16x2x4x8x64xf32>, tensor<16x2x1x1x64xf32>)
// CHECK:         %[[W:.*]] = fuse.reshape %[[S]] : {{.*}} -> tensor<16x64x64xf32>
// CHECK:         fuse.matmul %{{.*}}, %[[W]] : (tensor<16x1x64xf32>, tensor<16x64x64xf32>) -> tensor<16x1x64xf32>
// CHECK-LABEL: func.func @nibbles_prepare(
// CHECK:         fuse.binary shift_left
// CHECK:         fuse.reduce sum

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
  %9 = fuse.matmul %x, %8 transpose_rhs : (tensor<1x64xf32>, tensor<1024x64xf32>) -> tensor<1x1024xf32>
  return %9 : tensor<1x1024xf32>
}

// -----

// Eight bits around 128 are stored around 0. One scale for each column: all steps are one group. The last of five rows'
// blocks of 32 columns is filled up, and so is a block of steps.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME:    tensor<4x70x32xi8> {fuse.param, fuse.prepared}
// CHECK:         %[[F:.*]] = fuse.cast %{{.*}} {fuse.widened} : (tensor<4x1x70x1x32xi8>) -> tensor<4x1x70x1x32xf32>
// CHECK-NEXT:    %[[S:.*]] = fuse.reshape %{{.*}} -> tensor<4x1x1x1x32xf32>
// CHECK-NEXT:    fuse.binary mul %[[F]], %[[S]]
// CHECK:         fuse.matmul
// CHECK:         fuse.slice %{{.*}} offsets = [0, 0] sizes = [5, 100]

func.func @bytes(%x: tensor<5x70xf32>, %w: tensor<70x100xui8> {fuse.param}, %s: tensor<100xf32> {fuse.param}) -> tensor<5x100xf32> {
  %zero = arith.constant dense<128.0> : tensor<f32>
  %0 = fuse.cast %w : (tensor<70x100xui8>) -> tensor<70x100xf32>
  %1 = fuse.binary sub %0, %zero : (tensor<70x100xf32>, tensor<f32>) -> tensor<70x100xf32>
  %2 = fuse.binary mul %1, %s : (tensor<70x100xf32>, tensor<100xf32>) -> tensor<70x100xf32>
  %3 = fuse.matmul %x, %2 : (tensor<5x70xf32>, tensor<70x100xf32>) -> tensor<5x100xf32>
  return %3 : tensor<5x100xf32>
}

// -----

// A zero point of each block stays a byte, a scale of f16 stays f16. 40 of 64 steps: the rows are filled up with zeros.
// CHECK-LABEL: func.func @zero_points(
// CHECK-SAME:    tensor<1x64x64xui8> {fuse.param, fuse.prepared}
// CHECK-SAME:    tensor<1x2x64xui8> {fuse.param, fuse.prepared}
// CHECK-SAME:    tensor<1x2x64xf16> {fuse.param, fuse.prepared}
// CHECK-DAG:     fuse.cast %{{.*}} {fuse.widened} : (tensor<1x2x1x1x64xui8>) -> tensor<1x2x1x1x64xf32>
// CHECK-DAG:     fuse.cast %{{.*}} {fuse.widened} : (tensor<1x2x1x1x64xf16>) -> tensor<1x2x1x1x64xf32>
// CHECK:         fuse.pad %{{.*}} low = [0, 0] high = [0, 24]
// CHECK:         fuse.matmul
func.func @zero_points(%x: tensor<1x40xf32>, %w: tensor<64x2x32xui8> {fuse.param}, %z: tensor<64x2x1xui8> {fuse.param}, %s: tensor<64x2x1xf16> {fuse.param}) -> tensor<1x64xf32> {
  %0 = fuse.cast %w : (tensor<64x2x32xui8>) -> tensor<64x2x32xf32>
  %1 = fuse.cast %z : (tensor<64x2x1xui8>) -> tensor<64x2x1xf32>
  %2 = fuse.binary sub %0, %1 : (tensor<64x2x32xf32>, tensor<64x2x1xf32>) -> tensor<64x2x32xf32>
  %3 = fuse.cast %s : (tensor<64x2x1xf16>) -> tensor<64x2x1xf32>
  %4 = fuse.binary mul %2, %3 : (tensor<64x2x32xf32>, tensor<64x2x1xf32>) -> tensor<64x2x32xf32>
  %5 = fuse.reshape %4 : tensor<64x2x32xf32> -> tensor<64x64xf32>
  %6 = fuse.slice %5 offsets = [0, 0] sizes = [64, 40] strides = [1, 1] : tensor<64x64xf32> -> tensor<64x40xf32>
  %7 = fuse.matmul %x, %6 transpose_rhs : (tensor<1x40xf32>, tensor<64x40xf32>) -> tensor<1x64xf32>
  return %7 : tensor<1x64xf32>
}

// -----

// Not where many rows read each weight, columns are few, weights are no parameters or no shorter than what is multiplied.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     fuse.widened
func.func @others(%x: tensor<17x64xf32>, %y: tensor<1x64xf32>, %w: tensor<64x64xi8> {fuse.param}, %v: tensor<64x8xi8> {fuse.param}, %u: tensor<64x64xi8>, %t: tensor<64x64xf32> {fuse.param}) -> (tensor<17x64xf32>, tensor<1x8xf32>, tensor<1x64xf32>, tensor<1x64xf32>) {
  %0 = fuse.cast %w : (tensor<64x64xi8>) -> tensor<64x64xf32>
  %1 = fuse.matmul %x, %0 : (tensor<17x64xf32>, tensor<64x64xf32>) -> tensor<17x64xf32>
  %2 = fuse.cast %v : (tensor<64x8xi8>) -> tensor<64x8xf32>
  %3 = fuse.matmul %y, %2 : (tensor<1x64xf32>, tensor<64x8xf32>) -> tensor<1x8xf32>
  %4 = fuse.cast %u : (tensor<64x64xi8>) -> tensor<64x64xf32>
  %5 = fuse.matmul %y, %4 : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
  %6 = fuse.unary exp %t : tensor<64x64xf32>
  %7 = fuse.matmul %y, %6 : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
  return %1, %3, %5, %7 : tensor<17x64xf32>, tensor<1x8xf32>, tensor<1x64xf32>, tensor<1x64xf32>
}

// -----

// 250 steps are sums of 192 and of 58, in groups of 32 steps they would be two of 128: not with `exact`.
// CHECK-LABEL: func.func @order(
// CHECK-NOT:     fuse.widened
func.func @order(%x: tensor<1x250xf32>, %w: tensor<64x8x32xui8> {fuse.param}, %s: tensor<64x8x1xf32> {fuse.param}) -> tensor<1x64xf32> {
  %0 = fuse.cast %w : (tensor<64x8x32xui8>) -> tensor<64x8x32xf32>
  %1 = fuse.binary mul %0, %s : (tensor<64x8x32xf32>, tensor<64x8x1xf32>) -> tensor<64x8x32xf32>
  %2 = fuse.reshape %1 : tensor<64x8x32xf32> -> tensor<64x256xf32>
  %3 = fuse.slice %2 offsets = [0, 0] sizes = [64, 250] strides = [1, 1] : tensor<64x256xf32> -> tensor<64x250xf32>
  %4 = fuse.matmul %x, %3 transpose_rhs : (tensor<1x250xf32>, tensor<64x250xf32>) -> tensor<1x64xf32>
  return %4 : tensor<1x64xf32>
}
