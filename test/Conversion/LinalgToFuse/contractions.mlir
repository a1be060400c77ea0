// RUN: fuse-opt %s --convert-linalg-to-fuse --split-input-file | FileCheck %s --implicit-check-not=linalg.

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<4x5xf32>, %[[C:.*]]: tensor<?x5xf32>
// CHECK: %[[P:.*]] = fuse.matmul %[[A]], %[[B]] : (tensor<?x4xf32>, tensor<4x5xf32>) -> tensor<?x5xf32>
// CHECK: %[[R:.*]] = fuse.binary add %[[P]], %[[C]]
// CHECK: return %[[R]]
func.func @matmul(%a: tensor<?x4xf32>, %b: tensor<4x5xf32>, %c: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<4x5xf32>) outs(%c : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

// What the product starts from is zero; operands that lie transposed stay so.
// CHECK-LABEL: func.func @transposed(
// CHECK: fuse.matmul %{{.*}}, %{{.*}} transpose_rhs : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
// CHECK: fuse.matmul %{{.*}}, %{{.*}} transpose_lhs : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
// CHECK-NOT: fuse.binary
func.func @transposed(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %c: tensor<4x3xf32>, %d: tensor<4x5xf32>) -> (tensor<2x3x5xf32>, tensor<3x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x3x5xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %0 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : tensor<2x3x4xf32>, tensor<2x5x4xf32>) outs(%f0 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %e1 = tensor.empty() : tensor<3x5xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%c, %d : tensor<4x3xf32>, tensor<4x5xf32>) outs(%f1 : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<2x3x5xf32>, tensor<3x5xf32>
}

// -----

// Two loops of columns become one, the accumulator's type is the result's, the result is transposed.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %[[A:.*]]: tensor<3x4xi8>, %[[B:.*]]: tensor<5x4x2xi8>
// CHECK: %[[T:.*]] = fuse.transpose %[[B]] permutation = [1, 0, 2] : tensor<5x4x2xi8> -> tensor<4x5x2xi8>
// CHECK: %[[J:.*]] = fuse.reshape %[[T]] : tensor<4x5x2xi8> -> tensor<4x10xi8>
// CHECK: %[[P:.*]] = fuse.matmul %[[A]], %[[J]] : (tensor<3x4xi8>, tensor<4x10xi8>) -> tensor<3x10xi32>
// CHECK: %[[S:.*]] = fuse.reshape %[[P]] : tensor<3x10xi32> -> tensor<3x5x2xi32>
// CHECK: fuse.transpose %[[S]] permutation = [1, 0, 2] : tensor<3x5x2xi32> -> tensor<5x3x2xi32>
func.func @joined(%a: tensor<3x4xi8>, %b: tensor<5x4x2xi8>) -> tensor<5x3x2xi32> {
  %zero = arith.constant dense<0> : tensor<5x3x2xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, o, k) -> (m, k)>, affine_map<(m, n, o, k) -> (n, k, o)>, affine_map<(m, n, o, k) -> (n, m, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4xi8>, tensor<5x4x2xi8>) outs(%zero : tensor<5x3x2xi32>) {
  ^bb0(%l: i8, %r: i8, %acc: i32):
    %1 = arith.extsi %l : i8 to i32
    %2 = arith.extsi %r : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %3, %acc : i32
    linalg.yield %4 : i32
  } -> tensor<5x3x2xi32>
  return %0 : tensor<5x3x2xi32>
}

// -----

// Of a matrix and a vector: a reduction.
// CHECK-LABEL: func.func @matvec(
// CHECK-SAME: %[[A:.*]]: tensor<3x4xf32>, %[[X:.*]]: tensor<4xf32>
// CHECK: %[[P:.*]] = fuse.binary mul %[[A]], %[[X]] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
// CHECK: fuse.reduce sum %[[P]] dimensions = [1] : tensor<3x4xf32> -> tensor<3xf32>
func.func @matvec(%a: tensor<3x4xf32>, %x: tensor<4xf32>) -> tensor<3xf32> {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %0 = linalg.matvec ins(%a, %x : tensor<3x4xf32>, tensor<4xf32>) outs(%zero : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// What is computed of each factor stays apart from the product.
// CHECK-LABEL: func.func @prologue(
// CHECK: %[[R:.*]] = fuse.unary exp %{{.*}} : tensor<3x4xf32>
// CHECK: fuse.matmul %[[R]], %{{.*}} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
func.func @prologue(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero : tensor<3x5xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %1 = math.exp %l : f32
    %2 = arith.mulf %1, %r : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// Loops are not joined where that has more elements than can be counted.
// CHECK-LABEL: func.func @uncountable(
// CHECK-NOT: fuse.matmul
// CHECK: fuse.binary mul
// CHECK: fuse.reduce sum
#row = affine_map<(a, b, j, k) -> (a, b, k)>
#column = affine_map<(a, b, j, k) -> (k, j)>
#result = affine_map<(a, b, j, k) -> (a, b, j)>
func.func @uncountable(%x: tensor<3037000500x3037000500x2xf32>, %y: tensor<2x3xf32>, %z: tensor<3037000500x3037000500x3xf32>) -> tensor<3037000500x3037000500x3xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y : tensor<3037000500x3037000500x2xf32>, tensor<2x3xf32>) outs(%z : tensor<3037000500x3037000500x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %o : f32
    linalg.yield %q : f32
  } -> tensor<3037000500x3037000500x3xf32>
  return %0 : tensor<3037000500x3037000500x3xf32>
}
