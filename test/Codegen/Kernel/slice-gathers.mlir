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
