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

// Operands that lie across each other are turned by a member of their own: a reduction would have no vectors.
// CHECK-LABEL: func.func @turned_fold
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: return
func.func @turned_fold(%x: tensor<8x4xf32>, %y: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = fuse.transpose %y permutation = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = fuse.binary add %x, %0 : tensor<8x4xf32>
  %2 = fuse.reduce sum %1 dimensions = [1] : tensor<8x4xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// A concatenation of equal parts is merged into the maximum that reads it transposed. Nobody reads its own
// value then, so that it is no result: a reduction would store it in each iteration.
// CHECK-LABEL: func.func @transposed_parts
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>, %[[Y:.*]]: tensor<4x6xf32>)
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]} ins(%[[X]], %[[Y]],
// CHECK: } -> tensor<6xf32>
// CHECK: return %[[MAX]]
func.func @transposed_parts(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<6xf32> {
  %0 = fuse.concat %x, %y dimension = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<8x6xf32> -> tensor<6x8xf32>
  %2 = fuse.reduce max %1 dimensions = [1] : tensor<6x8xf32> -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// The same of all elements: how many parts there are, an empty tensor says.
// CHECK-LABEL: func.func @sum_of_parts
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "reduction"]
// CHECK: } -> tensor<f32>
func.func @sum_of_parts(%x: tensor<4x6xf32>) -> tensor<f32> {
  %0 = fuse.concat %x, %x dimension = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<8x6xf32> -> tensor<6x8xf32>
  %2 = fuse.reduce sum %1 dimensions = [0, 1] : tensor<6x8xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
