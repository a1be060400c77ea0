// RUN: fuse-opt %s --convert-fuse-to-linalg --fuse-merge-members | FileCheck %s

// A chain is one generic, its reduction included.
// CHECK-LABEL: func.func @chain
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: arith.select
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x : tensor<8x4xf32>
  %1 = fuse.binary add %0, %b : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %2 = fuse.binary mul %1, %1 : tensor<8x4xf32>
  %3 = fuse.reduce sum %2 dimensions = [1] : tensor<8x4xf32> -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Rounding twice is not undone.
// CHECK-LABEL: func.func @round_trip
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT: arith.extf %{{.*}} : bf16 to f32
// CHECK-NEXT: linalg.yield
func.func @round_trip(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.cast %x : (tensor<8xf32>) -> tensor<8xbf16>
  %1 = fuse.cast %0 : (tensor<8xbf16>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// What would be computed for each column, each row of a product, or twice, stays apart.
// CHECK-LABEL: func.func @apart
// CHECK: %[[ROW:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: math.sqrt
// CHECK: %[[DIV:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[ROW]] :
// CHECK: arith.divf
// CHECK: linalg.generic {{.*}} ins(%[[DIV]], %{{.*}} :
// CHECK: fastmath<contract>
func.func @apart(%x: tensor<8x4xf32>, %v: tensor<8x1xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %0 = fuse.unary sqrt %v : tensor<8x1xf32>
  %1 = fuse.binary div %x, %0 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
  %2 = fuse.matmul %1, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @two_readers
// CHECK: math.exp
// CHECK: linalg.yield
// CHECK: arith.negf
// CHECK: linalg.yield
func.func @two_readers(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary exp %x : tensor<8xf32>
  %1 = fuse.unary neg %0 : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
