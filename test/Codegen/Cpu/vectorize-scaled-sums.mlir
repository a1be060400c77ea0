// RUN: fuse-opt %s --fuse-vectorize-kernels=scaled-sums --canonicalize --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s --check-prefix=TERMS

// A scale for each of four groups of 32 steps: the loop of steps multiplies by weights alone, and each group's sum is
// multiplied once.
// CHECK-LABEL: module @groups
// CHECK:       scf.for %[[GROUP:.*]] = %{{.*}} to %c4
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK-NOT:       arith.mulf
// CHECK:           math.fma
// CHECK-NOT:       arith.mulf
// CHECK:           scf.yield
// CHECK:         %[[SCALE:.*]] = vector.load %{{.*}}[%[[GROUP]], %{{.*}}] : memref<4x64xf32>, vector<64xf32>
// CHECK:         math.fma %[[SUM]], %[[SCALE]], %{{.*}} : vector<64xf32>
// TERMS-LABEL: module @groups
// TERMS:       arith.sitofp
// TERMS:       arith.mulf
// TERMS:       math.fma
module @groups {
  func.func private @kernel(%x: memref<4x32xf32>, %w: memref<4x32x64xi8>, %s: memref<4x64xf32>, %y: memref<64xf32>) {
    linalg.generic {indexing_maps = [affine_map<(n, g, k) -> (g, k)>, affine_map<(n, g, k) -> (g, k, n)>, affine_map<(n, g, k) -> (g, n)>, affine_map<(n, g, k) -> (n)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x, %w, %s : memref<4x32xf32>, memref<4x32x64xi8>, memref<4x64xf32>) outs(%y : memref<64xf32>) {
    ^bb0(%a: f32, %b: i8, %c: f32, %out: f32):
      %0 = arith.sitofp %b : i8 to f32
      %1 = arith.mulf %0, %c : f32
      %2 = arith.mulf %a, %1 fastmath<contract> : f32
      %3 = arith.addf %out, %2 fastmath<contract> : f32
      linalg.yield %3 : f32
    }
    return
  }
}

// -----

// A scale for each step is no group's.
// CHECK-LABEL: module @steps
// CHECK:       scf.for
// CHECK:         arith.mulf
// CHECK:         math.fma
// CHECK-NOT:   math.fma
module @steps {
  func.func private @kernel(%x: memref<32xf32>, %w: memref<32x64xi8>, %s: memref<32x64xf32>, %y: memref<64xf32>) {
    linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w, %s : memref<32xf32>, memref<32x64xi8>, memref<32x64xf32>) outs(%y : memref<64xf32>) {
    ^bb0(%a: f32, %b: i8, %c: f32, %out: f32):
      %0 = arith.sitofp %b : i8 to f32
      %1 = arith.mulf %0, %c : f32
      %2 = arith.mulf %a, %1 fastmath<contract> : f32
      %3 = arith.addf %out, %2 fastmath<contract> : f32
      linalg.yield %3 : f32
    }
    return
  }
}
