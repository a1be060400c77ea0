// RUN: fuse-opt %s --fuse-elementwise-chains | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: %[[K:.*]] = fuse.kernel
// CHECK-NEXT: unary relu
// CHECK-NEXT: unary exp
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[S:.*]] = fuse.softmax %[[K]]
// CHECK-NEXT: %[[T:.*]] = fuse.transpose %[[S]]
// CHECK-NEXT: %[[N:.*]] = fuse.unary neg %[[T]]
// CHECK-NEXT: return %[[N]]
func.func @f(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %0 = fuse.unary relu %x : tensor<8x4xf32>
  %1 = fuse.unary exp %0 : tensor<8x4xf32>
  %2 = fuse.softmax %1 dimension = 1 : tensor<8x4xf32>
  %3 = fuse.transpose %2 permutation = [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %4 = fuse.unary neg %3 : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}
