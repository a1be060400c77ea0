// What an operand costs that is seen through views: the smaller of the view and what is viewed.
// RUN: fuse-opt %s --fuse-report -o /dev/null | FileCheck %s

// CHECK-LABEL: @slice
// CHECK: traffic 128 bytes
func.func @slice(%x: tensor<64x8xf32>) -> tensor<2x8xf32> {
  %0 = fuse.slice %x offsets = [0, 0] sizes = [2, 8] strides = [1, 1] : tensor<64x8xf32> -> tensor<2x8xf32>
  %1 = fuse.unary exp %0 : tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @broadcast
// CHECK: traffic 288 bytes
func.func @broadcast(%x: tensor<8xf32>) -> tensor<8x8xf32> {
  %0 = fuse.broadcast %x dimensions = [0] : tensor<8xf32> -> tensor<8x8xf32>
  %1 = fuse.unary exp %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// Two halves that overlap are no more than the whole.
// CHECK-LABEL: @overlap
// CHECK: traffic 288 bytes
func.func @overlap(%x: tensor<4x8xf32>) -> tensor<5x8xf32> {
  %0 = fuse.slice %x offsets = [0, 0] sizes = [3, 8] strides = [1, 1] : tensor<4x8xf32> -> tensor<3x8xf32>
  %1 = fuse.slice %x offsets = [2, 0] sizes = [2, 8] strides = [1, 1] : tensor<4x8xf32> -> tensor<2x8xf32>
  %2 = fuse.concat %0, %1 dimension = 0 : (tensor<3x8xf32>, tensor<2x8xf32>) -> tensor<5x8xf32>
  return %2 : tensor<5x8xf32>
}

// A constant that is no splat is read; in the kernel or not, and once if it is there twice.
// CHECK-LABEL: @constants
// CHECK: before: {{.*}} traffic 32 bytes
// CHECK: after: {{.*}} traffic 32 bytes
func.func @constants() -> tensor<4xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = fuse.kernel (%b = %c) : (tensor<4xf32>) -> tensor<4xf32> {
    %d = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %1 = fuse.binary mul %b, %d : tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Splats are part of the code.
// CHECK-LABEL: @splat
// CHECK: traffic 32 bytes
func.func @splat(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %0 = fuse.binary mul %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}
