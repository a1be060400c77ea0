// RUN: fuse-opt %s --pass-pipeline="builtin.module(func.func(fuse-slice-gathers))" | FileCheck %s

#matrix = affine_map<(d0, d1, d2) -> (d0)>
#all3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// The matrix that an index names, from a column on. The index is made to be within the operand before.
// CHECK-LABEL: func.func @matrix(
// CHECK-SAME: %[[W:.*]]: tensor<8x4x64xf32>, %[[I:.*]]: tensor<1xi64>, %[[OFFSET:[^:]*]]: index
// CHECK: %[[GIVEN:.*]] = tensor.extract %[[I]][
// CHECK: %[[CAST:.*]] = arith.index_cast %[[GIVEN]]
// CHECK: %[[AT:.*]] = arith.maxsi %[[CAST]]
// CHECK: %[[COLUMN:.*]] = affine.apply
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[W]][%[[AT]], 0, %[[COLUMN]]] [1, 4, 16] [1, 1, 1] : tensor<8x4x64xf32> to tensor<1x4x16xf32>
// CHECK-NOT: linalg.generic
// CHECK: return %[[SLICE]]
func.func @matrix(%w: tensor<8x4x64xf32>, %i: tensor<1xi64>, %offset: index) -> tensor<1x4x16xf32> {
  %zero = arith.constant 0 : index
  %e = tensor.empty() : tensor<1x4x16xf32>
  %0 = linalg.generic {indexing_maps = [#matrix, #all3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : tensor<1xi64>) outs(%e : tensor<1x4x16xf32>) {
  ^bb0(%in: i64, %out: f32):
    %1 = arith.index_cast %in : i64 to index
    %2 = arith.maxsi %1, %zero : index
    %3 = linalg.index 1 : index
    %4 = linalg.index 2 : index
    %5 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%offset)[%4]
    %6 = tensor.extract %w[%2, %3, %5] : tensor<8x4x64xf32>
    linalg.yield %6 : f32
  } -> tensor<1x4x16xf32>
  return %0 : tensor<1x4x16xf32>
}

// Two rows have two indices.
// CHECK-LABEL: func.func @two_rows(
// CHECK: linalg.generic
func.func @two_rows(%w: tensor<8x64xf32>, %i: tensor<2xindex>, %e: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<2xindex>) outs(%e : tensor<2x64xf32>) {
  ^bb0(%in: index, %out: f32):
    %1 = linalg.index 1 : index
    %2 = tensor.extract %w[%in, %1] : tensor<8x64xf32>
    linalg.yield %2 : f32
  } -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}

// Each second element is no slice of neighbours, and what is computed from a slice is none.
// CHECK-LABEL: func.func @others(
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: return
func.func @others(%w: tensor<8x64xf32>, %i: tensor<1xindex>, %e: tensor<1x32xf32>) -> (tensor<1x32xf32>, tensor<1x32xf32>) {
  %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<1xindex>) outs(%e : tensor<1x32xf32>) {
  ^bb0(%in: index, %out: f32):
    %1 = linalg.index 1 : index
    %2 = affine.apply affine_map<(d0) -> (d0 * 2)>(%1)
    %3 = tensor.extract %w[%in, %2] : tensor<8x64xf32>
    linalg.yield %3 : f32
  } -> tensor<1x32xf32>
  %4 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<1xindex>) outs(%e : tensor<1x32xf32>) {
  ^bb0(%in: index, %out: f32):
    %5 = linalg.index 1 : index
    %6 = tensor.extract %w[%in, %5] : tensor<8x64xf32>
    %7 = arith.negf %6 : f32
    linalg.yield %7 : f32
  } -> tensor<1x32xf32>
  return %0, %4 : tensor<1x32xf32>, tensor<1x32xf32>
}

#matrices = affine_map<(d0, d1, d2) -> (d0)>
#x = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#w = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#y = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// A contraction that reads a matrix of its own for each of several indices runs once for each.
// CHECK-LABEL: func.func @matrices(
// CHECK-SAME: %[[X:.*]]: tensor<3x6x4xf32>, %[[W:.*]]: tensor<8x4x16xf32>, %[[I:.*]]: tensor<3xindex>, %[[E:.*]]: tensor<3x6x16xf32>
// CHECK: scf.for %[[B:.*]] = %{{.*}} iter_args(%[[OUT:.*]] = %[[E]])
// CHECK-DAG: %[[ROWS:.*]] = tensor.extract_slice %[[X]][%[[B]], 0, 0] [1, 6, 4]
// CHECK-DAG: %[[MATRIX:.*]] = tensor.extract_slice %[[W]][%{{.*}}, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<8x4x16xf32> to tensor<1x4x16xf32>
// CHECK-DAG: %[[PART:.*]] = tensor.extract_slice %[[OUT]][%[[B]], 0, 0] [1, 6, 16]
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}}) outs(%[[PART]] :
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[ROWS]], %[[MATRIX]] : {{.*}}) outs(%[[ZERO]] :
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[Y]] into %[[OUT]][%[[B]], 0, 0]
// CHECK: scf.yield %[[NEXT]]
func.func @matrices(%x: tensor<3x6x4xf32>, %w: tensor<8x4x16xf32>, %i: tensor<3xindex>, %e: tensor<3x6x16xf32>) -> tensor<3x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<3x4x16xf32>
  %1 = linalg.generic {indexing_maps = [#matrices, #all3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : tensor<3xindex>) outs(%0 : tensor<3x4x16xf32>) {
  ^bb0(%in: index, %out: f32):
    %4 = linalg.index 1 : index
    %5 = linalg.index 2 : index
    %6 = tensor.extract %w[%in, %4, %5] : tensor<8x4x16xf32>
    linalg.yield %6 : f32
  } -> tensor<3x4x16xf32>
  %2 = linalg.fill ins(%zero : f32) outs(%e : tensor<3x6x16xf32>) -> tensor<3x6x16xf32>
  %3 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %1 : tensor<3x6x4xf32>, tensor<3x4x16xf32>) outs(%2 : tensor<3x6x16xf32>) {
  ^bb0(%left: f32, %right: f32, %out: f32):
    %4 = arith.mulf %left, %right : f32
    %5 = arith.addf %out, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<3x6x16xf32>
  return %3 : tensor<3x6x16xf32>
}

#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#sum = affine_map<(d0, d1, d2) -> (d0, d1)>

// Rows that indices name are multiplied with one matrix, which several rows read together: they are gathered first.
// CHECK-LABEL: func.func @shared(
// CHECK-NOT: scf.for
// CHECK: return
func.func @shared(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %i: tensor<3xindex>, %e: tensor<3x16xf32>) -> tensor<3x16xf32> {
  %0 = tensor.empty() : tensor<3x4xf32>
  %1 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<3xindex>) outs(%0 : tensor<3x4xf32>) {
  ^bb0(%in: index, %out: f32):
    %4 = linalg.index 1 : index
    %6 = tensor.extract %x[%in, %4] : tensor<8x4xf32>
    linalg.yield %6 : f32
  } -> tensor<3x4xf32>
  %3 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %w : tensor<3x4xf32>, tensor<4x16xf32>) outs(%e : tensor<3x16xf32>) {
  ^bb0(%left: f32, %right: f32, %out: f32):
    %4 = arith.mulf %left, %right : f32
    %5 = arith.addf %out, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<3x16xf32>
  return %3 : tensor<3x16xf32>
}
