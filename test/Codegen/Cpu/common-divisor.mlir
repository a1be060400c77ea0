// A row is divided by its sum: multiplied by the reciprocal, and corrected twice, where no dividend is tiny,
// huge or infinite and the divisor is no less than 1 (see CommonDivisor.cpp). The sum is read before the row.
// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=64 --canonicalize --cse | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels="vector-bytes=32 fma=false" --canonicalize --cse | FileCheck %s --check-prefix=NO-FMA

#row = affine_map<(m, n) -> (m)>
#all = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:.*]]: memref<8x128xf32>, %[[SUMS:[a-z0-9]+]]: memref<8xf32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: scf.for %[[ROW:[a-z0-9]+]] =
// CHECK: %[[SUM:.*]] = memref.load %[[SUMS]][%[[ROW]]]
// CHECK: scf.for
// CHECK: %[[A:.*]] = vector.load %[[X]]
// CHECK: vector.reduction <and>
// CHECK: %[[Q:.*]] = scf.if
// CHECK: %[[R:.*]] = arith.divf %[[ONE]], %[[SUM]] : f32
// CHECK: %[[FACTORS:.*]] = vector.broadcast %[[R]]
// CHECK: %[[NEGATED:.*]] = arith.negf %[[SUM]]
// CHECK: %[[NEGATIVE:.*]] = vector.broadcast %[[NEGATED]]
// CHECK: %[[Q0:.*]] = arith.mulf %[[A]], %[[FACTORS]]
// CHECK: %[[E0:.*]] = math.fma %[[NEGATIVE]], %[[Q0]], %[[A]]
// CHECK: %[[Q1:.*]] = math.fma %[[E0]], %[[FACTORS]], %[[Q0]]
// CHECK: %[[E1:.*]] = math.fma %[[NEGATIVE]], %[[Q1]], %[[A]]
// CHECK: %[[Q2:.*]] = math.fma %[[E1]], %[[FACTORS]], %[[Q1]]
// CHECK: math.copysign %[[Q2]], %[[A]]
// CHECK: } else {
// CHECK: arith.divf %[[A]], %{{.*}} : vector<64xf32>
// CHECK: vector.store %[[Q]]
// NO-FMA-LABEL: func.func @rows
// NO-FMA-NOT: scf.if
// NO-FMA: arith.divf %{{.*}} : vector<
func.func @rows(%x: memref<8x128xf32>, %s: memref<8xf32>, %y: memref<8x128xf32>) {
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<8x128xf32>, memref<8xf32>) outs(%y : memref<8x128xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// LLVM multiplies by a reciprocal that is exact.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: scf.if
// CHECK: arith.divf %{{.*}} : vector<
func.func @exact(%x: memref<8x128xf32>, %y: memref<8x128xf32>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x128xf32>) outs(%y : memref<8x128xf32>) {
  ^bb0(%a: f32, %old: f32):
    %eight = arith.constant 8.0 : f32
    %0 = arith.divf %a, %eight : f32
    linalg.yield %0 : f32
  }
  return
}
