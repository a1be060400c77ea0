// RUN: fuse-opt %s --convert-linalg-to-fuse --split-input-file | FileCheck %s --implicit-check-not=linalg.

// What a reduction starts from is dropped where it is neutral.
// CHECK-LABEL: func.func @neutral(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK: %[[S:.*]] = fuse.reduce sum %[[X]] dimensions = [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
// CHECK: %[[M:.*]] = fuse.reduce max %[[X]] dimensions = [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
// CHECK: return %[[S]], %[[M]]
func.func @neutral(%x: tensor<2x3x4xf32>) -> (tensor<2x4xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<2x4xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<2x3x4xf32>) outs(%f0 : tensor<2x4xf32>) dimensions = [1]
  %e1 = tensor.empty() : tensor<3xf32>
  %f1 = linalg.fill ins(%least : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%x : tensor<2x3x4xf32>) outs(%f1 : tensor<3xf32>) dimensions = [0, 2]
  return %0, %1 : tensor<2x4xf32>, tensor<3xf32>
}

// -----

// And combined with the result where it is not: the lowest float is no -inf.
// CHECK-LABEL: func.func @combined(
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>, %[[I:.*]]: tensor<4xi32>, %[[INIT:.*]]: tensor<3xf32>
// CHECK: %[[P:.*]] = fuse.reduce prod %[[X]] dimensions = [1]
// CHECK: fuse.binary mul %[[P]], %[[INIT]]
// CHECK: %[[M:.*]] = fuse.reduce max %[[X]]
// CHECK: fuse.binary max %[[M]], %{{.*}} : tensor<3xf32>
// CHECK: fuse.reduce min %[[I]] dimensions = [0] : tensor<4xi32> -> tensor<i32>
func.func @combined(%x: tensor<3x4xf32>, %i: tensor<4xi32>, %init: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<i32>) {
  %0 = linalg.reduce { arith.mulf } ins(%x : tensor<3x4xf32>) outs(%init : tensor<3xf32>) dimensions = [1]
  %low = arith.constant dense<0xFF7FFFFF> : tensor<3xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%x : tensor<3x4xf32>) outs(%low : tensor<3xf32>) dimensions = [1]
  %most = arith.constant dense<2147483647> : tensor<i32>
  %2 = linalg.reduce { arith.minsi } ins(%i : tensor<4xi32>) outs(%most : tensor<i32>) dimensions = [0]
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<i32>
}

// -----

// A body before the sum, along the leading loop, into a transposed result.
// CHECK-LABEL: func.func @squares(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK: %[[S:.*]] = fuse.binary mul %[[X]], %[[X]]
// CHECK: %[[R:.*]] = fuse.reduce sum %[[S]] dimensions = [0] : tensor<2x3x4xf32> -> tensor<3x4xf32>
// CHECK: fuse.transpose %[[R]] permutation = [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
func.func @squares(%x: tensor<2x3x4xf32>) -> tensor<4x3xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (k, i, j)>, affine_map<(k, i, j) -> (j, i)>], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x : tensor<2x3x4xf32>) outs(%zero : tensor<4x3xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %1, %acc : f32
    linalg.yield %2 : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func.func @softmax(
// CHECK: fuse.softmax %{{.*}} dimension = 1 : tensor<2x3xf32>
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
