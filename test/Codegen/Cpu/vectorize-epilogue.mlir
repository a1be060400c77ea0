// Sums that a member takes from registers.
// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#map = affine_map<(m, n) -> (m, n)>

// Sums start from the value that the fill gives, and go through the element-wise member before they
// are stored: no buffer holds them.
// CHECK-LABEL: module @registers
// CHECK-NOT:     memref.alloc
// CHECK:         %[[START:.*]] = arith.constant dense<2.000000e+00> : vector<64xf32>
// CHECK-NOT:     vector.store
// CHECK:         %[[SUMS:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %[[START]], %{{.*}} = %[[START]], %{{.*}} = %[[START]], %{{.*}} = %[[START]])
// CHECK:         %[[N:.*]] = arith.negf %[[SUMS]]#0
// CHECK-NEXT:    vector.store %[[N]], %arg2
module @registers {
  func.func private @k(%x: memref<4x64xf32>, %w: memref<64x64xf32>, %y: memref<4x64xf32>) {
    %two = arith.constant 2.0 : f32
    %sums = memref.alloc() : memref<4x64xf32>
    linalg.fill ins(%two : f32) outs(%sums : memref<4x64xf32>)
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<4x64xf32>, memref<64x64xf32>) outs(%sums : memref<4x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%sums : memref<4x64xf32>) outs(%y : memref<4x64xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#map = affine_map<(m, n) -> (m, n)>

// The member may write where the sums lie.
// CHECK-LABEL: module @in_place
// CHECK:         %[[SUMS:.*]]:4 = scf.for
// CHECK-NOT:     vector.store
// CHECK:         %[[N:.*]] = arith.negf %[[SUMS]]#0
// CHECK-NEXT:    vector.store %[[N]], %arg2
module @in_place {
  func.func private @k(%x: memref<4x64xf32>, %w: memref<64x64xf32>, %y: memref<4x64xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%y : memref<4x64xf32>)
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<4x64xf32>, memref<64x64xf32>) outs(%y : memref<4x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%y : memref<4x64xf32>) outs(%y : memref<4x64xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}
