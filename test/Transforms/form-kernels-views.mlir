// RUN: fuse-opt %s --fuse-form-kernels | FileCheck %s

// An image that the function returns in another order than its kernel has it leaves the kernel in that order.
// CHECK-LABEL: func.func @returned(
// CHECK:         %[[K:.*]] = fuse.kernel {{.*}} -> tensor<32x8xf32>
// CHECK:           %[[E:.*]] = fuse.unary exp
// CHECK:           %[[T:.*]] = fuse.transpose %[[E]]
// CHECK:           fuse.yield %[[T]]
// CHECK:         return %[[K]]
func.func @returned(%x: tensor<8x32xf32>) -> tensor<32x8xf32> {
  %0 = fuse.unary exp %x : tensor<8x32xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
  return %1 : tensor<32x8xf32>
}

// Another op reads it as the kernel has it, so that its sums have the order that they have in one kernel.
// CHECK-LABEL: func.func @returned_and_read(
// CHECK:         %[[K:.*]]:2 = fuse.kernel {{.*}} -> (tensor<8x32xf32>, tensor<32x8xf32>)
// CHECK:         fuse.kernel (%[[A:.*]] = %[[K]]#0)
// CHECK:           %[[T:.*]] = fuse.transpose %[[A]]
// CHECK:           fuse.reduce sum %[[T]]
// CHECK:         return %[[K]]#1
func.func @returned_and_read(%x: tensor<8x32xf32>) -> (tensor<32x8xf32>, tensor<32xf32>) {
  %0 = fuse.unary exp %x : tensor<8x32xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
  %2 = fuse.reduce sum %1 dimensions = [1] : tensor<32x8xf32> -> tensor<32xf32>
  return %1, %2 : tensor<32x8xf32>, tensor<32xf32>
}

// A kernel that is formed takes no view into it.
// CHECK-LABEL: func.func @formed(
// CHECK:         %[[K:.*]] = fuse.kernel {{.*}} -> tensor<32x8xf32>
// CHECK:           fuse.transpose
// CHECK-NOT:     fuse.transpose
// CHECK:         fuse.kernel (%{{.*}} = %[[K]])
func.func @formed(%x: tensor<8x32xf32>) -> tensor<32x8xf32> {
  %0 = fuse.unary exp %x : tensor<8x32xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
  %2 = fuse.kernel (%a = %1) : (tensor<32x8xf32>) -> tensor<32x8xf32> {
    %3 = fuse.unary exp %a : tensor<32x8xf32>
    fuse.yield %3 : tensor<32x8xf32>
  }
  return %2 : tensor<32x8xf32>
}

// A reshape lies as its source does, and stays outside.
// CHECK-LABEL: func.func @reshaped(
// CHECK:         %[[K:.*]] = fuse.kernel {{.*}} -> tensor<8x32xf32>
// CHECK:         %[[R:.*]] = fuse.reshape %[[K]]
// CHECK:         return %[[R]]
func.func @reshaped(%x: tensor<8x32xf32>) -> tensor<256xf32> {
  %0 = fuse.unary exp %x : tensor<8x32xf32>
  %1 = fuse.reshape %0 : tensor<8x32xf32> -> tensor<256xf32>
  return %1 : tensor<256xf32>
}

// Of two ops that two kernels compute, one of which is read through a view, each kernel has its own.
// CHECK-LABEL: func.func @chain_in_two_kernels
// CHECK: fuse.kernel (%{{.*}} = %arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: fuse.unary neg
// CHECK-NEXT: fuse.binary mul
// CHECK-NEXT: fuse.unary exp
// CHECK: fuse.kernel (%{{.*}} = %arg0) : (tensor<8xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: fuse.unary neg
// CHECK-NEXT: fuse.binary mul
// CHECK-NEXT: fuse.reshape
// CHECK-NEXT: fuse.unary log
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @chain_in_two_kernels(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<2x4xf32>) {
  %0 = fuse.unary neg %x {fuse.group = array<i64: 0, 1>} : tensor<8xf32>
  %1 = fuse.binary mul %0, %x {fuse.group = array<i64: 0, 1>} : tensor<8xf32>
  %2 = fuse.unary exp %1 {fuse.group = array<i64: 0>} : tensor<8xf32>
  %3 = fuse.reshape %1 : tensor<8xf32> -> tensor<2x4xf32>
  %4 = fuse.unary log %3 {fuse.group = array<i64: 1>} : tensor<2x4xf32>
  return %2, %4 : tensor<8xf32>, tensor<2x4xf32>
}

// The same where the views of both kernels begin as one: each kernel has its own from there on.
// CHECK-LABEL: func.func @views_that_part
// CHECK: fuse.kernel (%{{.*}} = %arg0) : (tensor<8xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: fuse.unary neg
// CHECK-NEXT: fuse.reshape
// CHECK-NEXT: fuse.reshape
// CHECK-NEXT: fuse.reshape
// CHECK-NEXT: fuse.unary log
// CHECK: fuse.kernel (%{{.*}} = %arg0, %{{.*}} = %{{.*}}) : (tensor<8xf32>, tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: fuse.unary neg
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @views_that_part(%x: tensor<8xf32>) -> tensor<4x2xf32> {
  %0 = fuse.unary neg %x {fuse.group = array<i64: 0, 1>} : tensor<8xf32>
  %1 = fuse.reshape %0 : tensor<8xf32> -> tensor<8x1xf32>
  %2 = fuse.reshape %1 : tensor<8x1xf32> -> tensor<1x8x1xf32>
  %3 = fuse.reshape %2 : tensor<1x8x1xf32> -> tensor<2x4xf32>
  %4 = fuse.reshape %2 : tensor<1x8x1xf32> -> tensor<4x2xf32>
  %5 = fuse.unary log %3 {fuse.group = array<i64: 1>} : tensor<2x4xf32>
  %6 = fuse.slice %5 offsets = [0, 0] sizes = [1, 2] strides = [1, 1] : tensor<2x4xf32> -> tensor<1x2xf32>
  %7 = fuse.binary mul %4, %6 {fuse.group = array<i64: 0>} : (tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %7 : tensor<4x2xf32>
}
