// RUN: fuse-opt %s -fuse-fold-collectives | FileCheck %s

// CHECK-LABEL: func.func @scatter
// CHECK-NEXT: %[[R:.*]] = fuse.reduce_scatter sum %{{.*}} dimension = 1 in <grid = [2], axes = [0]> : tensor<8x12xf32> -> tensor<8x6xf32>
// CHECK-NEXT: return %[[R]]
func.func @scatter(%x: tensor<8x12xf32>) -> tensor<8x6xf32> {
  %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<8x12xf32>
  %1 = fuse.all_slice %0 dimension = 1 in <grid = [2], axes = [0]> : tensor<8x12xf32> -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// Whoever reads the sum as a whole needs all of it.
// CHECK-LABEL: func.func @read
// CHECK: fuse.all_reduce
// CHECK: fuse.all_slice
func.func @read(%x: tensor<8x12xf32>) -> (tensor<8x12xf32>, tensor<8x6xf32>) {
  %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<8x12xf32>
  %1 = fuse.all_slice %0 dimension = 1 in <grid = [2], axes = [0]> : tensor<8x12xf32> -> tensor<8x6xf32>
  return %0, %1 : tensor<8x12xf32>, tensor<8x6xf32>
}

// CHECK-LABEL: func.func @back
// CHECK-NEXT: return %arg0
func.func @back(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %0 = fuse.all_gather %x dimension = 1 in <grid = [2], axes = [0]> : tensor<8x6xf32> -> tensor<8x12xf32>
  %1 = fuse.all_slice %0 dimension = 1 in <grid = [2], axes = [0]> : tensor<8x12xf32> -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @sink
// CHECK: %[[N:.*]] = arith.constant dense<2.000000e+00> : tensor<f32>
// CHECK: %[[A:.*]] = fuse.binary add %arg0, %arg1 : tensor<8x6xf32>
// CHECK: %[[M:.*]] = fuse.binary mul %[[A]], %[[N]]
// CHECK-NEXT: %[[G:.*]] = fuse.all_gather %[[M]] dimension = 1
// CHECK-NEXT: return %[[G]]
func.func @sink(%x: tensor<8x6xf32>, %y: tensor<8x6xf32>) -> tensor<8x12xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  %0 = fuse.all_gather %x dimension = 1 in <grid = [2], axes = [0]> : tensor<8x6xf32> -> tensor<8x12xf32>
  %1 = fuse.all_gather %y dimension = 1 in <grid = [2], axes = [0]> : tensor<8x6xf32> -> tensor<8x12xf32>
  %2 = fuse.binary add %0, %1 : tensor<8x12xf32>
  %3 = fuse.binary mul %2, %two : (tensor<8x12xf32>, tensor<f32>) -> tensor<8x12xf32>
  return %3 : tensor<8x12xf32>
}

// A wider result would be more to send.
// CHECK-LABEL: func.func @wider
// CHECK-NEXT: fuse.all_gather
func.func @wider(%x: tensor<8x6xf16>) -> tensor<8x12xf32> {
  %0 = fuse.all_gather %x dimension = 1 in <grid = [2], axes = [0]> : tensor<8x6xf16> -> tensor<8x12xf16>
  %1 = fuse.cast %0 : (tensor<8x12xf16>) -> tensor<8x12xf32>
  return %1 : tensor<8x12xf32>
}
