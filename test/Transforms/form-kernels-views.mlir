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
