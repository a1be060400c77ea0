// A long sum of floats is made of shorter ones, of at most 192 terms, so that less is lost (see
// docs/numerics.md).
// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=64 --canonicalize --cse | FileCheck %s

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>

// 960 = 5 · 192: the sums of 192 steps, and totals that each is added to.
// CHECK-LABEL: func.func @product
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<32xf32>
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C192:.*]] = arith.constant 192 : index
// CHECK: %[[TOTALS:.*]]:4 = scf.for %[[FROM:.*]] = %{{.*}} to %{{.*}} step %[[C192]] iter_args(%[[TOTAL:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: %[[TO:.*]] = arith.addi %[[FROM]], %[[C192]]
// CHECK: %[[PART:.*]]:4 = scf.for %{{.*}} = %[[FROM]] to %[[TO]] step %[[C1]] iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]])
// CHECK-COUNT-4: arith.mulf
// CHECK: scf.yield
// CHECK: arith.addf %[[TOTAL]], %[[PART]]#0
func.func @product(%a: memref<4x960xf32>, %b: memref<960x32xf32>, %c: memref<4x32xf32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<4x960xf32>, memref<960x32xf32>) outs(%c : memref<4x32xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// 192 terms are one sum.
// CHECK-LABEL: func.func @short
// CHECK: %[[C192:.*]] = arith.constant 192 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C192]] step
// CHECK-NOT: scf.for
// CHECK: return
func.func @short(%a: memref<4x192xf32>, %b: memref<192x32xf32>, %c: memref<4x32xf32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<4x192xf32>, memref<192x32xf32>) outs(%c : memref<4x32xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Integers lose nothing.
// CHECK-LABEL: func.func @integers
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @integers(%a: memref<4x960xi32>, %b: memref<960x32xi32>, %c: memref<4x32xi32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<4x960xi32>, memref<960x32xi32>) outs(%c : memref<4x32xi32>) {
  ^bb0(%l: i32, %r: i32, %sum: i32):
    %0 = arith.muli %l, %r : i32
    %1 = arith.addi %sum, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// The taps of a window: 128 channels at each of nine have sums of their own, so that no tap is cut.
// CHECK-LABEL: func.func @window
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<32xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C3:.*]] step %[[C1:.*]] iter_args
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C3]] step %[[C1]] iter_args(%[[TOTAL:[^ ]*]] =
// CHECK: %[[PART:.*]]:6 = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[C1]] iter_args(%{{.*}} = %[[ZERO]],
// CHECK: scf.yield
// CHECK: arith.addf %[[TOTAL]], %[[PART]]#0

#image = affine_map<(p, o, r, s, c) -> (p + r, s, c)>
#filter = affine_map<(p, o, r, s, c) -> (r, s, c, o)>
#out = affine_map<(p, o, r, s, c) -> (p, o)>
func.func @window(%a: memref<8x3x128xf32>, %b: memref<3x3x128x32xf32>, %c: memref<6x32xf32>) {
  linalg.generic {indexing_maps = [#image, #filter, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<8x3x128xf32>, memref<3x3x128x32xf32>) outs(%c : memref<6x32xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

#pixels = affine_map<(w, n, t, c) -> (w + t, c)>
#taps = affine_map<(w, n, t, c) -> (t, c, n)>
#images = affine_map<(w, n, t, c) -> (w, n)>

// Ten pixels with two vectors of columns each: registers do not hold their totals beside the sums,
// which lie in memory, at one of two places in turns.
// CHECK-LABEL: func.func @wide_window
// CHECK: %[[TOTALS:.*]] = memref.alloc() : memref<2x10x32xf32>
// CHECK-COUNT-10: vector.store %{{.*}}, %[[TOTALS]][%{{.*}}] : memref<2x10x32xf32>, vector<32xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[^ ]*}} {
// CHECK: scf.for {{.*}} iter_args(
// CHECK: vector.load %[[TOTALS]]
// CHECK: vector.store %{{.*}}, %[[TOTALS]]
func.func @wide_window(%a: memref<16x96xf32>, %b: memref<7x96x32xf32>, %c: memref<10x32xf32>) {
  linalg.generic {indexing_maps = [#pixels, #taps, #images], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : memref<16x96xf32>, memref<7x96x32xf32>) outs(%c : memref<10x32xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
