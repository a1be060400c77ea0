// RUN: fuse-opt %s --pass-pipeline="builtin.module(func.func(fuse-sink-contractions))" | FileCheck %s

// The bias is computed between the product and what adds it: the product, and what its sums start from, comes behind.
// CHECK-LABEL: func.func @bias(
// CHECK: %[[BIAS:.*]] = linalg.negf
// CHECK-NEXT: %[[ZEROS:.*]] = linalg.fill
// CHECK-NEXT: %[[SUMS:.*]] = linalg.matmul ins(%{{.*}}, %{{.*}}) outs(%[[ZEROS]]
// CHECK-NEXT: linalg.add ins(%[[SUMS]]
func.func @bias(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %bias: tensor<8x8xf32>, %sums: tensor<8x8xf32>, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%sums : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%start : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.negf ins(%bias : tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.add ins(%0, %1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%out : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// A product that another one reads, through a reshape, stands in front of that one; the sum of one operand stays.
// CHECK-LABEL: func.func @chain(
// CHECK: linalg.reduce
// CHECK: linalg.exp
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<4x8xf32>)
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: tensor.expand_shape
// CHECK-NEXT: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK-NEXT: linalg.mul
func.func @chain(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>, %e: tensor<8x8xf32>, %r: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %3 = linalg.matmul ins(%2, %c : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = linalg.reduce { arith.addf } ins(%c : tensor<8x8xf32>) outs(%r : tensor<8xf32>) dimensions = [0]
  %5 = linalg.exp ins(%c : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = linalg.mul ins(%3, %5 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %6, %4 : tensor<8x8xf32>, tensor<8xf32>
}

// What moves an operand of the product to a destination may write where that operand was computed: the product stays in front.
// CHECK-LABEL: func.func @moved(
// CHECK: %[[LEFT:.*]] = linalg.negf
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}})
// CHECK: bufferization.materialize_in_destination %[[LEFT]]
// CHECK: linalg.exp
func.func @moved(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %e: tensor<8x4xf32>, %sums: tensor<8x8xf32>, %out: tensor<8x4xf32>) -> (tensor<8x8xf32>, tensor<8x4xf32>) {
  %0 = linalg.negf ins(%a : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>
  %3 = linalg.matmul ins(%2, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%sums : tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = bufferization.materialize_in_destination %0 in %out : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %5 = linalg.exp ins(%3 : tensor<8x8xf32>) outs(%sums : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %5, %4 : tensor<8x8xf32>, tensor<8x4xf32>
}
